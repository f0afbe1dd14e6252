//! Trust in the file of the working directory: it may not say where a secret of others goes.
//!
//! Whoever can put a `sayso.toml` where somebody starts a bot (a repository that was cloned, a
//! folder that is shared) would else receive the secrets of the environment, by naming a login
//! service of their own. A file that was named is as good as whoever named it.

use super::{Config, Source, app::wrong, error::ConfigError};

/// Settings that say where secrets and tokens go, and whose tokens count.
const DESTINATIONS: [&str; 9] = [
    "service-urls",
    "skill-callers",
    "private-addresses",
    "app.identity-endpoint",
    "cloud.metadata",
    "cloud.issuer",
    "cloud.login",
    "cloud.login-metadata",
    "cloud.scope",
];

/// Settings that are secrets, or files with secrets.
const SECRETS: [&str; 4] =
    ["app.password", "app.password-file", "app.key-file", "app.identity-header"];

impl Config {
    /// Refuses a destination from a file that was only found, unless all secrets are in that file,
    /// too.
    pub(super) fn check_destinations(&self) -> Result<(), ConfigError> {
        if !self.is_found_file {
            return Ok(());
        }
        let is_of_file = |key: &str| {
            self.value(key).is_some_and(|value| matches!(value.source, Source::File { .. }))
        };
        let Some(destination) = DESTINATIONS.into_iter().find(|key| is_of_file(key)) else {
            return Ok(());
        };
        // The file may name files that it does not hold: what is in them is not its own.
        let foreign = SECRETS
            .into_iter()
            .find(|key| self.value(key).is_some() && (key.ends_with("-file") || !is_of_file(key)));
        let Some(secret) = foreign else { return Ok(()) };
        Err(wrong(
            destination,
            &format!(
                "it is set by a file that is only there because it is in the working directory, \
                 and {secret} is not in that file; name the file with --config or SAYSO_CONFIG if \
                 it may say where secrets go"
            ),
        ))
    }
}

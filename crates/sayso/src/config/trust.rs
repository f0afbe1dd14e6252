//! Trust in the file of the working directory: it may not say where a secret of others goes.
//!
//! Whoever can put a `sayso.toml` where somebody starts a bot (a repository that was cloned, a
//! folder that is shared) would else receive the secrets of the environment, by naming a login
//! service of their own. A file that was named is as good as whoever named it.

use super::{Config, Source, Value, app::wrong, error::ConfigError, setting::STORE_SECRET_FILE};

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

/// Parameters of a store's URL by which a secret of this process is sent to whoever is named.
const STORE_SECRETS: [&str; 2] = ["secret-file", "auth"];

/// Hosts of Azure, which show nobody the tokens that they are sent.
const AZURE: [&str; 6] = [
    ".blob.core.windows.net",
    ".blob.core.usgovcloudapi.net",
    ".blob.core.chinacloudapi.cn",
    ".documents.azure.com",
    ".documents.azure.us",
    ".documents.azure.cn",
];

impl Config {
    /// Refuses a store from a file that was only found, if it is sent a secret that is not in that
    /// file: the content of another one, or a token of this machine's identity.
    pub(super) fn check_store(&self) -> Result<(), ConfigError> {
        let value = self.value("store").filter(|_| self.is_found_file);
        let Some(Value { text, source: Source::File { .. } }) = value else { return Ok(()) };
        // What is on this machine is sent nowhere.
        if text.starts_with("sqlite:") || text.starts_with("memory:") {
            return Ok(());
        }
        match azure_host(text) {
            Some(host) if is_of_azure(host) => return Ok(()),
            // Without a word about it this machine's identity, or a SAS token, is sent.
            Some(_) => {
                return Err(wrong(
                    "store",
                    &only_found("AZURE_... or of the identity of this machine"),
                ));
            }
            None => {}
        }
        let pairs = text.split(['?', '&']).filter_map(|pair| pair.split_once('='));
        let parameter = pairs.map(|(name, _)| name).find(|name| STORE_SECRETS.contains(name));
        let variable = self.has_store_secret_file.then_some(STORE_SECRET_FILE);
        let Some(secret) = parameter.or(variable) else { return Ok(()) };
        Err(wrong("store", &only_found(secret)))
    }

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
        Err(wrong(destination, &only_found(secret)))
    }
}

/// The host of a store on Azure that has no key of its own in the URL.
fn azure_host(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once("://")?;
    if !["azblob:https", "azblob:http", "cosmos", "cosmos+http"].contains(&scheme) {
        return None;
    }
    let host = rest.split(['/', '?', '#', ':']).next()?;
    (!rest.contains('@')).then_some(host)
}

fn is_of_azure(host: &str) -> bool {
    ["localhost", "127.0.0.1"].contains(&host) || AZURE.iter().any(|end| host.ends_with(end))
}

fn only_found(secret: &str) -> String {
    format!(
        "it is set by a file that is only there because it is in the working directory, and the \
         secret of {secret} is not in that file; name the file with --config or SAYSO_CONFIG if it \
         may say where secrets go"
    )
}

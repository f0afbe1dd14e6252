//! Subject of the checks: a configuration and its app.

use sayso::{Config, channel::auth::AuthOptions};

/// Configuration to check.
#[derive(Debug)]
pub(super) struct Patient {
    pub(super) config: Config,
    /// The app, if there is one, or why it cannot be used.
    pub(super) auth: Result<Option<AuthOptions>, String>,
}

//! Error of options that make no sense, or of an HTTP client that cannot start.

/// Error in [`AuthOptions`](super::AuthOptions).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// A setting is missing or invalid.
    #[error("{setting}: {reason}")]
    Setting {
        /// The name of the setting.
        setting: &'static str,
        /// The problem, as the end of a sentence.
        reason: &'static str,
    },
    /// The HTTP client cannot start: most likely the machine has no trusted CA certificates.
    #[error("the HTTP client cannot start; are the CA certificates of this machine installed?")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}

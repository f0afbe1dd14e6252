//! The bot's own tokens, which it shows to channels.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use sayso_turn::clock::Clock;

use super::{
    http::HttpError,
    login::Login,
    options::{AuthError, AuthOptions},
    slot::{Bearer, Slot},
};

/// A bot needs one, and one for each skill that it calls.
const SCOPES_MAX: usize = 100;

/// Gets the bot's own tokens: with a secret or a certificate from the login service, or from the
/// machine for a managed identity. Cloning is cheap and shares the tokens.
///
/// # Guarantees
/// A token is kept for each scope, renewed five minutes before its end, and asked for once however
/// many need it.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use sayso_channel::{Connector, ConnectorOptions, auth::{AuthOptions, Secret, Tokens}};
/// use sayso_turn::clock::SystemClock;
///
/// let options = AuthOptions {
///     password: Some(Secret::new("from a vault")),
///     ..AuthOptions::new("00000000-0000-0000-0000-000000000001")
/// };
/// let connector = Connector::new(ConnectorOptions {
///     tokens: Some(Tokens::new(&options, Arc::new(SystemClock::new()))?),
///     service_urls: options.cloud.service_urls,
///     ..Default::default()
/// })?;
/// # drop(connector);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tokens {
    login: Arc<Login>,
    clock: Arc<dyn Clock>,
    scope: String,
    slots: Arc<Mutex<BTreeMap<String, Arc<Slot>>>>,
}

/// Why there is no token, or no key to check one with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Whoever was asked gave no answer of use.
    #[error("it cannot be asked: {reason}")]
    Unavailable {
        /// What happened.
        reason: String,
    },
    /// The login service refused.
    #[error(
        "the login service answered {status}{}; check the app's id, its secret or certificate, and its tenant",
        in_brackets(code.as_deref())
    )]
    Refused {
        /// The status of the answer.
        status: u16,
        /// The service's code for the error.
        code: Option<String>,
    },
    /// The credentials cannot be used.
    #[error("{0}")]
    Credentials(&'static str),
}

impl TokenError {
    pub(super) const CREDENTIALS: Self = Self::Credentials("the app's credentials cannot be used");
    pub(crate) const NOT_YET: Self = Self::Credentials("it has not come yet");
    pub(crate) const NOT_ACCEPTED: Self =
        Self::Credentials("the channel does not accept the bot's token");

    pub(super) fn of_http(error: HttpError) -> Self {
        Self::Unavailable { reason: error.to_string() }
    }
}

impl From<HttpError> for TokenError {
    fn from(error: HttpError) -> Self {
        Self::of_http(error)
    }
}

impl Tokens {
    /// Takes the credentials. It asks nobody anything yet.
    ///
    /// # Errors
    /// [`AuthError`] when there are no credentials, an option makes no sense or the HTTP client
    /// cannot start.
    pub fn new(options: &AuthOptions, clock: Arc<dyn Clock>) -> Result<Self, AuthError> {
        let login = Arc::new(Login::new(options)?);
        Ok(Self { login, clock, scope: options.cloud.scope.clone(), slots: Arc::default() })
    }

    /// Gets a token, to see that it can be done.
    ///
    /// # Errors
    /// [`TokenError`] that says why not.
    ///
    /// # Cancellation
    /// Dropping the future stops the waiting; a token that arrives later is kept.
    pub async fn probe(&self) -> Result<(), TokenError> {
        self.bearer(None, None).await.map(drop)
    }

    /// A token for a scope, or for channels; if one was refused by a channel, another.
    pub(crate) async fn bearer(
        &self,
        scope: Option<&str>,
        refused: Option<&Bearer>,
    ) -> Result<Bearer, TokenError> {
        let scope = scope.unwrap_or(&self.scope).to_owned();
        let slot = self.slot(&scope);
        let (login, clock) = (Arc::clone(&self.login), Arc::clone(&self.clock));
        let ask = move || async move { login.ask(&scope, clock.now()).await };
        slot.bearer(&self.clock, refused, ask).await
    }

    fn slot(&self, scope: &str) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(scope) {
            return Arc::clone(slot);
        }
        if slots.len() >= SCOPES_MAX {
            slots.clear();
        }
        Arc::clone(slots.entry(scope.to_owned()).or_default())
    }
}

fn in_brackets(code: Option<&str>) -> impl fmt::Display {
    code.map(|code| format!(" ({code})")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use sayso_turn::clock::SystemClock;

    use super::*;
    use crate::auth::Secret;

    #[test]
    fn each_scope_has_its_own_token_and_there_is_a_limit() {
        let password = Some(Secret::new("x"));
        let options = AuthOptions { password, ..AuthOptions::new("app") };
        let tokens = Tokens::new(&options, Arc::new(SystemClock::new())).unwrap();
        let first = tokens.slot("a");
        assert!(Arc::ptr_eq(&first, &tokens.slot("a")));
        assert!(!Arc::ptr_eq(&first, &tokens.slot("b")));
        for number in 0..3 * SCOPES_MAX {
            drop(tokens.slot(&number.to_string()));
        }
        assert!(tokens.slots.lock().unwrap().len() <= SCOPES_MAX);
    }
}

//! Access tokens of the bot itself, which it presents to channels.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use sayso_turn::clock::Clock;

use super::{
    error::AuthError,
    login::Login,
    options::AuthOptions,
    token_cache::{Bearer, TokenCache},
    token_error::TokenError,
};
use crate::sync::lock;

/// Limit on cached tokens. A bot needs one, and one more for each skill that it calls.
const SCOPES_MAX: usize = 100;

/// Gets access tokens for the bot (OAuth 2.0 client credentials): from the login service with a
/// secret or a certificate, or from the machine for a managed identity. Cloning is cheap and shares
/// the tokens.
///
/// # Guarantees
/// One token is cached per scope, renewed five minutes before it expires, and requested once
/// however many callers wait for it (single-flight).
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
    caches: Arc<Mutex<BTreeMap<String, Arc<TokenCache>>>>,
}

impl Tokens {
    /// Reads the credentials from the options. Makes no request yet.
    ///
    /// # Errors
    /// [`AuthError`] when there are no credentials, an option makes no sense or the HTTP client
    /// cannot start.
    pub fn new(options: &AuthOptions, clock: Arc<dyn Clock>) -> Result<Self, AuthError> {
        let login = Arc::new(Login::new(options)?);
        Ok(Self { login, clock, scope: options.cloud.scope.clone(), caches: Arc::default() })
    }

    /// Requests a token, to check that the credentials work.
    ///
    /// # Errors
    /// [`TokenError`] when there is no token.
    ///
    /// # Cancellation
    /// Dropping the future only stops waiting; a token that arrives later is cached.
    pub async fn probe(&self) -> Result<(), TokenError> {
        self.bearer(None, None).await.map(drop)
    }

    /// Returns a token for a scope, by default that of the channels. A token that a channel refused
    /// is not returned again.
    pub(crate) async fn bearer(
        &self,
        scope: Option<&str>,
        refused: Option<&Bearer>,
    ) -> Result<Bearer, TokenError> {
        let scope = scope.unwrap_or(&self.scope).to_owned();
        let cache = self.cache(&scope);
        let (login, clock) = (Arc::clone(&self.login), Arc::clone(&self.clock));
        let ask = move || async move { login.ask(&scope, clock.now()).await };
        cache.bearer(&self.clock, refused, ask).await
    }

    fn cache(&self, scope: &str) -> Arc<TokenCache> {
        let mut caches = lock(&self.caches);
        if let Some(cache) = caches.get(scope) {
            return Arc::clone(cache);
        }
        if caches.len() >= SCOPES_MAX {
            caches.clear();
        }
        Arc::clone(caches.entry(scope.to_owned()).or_default())
    }
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
        let first = tokens.cache("a");
        assert!(Arc::ptr_eq(&first, &tokens.cache("a")));
        assert!(!Arc::ptr_eq(&first, &tokens.cache("b")));
        for number in 0..3 * SCOPES_MAX {
            drop(tokens.cache(&number.to_string()));
        }
        assert!(tokens.caches.lock().unwrap().len() <= SCOPES_MAX);
    }
}

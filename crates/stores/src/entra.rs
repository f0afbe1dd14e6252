//! Credentials of Microsoft Entra ID for this process, and their tokens, renewed before they
//! expire.

use std::{
    env, fmt,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use azure_core::{
    credentials::{AccessToken, Secret, TokenCredential, TokenRequestOptions},
    error::ErrorKind,
    time::OffsetDateTime,
};
use azure_identity::{
    ClientSecretCredential, DeveloperToolsCredential, ManagedIdentityCredential,
    ManagedIdentityCredentialOptions, UserAssignedId, WorkloadIdentityCredential,
};

use crate::sync::lock;

/// The source of the identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Entra {
    /// From the environment: a federated token (`AZURE_FEDERATED_TOKEN_FILE`), a secret
    /// (`AZURE_CLIENT_SECRET`), an identity of the platform (`IDENTITY_ENDPOINT`); else the
    /// developer who is logged in.
    #[default]
    Automatic,
    /// The managed identity of the machine or service; where it has several, the one that
    /// `AZURE_CLIENT_ID` names.
    Managed,
    /// The developer who is logged in (`az login`, `azd auth login`).
    Developer,
}

impl Entra {
    /// The identity that `auth` in a URL names.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "entra" => Some(Self::Automatic),
            "managed" => Some(Self::Managed),
            "developer" => Some(Self::Developer),
            _ => None,
        }
    }

    /// A credential for this identity. Requests no token yet.
    pub(crate) fn credential(self) -> Result<Arc<dyn TokenCredential>, azure_core::Error> {
        let text = |name: &str| env::var(name).unwrap_or_default();
        let is_set = |name: &str| !text(name).is_empty();
        Ok(match self {
            Self::Automatic if is_set("AZURE_FEDERATED_TOKEN_FILE") => {
                WorkloadIdentityCredential::new(None)?
            }
            Self::Automatic if is_set("AZURE_CLIENT_SECRET") => ClientSecretCredential::new(
                &text("AZURE_TENANT_ID"),
                text("AZURE_CLIENT_ID"),
                Secret::new(text("AZURE_CLIENT_SECRET")),
                None,
            )?,
            Self::Automatic if is_set("IDENTITY_ENDPOINT") || is_set("MSI_ENDPOINT") => managed()?,
            Self::Managed => managed()?,
            Self::Automatic | Self::Developer => DeveloperToolsCredential::new(None)?,
        })
    }
}

fn managed() -> Result<Arc<dyn TokenCredential>, azure_core::Error> {
    let client = env::var("AZURE_CLIENT_ID").ok().filter(|client| !client.is_empty());
    let user_assigned_id = client.map(UserAssignedId::ClientId);
    let options = ManagedIdentityCredentialOptions { user_assigned_id, ..Default::default() };
    Ok(ManagedIdentityCredential::new(Some(options))?)
}

/// The time before its expiry at which a token is renewed, unless its life is too short for that.
const RENEW_BEFORE: Duration = Duration::from_secs(300);

/// The time limit of asking for a token.
const ASK_MAX: Duration = Duration::from_secs(8);

/// The shortest time between two questions for a token that bring none.
const PAUSE: Duration = Duration::from_secs(1);

/// Tokens for one scope, each kept until it is time for the next: some credentials start a program
/// for every token they are asked for.
pub(crate) struct Tokens {
    credential: Arc<dyn TokenCredential>,
    scope: String,
    kept: Mutex<Kept>,
    /// Held while asking, so that one caller asks. The others go on with the token that is there.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Kept {
    token: Option<Token>,
    count: u64,
    refused: u64,
    failed: Option<Instant>,
}

/// A token and when to ask for the next.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) text: Secret,
    pub(crate) renew_at: Instant,
    pub(crate) number: u64,
    expires_at: Instant,
    expires_on: OffsetDateTime,
}

/// Error: there is no token. What the library says of it may quote an address with secrets.
#[derive(Debug)]
pub(crate) struct NoToken;

impl Tokens {
    pub(crate) fn new(credential: Arc<dyn TokenCredential>, scope: impl Into<String>) -> Self {
        let (kept, asking) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { credential, scope: scope.into(), kept, asking }
    }

    /// The token to present now.
    pub(crate) async fn get(&self) -> Result<Token, NoToken> {
        let before = lock(&self.kept).token.clone();
        let now = Instant::now();
        let valid = before.filter(|token| now < token.expires_at);
        if let Some(token) = &valid
            && now < token.renew_at
        {
            return Ok(token.clone());
        }
        let _turn = match (self.asking.try_lock(), valid) {
            (Ok(turn), _) => turn,
            (Err(_), Some(token)) => return Ok(token),
            (Err(_), None) => self.asking.lock().await,
        };
        {
            // Somebody else may have asked meanwhile.
            let kept = lock(&self.kept);
            let valid = kept.token.clone().filter(|token| Instant::now() < token.expires_at);
            let is_paused = kept.failed.is_some_and(|at| at.elapsed() < PAUSE);
            if let Some(token) = valid
                && (is_paused || Instant::now() < token.renew_at)
            {
                return Ok(token);
            }
            if is_paused {
                return Err(NoToken);
            }
        }
        let scopes = [self.scope.as_str()];
        let answer = tokio::time::timeout(ASK_MAX, self.credential.get_token(&scopes, None)).await;
        self.keep(answer.ok().and_then(Result::ok))
    }

    fn keep(&self, answer: Option<AccessToken>) -> Result<Token, NoToken> {
        let mut kept = lock(&self.kept);
        let Some(AccessToken { token: text, expires_on }) = answer else {
            kept.failed = Some(Instant::now());
            // The one that is there may still serve.
            let valid = kept.token.clone().filter(|token| Instant::now() < token.expires_at);
            return valid.ok_or(NoToken);
        };
        kept.count += 1;
        kept.failed = None;
        let life = Duration::try_from(expires_on - OffsetDateTime::now_utc()).unwrap_or_default();
        // By a clock that is wrong it may be over already: the server has the last word.
        let life = life.max(2 * PAUSE);
        let expires_at = Instant::now() + life;
        let renew_at = expires_at - RENEW_BEFORE.min(life / 2);
        let token = Token { text, renew_at, number: kept.count, expires_at, expires_on };
        kept.token = Some(token.clone());
        Ok(token)
    }

    /// The number of the token that is presented now.
    #[cfg(feature = "cosmos")]
    pub(crate) fn number(&self) -> u64 {
        lock(&self.kept).count
    }

    /// Notes that a server refused a token; true if another one is worth a try, once for each.
    pub(crate) fn refused(&self, number: u64) -> bool {
        let mut kept = lock(&self.kept);
        if kept.count != number {
            return true;
        }
        if kept.refused == number {
            return false;
        }
        kept.refused = number;
        kept.token = None;
        true
    }
}

#[async_trait]
impl TokenCredential for Tokens {
    async fn get_token(
        &self,
        scopes: &[&str],
        options: Option<TokenRequestOptions<'_>>,
    ) -> azure_core::Result<AccessToken> {
        if scopes != [self.scope.as_str()] {
            return self.credential.get_token(scopes, options).await;
        }
        let token = self.get().await.map_err(|NoToken| {
            azure_core::Error::with_message(ErrorKind::Credential, "Entra ID gave no token")
        })?;
        Ok(AccessToken { token: token.text, expires_on: token.expires_on })
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("scope", &self.scope).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Gives tokens that live this long, numbered; none while it is down.
    #[derive(Debug)]
    struct Fake {
        life: Duration,
        count: AtomicU64,
        is_down: std::sync::atomic::AtomicBool,
    }

    #[async_trait]
    impl TokenCredential for Fake {
        async fn get_token(
            &self,
            _: &[&str],
            _: Option<TokenRequestOptions<'_>>,
        ) -> azure_core::Result<AccessToken> {
            let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
            if self.is_down.load(Ordering::SeqCst) {
                return Err(azure_core::Error::with_message(ErrorKind::Credential, "canary"));
            }
            let text = format!("canary {count}");
            Ok(AccessToken::new(text, OffsetDateTime::now_utc() + self.life))
        }
    }

    fn tokens(life: Duration) -> (Arc<Fake>, Tokens) {
        let (count, is_down) = (AtomicU64::new(0), false.into());
        let fake = Arc::new(Fake { life, count, is_down });
        (Arc::clone(&fake), Tokens::new(Arc::clone(&fake) as Arc<dyn TokenCredential>, "s"))
    }

    async fn number(tokens: &Tokens) -> u64 {
        tokens.get().await.map_or(0, |token| token.number)
    }

    /// As if so much time had passed.
    fn pass(tokens: &Tokens, time: Duration) {
        let kept = &mut *lock(&tokens.kept);
        if let Some(token) = &mut kept.token {
            token.renew_at -= time;
            token.expires_at -= time;
        }
        kept.failed = kept.failed.map(|at| at - time);
    }

    #[tokio::test]
    async fn a_token_is_kept_and_renewed_before_it_expires() {
        let (fake, tokens) = tokens(Duration::from_secs(3600));
        assert_eq!((number(&tokens).await, number(&tokens).await), (1, 1));
        pass(&tokens, Duration::from_secs(3200));
        assert_eq!(number(&tokens).await, 1, "it has 400 s left");
        pass(&tokens, Duration::from_secs(200));
        assert_eq!((number(&tokens).await, number(&tokens).await), (2, 2));
        assert_eq!(fake.count.load(Ordering::SeqCst), 2);
        assert!(!format!("{tokens:?}").contains("canary"));
    }

    #[tokio::test]
    async fn a_token_serves_to_its_end_when_there_is_no_other() {
        let (fake, tokens) = tokens(Duration::from_secs(100));
        assert_eq!(number(&tokens).await, 1);
        fake.is_down.store(true, Ordering::SeqCst);
        pass(&tokens, Duration::from_secs(60));
        for _ in 0..9 {
            assert_eq!(number(&tokens).await, 1);
        }
        assert_eq!(fake.count.load(Ordering::SeqCst), 2, "asked again after a pause only");
        pass(&tokens, Duration::from_secs(60));
        for _ in 0..9 {
            assert_eq!(number(&tokens).await, 0, "it has expired");
        }
        assert_eq!(fake.count.load(Ordering::SeqCst), 3);
        fake.is_down.store(false, Ordering::SeqCst);
        pass(&tokens, PAUSE);
        assert_eq!(number(&tokens).await, 2);
    }

    #[tokio::test]
    async fn a_token_that_seems_to_be_over_serves_and_is_not_asked_for_with_every_call() {
        let (fake, tokens) = tokens(Duration::ZERO);
        for _ in 0..9 {
            assert_eq!(number(&tokens).await, 1);
        }
        assert_eq!(fake.count.load(Ordering::SeqCst), 1);
        pass(&tokens, PAUSE);
        assert_eq!(number(&tokens).await, 2);
    }

    #[tokio::test]
    async fn a_refused_token_is_replaced_once() {
        let (_fake, tokens) = tokens(Duration::from_secs(3600));
        assert_eq!(number(&tokens).await, 1);
        assert!(tokens.refused(1));
        assert!(!tokens.refused(1), "nobody has asked for another yet, and one try is enough");
        assert_eq!(number(&tokens).await, 2);
        assert!(tokens.refused(1), "there is another one");
        assert!(tokens.refused(2) && !tokens.refused(2));
    }
}

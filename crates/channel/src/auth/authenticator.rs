//! Authentication of incoming requests by bearer token.

use std::{sync::Arc, time::Duration};

use axum::http::HeaderMap;
use sayso_turn::clock::Clock;

use super::{
    bearer,
    claims::Claims,
    error::AuthError,
    http::{self, Http},
    issuer::Issuer,
    jwt::Unverified,
    keys::Keys,
    options::{Algorithm, AuthOptions},
    rejection::Rejection,
    token_error::TokenError,
    verified::{Caller, Verified},
};
use crate::{ServiceUrls, skill_callers::SkillCallers};

/// Refusal of an app that is on no list.
const UNLISTED: Rejection = Rejection::Forbidden("the caller is not on the list of allowed apps");

/// Authenticates requests that deliver activities, by the bearer token (JWT) in their header.
///
/// # Guarantees
/// A request is accepted only with a token that is signed with RSA by a key of the channels'
/// issuer, is issued for this app, is valid now and names the activity's service URL, and whose key
/// is endorsed for the activity's channel. Tokens of the emulator and of other bots are accepted
/// only if the options say so.
///
/// # Limits
/// A token is valid for its whole lifetime, about an hour, and for any conversation of its channel:
/// the protocol does not bind it to a single request.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use sayso_channel::{EndpointOptions, auth::{Authenticator, AuthOptions}};
/// use sayso_turn::clock::SystemClock;
///
/// let options = AuthOptions::new("00000000-0000-0000-0000-000000000001");
/// let authenticator = Authenticator::new(&options, Arc::new(SystemClock::new()))?;
/// let endpoint = EndpointOptions {
///     service_urls: options.cloud.service_urls,
///     auth: authenticator.into(),
///     ..Default::default()
/// };
/// # drop(endpoint);
/// # Ok::<(), sayso_channel::auth::AuthError>(())
/// ```
#[derive(Debug)]
pub struct Authenticator {
    app_id: String,
    algorithms: Vec<Algorithm>,
    leeway: Duration,
    clock: Arc<dyn Clock>,
    channels: Arc<Issuer>,
    channels_name: String,
    caller_id: Option<String>,
    login: Arc<Issuer>,
    login_names: Vec<String>,
    emulator: Option<ServiceUrls>,
    skill_callers: SkillCallers,
}

impl Authenticator {
    /// Creates an authenticator. Makes no request yet.
    ///
    /// # Errors
    /// [`AuthError`] when an option makes no sense or the HTTP client cannot start.
    pub fn new(options: &AuthOptions, clock: Arc<dyn Clock>) -> Result<Self, AuthError> {
        let cloud = &options.cloud;
        let bad = |setting, reason| AuthError::Setting { setting, reason };
        if options.app_id.is_empty() {
            return Err(bad("MicrosoftAppId", "it is missing"));
        }
        if options.algorithms.is_empty() {
            return Err(bad("algorithms", "there must be at least one"));
        }
        if cloud.issuer.is_empty() {
            return Err(bad("ToBotFromChannelTokenIssuer", "it is missing"));
        }
        let skill_callers = SkillCallers::new(&options.skill_callers)
            .map_err(|reason| bad("skill_callers", reason))?;
        if skill_callers.find(&options.app_id).is_some() {
            return Err(bad("skill_callers", "the bot cannot call itself"));
        }
        // `jsonwebtoken` panics at the first token if the features of other crates enable several
        // crypto providers and none is chosen. A provider that was installed before stays.
        jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER.install_default().ok();
        let http = Http::new(options.timeout, options.private_addresses)?;
        let issuer = |setting, address| {
            let url = http::secure(address)
                .ok_or_else(|| bad(setting, "it must be an https or a loopback address"))?;
            let clock = Arc::clone(&clock);
            Ok(Arc::new(Issuer::new(url, http.clone(), clock, options.private_addresses)))
        };
        let tenant = options.own_tenant()?;
        let login_names = cloud.login_issuers.iter().filter_map(|name| match tenant {
            Some(tenant) => Some(name.replace("{tenant}", tenant)),
            None => (!name.contains("{tenant}")).then(|| name.clone()),
        });
        Ok(Self {
            app_id: options.app_id.clone(),
            algorithms: options.algorithms.clone(),
            leeway: options.leeway,
            channels: issuer("ToBotFromChannelOpenIdMetadataUrl", &cloud.metadata)?,
            channels_name: cloud.issuer.clone(),
            caller_id: cloud.caller_id.clone(),
            login: issuer("ToBotFromEmulatorOpenIdMetadataUrl", &cloud.login_metadata)?,
            login_names: login_names.collect(),
            emulator: options.emulator.clone(),
            skill_callers,
            clock,
        })
    }

    /// Fetches the channels' keys once, to check that the issuer can be reached.
    ///
    /// # Errors
    /// [`TokenError`] when they cannot be fetched.
    ///
    /// # Cancellation
    /// Dropping the future cancels the fetch. Its result is not cached either way.
    pub async fn probe(&self) -> Result<(), TokenError> {
        self.channels.probe().await.map_err(TokenError::of_http)
    }

    /// Verifies everything about a request that does not need its body.
    pub(crate) async fn verify(&self, headers: &HeaderMap) -> Result<Verified, Rejection> {
        let text = bearer::token(headers)?;
        let token = Unverified::read(text, &self.algorithms)?;
        token.claims.check(&self.app_id, self.clock.now(), self.leeway)?;
        if token.claims.iss == self.channels_name {
            let (claims, keys) = self.signed(&self.channels, &token).await?;
            let caller = Caller::Channel { service_url: claims.serviceurl, keys, kid: token.kid };
            return Ok(Verified { caller, caller_id: self.caller_id.clone() });
        }
        let is_login = self.login_names.contains(&token.claims.iss);
        if !is_login || (self.emulator.is_none() && self.skill_callers.is_empty()) {
            return Err(Rejection::Unauthorized("the token's issuer is not accepted"));
        }
        let (claims, _) = self.signed(&self.login, &token).await?;
        self.listed(&claims)
    }

    /// Verifies the signature against the issuer's keys, and returns the claims and these keys.
    async fn signed(
        &self,
        issuer: &Arc<Issuer>,
        token: &Unverified<'_>,
    ) -> Result<(Claims, Arc<Keys>), Rejection> {
        let keys = issuer.keys(&token.kid).await?;
        let key =
            keys.get(&token.kid).ok_or(Rejection::Unauthorized("the token's key is unknown"))?;
        let claims = token.verify(key, &token.claims.iss, &self.app_id)?;
        Ok((claims, keys))
    }

    /// Admits tokens of the login service: the app's own (from the emulator), or another bot's.
    fn listed(&self, claims: &Claims) -> Result<Verified, Rejection> {
        let Some(caller) = claims.caller() else {
            return Err(Rejection::Unauthorized(
                "the token does not name the app that requested it",
            ));
        };
        if caller == self.app_id {
            let Some(service_urls) = self.emulator.clone() else { return Err(UNLISTED) };
            return Ok(Verified { caller: Caller::Emulator { service_urls }, caller_id: None });
        }
        let position = self.skill_callers.position(caller).ok_or(UNLISTED)?;
        let caller_id = Some(format!("urn:botframework:aadappid:{caller}"));
        let caller = Caller::Skill { callers: self.skill_callers.clone(), position };
        Ok(Verified { caller, caller_id })
    }
}

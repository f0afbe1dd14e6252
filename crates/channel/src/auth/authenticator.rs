//! Who may send activities to a bot.

use std::{sync::Arc, time::Duration};

use axum::http::HeaderMap;
use sayso_turn::clock::Clock;

use super::{
    bearer,
    claims::Claims,
    denial::Denial,
    http::{self, Http},
    issuer::Issuer,
    jwt::Unverified,
    keys::Keys,
    options::{Algorithm, AuthError, AuthOptions, Skills},
    tokens::TokenError,
    verified::{Caller, Verified},
};
use crate::ServiceUrls;

/// Checks the tokens of those who send activities.
///
/// # Guarantees
/// A request gets through only with a token that is signed with RSA by a key of the channels'
/// issuer, is for this app and for now, names the activity's service URL, and whose key speaks for
/// the activity's channel. Tokens of the emulator and of other bots count only if the options say
/// so.
///
/// # Limits
/// A token is good for its whole life, about an hour, and for any conversation of its channel: the
/// protocol ties it to no single request.
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
///     auth: Some(Arc::new(authenticator)),
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
    skills: Option<Skills>,
}

impl Authenticator {
    /// Makes an authenticator. It asks nobody anything yet.
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
            return Err(bad("algorithms", "there must be one at least"));
        }
        if cloud.issuer.is_empty() {
            return Err(bad("ToBotFromChannelTokenIssuer", "it is missing"));
        }
        // Else another crate of the program that wants another one would leave the library with
        // none, and the first token would panic. One that was chosen before stays.
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
            skills: options.skills.clone(),
            clock,
        })
    }

    /// Fetches the channels' keys once, to see that it can be done.
    ///
    /// # Errors
    /// [`TokenError`] that says why not.
    ///
    /// # Cancellation
    /// Dropping the future gives the fetch up; nothing is kept of it either way.
    pub async fn probe(&self) -> Result<(), TokenError> {
        self.channels.probe().await.map_err(TokenError::of_http)
    }

    /// Checks all of a request that does not need its body.
    pub(crate) async fn verify(&self, headers: &HeaderMap) -> Result<Verified, Denial> {
        let text = bearer::token(headers)?;
        let token = Unverified::read(text, &self.algorithms)?;
        token.claims.check(&self.app_id, self.clock.now(), self.leeway)?;
        if token.claims.iss == self.channels_name {
            let (claims, keys) = self.signed(&self.channels, &token).await?;
            let caller = Caller::Channel { service_url: claims.serviceurl, keys, kid: token.kid };
            return Ok(Verified { caller, caller_id: self.caller_id.clone() });
        }
        let is_login = self.login_names.contains(&token.claims.iss);
        if !is_login || (self.emulator.is_none() && self.skills.is_none()) {
            return Err(Denial::Unknown("the token's issuer is not accepted"));
        }
        let (claims, _) = self.signed(&self.login, &token).await?;
        self.listed(&claims)
    }

    /// The claims of a token whose signature is by one of the issuer's keys.
    async fn signed(
        &self,
        issuer: &Arc<Issuer>,
        token: &Unverified<'_>,
    ) -> Result<(Claims, Arc<Keys>), Denial> {
        let keys = issuer.keys(&token.kid).await?;
        let key = keys.get(&token.kid).ok_or(Denial::Unknown("the token's key is unknown"))?;
        let claims = token.verify(key, &token.claims.iss, &self.app_id)?;
        Ok((claims, keys))
    }

    /// Tokens of the login service: of the app itself, from the emulator, or of another bot.
    fn listed(&self, claims: &Claims) -> Result<Verified, Denial> {
        let Some(caller) = claims.caller() else {
            return Err(Denial::Unknown("the token does not say who asked for it"));
        };
        let is_self = caller == self.app_id;
        let service_urls = match (&self.emulator, &self.skills) {
            (Some(urls), _) if is_self => urls,
            (_, Some(skills)) if !is_self && skills.names(caller) => &skills.service_urls,
            _ => return Err(Denial::Forbidden("the caller is not on the list")),
        };
        let caller_id = (!is_self).then(|| format!("urn:botframework:aadappid:{caller}"));
        let caller = Caller::Listed { service_urls: service_urls.clone() };
        Ok(Verified { caller, caller_id })
    }
}

//! Checks of the app: its settings, its access token, the callers' signing keys, the service URLs.

use std::sync::Arc;

use sayso::{
    channel::{
        ServiceUrls,
        auth::{AppType, AuthOptions, Authenticator, TokenError, Tokens},
    },
    turn::clock::SystemClock,
};

use super::{finding::Finding, patient::Patient, web::host};

/// Cure for an app that is missing or incomplete.
const NAME_AN_APP: &str = "set MicrosoftAppId and MicrosoftAppPassword, or [app] in sayso.toml";

impl Patient {
    /// Returns the app's settings, or the finding of a skipped check when there is no app.
    pub(super) fn app(&self) -> Result<&AuthOptions, Finding> {
        match &self.auth {
            Ok(Some(auth)) => Ok(auth),
            Ok(None) => Err(Finding::skipped("there is no app")),
            Err(_) => Err(Finding::skipped("the app's settings are not consistent")),
        }
    }
}

/// Checks the settings of the app. Without an app, the configuration must say that there shall be
/// no authentication, and the address must be a loopback one.
pub(super) fn identity(patient: &Patient) -> Finding {
    match &patient.auth {
        Err(error) => {
            Finding::failed(error.as_str(), "correct it; `sayso config` shows all settings")
        }
        Ok(None) => {
            let text = "none is configured: only this machine may talk to the bot";
            let is_local = patient.config.address().ip().is_loopback();
            match (is_local, patient.config.is_unauthenticated()) {
                (true, true) => Finding::ok(text),
                (false, _) => Finding::failed(text, NAME_AN_APP),
                (true, false) => Finding::failed(
                    "none is configured, so a bot does not start",
                    "set MicrosoftAppId and MicrosoftAppPassword, or SAYSO_AUTH=none for a bot \
                     that only this machine may talk to",
                ),
            }
        }
        Ok(Some(auth)) => Finding::ok(format!("{} ({:?})", auth.app_id, auth.app_type)),
    }
}

/// Checks that the app gets an access token for its calls to channels.
pub(super) async fn token(patient: Arc<Patient>) -> Finding {
    let auth = match patient.app() {
        Ok(auth) => auth,
        Err(finding) => return finding,
    };
    // A managed identity asks the machine, everybody else the login service.
    let login = match (&auth.managed_identity, auth.app_type) {
        (Some(identity), AppType::UserAssignedMsi) => host(&identity.endpoint),
        _ => host(&auth.cloud.login),
    };
    let tokens = match Tokens::new(auth, Arc::new(SystemClock::new())) {
        Ok(tokens) => tokens,
        Err(error) => return Finding::failed(error.to_string(), NAME_AN_APP),
    };
    match tokens.probe().await {
        Ok(()) => Finding::ok(format!("{login} issued one to the app")),
        Err(TokenError::Refused { status, code }) => {
            let because = code.as_deref().map(|code| format!(" ({code})")).unwrap_or_default();
            let text = format!("{login} refused the app with status {status}{because}");
            Finding::failed(text, refused(status, code.as_deref()))
        }
        Err(TokenError::Unavailable { reason }) => {
            Finding::failed(format!("{login} cannot be reached: {reason}"), unreachable(&login))
        }
        Err(error) => Finding::failed(error.to_string(), NAME_AN_APP),
    }
}

/// Checks that the signing keys for callers' tokens can be fetched.
pub(super) async fn keys(patient: Arc<Patient>) -> Finding {
    let auth = match patient.app() {
        Ok(auth) => auth,
        Err(finding) => return finding,
    };
    let issuer = host(&auth.cloud.metadata);
    let authenticator = match Authenticator::new(auth, Arc::new(SystemClock::new())) {
        Ok(authenticator) => authenticator,
        Err(error) => return Finding::failed(error.to_string(), "correct it in the configuration"),
    };
    match authenticator.probe().await {
        Ok(()) => Finding::ok(format!("{issuer} publishes its metadata and signing keys")),
        Err(TokenError::Unavailable { reason }) => Finding::failed(
            format!("the signing keys of {issuer} cannot be fetched: {reason}"),
            format!(
                "{}; the metadata must name a jwks_uri with RSA keys (cloud.metadata)",
                unreachable(&issuer)
            ),
        ),
        Err(error) => Finding::failed(error.to_string(), "correct it in the configuration"),
    }
}

/// Checks the service URLs to which replies may go.
pub(super) fn service_urls(patient: &Patient) -> Finding {
    let settings = patient.config.settings();
    let own = settings.iter().find(|setting| setting.key == "service-urls");
    let is_own = own.is_some_and(|own| own.source != sayso::config::Source::Default);
    let auth = match (&patient.auth, is_own) {
        (Ok(Some(auth)), _) => auth,
        (Ok(None), true) => {
            let text = "service-urls is set, but without an app replies go to loopback only";
            return Finding::warning(text, NAME_AN_APP);
        }
        (Ok(None), false) => return Finding::ok("without an app replies go to loopback only"),
        (Err(_), _) => return Finding::skipped("the app's settings are not consistent"),
    };
    let urls = match &auth.cloud.service_urls {
        ServiceUrls::Only(urls) => urls.as_slice(),
        ServiceUrls::Loopback => &[],
    };
    let whose = if is_own { "of the configuration" } else { "of the cloud" };
    let text = format!("replies go to {} addresses {whose}", urls.len());
    let is_here = |url: &String| ServiceUrls::Loopback.allows(url);
    if urls.iter().any(is_here) {
        let text = format!("{text}, and one of them is on this machine");
        return Finding::warning(text, "remove it from service-urls unless it is for a test");
    }
    if auth.private_addresses {
        let text = format!("{text}, and their names may resolve to private addresses");
        return Finding::warning(
            text,
            "set private-addresses = false unless the channel is on your network",
        );
    }
    Finding::ok(text)
}

fn unreachable(host: &str) -> String {
    format!("check that this machine can reach {host} (network, DNS, firewall; no proxy is used)")
}

/// Cure for a refused token request, by the OAuth error code and the status.
fn refused(status: u16, code: Option<&str>) -> &'static str {
    match (code, status) {
        (Some("invalid_client"), _) => {
            "the secret is wrong or has expired: create a new one in the app's registration (its value, \
             not its id) and set MicrosoftAppPassword"
        }
        (Some("unauthorized_client"), _) => {
            "the tenant does not know the app: check MicrosoftAppId, MicrosoftAppType and \
             MicrosoftAppTenantId"
        }
        (Some("invalid_scope" | "invalid_resource"), _) => {
            "check cloud.scope (ToChannelFromBotOAuthScope) and cloud.channel-service (ChannelService)"
        }
        (_, 429 | 500..) => "the login service has a problem: try again later",
        _ => {
            "check MicrosoftAppId, MicrosoftAppPassword, MicrosoftAppType and MicrosoftAppTenantId, and \
             cloud.login if you set it"
        }
    }
}

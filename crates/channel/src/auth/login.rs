//! OAuth 2.0 client credentials: requests access tokens from the login service, or from the machine
//! for a managed identity.

use std::{net::IpAddr, time::Duration};

use reqwest::{
    Url,
    header::{CONTENT_TYPE, HeaderValue},
};
use sayso_turn::clock::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Certificate, Secret,
    error::AuthError,
    http::{self, Http, HttpError},
    options::{AppType, AuthOptions},
    token_error::TokenError,
};

/// Length limit of an error code that is repeated in an error.
const CODE_CHARS_MAX: usize = 64;
/// Assumed lifetime of a token if the answer names none.
const LIFETIME_DEFAULT: Duration = Duration::from_secs(5 * 60);
/// Azure's instance metadata service. It gives tokens to anybody who can reach it, so it is never
/// called.
const METADATA_SERVICE: &str = "169.254.169.254";

/// The token endpoint, and the credential for it.
#[derive(Debug)]
pub(super) struct Login {
    app_id: String,
    address: Url,
    credential: Credential,
    http: Http,
}

#[derive(Debug)]
enum Credential {
    Password(Secret),
    Certificate(Certificate),
    Machine(Secret),
}

/// A token and its lifetime.
#[derive(Debug)]
pub(super) struct Granted {
    pub(super) header: HeaderValue,
    pub(super) lifetime: Duration,
}

impl Login {
    pub(super) fn new(options: &AuthOptions) -> Result<Self, AuthError> {
        let bad = |setting, reason| AuthError::Setting { setting, reason };
        let (address, credential) = match (options.app_type, &options.managed_identity) {
            (AppType::UserAssignedMsi, Some(identity)) => {
                let address = machine_address(&identity.endpoint).ok_or_else(|| {
                    bad("IDENTITY_ENDPOINT", "it must be https or an address of this machine")
                })?;
                (address, Credential::Machine(identity.header.clone()))
            }
            (AppType::UserAssignedMsi, None) => {
                let reason = "it and IDENTITY_HEADER are missing: a managed identity works only \
                              where the machine sets them";
                return Err(bad("IDENTITY_ENDPOINT", reason));
            }
            (AppType::MultiTenant | AppType::SingleTenant, _) => {
                (token_address(options)?, credential(options)?)
            }
        };
        let http = Http::new(options.timeout, options.private_addresses)?;
        Ok(Self { app_id: options.app_id.clone(), address, credential, http })
    }

    /// Requests a token.
    pub(super) async fn ask(&self, scope: &str, now: Timestamp) -> Result<Granted, TokenError> {
        let request = match &self.credential {
            Credential::Machine(header) => {
                let resource = scope.strip_suffix("/.default").unwrap_or(scope);
                let mut address = self.address.clone();
                address
                    .query_pairs_mut()
                    .append_pair("api-version", "2019-08-01")
                    .append_pair("resource", resource)
                    .append_pair("client_id", &self.app_id);
                let header = sensitive(header.expose()).ok_or(TokenError::CREDENTIALS)?;
                self.http.client().get(address).header("x-identity-header", header)
            }
            Credential::Password(password) => {
                self.form(scope, &[("client_secret", password.expose())])
            }
            Credential::Certificate(certificate) => {
                let assertion =
                    certificate.client_assertion(&self.app_id, self.address.as_str(), now);
                let assertion = assertion.ok_or(TokenError::CREDENTIALS)?;
                let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
                let proof =
                    [("client_assertion_type", kind), ("client_assertion", assertion.expose())];
                self.form(scope, &proof)
            }
        };
        let response = request.send().await.map_err(http::of_reqwest)?;
        let status = response.status();
        if status.is_redirection() {
            return Err(HttpError::Redirect.into());
        }
        let body = http::read(response).await?;
        if !status.is_success() {
            return Err(TokenError::Refused { status: status.as_u16(), code: error_code(&body) });
        }
        granted(&body, now).ok_or_else(|| HttpError::NotJson.into())
    }

    fn form(&self, scope: &str, proof: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let mut form = self.address.clone();
        form.query_pairs_mut()
            .clear()
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", &self.app_id)
            .append_pair("scope", scope)
            .extend_pairs(proof);
        // A form body is encoded like a query string.
        let body = form.query().unwrap_or_default().to_owned();
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        self.http.client().post(self.address.clone()).header(CONTENT_TYPE, kind).body(body)
    }
}

fn credential(options: &AuthOptions) -> Result<Credential, AuthError> {
    let password = options.password.as_ref().filter(|password| !password.is_empty());
    match (&options.certificate, password) {
        (Some(certificate), _) => Ok(Credential::Certificate(certificate.clone())),
        (None, Some(password)) => Ok(Credential::Password(password.clone())),
        (None, None) => Err(AuthError::Setting {
            setting: "MicrosoftAppPassword",
            reason: "it is missing, and there is no certificate either",
        }),
    }
}

/// Builds `{login}/{tenant}/oauth2/v2.0/token`. The SDKs' setting may already contain the tenant.
fn token_address(options: &AuthOptions) -> Result<Url, AuthError> {
    let cloud = &options.cloud;
    let bad = AuthError::Setting {
        setting: "ToChannelFromBotLoginUrl",
        reason: "it must be an https or a loopback address",
    };
    let Some(url) = http::secure(&cloud.login).filter(|url| url.query().is_none()) else {
        return Err(bad);
    };
    let base = url.as_str().trim_end_matches('/').trim_end_matches("/oauth2/v2.0/token");
    let tenant = match options.app_type {
        AppType::MultiTenant => &cloud.tenant,
        AppType::SingleTenant | AppType::UserAssignedMsi => {
            options.own_tenant()?.unwrap_or(&cloud.tenant)
        }
    };
    let text = if url.path() == "/" {
        format!("{base}/{tenant}/oauth2/v2.0/token")
    } else {
        format!("{base}/oauth2/v2.0/token")
    };
    http::secure(&text).ok_or(bad)
}

/// Parses the managed identity's endpoint: an address of this machine, on App Service a link-local
/// one.
fn machine_address(text: &str) -> Option<Url> {
    if let Some(url) = http::secure(text) {
        return Some(url);
    }
    let url = Url::parse(text).ok().filter(|url| url.scheme() == "http")?;
    let host = url.host_str().filter(|host| *host != METADATA_SERVICE)?;
    match host.parse::<IpAddr>().ok()? {
        IpAddr::V4(address) => address.is_link_local().then_some(url),
        IpAddr::V6(_) => None,
    }
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn granted(body: &[u8], now: Timestamp) -> Option<Granted> {
    #[derive(Deserialize)]
    struct Answer {
        access_token: String,
        token_type: Option<String>,
        expires_in: Option<Value>,
        expires_on: Option<Value>,
    }
    let answer: Answer = http::object(body)?;
    let is_bearer = answer.token_type.is_none_or(|kind| kind.eq_ignore_ascii_case("bearer"));
    if !is_bearer || answer.access_token.is_empty() {
        return None;
    }
    let lifetime = match (answer.expires_in.as_ref(), answer.expires_on.as_ref()) {
        (Some(span), _) => Duration::from_secs(seconds(span)?),
        (None, Some(end)) => Timestamp::from_millis(seconds(end)?.saturating_mul(1000)).since(now),
        (None, None) => LIFETIME_DEFAULT,
    };
    let header = sensitive(&format!("Bearer {}", answer.access_token))?;
    Some(Granted { header, lifetime })
}

/// Reads a number of seconds, which some services write in quotes.
fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    }
}

/// Reads the service's error code, if it looks like one. Its description may repeat what was sent.
fn error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Answer {
        error: String,
    }
    let code = http::object::<Answer>(body)?.error;
    let is_code = (1..=CODE_CHARS_MAX).contains(&code.len())
        && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_code.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_asked_where_the_environment_says_but_never_the_metadata_service() {
        for text in [
            "http://127.0.0.1:41741/msi/token",
            "http://localhost:42356/msi/token",
            "http://169.254.130.3:8081/msi/token",
            "https://identity.example/token",
        ] {
            assert!(machine_address(text).is_some(), "{text}");
        }
        for text in [
            "http://169.254.169.254/metadata/identity/oauth2/token",
            "http://identity.example/token",
            "http://10.0.0.1/token",
            "ftp://127.0.0.1/",
            "",
        ] {
            assert!(machine_address(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_token_is_asked_for_at_the_tenants_address() {
        let address = |login: &str, app_type| {
            let mut options = AuthOptions { app_type, ..AuthOptions::new("a") };
            options.tenant_id = Some("t".to_owned());
            options.cloud.login = login.to_owned();
            token_address(&options).map(|url| url.to_string()).ok()
        };
        let login = "https://login.example";
        let multi = address(login, AppType::MultiTenant);
        let single = address(login, AppType::SingleTenant);
        let shared = "https://login.example/botframework.com/oauth2/v2.0/token";
        assert_eq!(multi.as_deref(), Some(shared));
        assert_eq!(single.as_deref(), Some("https://login.example/t/oauth2/v2.0/token"));
        for login in ["https://login.example/own/", "https://login.example/own/oauth2/v2.0/token"] {
            let own = address(login, AppType::SingleTenant);
            assert_eq!(own.as_deref(), Some("https://login.example/own/oauth2/v2.0/token"));
        }
        assert_eq!(address("http://login.example", AppType::MultiTenant), None);
    }

    #[test]
    fn an_answer_is_a_token_and_its_time_or_nothing() {
        let now = Timestamp::from_millis(1_000_000);
        let lifetime =
            |body: &str| granted(body.as_bytes(), now).map(|granted| granted.lifetime.as_secs());
        assert_eq!(lifetime(r#"{"access_token":"t","expires_in":3599}"#), Some(3599));
        assert_eq!(lifetime(r#"{"access_token":"t","expires_in":"60"}"#), Some(60));
        assert_eq!(lifetime(r#"{"access_token":"t","expires_on":"1500"}"#), Some(500));
        assert_eq!(lifetime(r#"{"access_token":"t","expires_on":5}"#), Some(0));
        assert_eq!(lifetime(r#"{"access_token":"t","token_type":"Bearer"}"#), Some(300));
        for body in [
            "",
            "[]",
            r#"["t"]"#,
            "<html>",
            r#"{"access_token":""}"#,
            r#"{"access_token":7}"#,
            r#"{"access_token":"a\nb"}"#,
            r#"{"access_token":"t","token_type":"pop"}"#,
            r#"{"access_token":"t","expires_in":-1}"#,
            r#"{"access_token":"t","expires_in":"soon"}"#,
        ] {
            assert_eq!(lifetime(body), None, "{body}");
        }
        let granted = granted(br#"{"access_token":"c4n4ry"}"#, now).unwrap();
        assert!(!format!("{granted:?}").contains("c4n4ry"), "{granted:?}");
    }
}

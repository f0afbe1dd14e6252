//! What a bot is to the login service and to channels.

use std::{fmt, time::Duration};

use super::{Certificate, Cloud, Secret};
use crate::ServiceUrls;

/// How a bot authenticates its callers, and itself.
///
/// # Example
/// ```
/// use sayso_channel::auth::{AppType, AuthOptions, Secret};
///
/// let options = AuthOptions {
///     app_type: AppType::SingleTenant,
///     tenant_id: Some("11111111-2222-3333-4444-555555555555".to_owned()),
///     password: Some(Secret::new("from a vault")),
///     ..AuthOptions::new("00000000-0000-0000-0000-000000000001")
/// };
/// assert!(!format!("{options:?}").contains("vault"));
/// ```
#[derive(Clone, Debug)]
pub struct AuthOptions {
    /// The id of the app: tokens must be for it.
    pub app_id: String,
    /// Who may own the app.
    pub app_type: AppType,
    /// The tenant of an app that has only one.
    pub tenant_id: Option<String>,
    /// The secret of the app.
    pub password: Option<Secret>,
    /// The certificate of the app; it goes before the secret.
    pub certificate: Option<Certificate>,
    /// Where the machine gives out tokens, for [`AppType::UserAssignedMsi`].
    pub managed_identity: Option<ManagedIdentity>,
    /// The cloud that the bot lives in.
    pub cloud: Cloud,
    /// How tokens may be signed.
    pub algorithms: Vec<Algorithm>,
    /// How far the clocks of issuer and bot may be apart.
    pub leeway: Duration,
    /// Lets the Bot Framework Emulator in, with a token of the app itself, for these service URLs.
    /// Such a token says nothing of the service URL, so it is off unless a list is given.
    pub emulator: Option<ServiceUrls>,
    /// Lets other bots call this one as a skill. Off unless the callers are named.
    pub skills: Option<Skills>,
    /// How long asking for keys or for a token may take.
    pub timeout: Duration,
    /// Lets the names of issuer and login service lead to private addresses.
    pub private_addresses: bool,
}

/// Which bots may call this one as a skill, and where replies to them may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skills {
    /// The app ids of the callers.
    pub callers: Vec<String>,
    /// Their service URLs, which their tokens do not say.
    pub service_urls: ServiceUrls,
}

/// Where the machine gives out tokens for its identity: the environment's `IDENTITY_ENDPOINT` and
/// `IDENTITY_HEADER`, as App Service, Functions and Container Apps set them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedIdentity {
    /// The address.
    pub endpoint: String,
    /// What proves that the request comes from inside.
    pub header: Secret,
}

/// Who may own an app: the SDK's `MicrosoftAppType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppType {
    /// Many tenants.
    #[default]
    MultiTenant,
    /// One tenant, named by its id.
    SingleTenant,
    /// An identity of the machine, in one tenant.
    UserAssignedMsi,
}

/// How a token is signed. There is no other way to sign one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA with SHA-256.
    Rs256,
    /// RSA with SHA-384.
    Rs384,
    /// RSA with SHA-512.
    Rs512,
}

/// Why [`AuthOptions`] cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// A setting is missing or makes no sense.
    #[error("{setting}: {reason}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What is wrong, and what to do.
        reason: &'static str,
    },
    /// The HTTP client cannot start: most likely the machine has no certificates to trust.
    #[error("the HTTP client cannot start; are the CA certificates of this machine installed?")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl AuthOptions {
    /// An app of many tenants in the public cloud, without credentials.
    #[must_use]
    pub fn new(app_id: impl Into<String>) -> Self {
        Self {
            app_id: app_id.into(),
            app_type: AppType::default(),
            tenant_id: None,
            password: None,
            certificate: None,
            managed_identity: None,
            cloud: Cloud::default(),
            algorithms: vec![Algorithm::Rs256, Algorithm::Rs384, Algorithm::Rs512],
            leeway: Duration::from_secs(300),
            emulator: None,
            skills: None,
            timeout: Duration::from_secs(5),
            private_addresses: false,
        }
    }

    /// The app's own tenant; an error if it must have one and has none.
    pub(super) fn own_tenant(&self) -> Result<Option<&str>, AuthError> {
        let tenant = self.tenant_id.as_deref().filter(|tenant| !tenant.is_empty());
        let is_name = |tenant: &str| {
            tenant.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
                && !tenant.starts_with('.')
        };
        match (tenant, self.app_type) {
            (Some(tenant), _) if !is_name(tenant) => Err(AuthError::Setting {
                setting: "MicrosoftAppTenantId",
                reason: "it must be the tenant's id or domain",
            }),
            (None, AppType::SingleTenant | AppType::UserAssignedMsi) => Err(AuthError::Setting {
                setting: "MicrosoftAppTenantId",
                reason: "it is missing, and this MicrosoftAppType needs it",
            }),
            (tenant, _) => Ok(tenant),
        }
    }
}

impl Algorithm {
    /// Its name in tokens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Algorithm> for jsonwebtoken::Algorithm {
    fn from(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Rs256 => Self::RS256,
            Algorithm::Rs384 => Self::RS384,
            Algorithm::Rs512 => Self::RS512,
        }
    }
}

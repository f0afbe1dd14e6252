//! Options of authentication in both directions.

use std::{fmt, time::Duration};

use super::{Certificate, Cloud, Secret, error::AuthError};
use crate::{ServiceUrls, SkillCaller};

/// Options for authenticating callers, and the bot itself.
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
    /// The app id of the bot: the audience that tokens must name.
    pub app_id: String,
    /// Single-tenant, multi-tenant or managed identity.
    pub app_type: AppType,
    /// The tenant of a single-tenant app or a managed identity.
    pub tenant_id: Option<String>,
    /// The client secret of the app.
    pub password: Option<Secret>,
    /// The certificate of the app; used instead of the secret if both are set.
    pub certificate: Option<Certificate>,
    /// The machine's token endpoint, for [`AppType::UserAssignedMsi`].
    pub managed_identity: Option<ManagedIdentity>,
    /// The cloud that the bot is registered in.
    pub cloud: Cloud,
    /// Signature algorithms that are accepted.
    pub algorithms: Vec<Algorithm>,
    /// Clock skew between issuer and bot that is tolerated.
    pub leeway: Duration,
    /// Accepts the Bot Framework Emulator, which uses a token of the app itself, for these service
    /// URLs. Such a token does not name the service URL, so this is off unless a list is given.
    pub emulator: Option<ServiceUrls>,
    /// Bots that may call this one as a skill; none by default. Their conversations are apart from
    /// those of channels, and of each other.
    pub skill_callers: Vec<SkillCaller>,
    /// Timeout of a request for keys or for a token.
    pub timeout: Duration,
    /// Allows the host names of issuer and login service to resolve to private addresses.
    pub private_addresses: bool,
}

/// Token endpoint of a managed identity: the environment's `IDENTITY_ENDPOINT` and
/// `IDENTITY_HEADER`, as App Service, Functions and Container Apps set them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedIdentity {
    /// The URL of the endpoint.
    pub endpoint: String,
    /// The header value that proves that a request comes from this machine.
    pub header: Secret,
}

/// The type of an app registration: the SDKs' `MicrosoftAppType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppType {
    /// An app that is registered for many tenants.
    #[default]
    MultiTenant,
    /// An app of one tenant, named by its id.
    SingleTenant,
    /// A managed identity of the machine, in one tenant.
    UserAssignedMsi,
}

/// Signature algorithm of a token. No other algorithms are supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA with SHA-256.
    Rs256,
    /// RSA with SHA-384.
    Rs384,
    /// RSA with SHA-512.
    Rs512,
}

impl AuthOptions {
    /// Creates the options of a multi-tenant app in the public cloud, without credentials.
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
            skill_callers: Vec::new(),
            timeout: Duration::from_secs(5),
            private_addresses: false,
        }
    }

    /// Returns the app's tenant, or an error if the app type needs one and there is none.
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
    /// Returns its name in tokens (`alg`).
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

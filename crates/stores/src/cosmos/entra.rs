//! Who this process is, for accounts that are opened by identity.

use std::{env, sync::Arc};

use azure_core::credentials::{Secret, TokenCredential};
use azure_identity::{
    ClientSecretCredential, DeveloperToolsCredential, ManagedIdentityCredential,
    WorkloadIdentityCredential,
};

/// Which identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entra {
    /// What the environment says: a federated token (`AZURE_FEDERATED_TOKEN_FILE`), a secret
    /// (`AZURE_CLIENT_SECRET`), an identity of the platform (`IDENTITY_ENDPOINT`); else the developer
    /// who is logged in.
    Automatic,
    /// The identity of the machine or the service that runs this process.
    Managed,
    /// The developer who is logged in (`az login`, `azd auth login`).
    Developer,
}

impl Entra {
    pub(super) fn credential(self) -> Result<Arc<dyn TokenCredential>, azure_core::Error> {
        let text = |name: &str| env::var(name).unwrap_or_default();
        let is_set = |name: &str| env::var_os(name).is_some();
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
            Self::Automatic if is_set("IDENTITY_ENDPOINT") || is_set("MSI_ENDPOINT") => {
                ManagedIdentityCredential::new(None)?
            }
            Self::Managed => ManagedIdentityCredential::new(None)?,
            Self::Automatic | Self::Developer => DeveloperToolsCredential::new(None)?,
        })
    }
}

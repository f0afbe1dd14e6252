//! Credentials of Microsoft Entra ID for this process.

use std::{env, sync::Arc};

use azure_core::credentials::{Secret, TokenCredential};
use azure_identity::{
    ClientSecretCredential, DeveloperToolsCredential, ManagedIdentityCredential,
    ManagedIdentityCredentialOptions, UserAssignedId, WorkloadIdentityCredential,
};

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

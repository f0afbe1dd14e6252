//! Passwords of new connections: the one of the URL, that of a file, or a token of Entra ID.

use std::{path::PathBuf, sync::Arc, time::Instant};

#[cfg(feature = "entra")]
use azure_core::credentials::TokenCredential;

#[cfg(feature = "entra")]
use crate::entra::{Entra, NoToken, Tokens};
use crate::secrets::{self, Hidden, Secrets};

/// The source of passwords, as the configuration says it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Source {
    /// The password in the URL, if there is one.
    #[default]
    Url,
    File(PathBuf),
    #[cfg(feature = "entra")]
    Entra(Entra),
    #[cfg(feature = "entra")]
    Credential(Arc<dyn TokenCredential>),
}

impl Source {
    /// The source that the parameters `secret-file` and `auth` of a URL name, or else the
    /// environment. The URL is one with a password, or without.
    pub(crate) fn of(
        file: Option<String>,
        auth: Option<&str>,
        has_password: bool,
        environment: Option<PathBuf>,
    ) -> Result<Self, String> {
        match (file, auth) {
            (Some(_), _) if has_password => {
                Err("the URL has a password and a secret-file; leave one of them out".to_owned())
            }
            (Some(_), Some(_)) => {
                Err("the URL has a secret-file and auth; leave one of them out".to_owned())
            }
            (Some(file), None) => Ok(Self::File(file.into())),
            (None, Some(auth)) => Self::entra(auth),
            (None, None) if has_password => Ok(Self::Url),
            (None, None) => Ok(environment.map_or(Self::Url, Self::File)),
        }
    }

    #[cfg(feature = "entra")]
    fn entra(name: &str) -> Result<Self, String> {
        Entra::parse(name).map(Self::Entra).ok_or_else(|| UNKNOWN_AUTH.to_owned())
    }

    #[cfg(not(feature = "entra"))]
    fn entra(name: &str) -> Result<Self, String> {
        match ["entra", "managed", "developer"].contains(&name) {
            true => {
                Err("this build cannot sign in to Entra ID; add the feature `entra`".to_owned())
            }
            false => Err(UNKNOWN_AUTH.to_owned()),
        }
    }

    /// True if the password is a token, which must not be sent over plain connections.
    pub(crate) fn is_token(&self) -> bool {
        !matches!(self, Self::Url | Self::File(_))
    }

    /// Opens the source; tokens are for this scope. An error says what is wrong.
    pub(crate) fn open(&self, scope: &'static str) -> Result<Login, String> {
        // The scope of tokens; without them it is not used.
        let _scope = scope;
        Ok(match self {
            Self::Url => Login::Url,
            Self::File(path) => Login::Secrets(Arc::new(Secrets::from_file(path, secrets::lines)?)),
            #[cfg(feature = "entra")]
            Self::Entra(entra) => {
                let credential = entra.credential().map_err(|_| NO_IDENTITY.to_owned())?;
                Login::Tokens(Arc::new(Tokens::new(credential, scope)))
            }
            #[cfg(feature = "entra")]
            Self::Credential(credential) => {
                Login::Tokens(Arc::new(Tokens::new(Arc::clone(credential), scope)))
            }
        })
    }
}

const UNKNOWN_AUTH: &str = "auth in the URL is entra, managed or developer";

#[cfg(feature = "entra")]
const NO_IDENTITY: &str = "there is no way to sign in to Entra ID; set AZURE_TENANT_ID, \
     AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, run `az login`, or use a password";

/// A source of passwords that is open.
#[derive(Clone, Debug)]
pub(crate) enum Login {
    Url,
    Secrets(Arc<Secrets<Hidden>>),
    #[cfg(feature = "entra")]
    Tokens(Arc<Tokens>),
}

/// The password of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Password {
    pub(crate) text: Hidden,
    /// The time by which a connection must present a newer one.
    pub(crate) renew_at: Option<Instant>,
    version: u64,
}

impl Login {
    /// The password for a connection that is about to be made; `None` for that of the URL. An error
    /// says why there is none at the moment.
    pub(crate) async fn password(&self) -> Result<Option<Password>, String> {
        match self {
            Self::Url => Ok(None),
            Self::Secrets(secrets) => {
                let chosen = secrets.current();
                let version = chosen.version();
                Ok(Some(Password { text: chosen.secret, renew_at: None, version }))
            }
            #[cfg(feature = "entra")]
            Self::Tokens(tokens) => {
                let token = tokens.get().await.map_err(|NoToken| NO_TOKEN.to_owned())?;
                let text = Hidden::new(token.text.secret());
                Ok(Some(Password { text, renew_at: Some(token.renew_at), version: token.number }))
            }
        }
    }

    /// Notes that the server refused a password; true if there is another one to try.
    pub(crate) fn refused(&self, password: &Password) -> bool {
        match self {
            Self::Url => false,
            Self::Secrets(secrets) => secrets.refused(password.version),
            #[cfg(feature = "entra")]
            Self::Tokens(tokens) => tokens.refused(password.version),
        }
    }

    /// The number of passwords that are worth a try.
    pub(crate) fn tries(&self) -> usize {
        match self {
            Self::Url => 1,
            Self::Secrets(secrets) => secrets.tries() + 1,
            #[cfg(feature = "entra")]
            Self::Tokens(_) => 2,
        }
    }
}

#[cfg(feature = "entra")]
const NO_TOKEN: &str = "Entra ID gave no token; sign in with `az login`, give the process a managed \
     identity, or use a password";

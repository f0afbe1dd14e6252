//! Configuration of the Blob store: address, container, credentials and layout.

use std::{env, fmt, path::PathBuf, time::Duration};

use azure_core::{credentials::Secret, http::Url};
use percent_encoding::percent_decode_str;
use sayso_turn::store::Error;

use super::{
    access::{Access, DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY},
    connection::Connection,
};
use crate::{Layout, entra::Entra, secrets};

/// Default time-out of one call to the service.
const TIMEOUT: Duration = Duration::from_secs(10);

const FORMS: &str = "use azblob:https://ACCOUNT.blob.core.windows.net/CONTAINER, \
     azblob:http://127.0.0.1:PORT/devstoreaccount1/CONTAINER, or azblob:CONTAINER with \
     AZURE_STORAGE_CONNECTION_STRING set";

/// The way a [`BlobStore`](super::BlobStore) finds the documents that are due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DueBy {
    /// By blob index tags: a search costs one call, and one more for each due document.
    #[default]
    Tags,
    /// By listing markers, small blobs beside the documents, for accounts without index tags (those
    /// with a hierarchical namespace) and for credentials that do not cover tags: a save that
    /// begins or ends a wait costs one call more.
    Listing,
}

/// Address, container, credentials and layout of a [`BlobStore`](super::BlobStore).
///
/// # Example
/// ```
/// use sayso_stores::{Layout, blob::BlobConfig};
///
/// let config = BlobConfig::new("https://bots.blob.core.windows.net", "state")
///     .with_key("c2VjcmV0")
///     .with_layout(Layout::Js);
/// assert!(!format!("{config:?}").contains("c2VjcmV0"));
/// ```
#[derive(Clone)]
pub struct BlobConfig {
    pub(super) endpoint: String,
    pub(super) account: Option<String>,
    pub(super) container: String,
    pub(super) access: Access,
    /// The account's other key.
    pub(super) second_key: Option<Secret>,
    pub(super) layout: Layout,
    pub(super) due_by: DueBy,
    pub(super) creates_container: bool,
    pub(super) timeout: Duration,
}

impl BlobConfig {
    /// A container of the Blob service at an address, with the rights of the process in Entra ID.
    #[must_use]
    pub fn new(endpoint: impl Into<String>, container: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            account: None,
            container: container.into(),
            access: Access::Entra(Entra::default()),
            second_key: None,
            layout: Layout::default(),
            due_by: DueBy::default(),
            creates_container: true,
            timeout: TIMEOUT,
        }
    }

    /// A container of the account that a connection string names.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the text is not a connection string of a storage account.
    pub fn from_connection_string(text: &str, container: impl Into<String>) -> Result<Self, Error> {
        let Connection { endpoint, account, access } =
            Connection::parse(text).map_err(|reason| invalid(reason.to_owned()))?;
        Ok(Self { account, access, ..Self::new(endpoint, container) })
    }

    /// A container by URL: `azblob:https://ACCOUNT.blob.core.windows.net/CONTAINER`.
    ///
    /// The URL may end in `?layout=js` (or another [`Layout`]), `due=list` ([`DueBy::Listing`]),
    /// `create=no` and `auth=entra` (or `managed`, `developer`), joined by `&`. The right comes
    /// from the first of these variables that is set: `AZURE_STORAGE_CONNECTION_STRING`,
    /// `AZURE_STORAGE_KEY`, `AZURE_STORAGE_SAS_TOKEN`; else it is the one of the process in Entra
    /// ID, or the emulator's own key on the emulator's account. With a connection string
    /// `azblob:CONTAINER` is enough.
    ///
    /// `AZURE_STORAGE_SECONDARY_KEY` is the account's other key, which is tried when the first is
    /// refused. `secret-file=/run/secrets/blob` in the URL, or `SAYSO_STORE_SECRET_FILE` in the
    /// environment, name a file with a key or a SAS token, or two of a kind in two lines; it is
    /// read again when the service refuses what was in it, and goes before the variables above.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the URL or the connection string is not understood.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        Self::from_url_and(url, |name| env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn from_url_and(url: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let rest = url.strip_prefix("azblob:").ok_or_else(|| not_a_url("it"))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let connection = variable("AZURE_STORAGE_CONNECTION_STRING");
        let config = match (place.contains("://"), connection) {
            (true, connection) => {
                let config = Self::at(place)?;
                let access = match connection {
                    Some(text) => config.access_of(&text)?,
                    None => config.access_by(&variable),
                };
                Self { access, ..config }
            }
            (false, Some(text)) => Self::from_connection_string(&text, place)?,
            (false, None) => return Err(not_a_url("without a connection string it")),
        };
        let second_key = variable("AZURE_STORAGE_SECONDARY_KEY").map(Secret::new);
        let config = Self { second_key, ..config };
        match variable(secrets::VARIABLE) {
            Some(path) => config.with_secret_file(path),
            None => config,
        }
        .with_query(query)
    }

    /// A container by its web address.
    fn at(place: &str) -> Result<Self, Error> {
        let url = Url::parse(place).map_err(|_| not_a_url("it"))?;
        let is_plain = url.username().is_empty() && url.password().is_none();
        let segments: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        let (account, container) = match segments.as_slice() {
            [container] => (None, *container),
            [account, container] => (Some(*account), *container),
            _ => return Err(not_a_url("it")),
        };
        if !is_plain || url.fragment().is_some() || !["http", "https"].contains(&url.scheme()) {
            return Err(not_a_url("it"));
        }
        let origin = url.origin().ascii_serialization();
        let endpoint = match account {
            Some(account) => format!("{origin}/{account}"),
            None => origin,
        };
        Ok(Self::new(endpoint, container))
    }

    /// The credentials in a connection string, if it is for the account of this address.
    fn access_of(&self, text: &str) -> Result<Access, Error> {
        let given = Self::from_connection_string(text, "")?;
        let (here, there) = (self.account()?, given.account()?);
        if here != there {
            return Err(invalid(format!(
                "AZURE_STORAGE_CONNECTION_STRING is for the account `{there}` and the URL names \
                 `{here}`; make them the same, or use azblob:{}",
                self.container
            )));
        }
        Ok(given.access)
    }

    fn access_by(&self, variable: impl Fn(&str) -> Option<String>) -> Access {
        if let Some(key) = variable("AZURE_STORAGE_KEY") {
            return Access::Key(Secret::new(key));
        }
        if let Some(token) = variable("AZURE_STORAGE_SAS_TOKEN") {
            return Access::Sas(Secret::new(token.trim_start_matches('?').to_owned()));
        }
        if self.account().is_ok_and(|account| account == DEVELOPMENT_ACCOUNT) {
            return Access::Key(Secret::new(DEVELOPMENT_KEY));
        }
        Access::Entra(Entra::default())
    }

    fn with_query(mut self, query: &str) -> Result<Self, Error> {
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=').unwrap_or((pair, "")) {
                ("layout", name) => {
                    self.layout = name.parse().map_err(|error| invalid(format!("{error}")))?;
                }
                ("due", "tags") => self.due_by = DueBy::Tags,
                ("due", "list") => self.due_by = DueBy::Listing,
                ("create", "yes") => self.creates_container = true,
                ("create", "no") => self.creates_container = false,
                (secrets::PARAMETER, path) if !path.is_empty() => {
                    let path =
                        percent_decode_str(path).decode_utf8().map_err(|_| not_a_url("it"))?;
                    self = self.with_secret_file(path.into_owned());
                }
                ("auth", name @ ("entra" | "managed" | "developer")) => {
                    self.access = Access::Entra(Entra::parse(name).unwrap_or_default());
                }
                // The value is not shown: it may be a signature. So may be what stands as a name.
                (name, _) => {
                    return Err(invalid(format!(
                        "`{}` in the URL is not understood; after the `?` there may be \
                         layout=sayso|dotnet|js|python|sample, due=tags|list, create=yes|no, \
                         secret-file=PATH and auth=entra|managed|developer, and a SAS token goes into \
                         AZURE_STORAGE_SAS_TOKEN",
                        crate::parameter::shown(name)
                    )));
                }
            }
        }
        Ok(self)
    }

    /// Signs requests with the account's key.
    #[must_use]
    pub fn with_key(self, key: impl Into<String>) -> Self {
        Self { access: Access::Key(Secret::new(key.into())), ..self }
    }

    /// Names the account's other key, which is tried when the first is refused, and kept if it is
    /// taken. So a key can be renewed while the store is open.
    #[must_use]
    pub fn with_second_key(self, key: impl Into<String>) -> Self {
        Self { second_key: Some(Secret::new(key.into())), ..self }
    }

    /// Reads a key or a SAS token from a file, at once and whenever the service refuses it. Of two
    /// lines each is tried.
    #[must_use]
    pub fn with_secret_file(self, path: impl Into<PathBuf>) -> Self {
        Self { access: Access::File(path.into()), ..self }
    }

    /// Uses a shared access signature. It must cover the container with `rcwdl` and, for
    /// [`DueBy::Tags`], also with `tf`.
    #[must_use]
    pub fn with_sas(self, token: impl Into<String>) -> Self {
        let token = token.into().trim_start_matches('?').to_owned();
        Self { access: Access::Sas(Secret::new(token)), ..self }
    }

    /// Names the account, where the host name does not begin with it (a custom domain).
    #[must_use]
    pub fn with_account(self, account: impl Into<String>) -> Self {
        Self { account: Some(account.into()), ..self }
    }

    /// Reads and writes names and bodies as another SDK does.
    #[must_use]
    pub fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Chooses how due documents are found.
    #[must_use]
    pub fn with_due_by(self, due_by: DueBy) -> Self {
        Self { due_by, ..self }
    }

    /// Creates the container if it is missing (the default) or reports an error instead.
    #[must_use]
    pub fn with_create_container(self, creates_container: bool) -> Self {
        Self { creates_container, ..self }
    }

    /// Sets the time-out of one call to the service (10 seconds by default).
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The address of the service.
    pub(super) fn service(&self) -> Result<Url, Error> {
        let url = Url::parse(&self.endpoint).ok().filter(|url| url.has_host());
        url.ok_or_else(|| invalid("the address of the Blob service is not a URL".to_owned()))
    }

    /// The name of the account: as configured, else from the path, else the first part of the host.
    pub(super) fn account(&self) -> Result<String, Error> {
        if let Some(account) = &self.account {
            return Ok(account.clone());
        }
        let url = self.service()?;
        if let Some(first) = url.path().split('/').find(|part| !part.is_empty()) {
            return Ok(first.to_owned());
        }
        let account =
            url.host_str().and_then(|host| host.split_once(".blob.")).map(|(name, _)| name);
        account.map(str::to_owned).ok_or_else(|| {
            invalid(
                "the address does not say the account's name; give a connection string with \
                 AccountName"
                    .to_owned(),
            )
        })
    }
}

impl fmt::Debug for BlobConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlobConfig")
            .field("endpoint", &self.endpoint)
            .field("container", &self.container)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

fn not_a_url(what: &str) -> Error {
    invalid(format!("{what} is not a URL of a container; {FORMS}"))
}

pub(super) fn invalid(reason: String) -> Error {
    Error::Invalid { store: "Azure Blob Storage".into(), reason, source: None }
}

#[cfg(test)]
mod tests;

//! Configuration of the Cosmos DB store: account, credentials, containers and layout.

use std::{borrow::Cow, env, fmt, path::PathBuf, sync::Arc, time::Duration};

use azure_core::{
    credentials::{Secret, TokenCredential},
    http::Url,
};
use percent_encoding::percent_decode_str;
use sayso_turn::store::Error;

use super::{Containers, containers::CONTAINER_CHARS_MAX};
use crate::{Layout, entra::Entra, secrets};

/// The default container.
const CONTAINER: &str = "state";

/// Variable that names the host of an emulator on another machine. The library allows plain HTTP
/// for it.
const EMULATOR_HOST: &str = "AZURE_COSMOS_EMULATOR_HOST";

/// The default time-out of a call.
const CALL_MAX: Duration = Duration::from_secs(10);

/// Account, credentials, containers and layout for [`CosmosStore::open`](super::CosmosStore::open).
///
/// # Example
/// ```
/// use sayso_stores::cosmos::{Containers, CosmosConfig};
///
/// let config = CosmosConfig::from_url("cosmos://bots.documents.azure.com/bots/state?containers=kind")?;
/// assert_eq!(config, CosmosConfig::new("https://bots.documents.azure.com/", "bots", "state")?
///     .containers(Containers::Kind));
/// # Ok::<(), sayso_turn::store::Error>(())
/// ```
#[derive(Clone)]
pub struct CosmosConfig {
    pub(super) endpoint: Url,
    pub(super) access: Access,
    /// The account's other key.
    pub(super) second_key: Option<Secret>,
    pub(super) database: String,
    pub(super) container: String,
    pub(super) containers: Containers,
    pub(super) layout: Layout,
    pub(super) creates: bool,
    pub(super) throughput: Option<Throughput>,
    pub(super) region: Option<String>,
    pub(super) call_max: Duration,
}

/// Credentials of an account.
#[derive(Clone)]
pub(super) enum Access {
    Key(Secret),
    /// A file with a key, or with both.
    File(PathBuf),
    Credential(Arc<dyn TokenCredential>),
    /// The file that `SAYSO_STORE_SECRET_FILE` names, else `AZURE_COSMOS_KEY`, else the identity of
    /// this process.
    Environment,
    Entra(Entra),
}

/// Provisioned throughput of a new container, in request units a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Throughput {
    Manual(u64),
    Autoscale(u64),
}

impl CosmosConfig {
    /// An account by its address (`https://{account}.documents.azure.com/`), a database and a
    /// container.
    ///
    /// Access is by the account key in `AZURE_COSMOS_KEY` (and the other one in
    /// `AZURE_COSMOS_SECONDARY_KEY`), or without one by Entra, unless [`key`](Self::key),
    /// [`secret_file`](Self::secret_file) or [`credential`](Self::credential) says otherwise.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the address or a name cannot be one.
    pub fn new(endpoint: &str, database: &str, container: &str) -> Result<Self, Error> {
        let endpoint = Url::parse(endpoint).ok().filter(|url| {
            matches!(url.scheme(), "https" | "http") && url.has_host() && url.password().is_none()
        });
        let endpoint = endpoint.ok_or_else(|| {
            invalid("the address of the account must look like https://NAME.documents.azure.com/")
        })?;
        let is_here = matches!(endpoint.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        if endpoint.scheme() == "http" && !is_here && env::var_os(EMULATOR_HOST).is_none() {
            return Err(invalid("plain HTTP is for an emulator on this machine: use https"));
        }
        for (what, name) in [("database", database), ("container", container)] {
            let is_long = name.chars().count() > CONTAINER_CHARS_MAX;
            if name.is_empty() || is_long || name.contains(['/', '\\', '?', '#', '\t', '\n', '\r'])
            {
                return Err(invalid(format!(
                    "the name of the {what} must have 1 to {CONTAINER_CHARS_MAX} characters, and none \
                     of / \\ ? #"
                )));
            }
        }
        Ok(Self {
            endpoint,
            access: Access::Environment,
            second_key: None,
            database: database.to_owned(),
            container: container.to_owned(),
            containers: Containers::default(),
            layout: Layout::default(),
            creates: false,
            throughput: None,
            region: None,
            call_max: CALL_MAX,
        })
    }

    /// An account by its connection string (`AccountEndpoint=...;AccountKey=...`).
    ///
    /// # Errors
    /// [`Error::Invalid`] when a part of it is missing.
    pub fn from_connection_string(
        text: &str,
        database: &str,
        container: &str,
    ) -> Result<Self, Error> {
        let part = |name: &str| {
            let parts = text.split(';').filter_map(|part| part.trim().split_once('='));
            let mut named = parts.filter(|(own, _)| own.eq_ignore_ascii_case(name));
            let missing = || invalid(format!("the connection string has no {name}"));
            named.next().map(|(_, value)| value).ok_or_else(missing)
        };
        let config = Self::new(part("AccountEndpoint")?, database, container)?;
        Ok(config.key(part("AccountKey")?))
    }

    /// Reads a URL: `cosmos://[:KEY@]HOST/DATABASE[/CONTAINER][?option=value&...]`.
    ///
    /// `cosmos+http://` is for emulators on this machine. Without a host (`cosmos:///bots/state`)
    /// the address and the key come from `AZURE_COSMOS_CONNECTION_STRING`. The options are
    /// `containers=one|kind|tenant`, `layout=sayso|dotnet|js|python`, `create=true|false`,
    /// `throughput=400`, `autoscale=4000`, `region=West Europe`, `auth=entra|managed|developer`,
    /// and `secret-file=/run/secrets/cosmos`, a file with a key, or with both in two lines.
    ///
    /// # Errors
    /// [`Error::Invalid`] that says what is wrong with it. It never repeats the key.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let shape = || {
            invalid("the URL must look like cosmos://NAME.documents.azure.com/DATABASE/CONTAINER")
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(shape)?;
        let protocol = match scheme {
            "cosmos" => "https",
            "cosmos+http" => "http",
            _ => return Err(shape()),
        };
        // A web address has a host. One in its place keeps a URL without a host readable.
        let (host, has_host) = if rest.starts_with('/') { ("none", false) } else { ("", true) };
        let address = format!("{protocol}://{host}{rest}");
        let parsed = Url::parse(&address).map_err(|_| shape())?;
        let names = parsed.path().split('/').filter(|name| !name.is_empty());
        let names: Vec<String> = names.map(decode).collect::<Option<_>>().ok_or_else(shape)?;
        let (database, container) = match names.as_slice() {
            [database] => (database.as_str(), CONTAINER),
            [database, container] => (database.as_str(), container.as_str()),
            _ => return Err(shape()),
        };
        let mut config = if has_host {
            let origin = format!("{}/", parsed.origin().ascii_serialization());
            let config = Self::new(&origin, database, container)?;
            match parsed.password() {
                Some(key) => config.key(decode(key).ok_or_else(shape)?),
                None => config,
            }
        } else {
            let text = env::var("AZURE_COSMOS_CONNECTION_STRING").map_err(|_| {
                invalid("the URL names no account: name it, or set AZURE_COSMOS_CONNECTION_STRING")
            })?;
            Self::from_connection_string(&text, database, container)?
        };
        for (name, value) in parsed.query_pairs() {
            config = config.option(&name, &value)?;
        }
        Ok(config)
    }

    fn option(self, name: &str, value: &str) -> Result<Self, Error> {
        let wrong = |must: &str| invalid(format!("the option {name} must be {must}"));
        let number = || value.parse().map_err(|_| wrong("a number of request units a second"));
        Ok(match name {
            "containers" => {
                self.containers(value.parse().map_err(|error| invalid(format!("{error}")))?)
            }
            "layout" => self.layout(value.parse().map_err(|error| invalid(format!("{error}")))?),
            "create" => match value {
                "true" | "yes" => self.create(true),
                "false" | "no" => self.create(false),
                _ => return Err(wrong("true or false")),
            },
            "throughput" => self.throughput(number()?),
            "autoscale" => self.autoscale(number()?),
            "region" => self.region(value),
            "auth" => {
                let entra = Entra::parse(value);
                let entra = entra.ok_or_else(|| wrong("entra, managed or developer"))?;
                Self { access: Access::Entra(entra), ..self }
            }
            secrets::PARAMETER if value.is_empty() => return Err(wrong("the path of a file")),
            secrets::PARAMETER => self.secret_file(value),
            _ => {
                return Err(invalid(format!(
                    "the URL has an unknown option `{}`; there are containers, layout, create, \
                     throughput, autoscale, region, secret-file and auth",
                    crate::parameter::shown(name)
                )));
            }
        })
    }

    /// Authenticates with an account key.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { access: Access::Key(Secret::new(key.into())), ..self }
    }

    /// Names the account's other key, which is tried when the first is refused, and kept if it is
    /// taken. So a key can be renewed while the store is open.
    #[must_use]
    pub fn second_key(self, key: impl Into<String>) -> Self {
        Self { second_key: Some(Secret::new(key.into())), ..self }
    }

    /// Reads an account key from a file, at once and whenever the account refuses it. Of two lines
    /// each is tried.
    #[must_use]
    pub fn secret_file(self, path: impl Into<PathBuf>) -> Self {
        Self { access: Access::File(path.into()), ..self }
    }

    /// Authenticates with an identity of Entra.
    #[must_use]
    pub fn credential(self, credential: Arc<dyn TokenCredential>) -> Self {
        Self { access: Access::Credential(credential), ..self }
    }

    /// Spreads the documents over containers.
    #[must_use]
    pub fn containers(self, containers: Containers) -> Self {
        Self { containers, ..self }
    }

    /// Names and shapes documents as another SDK does.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Creates the database and the containers that are missing, and makes a container of another
    /// SDK index what recovery needs. By default what is missing is an error.
    #[must_use]
    pub fn create(self, creates: bool) -> Self {
        Self { creates, ..self }
    }

    /// Provisions each new container with this many request units a second.
    #[must_use]
    pub fn throughput(self, units: u64) -> Self {
        Self { throughput: Some(Throughput::Manual(units)), ..self }
    }

    /// Provisions each new container with autoscaling up to this many request units a second.
    #[must_use]
    pub fn autoscale(self, units_max: u64) -> Self {
        Self { throughput: Some(Throughput::Autoscale(units_max)), ..self }
    }

    /// Prefers the region of the account that is nearest to this one. By default the account's
    /// order.
    #[must_use]
    pub fn region(self, region: impl Into<String>) -> Self {
        Self { region: Some(region.into()), ..self }
    }

    /// Sets the time-out of a call: 10 seconds by default, never less than one. A write that takes
    /// longer is [`Error::Unknown`].
    #[must_use]
    pub fn call_max(self, call_max: Duration) -> Self {
        Self { call_max: call_max.max(Duration::from_secs(1)), ..self }
    }

    /// The store's name, without secrets.
    pub(super) fn name(&self) -> String {
        let host = self.endpoint.host_str().unwrap_or_default();
        format!("Cosmos DB at {host}, {}/{}", self.database, self.container)
    }
}

impl PartialEq for CosmosConfig {
    /// Compares location and layout: two are equal if they mean the same documents, by whatever
    /// key.
    fn eq(&self, other: &Self) -> bool {
        let place = |config: &Self| {
            (config.endpoint.clone(), config.database.clone(), config.container.clone())
        };
        place(self) == place(other)
            && (self.containers, self.layout) == (other.containers, other.layout)
    }
}

impl fmt::Debug for CosmosConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CosmosConfig")
            .field("name", &self.name())
            .field("containers", &self.containers)
            .field("layout", &self.layout)
            .field("creates", &self.creates)
            .finish_non_exhaustive()
    }
}

fn invalid(reason: impl Into<String>) -> Error {
    Error::Invalid { store: "Cosmos DB".into(), reason: reason.into(), source: None }
}

/// Percent-decodes a part of a URL.
fn decode(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests;

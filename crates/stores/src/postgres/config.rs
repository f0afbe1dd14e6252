//! Configuration of the PostgreSQL store, from a URL.

#[cfg(feature = "entra")]
use std::sync::Arc;
use std::{borrow::Cow, fmt, net::IpAddr, path::PathBuf, time::Duration};

#[cfg(feature = "entra")]
use azure_core::credentials::TokenCredential;
use percent_encoding::percent_decode_str;
use sayso_turn::store::Error;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use super::{sql::Names, tls::Proof};
use crate::{
    certificate::{self, Files},
    login::Source,
    secrets,
};

/// Ten instances have ninety: PostgreSQL has a hundred by default and keeps three for itself.
const CONNECTIONS: usize = 9;
const TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT_MIN: Duration = Duration::from_millis(100);

const SHAPE: &str = "the URL must look like \
    postgres://user:password@host:port/database?sslmode=verify-full&schema=sayso, \
    with the parameters schema, table, connections, unsafe, sslmode, sslrootcert, sslcert, sslkey, \
    secret-file, auth and those of PostgreSQL's own clients; odd characters in a password are written as %40";

/// Server, table and connection settings of a [`PostgresStore`](super::PostgresStore).
///
/// # Example
/// ```
/// use sayso_stores::postgres::PostgresConfig;
///
/// let config = PostgresConfig::from_url("postgres://bot:secret@db.example:5433/bots?schema=pizza")?;
/// assert_eq!(config.to_string(), "PostgreSQL at db.example:5433/bots, table pizza.document");
/// assert!(!format!("{config:?}").contains("secret"));
/// # Ok::<(), sayso_turn::store::Error>(())
/// ```
#[derive(Clone)]
pub struct PostgresConfig {
    pub(super) server: tokio_postgres::Config,
    /// Verification of the server's certificate; none without TLS.
    pub(super) proof: Option<Proof>,
    pub(super) names: Names,
    pub(super) connections: usize,
    pub(super) timeout: Duration,
    pub(super) is_unsafe_allowed: bool,
    pub(super) login: Source,
    /// The certificate of this client.
    pub(super) certificate: Option<Files>,
    /// True if each address of a name is asked whether it takes writes.
    seeks_writes: bool,
}

impl PostgresConfig {
    /// Reads `postgres://user:password@host:port/database?...`.
    ///
    /// Besides the parameters of PostgreSQL's own clients there are: `schema` (default `sayso`) and
    /// `table` (default `document`), both made when missing; `connections` (2 to 1000, default 9),
    /// half of them for saves; `sslmode` (`disable`, `prefer`, which is the default, `require`,
    /// `verify-full`); `sslrootcert`, a file of certificates instead of the system's; `sslcert` and
    /// `sslkey`, see [`client_certificate`](Self::client_certificate); and `unsafe=allow`, see
    /// [`allow_unsafe`](Self::allow_unsafe).
    ///
    /// Instead of in the URL the password may be in a file, which is read again when the server
    /// refuses it: `secret-file=/run/secrets/db`, or `SAYSO_STORE_SECRET_FILE` in the environment.
    /// `auth=entra` (or `managed`, `developer`) signs in with a token of Microsoft Entra ID (with
    /// the feature `entra`).
    ///
    /// Several hosts (`postgres://bot@one,two/bots`) are the servers of one database: the one that
    /// takes writes is used. `connect_timeout` (seconds) limits the whole of a connection to one of
    /// them; by default that is 3 s, and less if the time of a call is too short for all.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the URL is not of this shape. The text does not quote it.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        Self::parse(url).map_err(|reason| Error::Invalid {
            store: Cow::Borrowed("PostgreSQL"),
            reason: reason.into_owned(),
            source: None,
        })
    }

    fn parse(url: &str) -> Result<Self, Cow<'static, str>> {
        let has_scheme =
            ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
        if !has_scheme {
            return Err(Cow::Borrowed(SHAPE));
        }
        // A password may hold a question mark, as the client sees it.
        let (user, place) = url.split_at(url.find('@').unwrap_or(0));
        let (place, query) = place.split_once('?').unwrap_or((place, ""));
        let mut ours = Parameters::default();
        // What is not ours goes to the client as it is.
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            if ours.take(pair)? {
                continue;
            }
            match pair.strip_prefix("host=") {
                // The client would take the list for one name.
                Some(hosts) => rest.extend(hosts.split(',').map(|host| format!("host={host}"))),
                None => rest.push(pair.to_owned()),
            }
        }
        let plain = format!("{user}{place}?{}", rest.join("&"));
        // The client's own words are not passed on: they may quote a piece of the password.
        let mut server: tokio_postgres::Config = plain.parse().map_err(|_| SHAPE)?;
        let (hosts, addresses) = (server.get_hosts().len(), server.get_hostaddrs().len());
        let has_addresses = addresses == 0 || addresses == hosts;
        let has_ports = server.get_ports().len() <= 1 || server.get_ports().len() == hosts;
        if hosts == 0 || !has_addresses || !has_ports {
            return Err(Cow::Borrowed(SHAPE));
        }
        let (mode, proof) = ours.security()?;
        let certificate = Files::of(ours.sslcert, ours.sslkey)?;
        if certificate.is_some() && mode != SslMode::Require {
            let reason = "`sslcert` in the URL needs sslmode=verify-full (or require)";
            return Err(Cow::Borrowed(reason));
        }
        let _server = server.ssl_mode(mode);
        let has_password = server.get_password().is_some();
        let environment = secrets::file_of_environment();
        let login = Source::of(ours.secret_file, ours.auth.as_deref(), has_password, environment)?;
        if server.get_application_name().is_none() {
            let _server = server.application_name("sayso");
        }
        Ok(Self {
            server,
            proof,
            names: Names::new(
                ours.schema.as_deref().unwrap_or("sayso"),
                ours.table.as_deref().unwrap_or("document"),
            )?,
            connections: ours.connections.unwrap_or(CONNECTIONS),
            timeout: TIMEOUT,
            is_unsafe_allowed: ours.is_unsafe_allowed,
            login,
            certificate,
            seeks_writes: ours.seeks_writes,
        })
    }

    /// Sets the time-out of a call, at least 100 ms; 10 s by default. After it a write is
    /// [`Error::Unknown`] and a read [`Error::Unavailable`].
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout.max(TIMEOUT_MIN);
        self
    }

    /// Reads the password from a file, at once and whenever the server refuses it. Of two lines,
    /// the old and the new password, each is tried.
    #[must_use]
    pub fn secret_file(self, path: impl Into<PathBuf>) -> Self {
        Self { login: Source::File(path.into()), ..self }
    }

    /// Signs in with a token of this credential, a new one for each new connection whose time has
    /// come.
    #[cfg(feature = "entra")]
    #[must_use]
    pub fn credential(self, credential: Arc<dyn TokenCredential>) -> Self {
        Self { login: Source::Credential(credential), ..self }
    }

    /// Presents a certificate to the server (mutual TLS), which needs `sslmode=require` or
    /// `verify-full`. Both files are PEM and read again for every new connection.
    #[must_use]
    pub fn client_certificate(
        self,
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Self {
        let (certificate, key) = (certificate.into(), key.into());
        Self { certificate: Some(Files { certificate, key }), ..self }
    }

    /// True if what is sent to the server can be read by nobody else: by TLS, or as it stays on
    /// this machine.
    pub(super) fn is_private(&self) -> bool {
        let is_here = |host: &Host| match host {
            Host::Tcp(name) => {
                name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
            }
            #[cfg(unix)]
            Host::Unix(_) => true,
        };
        self.server.get_ssl_mode() == SslMode::Require
            || self.server.get_hosts().iter().all(is_here)
    }

    /// Each server of the URL by itself, with its place.
    pub(super) fn servers(&self) -> Vec<(String, tokio_postgres::Config)> {
        let hosts = self.server.get_hosts().iter().enumerate();
        hosts.map(|(number, host)| (self.place(number, host), self.one(number, host))).collect()
    }

    fn one(&self, number: usize, host: &Host) -> tokio_postgres::Config {
        let all = &self.server;
        let mut one = tokio_postgres::Config::new();
        let _one = match host {
            Host::Tcp(name) => one.host(name),
            #[cfg(unix)]
            Host::Unix(path) => one.host_path(path),
        };
        let _one = one.port(self.port(number));
        if let Some(address) = all.get_hostaddrs().get(number) {
            let _one = one.hostaddr(*address);
        }
        if let Some(user) = all.get_user() {
            let _one = one.user(user);
        }
        if let Some(password) = all.get_password() {
            let _one = one.password(password);
        }
        if let Some(database) = all.get_dbname() {
            let _one = one.dbname(database);
        }
        if let Some(options) = all.get_options() {
            let _one = one.options(options);
        }
        if let Some(name) = all.get_application_name() {
            let _one = one.application_name(name);
        }
        if self.seeks_writes {
            let _one = one.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        // A server that is gone without a word is noticed.
        let _one = one
            .ssl_mode(all.get_ssl_mode())
            .ssl_negotiation(all.get_ssl_negotiation())
            .channel_binding(all.get_channel_binding())
            .tcp_user_timeout(self.timeout)
            .keepalives_idle(Duration::from_secs(15))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        one
    }

    /// Shows a server's place, without user or password.
    fn place(&self, number: usize, host: &Host) -> String {
        let port = self.port(number);
        match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            #[cfg(unix)]
            Host::Unix(path) => format!("{}:{port}", path.display()),
        }
    }

    fn port(&self, number: usize) -> u16 {
        let ports = self.server.get_ports();
        // One port may be given for all hosts.
        ports.get(number).or_else(|| ports.first()).copied().unwrap_or(5432)
    }

    /// Opens the store although the server's settings void its promise (`fsync=off` and the like).
    /// Some hosted servers report such settings and keep their log safe in a way of their own.
    #[must_use]
    pub fn allow_unsafe(mut self) -> Self {
        self.is_unsafe_allowed = true;
        self
    }
}

#[derive(Default)]
struct Parameters {
    schema: Option<String>,
    table: Option<String>,
    connections: Option<usize>,
    sslmode: Option<String>,
    sslrootcert: Option<PathBuf>,
    sslcert: Option<PathBuf>,
    sslkey: Option<PathBuf>,
    secret_file: Option<String>,
    auth: Option<String>,
    is_unsafe_allowed: bool,
    seeks_writes: bool,
}

impl Parameters {
    /// Takes `name=value` if it is one of our parameters.
    fn take(&mut self, pair: &str) -> Result<bool, Cow<'static, str>> {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = percent_decode_str(value).decode_utf8().map_err(|_| SHAPE)?;
        match name {
            "schema" => self.schema = Some(value.into_owned()),
            "table" => self.table = Some(value.into_owned()),
            "connections" => {
                let count = value.parse().ok().filter(|count| (2..=1000).contains(count));
                self.connections =
                    Some(count.ok_or("`connections` in the URL is a number from 2 to 1000")?);
            }
            "sslmode" => self.sslmode = Some(value.into_owned()),
            certificate::ROOTS => self.sslrootcert = Some(value.into_owned().into()),
            certificate::CERTIFICATE => self.sslcert = Some(value.into_owned().into()),
            certificate::KEY => self.sslkey = Some(value.into_owned().into()),
            secrets::PARAMETER => self.secret_file = Some(value.into_owned()),
            "auth" => self.auth = Some(value.into_owned()),
            "unsafe" if value == "allow" => self.is_unsafe_allowed = true,
            "unsafe" => return Err(Cow::Borrowed("`unsafe` in the URL can only be `allow`")),
            // Among several hosts the one that takes writes is looked for in any case.
            "target_session_attrs" if value == "any" => {}
            "target_session_attrs" if ["primary", "read-write"].contains(&&*value) => {
                self.seeks_writes = true;
            }
            "target_session_attrs" => {
                let reason = "`target_session_attrs` in the URL can only be `read-write`";
                return Err(Cow::Borrowed(reason));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn security(&self) -> Result<(SslMode, Option<Proof>), Cow<'static, str>> {
        let roots = self.sslrootcert.clone();
        let (mode, proof) = match self.sslmode.as_deref() {
            Some("disable") => (SslMode::Disable, None),
            None | Some("prefer") => (SslMode::Prefer, Some(Proof::None)),
            Some("require") => (SslMode::Require, Some(Proof::None)),
            Some("verify-full") => (SslMode::Require, Some(Proof::Full { roots: roots.clone() })),
            Some(_) => {
                let reason = "`sslmode` in the URL is disable, prefer, require or verify-full";
                return Err(Cow::Borrowed(reason));
            }
        };
        // Given for nothing, it would look as if the server were verified.
        if roots.is_some() && !matches!(proof, Some(Proof::Full { .. })) {
            return Err(Cow::Borrowed("`sslrootcert` in the URL needs sslmode=verify-full"));
        }
        Ok((mode, proof))
    }
}

/// Shows the store's place, without user or password.
impl fmt::Display for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgreSQL at ")?;
        for (number, host) in self.server.get_hosts().iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            write!(f, "{comma}{}", self.place(number, host))?;
        }
        if let Some(database) = self.server.get_dbname() {
            write!(f, "/{database}")?;
        }
        write!(f, ", table {}", self.names)
    }
}

impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresConfig")
            .field("place", &self.to_string())
            .field("proof", &self.proof)
            .field("connections", &self.connections)
            .field("timeout", &self.timeout)
            .field("is_unsafe_allowed", &self.is_unsafe_allowed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

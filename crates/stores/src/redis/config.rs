//! Configuration of the Redis store, from a URL.

#[cfg(feature = "entra")]
use std::sync::Arc;
use std::{fmt, net::IpAddr, path::PathBuf, time::Duration};

#[cfg(feature = "entra")]
use azure_core::credentials::TokenCredential;
use percent_encoding::percent_decode_str;
use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, io::tcp::TcpSettings};
use sayso_turn::store::Error;

use super::acks::Acks;
use crate::{
    certificate::{self, Files},
    login::Source,
    secrets,
};

/// The default time-out of a call.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The default prefix of all names.
const PREFIX: &str = "sayso";

/// The port of a sentinel unless the URL names another.
const SENTINEL_PORT: u16 = 26_379;

/// The longest prefix, in bytes.
const PREFIX_BYTES_MAX: usize = 64;

/// Servers, prefix and time-out of a [`RedisStore`](super::RedisStore).
///
/// # Example
/// ```
/// use sayso_stores::redis::RedisConfig;
///
/// let config = RedisConfig::from_url("rediss://bot:secret@cache.example:6380/1?prefix=pizza")?;
/// assert_eq!(config.to_string(), "Redis at cache.example:6380/1 (pizza)");
///
/// let error = RedisConfig::from_url("redis://cache.example?prefx=pizza").unwrap_err();
/// assert!(error.to_string().contains("unknown parameter `prefx`"));
/// # Ok::<(), sayso_turn::store::Error>(())
/// ```
#[derive(Clone)]
pub struct RedisConfig {
    pub(super) nodes: Vec<ConnectionInfo>,
    pub(super) topology: Topology,
    pub(super) prefix: String,
    pub(super) durability: Durability,
    pub(super) timeout: Duration,
    /// The acknowledgements of replicas that a write waits for.
    pub(super) acks: Option<Acks>,
    pub(super) login: Source,
    /// A file of certificates instead of the system's.
    pub(super) roots: Option<PathBuf>,
    /// The certificate of this client.
    pub(super) certificate: Option<Files>,
}

/// The part that the nodes play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Topology {
    /// One server.
    Server,
    /// Nodes of a cluster.
    Cluster,
    /// Sentinels that know the server.
    Sentinel {
        /// The name under which they know it.
        master: String,
    },
}

/// The reaction to a server whose settings may lose acknowledged turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The store is not opened.
    #[default]
    Strict,
    /// The store is opened with a warning: the server is a cache, and losing turns is accepted.
    Relaxed,
}

impl RedisConfig {
    /// Reads a URL: `redis://[user:password@]host[:port][/db][?prefix=sayso][&durability=relaxed]`.
    ///
    /// `rediss://` is the same with TLS, `valkey://` and `valkeys://` mean the same. For a cluster
    /// it is `redis+cluster://` or `rediss+cluster://`, with one or several nodes:
    /// `host:port,host:port`. For sentinels it is
    /// `redis+sentinel://[user:password@]host:port,host:port/master[/db]`.
    ///
    /// `wait=1` has a write count only when a replica has acknowledged it (`WAIT`), or as many
    /// replicas as the number says.
    ///
    /// Instead of in the URL the password may be in a file, which is read again when the server
    /// refuses it: `secret-file=/run/secrets/redis`, or `SAYSO_STORE_SECRET_FILE` in the
    /// environment. `auth=entra` (or `managed`, `developer`) signs in with a token of Microsoft
    /// Entra ID (with the feature `entra`); the user in the URL is then the identity's object id.
    ///
    /// With `rediss://` (and the like) `sslrootcert` names a file of certificates instead of the
    /// system's, and `sslcert` and `sslkey` the certificate of this client and its key, see
    /// [`with_client_certificate`](Self::with_client_certificate).
    ///
    /// # Errors
    /// [`Error::Invalid`] says what is wrong with it. It never repeats the password.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let (scheme, rest) = address.split_once("://").ok_or_else(|| invalid(URL_FORM))?;
        let (scheme, kind) = scheme.split_once('+').unwrap_or((scheme, ""));
        if !["redis", "rediss", "valkey", "valkeys"].contains(&scheme) {
            return Err(invalid(URL_FORM));
        }
        let (nodes, topology) = match kind {
            "" => (vec![node(&format!("{scheme}://{rest}"))?], Topology::Server),
            "cluster" => (cluster_nodes(scheme, rest)?, Topology::Cluster),
            "sentinel" => sentinels(scheme, rest)?,
            _ => return Err(invalid(URL_FORM)),
        };
        let mut config = Self {
            nodes,
            topology,
            prefix: PREFIX.to_owned(),
            durability: Durability::Strict,
            timeout: TIMEOUT,
            acks: None,
            login: Source::Url,
            roots: None,
            certificate: None,
        };
        let (mut file, mut auth) = (None, None);
        let (mut roots, mut certificate, mut key) = (None, None, None);
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = percent_decode_str(value).decode_utf8().map_err(|_| invalid(URL_FORM))?;
            match name {
                secrets::PARAMETER => file = Some(value.into_owned()),
                "auth" => auth = Some(value.into_owned()),
                certificate::ROOTS => roots = Some(PathBuf::from(value.into_owned())),
                certificate::CERTIFICATE => certificate = Some(value.into_owned().into()),
                certificate::KEY => key = Some(value.into_owned().into()),
                _ => config = config.with_parameter(parameter)?,
            }
        }
        let has_password =
            config.nodes.iter().any(|node| node.redis_settings().password().is_some());
        let environment = secrets::file_of_environment();
        let login = Source::of(file, auth.as_deref(), has_password, environment);
        let certificate = Files::of(certificate, key).map_err(invalid)?;
        // Given for nothing, it would look as if there were TLS.
        if (roots.is_some() || certificate.is_some()) && !config.is_encrypted() {
            return Err(invalid("sslrootcert, sslcert and sslkey in the URL need rediss://"));
        }
        Ok(Self { login: login.map_err(invalid)?, roots, certificate, ..config })
    }

    /// Presents a certificate to the server (mutual TLS). Both files are PEM and read again for
    /// every new connection.
    #[must_use]
    pub fn with_client_certificate(
        self,
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Self {
        let (certificate, key) = (certificate.into(), key.into());
        Self { certificate: Some(Files { certificate, key }), ..self }
    }

    /// Trusts the certificates of a file instead of the system's.
    #[must_use]
    pub fn with_roots(self, path: impl Into<PathBuf>) -> Self {
        Self { roots: Some(path.into()), ..self }
    }

    /// Reads the password from a file, at once and whenever the server refuses it. Of two lines,
    /// the old and the new password, each is tried.
    #[must_use]
    pub fn with_secret_file(self, path: impl Into<PathBuf>) -> Self {
        Self { login: Source::File(path.into()), ..self }
    }

    /// Signs in with tokens of this credential, on open connections also before one expires.
    #[cfg(feature = "entra")]
    #[must_use]
    pub fn with_credential(self, credential: Arc<dyn TokenCredential>) -> Self {
        Self { login: Source::Credential(credential), ..self }
    }

    /// Sets the reaction to settings that may lose turns.
    #[must_use]
    pub fn with_durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// Sets the time-out of a call. After it a read has failed and a write is in doubt. With
    /// sentinels and on a cluster a call ends within 4 s in any case.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    fn with_parameter(self, parameter: &str) -> Result<Self, Error> {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        match (name, value) {
            ("prefix", prefix) => {
                let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_.:/".contains(char);
                if prefix.is_empty()
                    || prefix.len() > PREFIX_BYTES_MAX
                    || !prefix.chars().all(is_plain)
                {
                    return Err(invalid(
                        "the prefix in the URL must have 1 to 64 letters, digits or any of -_.:/",
                    ));
                }
                Ok(Self { prefix: prefix.to_owned(), ..self })
            }
            ("durability", "strict") => Ok(self.with_durability(Durability::Strict)),
            ("durability", "relaxed") => Ok(self.with_durability(Durability::Relaxed)),
            ("durability", _) => Err(invalid("the durability in the URL is strict or relaxed")),
            ("wait", number) => match Acks::parse(number) {
                Some(acks) => Ok(Self { acks: Some(acks), ..self }),
                None => Err(invalid("wait in the URL is a number of replicas, 1 to 16")),
            },
            (name, _) => Err(invalid(format!(
                "unknown parameter `{}` of a Redis URL; there are prefix, durability, wait, \
                 secret-file, auth, sslrootcert, sslcert and sslkey",
                crate::parameter::shown(name)
            ))),
        }
    }

    pub(super) fn is_cluster(&self) -> bool {
        self.topology == Topology::Cluster
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.addr(), ConnectionAddr::TcpTls { .. }))
    }

    /// True if what is sent to the server can be read by nobody else: by TLS, or as it stays on
    /// this machine.
    pub(super) fn is_private(&self) -> bool {
        self.nodes.iter().all(|node| match node.addr() {
            ConnectionAddr::Tcp(host, _) => {
                host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
            }
            _ => true,
        })
    }
}

impl fmt::Display for RedisConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.topology {
            Topology::Server => f.write_str("Redis at ")?,
            Topology::Cluster => f.write_str("Redis cluster at ")?,
            Topology::Sentinel { master } => {
                write!(f, "Redis {} by sentinels at ", master.escape_debug())?;
            }
        }
        for (number, node) in self.nodes.iter().enumerate() {
            f.write_str(if number > 0 { "," } else { "" })?;
            match node.addr() {
                ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
                    write!(f, "{host}:{port}")?;
                }
                _ => f.write_str("a socket")?,
            }
        }
        match self.nodes.first().map(|node| node.redis_settings().db()) {
            Some(db) if !self.is_cluster() => write!(f, "/{db} ({})", self.prefix),
            _ => write!(f, " ({})", self.prefix),
        }
    }
}

impl fmt::Debug for RedisConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisConfig")
            .field("at", &self.to_string())
            .field("durability", &self.durability)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

const URL_FORM: &str = "this is no Redis URL; write redis://host:6379/0, with user:password@ before \
    the host where needed, rediss:// for TLS, redis+cluster:// for a cluster, \
    redis+sentinel://host:26379/master for sentinels";

/// The nodes of `[user:password@]host:port,host:port[/]`.
fn cluster_nodes(scheme: &str, rest: &str) -> Result<Vec<ConnectionInfo>, Error> {
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (user, hosts) = user_and_hosts(rest);
    if hosts.contains('/') {
        return Err(invalid("a cluster has one database only; leave the number out of the URL"));
    }
    hosts.split(',').map(|host| node(&format!("{scheme}://{user}{host}"))).collect()
}

/// The sentinels of `[user:password@]host:port,host:port/master[/db]`, with the database of the
/// master.
fn sentinels(scheme: &str, rest: &str) -> Result<(Vec<ConnectionInfo>, Topology), Error> {
    let (user, hosts) = user_and_hosts(rest);
    let (hosts, path) = hosts.split_once('/').unwrap_or((hosts, ""));
    let (master, db) = path.split_once('/').unwrap_or((path, "0"));
    if master.is_empty() {
        return Err(invalid("the URL lacks the name of the master: redis+sentinel://host/master"));
    }
    let node_of = |host: &str| {
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
        let port = if has_port { String::new() } else { format!(":{SENTINEL_PORT}") };
        node(&format!("{scheme}://{user}{host}{port}/{db}"))
    };
    let nodes = hosts.split(',').map(node_of).collect::<Result<_, _>>()?;
    Ok((nodes, Topology::Sentinel { master: master.to_owned() }))
}

/// Splits off the user and the password, with their `@`, from the hosts.
fn user_and_hosts(rest: &str) -> (String, &str) {
    match rest.rsplit_once('@') {
        Some((user, hosts)) => (format!("{user}@"), hosts),
        None => (String::new(), rest),
    }
}

fn node(url: &str) -> Result<ConnectionInfo, Error> {
    // The library's own error could repeat a part of the URL.
    let node = url.into_connection_info().map_err(|_| invalid(URL_FORM))?;
    // Small writes must not wait for more, and a peer that is gone must be noticed.
    let settings = TcpSettings::default().set_nodelay(true);
    Ok(node.set_tcp_settings(settings))
}

fn invalid(reason: impl Into<String>) -> Error {
    Error::Invalid { store: "Redis".into(), reason: reason.into(), source: None }
}

#[cfg(test)]
mod tests;

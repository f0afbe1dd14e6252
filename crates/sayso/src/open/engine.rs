//! Engines by the scheme of a URL.

use std::{fmt, sync::Arc};

use sayso_turn::store::{self, MemoryStore, Store};

use crate::config::ConfigError;

/// Error of opening a store by its URL.
///
/// `Debug` shows the sentence too, because that is what a `main` that returns an error prints.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The URL has no scheme, or one that nobody knows.
    #[error("`{scheme}` is not a store this build knows; use {}", known())]
    Unknown {
        /// The scheme. The rest of the URL may hold a secret and is never shown.
        scheme: String,
    },
    /// The engine is known and was not built in.
    #[error(
        "`{scheme}` is a store that this build lacks; add the feature `{feature}` of the crate \
         sayso to Cargo.toml, as in `cargo add sayso --features {feature}`, or, for the command, \
         `cargo install sayso-cli --features {feature}` (`engines` has them all)"
    )]
    NotBuiltIn {
        /// The scheme. The rest of the URL may hold a secret and is never shown.
        scheme: String,
        /// The feature of this crate that has the engine.
        feature: &'static str,
    },
    /// The scheme needs more than was given.
    #[error("the store URL names no file; use for example sqlite:data/sayso.sqlite")]
    NoPath,
    /// The parameters of partitions make no sense.
    #[error("the store URL cannot be used: {reason}")]
    Partition {
        /// Description of the problem, and the remedy.
        reason: String,
    },
    /// The engine itself refused.
    #[error("the store cannot be opened: {0}")]
    Store(store::Error),
    /// The keys of its encryption make no sense.
    #[error("{0}")]
    Encryption(ConfigError),
    /// A store in the layout of another SDK cannot be encrypted.
    #[error(
        "a store in the layout of another SDK cannot be encrypted, since that SDK could not read \
         it; leave out the layout or the encryption keys"
    )]
    EncryptedLayout,
    /// Partitions are chosen by names that are hashed.
    #[error(
        "a store with partitions cannot have hashed names, since the name of a document chooses \
         its partition; leave out `partition` (or `containers`) or the key for names"
    )]
    PartitionedNames,
}

impl fmt::Debug for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// Not as a source: the sentence has all of it, and whoever prints the chain would print it twice.
impl From<store::Error> for OpenError {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

/// The forms that this build understands, for the error that says so, each with its feature.
pub(super) const KNOWN: &[(&str, &str)] = &[
    #[cfg(feature = "sqlite")]
    ("sqlite", "sqlite:path/to/file (kept on disk)"),
    #[cfg(feature = "postgres")]
    ("postgres", "postgres://user@host/database"),
    #[cfg(feature = "redis")]
    ("redis", "redis://host"),
    #[cfg(feature = "azure-blob")]
    ("azure-blob", "azblob:https://account.blob.core.windows.net/container"),
    #[cfg(feature = "cosmos")]
    ("cosmos", "cosmos://account.documents.azure.com/database/container"),
    #[cfg(feature = "s3")]
    ("s3", "s3://bucket"),
    ("", "memory:// (forgotten when the process ends)"),
];

/// Every scheme of an engine that is a feature, and the feature.
pub(super) const ENGINES: &[(&str, &str)] = &[
    ("sqlite", "sqlite"),
    ("postgres", "postgres"),
    ("postgresql", "postgres"),
    ("redis", "redis"),
    ("rediss", "redis"),
    ("redis+cluster", "redis"),
    ("rediss+cluster", "redis"),
    ("valkey", "redis"),
    ("valkeys", "redis"),
    ("valkey+cluster", "redis"),
    ("valkeys+cluster", "redis"),
    ("redis+sentinel", "redis"),
    ("rediss+sentinel", "redis"),
    ("valkey+sentinel", "redis"),
    ("valkeys+sentinel", "redis"),
    ("azblob", "azure-blob"),
    ("cosmos", "cosmos"),
    ("cosmos+http", "cosmos"),
    ("s3", "s3"),
];

/// A store that was opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Warnings about settings of its server that weaken the guarantees, a sentence each. They are
    /// logged, too.
    pub warnings: Vec<String>,
}

impl Opened {
    fn new(store: impl Store) -> Self {
        Self { store: Arc::new(store), warnings: Vec::new() }
    }
}

/// Opens the store that a URL without partitions names.
pub(super) async fn open_one(url: &str) -> Result<Opened, OpenError> {
    let Some((scheme, rest)) = url.split_once(':') else {
        return Err(OpenError::Unknown { scheme: UNSHOWN.to_owned() });
    };
    let path = rest.strip_prefix("//").unwrap_or(rest);
    // An engine's set-up is a large future and runs once: on the heap.
    match feature_of(scheme) {
        None if scheme == "memory" && path.is_empty() => Ok(Opened::new(MemoryStore::default())),
        #[cfg(feature = "sqlite")]
        Some("sqlite") if path.is_empty() => Err(OpenError::NoPath),
        #[cfg(feature = "sqlite")]
        Some("sqlite") => {
            let store = sayso_stores::SqliteStore::open(path)?;
            Ok(Opened { warnings: open_file(path).into_iter().collect(), ..Opened::new(store) })
        }
        #[cfg(feature = "postgres")]
        Some("postgres") => {
            let store = Box::pin(sayso_stores::PostgresStore::open_url(url)).await?;
            let warnings = store.warnings().to_vec();
            Ok(Opened { warnings, ..Opened::new(store) })
        }
        #[cfg(feature = "redis")]
        Some("redis") => {
            let store = Box::pin(sayso_stores::RedisStore::open_url(url)).await?;
            let warnings = store.warnings().to_vec();
            Ok(Opened { warnings, ..Opened::new(store) })
        }
        #[cfg(feature = "azure-blob")]
        Some("azure-blob") => {
            Ok(Opened::new(Box::pin(sayso_stores::BlobStore::open_url(url)).await?))
        }
        #[cfg(feature = "cosmos")]
        Some("cosmos") => {
            let store = Box::pin(sayso_stores::CosmosStore::open_url(url)).await?;
            let warnings = store.warnings().to_vec();
            Ok(Opened { warnings, ..Opened::new(store) })
        }
        #[cfg(feature = "s3")]
        Some("s3") => Ok(Opened::new(Box::pin(sayso_stores::S3Store::open_url(url)).await?)),
        None => Err(OpenError::Unknown { scheme: format!("{}:", shown(scheme, rest)) }),
        Some(feature) => Err(OpenError::NotBuiltIn { scheme: format!("{scheme}:"), feature }),
    }
}

/// Warning about a file of documents that every user of this machine can read.
#[cfg(feature = "sqlite")]
fn open_file(path: &str) -> Option<String> {
    let warning = crate::config::is_open(std::path::Path::new(path)).then(|| {
        format!(
            "every user of this machine can read or write the documents in {path}: chmod 600 \
             {path}, and {path}-wal and {path}-shm if they are there"
        )
    })?;
    tracing::warn!("{warning}");
    Some(warning)
}

/// The scheme, if it stands where a scheme of a URL does. Somebody may have pasted a connection
/// string or a password.
fn shown<'a>(scheme: &'a str, rest: &str) -> &'a str {
    let is_of_scheme = |byte: u8| byte.is_ascii_lowercase() || b"+-.".contains(&byte);
    match rest.starts_with("//") && scheme.len() <= 20 && scheme.bytes().all(is_of_scheme) {
        true => scheme,
        false => UNSHOWN,
    }
}

const UNSHOWN: &str = "what was given";

pub(super) fn feature_of(scheme: &str) -> Option<&'static str> {
    ENGINES.iter().find(|(known, _)| *known == scheme).map(|(_, feature)| *feature)
}

fn known() -> String {
    let forms: Vec<&str> = KNOWN.iter().map(|(_, form)| *form).collect();
    forms.join(" or ")
}

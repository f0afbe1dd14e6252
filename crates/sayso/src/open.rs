//! Opens a store by its URL, so that the choice of the engine is a matter of configuration.

use std::sync::Arc;

use sayso_turn::store::{self, MemoryStore, Store};

/// Error of opening a store by its URL.
#[derive(Debug, thiserror::Error)]
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
        "`{scheme}` is a store that this build lacks; add the feature `{feature}`, as in \
         `cargo add sayso --features {feature}` for a bot, or \
         `cargo install sayso-cli --features {feature}` for the command (`engines` has them all)"
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
    /// The engine itself refused.
    #[error("the store cannot be opened: {0}")]
    Store(store::Error),
}

// Not as a source: the sentence has all of it, and whoever prints the chain would print it twice.
impl From<store::Error> for OpenError {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

/// The forms that this build understands, for the error that says so, each with its feature.
const KNOWN: &[(&str, &str)] = &[
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
const ENGINES: &[(&str, &str)] = &[
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

/// Opens the store that a URL names.
///
/// | URL | store | feature |
/// |---|---|---|
/// | `memory://` | the process's own memory; forgotten when it ends | |
/// | `sqlite:path` or `sqlite://path` | a SQLite file, made together with its folder | `sqlite` |
/// | `postgres://user@host/database` | PostgreSQL | `postgres` |
/// | `redis://host`, `rediss://host`, `redis+cluster://host`, `redis+sentinel://host/master` | Redis or Valkey | `redis` |
/// | `azblob:https://account.blob.core.windows.net/container` | Azure Blob Storage | `azure-blob` |
/// | `cosmos://account.documents.azure.com/database/container` | Azure Cosmos DB | `cosmos` |
/// | `s3://bucket` | an S3-compatible object store | `s3` |
///
/// What else a URL can say is documented with each engine, in [`stores`](crate::stores). Call it
/// when the program starts: SQLite blocks for a moment, servers are connected to and set up.
///
/// # Errors
/// [`OpenError::Unknown`] for any other URL, with a sentence that lists what works;
/// [`OpenError::NotBuiltIn`] for an engine whose feature is off; else what the engine says.
///
/// # Cancellation
/// Dropping the future opens nothing; what was set up on a server stays.
///
/// # Example
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), sayso::OpenError> {
/// let store = sayso::open_store("memory://").await?;
/// assert!(store.transactions().is_some());
///
/// let error = sayso::open_store("mongodb://me:secret@host").await.unwrap_err().to_string();
/// assert!(error.starts_with("`mongodb:` is not a store this build knows; use "));
/// assert!(!error.contains("secret"));
/// # Ok(()) }
/// ```
pub async fn open_store(url: &str) -> Result<Arc<dyn Store>, OpenError> {
    open_store_with_warnings(url).await.map(|opened| opened.store)
}

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

/// Opens the store that a URL names, as [`open_store`] does, and returns warnings about its
/// settings.
///
/// # Errors
/// As [`open_store`].
///
/// # Cancellation
/// As [`open_store`].
///
/// # Example
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), sayso::OpenError> {
/// let opened = sayso::open_store_with_warnings("memory://").await?;
/// assert!(opened.warnings.is_empty());
/// # Ok(()) }
/// ```
pub async fn open_store_with_warnings(url: &str) -> Result<Opened, OpenError> {
    let Some((scheme, rest)) = url.split_once(':') else {
        return Err(OpenError::Unknown { scheme: shown(url).to_owned() });
    };
    let path = rest.strip_prefix("//").unwrap_or(rest);
    // An engine's set-up is a large future and runs once: on the heap.
    match feature_of(scheme) {
        None if scheme == "memory" && path.is_empty() => Ok(Opened::new(MemoryStore::default())),
        #[cfg(feature = "sqlite")]
        Some("sqlite") if path.is_empty() => Err(OpenError::NoPath),
        #[cfg(feature = "sqlite")]
        Some("sqlite") => Ok(Opened::new(sayso_stores::SqliteStore::open(path)?)),
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
        None => Err(OpenError::Unknown { scheme: format!("{}:", shown(scheme)) }),
        Some(feature) => Err(OpenError::NotBuiltIn { scheme: format!("{scheme}:"), feature }),
    }
}

/// The scheme, if it is one. Somebody may have pasted a connection string, key and all.
fn shown(scheme: &str) -> &str {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    match scheme.len() <= 20 && scheme.bytes().all(is_name) {
        true => scheme,
        false => "what was given",
    }
}

fn feature_of(scheme: &str) -> Option<&'static str> {
    ENGINES.iter().find(|(known, _)| *known == scheme).map(|(_, feature)| *feature)
}

fn known() -> String {
    let forms: Vec<&str> = KNOWN.iter().map(|(_, form)| *form).collect();
    forms.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn refused(url: &str) -> String {
        open_store(url).await.unwrap_err().to_string()
    }

    #[tokio::test]
    async fn an_unknown_url_is_refused_with_what_works() {
        for url in ["mysql://u:secret@h/db", "data/sayso.sqlite", "", "memory://x"] {
            let text = refused(url).await;
            assert!(text.contains("use ") && text.contains("memory://"), "{url}: {text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }

    #[tokio::test]
    async fn an_engine_that_was_not_built_in_is_refused_with_its_feature() {
        // Those that are built in are tested with their servers.
        let is_built_in = |feature: &str| KNOWN.iter().any(|(known, _)| *known == feature);
        let lacking = ENGINES.iter().filter(|(_, feature)| !is_built_in(feature));
        for (scheme, feature) in lacking {
            let text = refused(&format!("{scheme}://me:secret@host")).await;
            assert!(text.contains(&format!("--features {feature}")), "{scheme}: {text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }

    #[cfg(feature = "sqlite")]
    #[tokio::test]
    async fn both_forms_of_a_sqlite_url_open_the_file_and_an_empty_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/bot.sqlite");
        for url in [format!("sqlite:{}", file.display()), format!("sqlite://{}", file.display())] {
            drop(open_store(&url).await.unwrap());
            assert!(file.exists(), "{url}");
        }
        assert!(refused("sqlite:").await.contains("names no file"));
    }
}

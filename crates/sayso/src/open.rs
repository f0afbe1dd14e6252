//! Opens a store by its URL, so that the choice of the engine is a matter of configuration.

mod encrypted;
mod engine;
mod partition;

use std::sync::Arc;

use sayso_turn::store::Store;

pub(crate) use self::encrypted::open_with;
use self::partition::open_any;
pub use self::{
    encrypted::{open_configured_store, open_encrypted_store},
    engine::{OpenError, Opened},
};

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
/// With `partition=kind` or `partition=tenant` in the query the documents are spread over several
/// such stores: each kind or tenant has a file, schema, container or prefix of its own
/// ([`PartitionedStore`](crate::stores::PartitionedStore)). `open-partitions` says how many are open
/// at a time.
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
    open_any(url).await
}

#[cfg(test)]
mod tests {
    use super::{
        engine::{ENGINES, KNOWN},
        *,
    };

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

//! Opening with encryption: the store of a configuration, or of a URL and keys.

use std::sync::Arc;

use sayso_stores::encrypting::Encrypting;
use sayso_turn::store::Store;

use super::{
    OpenError, Opened,
    engine::feature_of,
    partition::{self, open_any},
};
use crate::config::{Config, Encryption};

/// Opens the store of a configuration, encrypted if it says so.
///
/// # Errors
/// As [`open_store`](super::open_store); [`OpenError::Encryption`] when the keys make no sense,
/// [`OpenError::EncryptedLayout`] when the store has the layout of another SDK, and
/// [`OpenError::PartitionedNames`] when it has partitions and the names are to be hashed.
///
/// # Cancellation
/// As [`open_store`](super::open_store).
///
/// # Example
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), sayso::OpenError> {
/// use sayso::Config;
///
/// let keys = "2026:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
/// let variables = [("SAYSO_STORE", "memory://"), ("SAYSO_ENCRYPTION_KEYS", keys)];
/// let config = Config::default().environment(variables).unwrap();
/// let opened = sayso::open_configured_store(&config).await?;
/// assert_eq!(opened.store.to_string(), "the memory store, encrypted");
/// # Ok(()) }
/// ```
pub async fn open_configured_store(config: &Config) -> Result<Opened, OpenError> {
    let encryption = config.encryption().map_err(OpenError::Encryption)?;
    open_with(config.store(), encryption).await
}

/// Opens the store that a URL names and encrypts it.
///
/// # Errors
/// As [`open_store`](super::open_store); [`OpenError::EncryptedLayout`] when the store has the
/// layout of another SDK, and [`OpenError::PartitionedNames`] when it has partitions and the names
/// are to be hashed.
///
/// # Cancellation
/// As [`open_store`](super::open_store).
pub async fn open_encrypted_store(
    url: &str,
    encryption: Encryption,
) -> Result<Arc<Encrypting<dyn Store>>, OpenError> {
    check(url, &encryption)?;
    Ok(encryption.wrap(open_any(url).await?.store))
}

/// Opens the store that a URL names, encrypted if there are keys.
pub(crate) async fn open_with(
    url: &str,
    encryption: Option<Encryption>,
) -> Result<Opened, OpenError> {
    let Some(encryption) = encryption else { return open_any(url).await };
    check(url, &encryption)?;
    let opened = open_any(url).await?;
    Ok(Opened { store: encryption.wrap(opened.store), ..opened })
}

/// Refuses what cannot be encrypted.
fn check(url: &str, encryption: &Encryption) -> Result<(), OpenError> {
    if has_layout(url) {
        return Err(OpenError::EncryptedLayout);
    }
    if encryption.has_names() && has_partitions(url)? {
        return Err(OpenError::PartitionedNames);
    }
    Ok(())
}

/// Reports whether a URL names the layout of another SDK.
fn has_layout(url: &str) -> bool {
    // A key may hold a question mark, too.
    let mut layouts = url.split(['?', '&']).skip(1).filter_map(|pair| pair.strip_prefix("layout="));
    layouts.any(|layout| layout != sayso_stores::Layout::Sayso.to_string())
}

/// Reports whether a URL asks for partitions, or for the containers of Cosmos DB that are the same.
fn has_partitions(url: &str) -> Result<bool, OpenError> {
    let (rest, partitions) = partition::split(url)?;
    let is_cosmos = feature_of(url.split(':').next().unwrap_or_default()) == Some("cosmos");
    let mut containers = rest.split(['?', '&']).filter_map(|pair| pair.strip_prefix("containers="));
    Ok(partitions.is_some() || is_cosmos && containers.any(|how| how != "one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &str = "a:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    const NAMES: &str = "bmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgISE=";

    async fn open(url: &str, names: &str) -> Result<Opened, OpenError> {
        let variables = [("SAYSO_STORE", url), ("SAYSO_ENCRYPTION_KEYS", KEYS)];
        let names = (!names.is_empty()).then_some(("SAYSO_ENCRYPTION_NAMES_KEY", names));
        let config = Config::default().environment(variables.into_iter().chain(names)).unwrap();
        open_configured_store(&config).await
    }

    #[tokio::test]
    async fn a_store_of_another_sdk_is_not_encrypted() {
        for url in [
            "azblob:state?layout=js",
            "cosmos://h/d?create=1&layout=python",
            "cosmos://:k?y@h/d?layout=python",
        ] {
            let error = open(url, "").await.unwrap_err();
            assert!(matches!(error, OpenError::EncryptedLayout), "{error}");
        }
        assert!(!has_layout("azblob:state?layout=sayso") && !has_layout("sqlite:layout=js"));
    }

    #[tokio::test]
    async fn partitions_are_encrypted_and_their_names_are_not_hashed() {
        for url in [
            "memory://?partition=tenant",
            "memory://?partition=kind&open-partitions=2",
            "cosmos://h/d?create=1&containers=kind",
        ] {
            let error = open(url, NAMES).await.unwrap_err();
            assert!(matches!(error, OpenError::PartitionedNames), "{error}");
            let variables =
                [("SAYSO_ENCRYPTION_KEYS", KEYS), ("SAYSO_ENCRYPTION_NAMES_KEY", NAMES)];
            let config = Config::default().environment(variables).unwrap();
            let encryption = config.encryption().unwrap().unwrap();
            let error = open_encrypted_store(url, encryption).await.unwrap_err();
            assert!(matches!(error, OpenError::PartitionedNames), "{error}");
        }
        let opened = open("memory://?partition=tenant", "").await.unwrap();
        let name = "the memory store, partitioned by tenant, encrypted";
        assert_eq!(opened.store.to_string(), name);
        for url in ["memory://", "memory://?partition=one"] {
            open(url, NAMES).await.unwrap();
        }
        assert!(!has_partitions("cosmos://h/d?containers=one").unwrap());
    }
}

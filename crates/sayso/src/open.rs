//! Opening a store by its URL, so that where state is kept is a matter of configuration.

use std::sync::Arc;

use sayso_turn::store::{self, MemoryStore, Store};

/// Why a store URL did not lead to a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The URL has no scheme, or one that this build does not know.
    #[error("`{scheme}` is not a store this build knows; use {}", KNOWN.join(" or "))]
    Unknown {
        /// What stands before the colon. The rest may hold a secret and is never shown.
        scheme: String,
    },
    /// The scheme needs more than was given.
    #[error("the store URL names no file; use for example sqlite:data/sayso.sqlite")]
    NoPath,
    /// The engine itself refused.
    #[error("the store cannot be opened: {0}")]
    Store(#[from] store::Error),
}

/// The forms that this build understands, for the error that says so.
const KNOWN: &[&str] = &[
    #[cfg(feature = "sqlite")]
    "sqlite:path/to/file (kept on disk)",
    "memory:// (forgotten when the process ends)",
];

/// Opens the store that a URL names.
///
/// | URL | store |
/// |---|---|
/// | `memory://` | the process's own memory; forgotten when it ends |
/// | `sqlite:path` or `sqlite://path` | a SQLite file, made together with its folder (feature `sqlite`) |
///
/// Blocks for a moment; call it when the program starts.
///
/// # Errors
/// [`OpenError::Unknown`] for any other URL, with a sentence that lists what works; else what the
/// engine says.
///
/// # Example
/// ```
/// let store = sayso::open_store("memory://")?;
/// assert!(store.transactions().is_some());
///
/// let error = sayso::open_store("mongodb://me:secret@host").unwrap_err().to_string();
/// assert!(error.starts_with("`mongodb:` is not a store this build knows; use "));
/// assert!(!error.contains("secret"));
/// # Ok::<(), sayso::OpenError>(())
/// ```
pub fn open_store(url: &str) -> Result<Arc<dyn Store>, OpenError> {
    let Some((scheme, rest)) = url.split_once(':') else {
        return Err(OpenError::Unknown { scheme: url.to_owned() });
    };
    let path = rest.strip_prefix("//").unwrap_or(rest);
    match scheme {
        "memory" if path.is_empty() => Ok(Arc::new(MemoryStore::default())),
        #[cfg(feature = "sqlite")]
        "sqlite" if path.is_empty() => Err(OpenError::NoPath),
        #[cfg(feature = "sqlite")]
        "sqlite" => Ok(Arc::new(sayso_stores::SqliteStore::open(path)?)),
        _ => Err(OpenError::Unknown { scheme: format!("{scheme}:") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> String {
        open_store(url).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_url_is_refused_with_what_works() {
        for url in ["postgres://u:secret@h/db", "data/sayso.sqlite", "", "memory://x"] {
            let text = refused(url);
            assert!(text.contains("use ") && text.contains("memory://"), "{url}: {text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn both_forms_of_a_sqlite_url_open_the_file_and_an_empty_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/bot.sqlite");
        for url in [format!("sqlite:{}", file.display()), format!("sqlite://{}", file.display())] {
            drop(open_store(&url).unwrap());
            assert!(file.exists(), "{url}");
        }
        assert!(refused("sqlite:").contains("names no file"));
    }
}

//! Encryption of the store: keys from the environment or from files.

use std::{fmt, path::Path, sync::Arc};

use sayso_stores::encrypting::{Encrypting, KeyRing, KeyRingError, NameKey};
use sayso_turn::store::Store;

use super::{
    Config, Source,
    app::{read, wrong},
    error::ConfigError,
    permissions::is_open,
};

/// Encryption of a store, as a configuration has it.
///
/// # Example
/// ```
/// use sayso::{Config, turn::store::MemoryStore};
/// use std::sync::Arc;
///
/// let keys = "2026:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
/// let config = Config::default().environment([("SAYSO_ENCRYPTION_KEYS", keys)])?;
/// let encryption = config.encryption()?.unwrap();
/// let store = encryption.wrap(Arc::new(MemoryStore::default()));
/// assert_eq!(store.to_string(), "the memory store, encrypted");
/// # Ok::<(), sayso::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Encryption {
    keys: KeyRing,
    names: Option<NameKey>,
}

impl Encryption {
    /// Reads the keys, and the key for names if there is one, from files.
    ///
    /// # Errors
    /// When a file cannot be read, can be read by every user of this machine, or has no keys in it.
    pub fn from_files(keys: &Path, names: Option<&Path>) -> Result<Self, ConfigError> {
        let source = |name: &str| Source::Flag { name: name.to_owned() };
        let text = |key: &str, path: &Path| {
            secret_file(key, &path.display().to_string(), &source("a file of keys"))
        };
        let keys = text("encryption.keys-file", keys)?;
        let names = names.map(|path| text("encryption.names-key-file", path)).transpose()?;
        Self::new(&keys, names.as_deref())
    }

    /// Wraps a store.
    #[must_use]
    pub fn wrap(self, store: Arc<dyn Store>) -> Arc<Encrypting<dyn Store>> {
        let store = Encrypting::new(store, self.keys);
        Arc::new(match self.names {
            // `new` has seen to it that both go together.
            Some(names) => store.with_names(names).expect("the ring accepts nothing in clear"),
            None => store,
        })
    }

    /// Reports whether the names of documents are hashed.
    pub(crate) fn has_names(&self) -> bool {
        self.names.is_some()
    }

    fn new(keys: &str, names: Option<&str>) -> Result<Self, ConfigError> {
        let keys = KeyRing::parse(keys).map_err(|error| bad("encryption.keys", error))?;
        let names = names.map(NameKey::parse).transpose();
        let names = names.map_err(|error| bad("encryption.names-key", error))?;
        if names.is_some() && keys.accepts_clear() {
            return Err(bad("encryption.names-key", KeyRingError::ClearNames));
        }
        Ok(Self { keys, names })
    }
}

impl Config {
    /// The encryption of the store; `None` if there is none.
    ///
    /// A file that a setting names (`encryption.keys-file`, `encryption.names-key-file`) is read
    /// now.
    ///
    /// # Errors
    /// When a key makes no sense, or a file with keys cannot be read or can be read by every user
    /// of this machine. The error shows no key. And when a file that nobody named (the one of the
    /// working directory) says where a secret of the store goes that it does not hold itself.
    pub fn encryption(&self) -> Result<Option<Encryption>, ConfigError> {
        self.check_store()?;
        let keys = self.secret("encryption.keys", "encryption.keys-file")?;
        let names = self.secret("encryption.names-key", "encryption.names-key-file")?;
        match (keys, names) {
            (None, None) => Ok(None),
            (None, Some(_)) => {
                Err(wrong("encryption.keys", "they are missing, but there is a key for names"))
            }
            (Some(keys), names) => Encryption::new(&keys, names.as_deref()).map(Some),
        }
    }

    /// A secret, from its setting or from its file.
    fn secret(&self, key: &str, file_key: &str) -> Result<Option<String>, ConfigError> {
        match self.file_of(key)? {
            Some(file) => secret_file(file_key, &file.text, &file.source).map(Some),
            None => Ok(self.text(key).map(str::to_owned)),
        }
    }
}

/// Reads a file that nobody else may read.
fn secret_file(key: &str, path: &str, source: &Source) -> Result<String, ConfigError> {
    if is_open(Path::new(path)) {
        let reason =
            format!("every user of this machine can read or write {path}: chmod 600 {path}");
        return Err(wrong(key, &reason));
    }
    read(key, path, source)
}

fn bad(key: &str, error: KeyRingError) -> ConfigError {
    wrong(key, &error.to_string())
}

impl fmt::Display for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.names.is_some() { "bodies and names" } else { "bodies" })
    }
}

//! TLS of a listener: PEM files with a certificate, its private key and the CAs of clients.
//!
//! Reading is apart from understanding, so that a server can look whether its files have changed
//! without parsing them.

mod validity;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    RootCertStore, ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    server::{NoServerSessionStorage, WebPkiClientVerifier},
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};

pub use self::validity::Validity;
use super::{Config, app::wrong, error::ConfigError, file, permissions::is_open};

/// The application protocol (ALPN): the server speaks no other.
const HTTP_1_1: &[u8] = b"http/1.1";

/// Files of a listener that speaks TLS, in PEM.
///
/// # Example
/// ```
/// use sayso::config::TlsFiles;
///
/// let files = TlsFiles::new("/etc/bot/tls.pem", "/etc/bot/tls.key").clients("/etc/bot/ops.pem");
/// let error = files.check().unwrap_err();
/// assert!(error.to_string().starts_with("cannot read /etc/bot/tls.pem: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    certificate: PathBuf,
    key: PathBuf,
    clients: Option<PathBuf>,
}

/// Shows the file with the certificate.
impl fmt::Display for TlsFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.certificate.display())
    }
}

/// Error of the files of a listener that speaks TLS: the file, the reason, and the remedy.
///
/// `Debug` shows the sentence too, because that is what a `main` that returns an error prints.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{0}")]
    Read(ConfigError),
    /// Every user of this machine can read or write the private key.
    #[error(
        "every user of this machine can read or write {}: chmod 600 {}",
        path.display(),
        path.display()
    )]
    Open {
        /// The file with the private key.
        path: PathBuf,
    },
    /// A file has no certificate in it, or something else under that name.
    #[error("{} must hold certificates in PEM, the server's own first", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
    },
    /// A file has no private key in it that can be used.
    #[error(
        "{} must hold a private key in PEM (RSA, ECDSA or Ed25519), without a password",
        path.display()
    )]
    Key {
        /// The file.
        path: PathBuf,
    },
    /// The private key belongs to another certificate.
    #[error(
        "the key in {} is not that of the certificate in {}; write both files of one pair",
        key.display(),
        certificate.display()
    )]
    Mismatch {
        /// The file with the certificate.
        certificate: PathBuf,
        /// The file with the private key.
        key: PathBuf,
    },
    /// The TLS library refuses the files for another reason.
    #[error("the certificate in {} cannot be used: {reason}", path.display())]
    Refused {
        /// The file with the certificate.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

impl fmt::Debug for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Contents of the files at one time. `Debug` does not show them.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct TlsTexts {
    certificate: String,
    key: String,
    clients: Option<String>,
}

impl fmt::Debug for TlsTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// TLS configuration of a listener, and the validity of its certificate.
#[derive(Clone, Debug)]
pub(crate) struct TlsIdentity {
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) validity: Validity,
}

impl TlsFiles {
    /// Names the file with the certificate, followed by those between it and its CA, and the file
    /// with its private key. They may be one file.
    #[must_use]
    pub fn new(certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        Self { certificate: certificate.into(), key: key.into(), clients: None }
    }

    /// Names a file with certificates of CAs: only clients with a certificate of one of them are
    /// let in (mutual TLS).
    #[must_use]
    pub fn clients(mut self, cas: impl Into<PathBuf>) -> Self {
        self.clients = Some(cas.into());
        self
    }

    /// Reports whether clients must show a certificate.
    #[must_use]
    pub fn has_clients(&self) -> bool {
        self.clients.is_some()
    }

    /// Reads the files, checks that they make sense and fit, and returns the time in which the
    /// certificate is valid. That is not compared with the clock.
    ///
    /// # Errors
    /// [`TlsError`].
    pub fn check(&self) -> Result<Validity, TlsError> {
        Ok(self.understand(&self.read()?)?.validity)
    }

    /// Reads the files.
    pub(crate) fn read(&self) -> Result<TlsTexts, TlsError> {
        if is_open(&self.key) {
            return Err(TlsError::Open { path: self.key.clone() });
        }
        let text = |path: &Path| file::text(path).map_err(TlsError::Read);
        let (certificate, key) = (text(&self.certificate)?, text(&self.key)?);
        let clients = self.clients.as_deref().map(text).transpose()?;
        Ok(TlsTexts { certificate, key, clients })
    }

    /// Makes of the files' contents what a listener goes by.
    pub(crate) fn understand(&self, texts: &TlsTexts) -> Result<TlsIdentity, TlsError> {
        let chain = certificates(&texts.certificate, &self.certificate)?;
        let validity = chain.first().and_then(Validity::of);
        let validity =
            validity.ok_or_else(|| TlsError::Certificate { path: self.certificate.clone() })?;
        let key = PrivateKeyDer::from_pem_slice(texts.key.as_bytes())
            .map_err(|_| TlsError::Key { path: self.key.clone() })?;
        let provider = CryptoProvider::get_default().cloned();
        let provider = provider.unwrap_or_else(|| Arc::new(aws_lc_rs::default_provider()));
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| self.refused(&error))?;
        let config = match (&texts.clients, &self.clients) {
            (Some(text), Some(path)) => {
                let mut roots = RootCertStore::empty();
                for root in certificates(text, path)? {
                    let bad = |_| TlsError::Certificate { path: path.clone() };
                    roots.add(root).map_err(bad)?;
                }
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
                config.with_client_cert_verifier(verifier.map_err(|error| self.refused(&error))?)
            }
            _ => config.with_no_client_auth(),
        };
        let mut config = config.with_single_cert(chain, key).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                TlsError::Mismatch { certificate: self.certificate.clone(), key: self.key.clone() }
            }
            rustls::Error::General(_) => TlsError::Key { path: self.key.clone() },
            other => self.refused(&other),
        })?;
        config.alpn_protocols = vec![HTTP_1_1.to_vec()];
        if self.has_clients() {
            // A resumed session would not look at the client's certificate, which may be over.
            config.session_storage = Arc::new(NoServerSessionStorage {});
        }
        Ok(TlsIdentity { config: Arc::new(config), validity })
    }

    fn refused(&self, error: &dyn std::error::Error) -> TlsError {
        TlsError::Refused { path: self.certificate.clone(), reason: error.to_string() }
    }
}

impl Config {
    /// Files of the public listener, if it is to speak TLS.
    ///
    /// # Errors
    /// When one of `tls.certificate` and `tls.key` is missing, or the files cannot be used.
    pub fn tls(&self) -> Result<Option<TlsFiles>, ConfigError> {
        self.tls_of("tls.certificate", "tls.key", None)
    }

    /// Files of the admin listener, if it is to speak TLS.
    ///
    /// # Errors
    /// When one of `admin-tls.certificate` and `admin-tls.key` is missing, or the files cannot be
    /// used.
    pub fn admin_tls(&self) -> Result<Option<TlsFiles>, ConfigError> {
        self.tls_of("admin-tls.certificate", "admin-tls.key", Some("admin-tls.clients"))
    }

    fn tls_of(
        &self,
        certificate: &str,
        key: &str,
        clients: Option<&str>,
    ) -> Result<Option<TlsFiles>, ConfigError> {
        let cas = clients.and_then(|clients| self.text(clients));
        let files = match (self.text(certificate), self.text(key), cas) {
            (None, None, None) => return Ok(None),
            (None, _, _) => return Err(wrong(certificate, "it is missing, and TLS needs it")),
            (_, None, _) => return Err(wrong(key, "it is missing, and TLS needs it")),
            (Some(certificate), Some(key), cas) => {
                let files = TlsFiles::new(certificate, key);
                cas.map_or_else(|| files.clone(), |cas| files.clone().clients(cas))
            }
        };
        let place = |error: &TlsError| match error {
            TlsError::Open { .. } | TlsError::Key { .. } | TlsError::Mismatch { .. } => key,
            _ => certificate,
        };
        files.check().map_err(|error| wrong(place(&error), &error.to_string()))?;
        Ok(Some(files))
    }
}

/// The certificates in a text, at least one.
fn certificates(text: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
    let all = all.ok().filter(|all| !all.is_empty());
    all.ok_or_else(|| TlsError::Certificate { path: path.to_owned() })
}

#[cfg(unix)]
#[cfg(test)]
mod tests;

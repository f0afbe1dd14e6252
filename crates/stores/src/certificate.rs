//! Client certificates (mutual TLS), read again for every new connection: a renewed one is
//! presented without a restart.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use rustls::{
    SignatureScheme,
    client::ResolvesClientCert,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    sign::CertifiedKey,
};

use crate::{
    loud::Reports,
    secrets::{Hidden, is_open_to_all, text_of},
    sync::lock,
};

/// The parameters of a store's URL that name the files.
pub(crate) const CERTIFICATE: &str = "sslcert";
pub(crate) const KEY: &str = "sslkey";
pub(crate) const ROOTS: &str = "sslrootcert";

/// The file of a certificate, with those that it was signed by, and the file of its key, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Files {
    /// The files that a URL names, if it does.
    pub(crate) fn of(
        certificate: Option<PathBuf>,
        key: Option<PathBuf>,
    ) -> Result<Option<Self>, &'static str> {
        match (certificate, key) {
            (Some(certificate), Some(key)) => Ok(Some(Self { certificate, key })),
            (None, None) => Ok(None),
            _ => Err("sslcert and sslkey in the URL go together: a certificate and its key"),
        }
    }
}

/// The certificate of this client, as its files have it at the moment.
pub(crate) struct ClientCertificate {
    files: Files,
    last: Mutex<Arc<Identity>>,
    reports: Reports,
}

/// A certificate and its key, which belong together.
pub(crate) struct Identity {
    /// In PEM.
    pub(crate) certificate: String,
    pub(crate) key: Hidden,
    certified: Arc<CertifiedKey>,
}

impl ClientCertificate {
    /// Reads the files. An error says what is wrong with them and never what is in them.
    pub(crate) fn open(files: Files) -> Result<Self, String> {
        let last = Mutex::new(Arc::new(Identity::read(&files)?));
        Ok(Self { files, last, reports: Reports::default() })
    }

    /// The certificate for a new connection. Files that do not go together are being replaced: the
    /// last ones that did serve meanwhile.
    pub(crate) fn current(&self) -> Arc<Identity> {
        let texts = Identity::texts(&self.files);
        let mut last = lock(&self.last);
        let read = texts.and_then(|(certificate, key)| {
            let is_same = last.certificate == certificate && last.key == key;
            if is_same { Ok(None) } else { Identity::new(&self.files, certificate, key).map(Some) }
        });
        match read {
            Ok(None) => {}
            Ok(Some(identity)) => *last = Arc::new(identity),
            Err(reason) => {
                self.reports.tell(&format_args!("{reason}; the one before is used meanwhile"));
            }
        }
        Arc::clone(&last)
    }
}

impl Identity {
    fn read(files: &Files) -> Result<Self, String> {
        let (certificate, key) = Self::texts(files)?;
        Self::new(files, certificate, key)
    }

    fn texts(files: &Files) -> Result<(String, Hidden), String> {
        let Files { certificate, key } = files;
        if is_open_to_all(key) {
            let key = key.display();
            return Err(format!(
                "every user of this machine can read or write the key {key}: chmod 600 {key}"
            ));
        }
        let text = |path: &Path| text_of(path).map_err(|reason| unusable(path, &reason));
        Ok((text(certificate)?, Hidden::new(text(key)?)))
    }

    fn new(files: &Files, certificate: String, key: Hidden) -> Result<Self, String> {
        let chain = certificates(&certificate).map_err(|why| unusable(&files.certificate, why))?;
        let of_key = PrivateKeyDer::from_pem_slice(key.expose().as_bytes()).map_err(|_| {
            unusable(&files.key, "it holds no private key in PEM, without a passphrase")
        })?;
        // By name: a program may hold two libraries of cryptography, and then none is the default.
        let certified = CertifiedKey::from_der(chain, of_key, &aws_lc_rs::default_provider());
        let certified = certified.map_err(|_| {
            unusable(&files.certificate, "it is damaged, or the key of sslkey is not its own")
        })?;
        Ok(Self { certificate, key, certified: Arc::new(certified) })
    }
}

/// Certificates in PEM, one at least.
pub(crate) fn certificates(text: &str) -> Result<Vec<CertificateDer<'static>>, &'static str> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
    let all = all.map_err(|_| "it is not PEM")?;
    if all.is_empty() { Err("it holds no certificate in PEM") } else { Ok(all) }
}

fn unusable(path: &Path, reason: &str) -> String {
    format!("the file {} cannot be used: {reason}", path.display())
}

/// True if the server did not take the certificate of this client, or asked for one in vain. With
/// TLS 1.3 it says so only after the handshake.
pub(crate) fn is_refused(error: &rustls::Error) -> bool {
    use rustls::AlertDescription as Alert;
    let rustls::Error::AlertReceived(alert) = error else { return false };
    matches!(
        alert,
        Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            | Alert::CertificateRequired
    )
}

/// Gives each handshake the certificate of its time.
impl ResolvesClientCert for ClientCertificate {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current().certified))
    }

    fn has_certs(&self) -> bool {
        true
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCertificate").field("files", &self.files).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! Certificate credentials: a signed client assertion (RFC 7523) in place of a secret.

use std::{fmt, sync::Arc};

use aws_lc_rs::{
    digest, rand,
    signature::{RSA_PSS_SHA256, RsaKeyPair},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use sayso_turn::clock::Timestamp;
use serde_json::json;

use super::{Secret, error::AuthError};

/// Lifetime of a client assertion; it is used at once.
const ASSERTION_SECONDS: u64 = 5 * 60;

/// The certificate of an app, with its private key.
///
/// # Example
/// ```
/// use sayso_channel::auth::{Certificate, Secret};
///
/// let error = Certificate::from_pem("no certificate", &Secret::new("no key")).unwrap_err();
/// assert!(error.to_string().starts_with("certificate: "));
/// ```
#[derive(Clone)]
pub struct Certificate {
    key: Arc<RsaKeyPair>,
    thumbprint: String,
}

impl Certificate {
    /// Reads a certificate and its private RSA key (PKCS#8 or PKCS#1), both in PEM.
    ///
    /// # Errors
    /// [`AuthError::Setting`] when one of them cannot be read.
    pub fn from_pem(certificate: &str, key: &Secret) -> Result<Self, AuthError> {
        let bad = |reason| AuthError::Setting { setting: "certificate", reason };
        let certificate = CertificateDer::from_pem_slice(certificate.as_bytes())
            .map_err(|_| bad("it must be a certificate in PEM"))?;
        let key = PrivateKeyDer::from_pem_slice(key.expose().as_bytes())
            .map_err(|_| bad("its private key must be in PEM"))?;
        let key = match &key {
            PrivateKeyDer::Pkcs8(key) => RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der()),
            _ => return Err(bad("its private key must be RSA")),
        };
        let key = key.map_err(|_| bad("its private key must be RSA of 2048 bits or more"))?;
        let thumbprint = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, &certificate));
        Ok(Self { key: Arc::new(key), thumbprint })
    }

    /// Signs a client assertion (JWT), which proves to the token endpoint that this is the app.
    pub(super) fn client_assertion(
        &self,
        app_id: &str,
        address: &str,
        now: Timestamp,
    ) -> Option<Secret> {
        let mut id = [0; 16];
        rand::fill(&mut id).ok()?;
        let seconds = now.as_millis() / 1000;
        let header = json!({"alg": "PS256", "typ": "JWT", "x5t#S256": self.thumbprint});
        let claims = json!({
            "aud": address,
            "iss": app_id,
            "sub": app_id,
            "jti": URL_SAFE_NO_PAD.encode(id),
            "nbf": seconds,
            "iat": seconds,
            "exp": seconds + ASSERTION_SECONDS,
        });
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(header), part(claims));
        let mut signature = vec![0; self.key.public_modulus_len()];
        let random = rand::SystemRandom::new();
        self.key.sign(&RSA_PSS_SHA256, &random, text.as_bytes(), &mut signature).ok()?;
        Some(Secret::new(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate")
            .field("thumbprint", &self.thumbprint)
            .field("key", &"[redacted]")
            .finish()
    }
}

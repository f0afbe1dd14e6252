//! TLS connections, with the meaning that `sslmode` has everywhere else.

use std::{path::PathBuf, sync::Arc};

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        Resumption,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::failure::Failure;
use crate::certificate::ClientCertificate;

/// Verification of the server's certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// None: encrypted against eavesdroppers, and no more (`prefer`, `require`).
    None,
    /// A certificate for its name, signed by one of the file or of the system (`verify-full`).
    Full { roots: Option<PathBuf> },
}

/// TLS to the servers, with the certificate of this client if it has one.
pub(super) fn connector(
    proof: &Proof,
    own: Option<ClientCertificate>,
) -> Result<MakeRustlsConnect, Failure> {
    // Named, because a program may hold two libraries of cryptography and then none is the default.
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::never(format!("TLS cannot be set up: {error}")))?;
    let config = match proof {
        Proof::None => config
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate { provider })),
        Proof::Full { roots } => config.with_root_certificates(trusted(roots.as_ref())?),
    };
    let config = match own {
        None => config.with_no_client_auth(),
        Some(own) => {
            let mut config = config.with_client_cert_resolver(Arc::new(own));
            // A session that is resumed stands for the certificate with which it began.
            config.resumption = Resumption::disabled();
            config
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn trusted(file: Option<&PathBuf>) -> Result<RootCertStore, Failure> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file else {
        let (_added, _ignored) =
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return if roots.is_empty() {
            Err(Failure::never(
                "the system has no certificates to verify it with; name a file by sslrootcert",
            ))
        } else {
            Ok(roots)
        };
    };
    let refuse = |reason: String| {
        Failure::never(format!("the file of sslrootcert holds no certificates: {reason}"))
    };
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|error| refuse(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| refuse(error.to_string()))?;
        roots.add(certificate).map_err(|error| refuse(error.to_string()))?;
    }
    if roots.is_empty() { Err(refuse("it is empty".to_owned())) } else { Ok(roots) }
}

/// Verifier that accepts any certificate, signed by anyone. The server must still own its key.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

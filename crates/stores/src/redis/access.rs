//! Proof of identity for new connections: password or token, and certificates of TLS.

use std::{fs, sync::Arc};

use redis::{Client, ClientTlsConfig, ConnectionInfo, RedisError, TlsCertificates};

use super::config::RedisConfig;
use crate::{
    certificate::{ClientCertificate, certificates},
    login::Login,
};

/// The scope of tokens for Redis of Azure.
const SCOPE: &str = "https://redis.azure.com/.default";

/// Credentials of a new connection.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) login: Login,
    tls: Option<Arc<Tls>>,
}

/// Certificates that are not the system's.
#[derive(Debug)]
struct Tls {
    /// In PEM: those that the server's certificate must be signed by.
    roots: Option<Vec<u8>>,
    own: Option<ClientCertificate>,
}

impl Access {
    /// Reads the files that the configuration names. The error is a sentence.
    pub(super) fn open(config: &RedisConfig) -> Result<Self, String> {
        if config.login.is_token() && !config.is_private() {
            let reason = "a token of Entra ID is sent over TLS only; use rediss:// in the URL";
            return Err(reason.to_owned());
        }
        let roots = config.roots.as_ref().map(|path| {
            let unusable = |reason: &str| format!("the file of sslrootcert: {reason}");
            let text = fs::read_to_string(path);
            let text = text.map_err(|error| unusable(&error.kind().to_string()))?;
            let _certificates = certificates(&text).map_err(unusable)?;
            Ok::<_, String>(text.into_bytes())
        });
        let own = config.certificate.clone().map(ClientCertificate::open).transpose()?;
        let tls = Tls { roots: roots.transpose()?, own };
        let has_any = tls.roots.is_some() || tls.own.is_some();
        Ok(Self { login: config.login.open(SCOPE)?, tls: has_any.then(|| Arc::new(tls)) })
    }

    /// The same without a password, for a server that may want none.
    pub(super) fn without_password(&self) -> Self {
        Self { login: Login::Url, tls: self.tls.clone() }
    }

    /// A client for one connection, with the certificate of this moment.
    pub(super) fn client(&self, server: ConnectionInfo) -> Result<Client, RedisError> {
        let Some(tls) = &self.tls else { return Client::open(server) };
        let own = tls.own.as_ref().map(ClientCertificate::current);
        let client_tls = own.map(|own| ClientTlsConfig {
            client_cert: own.certificate.clone().into_bytes(),
            client_key: own.key.expose().as_bytes().to_owned(),
        });
        let root_cert = tls.roots.clone();
        Client::build_with_tls(server, TlsCertificates { client_tls, root_cert })
    }
}

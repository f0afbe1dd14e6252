//! Certificate authority of a test: certificates for servers and for bots, made when they are
//! needed.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};

pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: Certificate,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { issuer: Issuer::new(params, key), certificate }
    }

    /// Writes its own certificate to a file.
    pub(crate) fn write(&self, path: &Path) -> PathBuf {
        fs::write(path, self.certificate.pem()).unwrap();
        path.to_owned()
    }

    /// Writes a new certificate and its key to `name.pem` and `name.key`, which belongs to the
    /// owner of the folder: servers want to be the only ones who can read theirs. A server is on
    /// this machine; a bot has its name.
    pub(crate) fn issue(&self, folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        let hosts = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut params = CertificateParams::new(hosts).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let paths = (folder.join(format!("{name}.pem")), folder.join(format!("{name}.key")));
        fs::write(&paths.0, certificate.pem()).unwrap();
        fs::write(&paths.1, key.serialize_pem()).unwrap();
        fs::set_permissions(&paths.1, fs::Permissions::from_mode(0o600)).unwrap();
        let owner = fs::metadata(folder).unwrap();
        chown(&paths.1, Some(owner.uid()), Some(owner.gid())).unwrap();
        paths
    }
}

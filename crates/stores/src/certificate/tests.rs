//! Files of a certificate and its key: refused, replaced one after the other, never shown.

use std::fs;

use tempfile::TempDir;

use super::*;

/// A certificate and its key, in PEM.
fn made() -> (String, String) {
    let own = rcgen::generate_simple_self_signed(["bot".to_owned()]).unwrap();
    (own.cert.pem(), own.signing_key.serialize_pem())
}

struct Place {
    folder: TempDir,
    files: Files,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("bot.pem"), folder.path().join("bot.key"));
        Self { folder, files: Files { certificate, key } }
    }

    fn write(&self, certificate: &str, key: &str) {
        fs::write(&self.files.certificate, certificate).unwrap();
        fs::write(&self.files.key, key).unwrap();
        self.hide(0o600);
    }

    #[cfg(unix)]
    fn hide(&self, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&self.files.key, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refusal(&self) -> String {
        let error = ClientCertificate::open(self.files.clone()).unwrap_err();
        assert!(!error.contains("canary"), "{error}");
        error.replace(&self.folder.path().display().to_string(), "")
    }
}

#[test]
fn a_certificate_that_is_renewed_is_presented_once_it_goes_with_its_key() {
    let (place, [old, new]) = (Place::new(), [made(), made()]);
    place.write(&old.0, &old.1);
    let certificate = ClientCertificate::open(place.files.clone()).unwrap();
    let first = certificate.current();
    assert!(Arc::ptr_eq(&first, &certificate.current()), "what is the same is not parsed again");
    // The two files are replaced one after the other, and for a moment there is none.
    fs::write(&place.files.certificate, &new.0).unwrap();
    assert!(Arc::ptr_eq(&first, &certificate.current()), "they do not go together");
    fs::remove_file(&place.files.key).unwrap();
    assert!(Arc::ptr_eq(&first, &certificate.current()), "one is missing");
    place.write(&new.0, &new.1);
    let second = certificate.current();
    assert_eq!((&second.certificate, second.key.expose()), (&new.0, &*new.1));
    let presented = certificate.resolve(&[], &[]).unwrap();
    assert_eq!(presented.cert, certificates(&new.0).unwrap());
    let shown = format!("{certificate:?}");
    assert!(shown.contains("bot.key") && !shown.contains("BEGIN"), "{shown}");
}

#[test]
fn files_that_make_no_sense_are_refused_by_name_and_never_quoted() {
    let (place, [one, other]) = (Place::new(), [made(), made()]);
    assert_eq!(place.refusal(), "the file /bot.pem cannot be used: entity not found");
    for (certificate, key, says) in [
        ("canary", &*one.1, "/bot.pem cannot be used: it holds no certificate"),
        (&*one.1, &*one.1, "/bot.pem cannot be used: it holds no certificate"),
        (&*one.0, "canary", "/bot.key cannot be used: it holds no private key"),
        (&*one.0, &*other.1, "/bot.pem cannot be used: it is damaged, or the key of sslkey"),
        ("-----BEGIN CERTIFICATE-----\ncanary", &*one.1, "/bot.pem cannot be used: it "),
    ] {
        place.write(certificate, key);
        let refusal = place.refusal();
        assert!(refusal.contains(says), "{refusal}");
    }
    assert!(Files::of(Some("a".into()), None).is_err() && Files::of(None, None) == Ok(None));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_refused() {
    let (place, own) = (Place::new(), made());
    place.write(&own.0, &own.1);
    for mode in [0o600, 0o440] {
        place.hide(mode);
        assert!(ClientCertificate::open(place.files.clone()).is_ok(), "{mode:o}");
    }
    for mode in [0o644, 0o602] {
        place.hide(mode);
        let refusal = place.refusal();
        assert!(refusal.ends_with("the key /bot.key: chmod 600 /bot.key"), "{mode:o}: {refusal}");
    }
}

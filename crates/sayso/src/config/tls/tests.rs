//! Files of a listener: what is refused, by which name, and without what is in them.

use std::time::SystemTime;

use super::*;
use crate::certificates::{Ca, write_secret};

fn of(variables: &[(&str, &Path)]) -> Result<Config, ConfigError> {
    let variables = variables.iter().map(|(name, path)| (*name, path.display().to_string()));
    Config::default().environment(variables)
}

fn refusal(variables: &[(&str, &Path)]) -> String {
    let config = of(variables).unwrap();
    let error = config.tls().err().or_else(|| config.admin_tls().err()).unwrap();
    let shown = format!("{error} {error:?} {config:?}");
    assert!(!shown.contains("BEGIN") && !shown.contains("MII"), "{shown}");
    error.to_string()
}

#[test]
fn files_that_do_not_fit_are_refused_by_the_key_and_the_variable() {
    let folder = tempfile::tempdir().unwrap();
    let ca = Ca::new("a");
    let (certificate, key) = ca.issue().write(folder.path());
    let (other, garbage) = (folder.path().join("other.key"), folder.path().join("garbage"));
    write_secret(&other, &ca.issue().key);
    write_secret(&garbage, "-----BEGIN CERTIFICATE-----\nMII*\n-----END CERTIFICATE-----\n");
    let nowhere = folder.path().join("nowhere");
    for (certificate, key, says) in [
        (Some(&certificate), None, "tls.key (SAYSO_TLS_KEY): it is missing"),
        (None, Some(&key), "tls.certificate (SAYSO_TLS_CERTIFICATE): it is missing"),
        (Some(&certificate), Some(&other), "tls.key (SAYSO_TLS_KEY): the key in "),
        (Some(&garbage), Some(&key), "must hold certificates in PEM"),
        (Some(&key), Some(&key), "must hold certificates in PEM"),
        (Some(&certificate), Some(&certificate), "every user of this machine can read or write"),
        (Some(&certificate), Some(&garbage), "must hold a private key in PEM"),
        (Some(&nowhere), Some(&key), "cannot read "),
        (Some(&certificate), Some(&nowhere), "cannot read "),
    ] {
        let variables = [("SAYSO_TLS_CERTIFICATE", certificate), ("SAYSO_TLS_KEY", key)];
        let variables = variables.into_iter().filter_map(|(name, path)| Some((name, &**path?)));
        let said = refusal(&variables.collect::<Vec<_>>());
        assert!(said.contains(says), "{says}: {said}");
    }
    let admin = [
        ("SAYSO_ADMIN_TLS_CERTIFICATE", &*certificate),
        ("SAYSO_ADMIN_TLS_KEY", &key),
        ("SAYSO_ADMIN_TLS_CLIENTS", &garbage),
    ];
    assert!(refusal(&admin).starts_with("admin-tls.certificate (SAYSO_ADMIN_TLS_CERTIFICATE): "));
    let said = refusal(&admin[2..]);
    assert!(said.contains("it is missing, and TLS needs it"), "{said}");
}

#[test]
fn files_that_fit_are_good_for_as_long_as_the_certificate_says() {
    let folder = tempfile::tempdir().unwrap();
    let ca = Ca::new("a");
    let (certificate, key) = ca.issue_until(2001).write(folder.path());
    let files = TlsFiles::new(&certificate, &key);
    let validity = files.check().unwrap();
    let now = SystemTime::now();
    assert!(!validity.is_valid(now) && validity.is_short(now));
    let said = format!("{}", validity.at(now));
    assert!(said.starts_with("it expired ") && said.ends_with(" days ago"), "{said}");
    // The first second of 2001.
    let year = validity.until.duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(year.as_secs(), 978_307_200);

    let (certificate, key) = ca.issue().write(folder.path());
    let cas = folder.path().join("cas.pem");
    std::fs::write(&cas, format!("{}{}", ca.pem, Ca::new("b").pem)).unwrap();
    let config = of(&[
        ("SAYSO_ADMIN_TLS_CERTIFICATE", &certificate),
        ("SAYSO_ADMIN_TLS_KEY", &key),
        ("SAYSO_ADMIN_TLS_CLIENTS", &cas),
    ]);
    let files = config.unwrap().admin_tls().unwrap().unwrap();
    assert_eq!(files, TlsFiles::new(&certificate, &key).clients(&cas));
    assert!(files.has_clients() && files.check().unwrap().is_valid(now));
    // Both in one file, in any order.
    let one = folder.path().join("one.pem");
    let pair = ca.issue();
    write_secret(&one, &format!("{}{}", pair.key, pair.certificate));
    assert!(TlsFiles::new(&one, &one).check().unwrap().is_valid(now));
    assert!(Config::default().tls().unwrap().is_none());
}

#[test]
fn a_value_that_was_not_filled_in_does_not_turn_tls_off() {
    for name in ["SAYSO_TLS_CERTIFICATE", "SAYSO_TLS_KEY", "SAYSO_ADMIN_TLS_CLIENTS"] {
        assert!(Config::default().environment([(name, "")]).is_err(), "{name}");
    }
}

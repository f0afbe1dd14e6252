//! Certificates of the listeners: the doctor looks at them, and `serve` says `https://`.

use std::path::PathBuf;

use super::Visit;
use crate::{certificates::Ca, process::Served};

fn variables(pair: &(PathBuf, PathBuf)) -> [(&'static str, String); 2] {
    let text = |path: &PathBuf| path.display().to_string();
    [("SAYSO_TLS_CERTIFICATE", text(&pair.0)), ("SAYSO_TLS_KEY", text(&pair.1))]
}

#[tokio::test]
async fn a_certificate_that_is_over_or_does_not_fit_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let ca = Ca::new("of the bot");
    let pair = ca.issue().write(folder.path());
    let visit = Visit::to(folder.path(), &["--store", "memory://"], &variables(&pair)).await;
    assert_eq!((visit.mark("TLS"), visit.code), ("ok", Some(0)), "{visit:?}");
    assert!(visit.row("TLS")["text"].as_str().unwrap().contains("it expires in "), "{visit:?}");
    assert!(visit.rows.iter().all(|row| row["check"] != "admin TLS"), "{visit:?}");

    let pair = ca.issue_until(2001).write(folder.path());
    let visit = Visit::to(folder.path(), &["--store", "memory://"], &variables(&pair)).await;
    visit.fails("TLS", "it expired ", "replace the certificate");
    visit.rest_is_well(&["TLS"]);

    let mut mixed = ca.issue();
    mixed.key = ca.issue().key;
    let pair = mixed.write(folder.path());
    let admin = variables(&pair).map(|(name, path)| (name.replace("TLS", "ADMIN_TLS"), path));
    let admin = admin.each_ref().map(|(name, path)| (name.as_str(), path.clone()));
    let visit = Visit::to(folder.path(), &["--store", "memory://"], &admin).await;
    visit.fails("admin TLS", "is not that of the certificate", "correct");
    visit.rest_is_well(&["admin TLS"]);
}

#[tokio::test]
async fn a_key_that_others_can_read_is_refused_by_doctor_and_server() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let pair = Ca::new("of the bot").issue().write(folder.path());
    std::fs::set_permissions(&pair.1, std::fs::Permissions::from_mode(0o644)).unwrap();
    let variables = variables(&pair);
    let visit = Visit::to(folder.path(), &["--store", "memory://"], &variables).await;
    visit.fails("TLS", "every user of this machine can read or write", "correct");
    let environment = variables.each_ref().map(|(name, path)| (*name, path.as_str()));
    let refused = Served::try_start(folder.path(), &["--store", "memory://"], &environment).await;
    let why = refused.map(drop).unwrap_err();
    assert!(why.contains("tls.key (SAYSO_TLS_KEY): every user of this machine"), "{why}");
}

#[tokio::test]
async fn serve_says_that_it_speaks_tls() {
    let folder = tempfile::tempdir().unwrap();
    let pair = Ca::new("of the bot").issue().write(folder.path());
    let variables = variables(&pair);
    let environment = variables.each_ref().map(|(name, path)| (*name, path.as_str()));
    let store = ["--store", "memory://"];
    let served = Served::start_with(folder.path(), &store, &environment).await;
    assert!(served.url.starts_with("https://127.0.0.1:"), "{}", served.url);
    assert!(served.admin.starts_with("http://127.0.0.1:"), "{}", served.admin);
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));
}

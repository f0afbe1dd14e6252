//! Client certificates (mutual TLS): asked for by the server, renewed while the store is open.

use std::{
    collections::BTreeSet,
    fs,
    time::{Duration, Instant},
};

use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Store};
use tokio_postgres::Client;

use super::{committed, create, key, private::Server};
use crate::authority::Authority;

/// A server that lets the user `bot` in by a certificate of that name and by nothing else, and a
/// connection that needs none.
async fn server(authority: &Authority) -> (Server, Client) {
    let mut server = Server::start(&[]).await;
    let admin = super::connect(&server.url()).await;
    admin.batch_execute("CREATE ROLE bot LOGIN; CREATE ROLE eve LOGIN").await.unwrap();
    admin.batch_execute("CREATE DATABASE bot OWNER bot").await.unwrap();
    drop(admin);
    server.stop();
    let roots = authority.write(&server.folder().join("roots.pem"));
    let (certificate, certificate_key) = authority.issue(server.folder(), "server");
    let hba = server.folder().join("hba");
    fs::write(&hba, "host all postgres all trust\nhostssl all all all cert\n").unwrap();
    let options = [
        format!("hba_file={}", hba.display()),
        "ssl=on".to_owned(),
        format!("ssl_cert_file={}", certificate.display()),
        format!("ssl_key_file={}", certificate_key.display()),
        format!("ssl_ca_file={}", roots.display()),
    ];
    let options: Vec<&str> = options.iter().flat_map(|option| ["-c", option]).collect();
    server.start_again(&options).await;
    let admin = super::connect(&server.url()).await;
    (server, admin)
}

/// The serial numbers of the certificates that the bot's connections presented.
async fn serials(admin: &Client) -> BTreeSet<String> {
    let sql = "SELECT client_serial::text FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE usename = 'bot' AND client_serial IS NOT NULL";
    admin.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_client_certificate_is_presented_and_a_renewed_one_without_a_restart() {
    let authority = Authority::new("authority");
    let (server, admin) = server(&authority).await;
    let folder = tempfile::tempdir().unwrap();
    let (certificate, certificate_key) = authority.issue(folder.path(), "bot");
    let roots = server.folder().join("roots.pem");
    let verified = format!("sslmode=verify-full&sslrootcert={}", roots.display());
    let url = |user: &str, files: &str| {
        format!("postgres://{user}@localhost:{}/bot?{verified}{files}", server.port())
    };
    let files = format!("&sslcert={}&sslkey={}", certificate.display(), certificate_key.display());
    let store = PostgresStore::open_url(&url("bot", &files)).await.unwrap();
    let _etag = committed(store.save(create("a", "{}")).await);
    let before = serials(&admin).await;
    assert_eq!(before.len(), 1, "{before:?}");

    // Without one, as somebody else, or with one of a stranger it is no good.
    let strange = tempfile::tempdir().unwrap();
    let stranger = Authority::new("stranger").issue(strange.path(), "bot");
    let strange = format!("&sslcert={}&sslkey={}", stranger.0.display(), stranger.1.display());
    for (user, files, says) in [
        ("bot", "", "does not let us in"),
        ("eve", &*files, "does not let us in"),
        ("bot", &*strange, "check sslmode, sslrootcert and sslcert"),
    ] {
        let error = PostgresStore::open_url(&url(user, files)).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{user} {files}: {error:?}");
        assert!(error.to_string().contains(says), "{user} {files}: {error:?}");
        assert!(!format!("{error:?}").contains("BEGIN"), "{error:?}");
    }

    let _renewed = authority.issue(folder.path(), "bot");
    assert!(store.load(&key("a")).await.unwrap().is_some(), "open connections stay");
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bot'";
    assert!(!admin.query(end, &[]).await.unwrap().is_empty());
    let start = Instant::now();
    while store.load(&key("a")).await.is_err() {
        assert!(start.elapsed() < Duration::from_secs(10), "it does not come back");
    }
    let after = serials(&admin).await;
    assert_eq!(after.len(), 1, "{after:?}");
    assert!(after.is_disjoint(&before), "the new one: {after:?}");
}

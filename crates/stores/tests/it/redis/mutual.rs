//! Client certificates (mutual TLS): asked for by the server, renewed while the store is open.

use std::time::{Duration, Instant};

use sayso_stores::RedisStore;
use sayso_turn::store::{Error, Saved, Store};

use super::{
    create, key, prefix,
    server::{Server, free_port},
};
use crate::authority::Authority;

#[tokio::test]
async fn a_client_certificate_is_presented_and_a_renewed_one_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    let (_old, _new) = (old.write(file("old.pem").as_ref()), new.write(file("new.pem").as_ref()));
    let _certificate = old.issue(folder.path(), "server");
    let _certificate = old.issue(folder.path(), "bot");
    let port = free_port();
    let server = Server::start(&[
        "--tls-port",
        &port.to_string(),
        "--tls-cert-file",
        &file("server.pem"),
        "--tls-key-file",
        &file("server.key"),
        "--tls-ca-cert-file",
        &file("old.pem"),
    ]);
    let prefix = prefix();
    let open = async |files: &str| {
        let roots = file("old.pem");
        let url = format!("rediss://127.0.0.1:{port}?prefix={prefix}&sslrootcert={roots}{files}");
        RedisStore::open_url(&url).await
    };
    let files = format!("&sslcert={}&sslkey={}", file("bot.pem"), file("bot.key"));
    let store = open(&files).await.unwrap();
    assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));

    // Without one, or with one of a stranger, it is no good.
    let strange = tempfile::tempdir().unwrap();
    let stranger = new.issue(strange.path(), "bot");
    let strange = format!("&sslcert={}&sslkey={}", stranger.0.display(), stranger.1.display());
    for files in ["", &*strange] {
        let error = open(files).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{files}: {error:?}");
        assert!(error.to_string().contains("takes that of sslcert"), "{files}: {error:?}");
        assert!(!format!("{error:?}").contains("BEGIN"), "{error:?}");
    }

    // The server trusts another authority from now on, and ends its connections.
    let trust = ["CONFIG", "SET", "tls-ca-cert-file", &file("new.pem")];
    let () = server.tell(&trust).await;
    let killed: u64 = server.tell(&["CLIENT", "KILL", "TYPE", "normal"]).await;
    assert!(killed > 0);
    let start = Instant::now();
    while store.load(&key("k")).await.is_ok() {
        assert!(start.elapsed() < Duration::from_secs(10), "nobody asks for a certificate");
    }
    let error = store.load(&key("k")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "it may be put right: {error:?}");
    let _renewed = new.issue(folder.path(), "bot");
    let start = Instant::now();
    while let Err(error) = store.load(&key("k")).await {
        assert!(start.elapsed() < Duration::from_secs(10), "it does not come back: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

//! Refusals that an open store meets: somebody is changing a password or a setting, and no turn is
//! given up for that.

use std::{
    fs,
    time::{Duration, Instant},
};

use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Store};

use super::{committed, create, key, private::Server};

/// Calls until the store is well again.
async fn recover(store: &PostgresStore) {
    let start = Instant::now();
    while let Err(error) = store.load(&key("a")).await {
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "the store does not recover: {error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let _etag = committed(store.save(create(&format!("{:?}", start), "{}")).await);
}

#[tokio::test]
async fn a_password_that_is_changed_under_an_open_store_is_unavailable_and_heals() {
    let mut server = Server::start(&[]).await;
    let admin = super::connect(&server.url()).await;
    admin.batch_execute("CREATE ROLE bot LOGIN PASSWORD 'a'").await.unwrap();
    admin.batch_execute("CREATE DATABASE bot OWNER bot").await.unwrap();
    drop(admin);
    server.stop();
    let hba = server.folder().join("hba");
    fs::write(&hba, "host all postgres all trust\nhost all bot all scram-sha-256\n").unwrap();
    server.start_again(&["-c", &format!("hba_file={}", hba.display())]).await;
    let url = format!("postgres://bot:a@127.0.0.1:{}/bot", server.port());
    let store = PostgresStore::open_url(&url).await.unwrap();
    let _etag = committed(store.save(create("a", "{}")).await);

    let admin = super::connect(&server.url()).await;
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bot'";
    admin.batch_execute("ALTER ROLE bot PASSWORD 'b'").await.unwrap();
    assert!(!admin.query(end, &[]).await.unwrap().is_empty());
    let mut said = Vec::new();
    // The first may still meet a session that has just ended.
    for _ in 0..4 {
        let error = store.load(&key("a")).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        said.push(error.to_string());
        let error = store.save(create("b", "{}")).await.unwrap_err();
        let is_right = matches!(error, Error::Unavailable { .. } | Error::Unknown { .. });
        assert!(is_right, "{error:?}");
    }
    assert!(said.last().unwrap().contains("check user and password"), "{said:?}");
    // At opening it is a mistake.
    let error = PostgresStore::open_url(&url).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");

    admin.batch_execute("ALTER ROLE bot PASSWORD 'a'").await.unwrap();
    recover(&store).await;
}

/// The probes look again at every new connection.
#[tokio::test]
async fn a_server_that_comes_back_with_unsafe_settings_is_not_used_until_they_are_corrected() {
    let mut server = Server::start(&[]).await;
    let store = server.open("schema=a").await.unwrap();
    let _etag = committed(store.save(create("a", "{}")).await);
    server.stop();
    server.start_again(&["-c", "fsync=off"]).await;
    let mut said = Vec::new();
    for _ in 0..4 {
        let error = store.load(&key("a")).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        said.push(error.to_string());
    }
    assert!(said.last().unwrap().contains("fsync is off"), "{said:?}");
    server.stop();
    server.start_again(&[]).await;
    recover(&store).await;
}

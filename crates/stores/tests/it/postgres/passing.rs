//! Refusals that an open store meets: somebody is changing a password or a setting, and no turn is
//! given up for that.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Store};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

use super::{committed, create, key, private::Server};

/// The warnings that were logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Calls until the store is well again.
async fn recover(store: &PostgresStore) {
    let start = Instant::now();
    while let Err(error) = store.load(&key("a")).await {
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "the store does not recover: {error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let _etag = committed(store.save(create(&format!("{start:?}"), "{}")).await);
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
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
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
    // Loud, and at most once a second.
    let logged = log.take();
    let count = logged.iter().filter(|said| said.contains("check user and password")).count();
    assert!((1..=2).contains(&count), "{logged:?}");
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

/// Settings do not fail over; that they have changed is logged once, not for every connection.
#[tokio::test]
async fn a_warning_is_logged_again_when_it_has_changed() {
    let server = Server::start(&[]).await;
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let store = server.open("schema=a&connections=20").await.unwrap();
    let admin = super::connect(&server.url()).await;
    let names: Vec<_> = (0..10).map(|number| format!("key/{number}")).collect();
    let add = "SELECT FROM pg_create_physical_replication_slot('place')";
    let remove = "SELECT pg_drop_replication_slot('place')";
    let wants = [("SELECT", 0), (add, 1), ("SELECT", 0), (remove, 0), (add, 1)];
    for (round, (change, wanted)) in wants.into_iter().enumerate() {
        let _rows = admin.query(change, &[]).await.unwrap();
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'sayso'";
        let ended = admin.query(end, &[]).await.unwrap().len();
        assert!(ended > 0, "{round}: there is no connection to replace");
        // All at once, so there are many new connections. One may meet a session that has just
        // ended.
        for _ in 0..2 {
            let _loaded =
                join_all(names.iter().map(async |name| store.load(&key(name)).await)).await;
        }
        let logged = log.take();
        let count = logged.iter().filter(|said| said.contains("no standby is synchronous"));
        assert_eq!(count.count(), wanted, "{round}: {logged:?}");
    }
}

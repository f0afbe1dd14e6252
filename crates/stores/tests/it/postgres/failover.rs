//! Failover: a primary and its synchronous standby; the primary dies or freezes under load.

use std::{
    io::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sayso_stores::{PostgresConfig, PostgresStore};
use sayso_turn::store::{Error, Store};
use tokio::net::TcpListener;

use super::{
    Bench, committed, create, key,
    load::{Figures, Load},
    private::Server,
    replace, url,
};

/// The time within which service is back. A call to a server that says nothing takes ten seconds.
const BACK_MAX: Duration = Duration::from_secs(15);

/// The trouble of a primary.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    Killed,
    Frozen,
}

/// A primary and a standby that has every acknowledged write.
async fn pair() -> (Server, Server) {
    let primary = Server::start(&["-c", "synchronous_standby_names=standby"]).await;
    let standby = Server::standby_of(&primary).await;
    let admin = super::connect(&primary.url()).await;
    for _ in 0..300 {
        let sql = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
        if !admin.query(sql, &[]).await.unwrap().is_empty() {
            return (primary, standby);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the standby does not follow");
}

fn both(primary: &Server, standby: &Server) -> String {
    let (one, two) = (primary.port(), standby.port());
    format!("postgres://postgres@127.0.0.1:{one},127.0.0.1:{two}/postgres")
}

async fn fail_over(trouble: Trouble) -> Figures {
    let (mut primary, standby) = pair().await;
    let url = both(&primary, &standby);
    let open = async || Arc::new(PostgresStore::open_url(&url).await.unwrap());
    let stores = [open().await, open().await];
    assert_eq!(stores[0].warnings(), Vec::<String>::new());
    let load = Load::start(stores.clone());
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let before = stores.each_ref().map(|store| store.stats().writes);
    assert!(before.iter().all(|writes| *writes > 0), "nothing was written: {before:?}");

    let since = Instant::now();
    match trouble {
        Trouble::Killed => primary.kill(),
        Trouble::Frozen => primary.freeze(),
    }
    standby.promote().await;
    let promotion = since.elapsed();
    // Until both have written for a while, or long enough to say that they do not.
    let is_back = || stores.iter().zip(before).all(|(store, old)| store.stats().writes > old + 200);
    while !is_back() && since.elapsed() < BACK_MAX * 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Who opens now meets the old primary first.
    let opened = Instant::now();
    let other = open().await;
    let opening = opened.elapsed();
    assert!(other.warnings()[0].contains("settings do not fail over"), "{:?}", other.warnings());
    let figures = load.end(since, &other).await;
    let server = format!("promoted after {promotion:.2?}, opened anew in {opening:.2?}");
    writeln!(std::io::stdout(), "{trouble:?}: {figures}; {server}").unwrap();
    figures
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_is_killed_under_load_loses_no_acknowledged_write() {
    fail_over(Trouble::Killed).await.assert_good(BACK_MAX);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_freezes_under_load_loses_no_acknowledged_write() {
    fail_over(Trouble::Frozen).await.assert_good(BACK_MAX);
}

/// A load and the time it took.
async fn load(store: &PostgresStore) -> (Result<String, Error>, Duration) {
    let start = Instant::now();
    let loaded = store.load(&key("a")).await;
    (loaded.map(|stored| stored.unwrap().body), start.elapsed())
}

#[tokio::test]
async fn an_old_primary_that_comes_back_is_not_used() {
    let (mut primary, mut standby) = pair().await;
    let limit = Duration::from_secs(3);
    let config = PostgresConfig::from_url(&both(&primary, &standby)).unwrap();
    let store = PostgresStore::open(config.timeout(limit)).await.unwrap();
    let etag = committed(store.save(create("a", "old")).await);
    // Several connections are idle when the server freezes; one call finds out for all.
    let loaded = join_all((0..20).map(|_| load(&store))).await;
    assert!(loaded.iter().all(|(loaded, _)| loaded.is_ok()));
    primary.freeze();
    standby.promote().await;
    let (loaded, took) = load(&store).await;
    assert!(matches!(loaded, Err(Error::Unavailable { .. })), "{loaded:?}");
    assert!(took < limit * 2, "{took:?}");
    let (loaded, took) = load(&store).await;
    assert_eq!(loaded.unwrap(), "old");
    // Nor is the frozen one asked first, which would take a third of the time.
    assert!(took < limit / 3, "{took:?}");
    let etag = committed(store.save(replace("a", &etag, "new")).await);

    primary.thaw();
    standby.kill();
    // It would answer with the old document.
    let mut said = String::new();
    for _ in 0..5 {
        let error = load(&store).await.0.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        said = error.to_string();
    }
    assert!(said.contains("it is an old primary"), "{said}");
    standby.start_again(&[]).await;
    assert_eq!(store.load(&key("a")).await.unwrap().unwrap().etag, etag);
}

#[tokio::test]
async fn a_first_host_that_never_answers_does_not_keep_the_second_from_being_used() {
    let bench = Bench::new().await;
    // The system accepts for it, as it does for a frozen server.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    for parameters in ["", "&connect_timeout=1"] {
        let parameters = format!("schema={}{parameters}", bench.schema);
        let url = url(&parameters).replace('@', &format!("@127.0.0.1:{port},"));
        let start = Instant::now();
        let store = PostgresStore::open_url(&url).await.unwrap();
        let opening = start.elapsed();
        // The one that has answered comes first, so no other connection waits.
        let name = format!("key{parameters}");
        let etag = committed(store.save(create(&name, "1")).await);
        let _etag = committed(store.save(replace(&name, &etag, "2")).await);
        assert_eq!(store.load(&key(&name)).await.unwrap().unwrap().body, "2");
        let after = start.elapsed() - opening;
        writeln!(std::io::stdout(), "opened in {opening:.2?}, then {after:.2?}").unwrap();
        assert!(opening < Duration::from_secs(5) && after < Duration::from_secs(1));
    }
    bench.end().await;
}

#[tokio::test]
async fn a_server_in_recovery_is_refused_and_each_host_says_why() {
    let (primary, standby) = pair().await;
    let error = PostgresStore::open_url(&standby.url()).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("name the primary in the URL"), "{error}");
    let url = both(&primary, &standby);
    let two = format!("127.0.0.1:{}", standby.port());
    drop(primary);
    let error = PostgresStore::open_url(&url).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    let says = format!("{two}: it only reads at the moment");
    assert!(error.to_string().contains(&says), "{error}");
    assert!(error.to_string().contains("it cannot be reached"), "{error}");
}

//! Acknowledgements of replicas: what too few of them have is in doubt, and is not read either.

use std::time::Duration;

use sayso_stores::{RedisStore, redis::RedisConfig};
use sayso_turn::store::{Error, Expect, Saved, Store, Write};

use super::super::{
    cluster::wait_for,
    create, key,
    server::{Server, tell},
};

async fn with_replica() -> (Server, Server) {
    let master = Server::start(&["--repl-diskless-sync-delay", "0"]);
    let replica = Server::start(&["--replicaof", "127.0.0.1", &master.port.to_string()]);
    wait_for(|| async {
        let info: String = master.tell(&["INFO", "replication"]).await;
        info.contains("state=online")
    })
    .await;
    (master, replica)
}

fn is_unknown<T>(outcome: &Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::Unknown { .. }))
}

fn is_unavailable<T>(outcome: &Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::Unavailable { .. }))
}

/// A master that is left alone by its replica must not confirm a write, neither when it is written
/// nor when somebody looks for it, nor from another store.
#[tokio::test]
async fn what_no_replica_has_is_neither_acknowledged_nor_read() {
    let (master, replica) = with_replica().await;
    let url = format!("{}?wait=1", master.url());
    let store = RedisStore::open_url(&url).await.unwrap();
    let other = RedisStore::open_url(&url).await.unwrap();
    assert_eq!(store.warnings(), Vec::<String>::new(), "no word about replicas");
    let saved = store.save(create("k", "1")).await.unwrap();
    let Saved::Committed(etag) = saved else { panic!("{saved:?}") };
    for (body, text) in [("1", "l"), ("1", "m")] {
        assert!(matches!(store.save(create(text, body)).await, Ok(Saved::Committed(_))));
    }
    assert_eq!(store.load(&key("k")).await.unwrap().unwrap().body, "1");

    replica.freeze();
    let write = Write { expect: Expect::At(etag.clone()), ..create("k", "2") };
    let saved = store.save(write.clone()).await;
    assert!(is_unknown(&saved), "{saved:?}");
    let text = saved.unwrap_err().to_string();
    assert!(text.contains("too few replicas acknowledged it in time (wait=1"), "{text}");
    let body: String = master.tell(&["HGET", "sayso:{s6}:d:k", "body"]).await;
    assert_eq!(body, "2", "the master has it");
    for reader in [&store, &other] {
        let loaded = reader.load(&key("k")).await;
        assert!(is_unavailable(&loaded), "{loaded:?}");
    }
    let l = other.delete(&key("l"), &etag).await;
    assert!(is_unknown(&l), "even a conflict is known from what no replica has: {l:?}");
    let both = vec![create("x", "1"), create("y", "1")];
    let saved = store.transactions().unwrap().save_all(both).await;
    assert!(is_unknown(&saved), "{saved:?}");
    let writes = (0..9).map(|number| store.save(create(&format!("new{number}"), "1")));
    for saved in futures_util::future::join_all(writes).await {
        assert!(is_unknown(&saved) || is_unavailable(&saved), "{saved:?}");
    }

    replica.thaw();
    wait_for(|| async { store.load(&key("k")).await.is_ok() }).await;
    let stored = other.load(&key("k")).await.unwrap().unwrap();
    assert_eq!(stored.body, "2", "now it has survived");
    let () = tell(&replica.url(), &["REPLICAOF", "NO", "ONE"]).await;
    let body: String = replica.tell(&["HGET", "sayso:{s6}:d:k", "body"]).await;
    assert_eq!(body, "2");
}

/// Without connected replicas nothing is sent at all.
#[tokio::test]
async fn a_server_that_has_lost_its_replicas_is_written_to_no_more() {
    let (master, mut replica) = with_replica().await;
    let config = RedisConfig::from_url(&format!("{}?wait=1", master.url())).unwrap();
    let store = RedisStore::open(config.with_timeout(Duration::from_secs(3))).await.unwrap();
    assert!(matches!(store.save(create("k", "1")).await, Ok(Saved::Committed(_))));
    replica.kill();
    wait_for(|| async {
        let saved = store.save(create("new", "1")).await;
        assert!(is_unknown(&saved) || is_unavailable(&saved), "{saved:?}");
        let text = saved.unwrap_err().to_string();
        text.contains("it has 0 connected replicas and wait=1 in the URL asks for 1")
    })
    .await;
    replica.start_again();
    wait_for(|| async { store.load(&key("k")).await.is_ok() }).await;
    assert!(matches!(store.save(create("other", "1")).await, Ok(Saved::Committed(_))));
}

/// Redis 7.0 does not know `WAITAOF`.
#[tokio::test]
async fn a_server_that_cannot_wait_is_refused() {
    let (master, _replica) = with_replica().await;
    let error = RedisStore::open_url(&format!("{}?waitaof=1", master.url())).await;
    let knows: Vec<Option<Vec<::redis::Value>>> =
        master.tell(&["COMMAND", "INFO", "WAITAOF"]).await;
    match knows.first() {
        Some(Some(_)) => {
            let store = error.unwrap();
            let saved = store.save(create("k", "1")).await;
            assert!(matches!(saved, Ok(Saved::Committed(_))), "{saved:?}");
        }
        Some(None) | None => {
            let error = error.unwrap_err();
            assert!(matches!(error, Error::Invalid { .. }), "{error}");
            assert!(error.to_string().contains("does not know WAITAOF"), "{error}");
        }
    }
}

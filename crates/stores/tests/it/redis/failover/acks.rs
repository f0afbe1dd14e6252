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
    let replica = replica_of(&master).await;
    (master, replica)
}

async fn replica_of(master: &Server) -> Server {
    let replica = Server::start(&["--replicaof", "127.0.0.1", &master.port.to_string()]);
    wait_for(|| async {
        let info: String = master.tell(&["INFO", "replication"]).await;
        info.contains("state=online")
    })
    .await;
    replica
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
    // A conflict means that nothing was written, and who reloads is told to wait.
    let deleted = other.delete(&key("l"), &etag).await;
    assert!(is_unknown(&deleted) || matches!(deleted, Ok(Saved::Conflict)), "{deleted:?}");
    let stored = other.load(&key("l")).await;
    assert!(is_unavailable(&stored), "{stored:?}");
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

#[tokio::test]
async fn waiting_takes_no_rights_but_the_documented_ones() {
    let (master, _replica) = with_replica().await;
    let rights = "ACL SETUSER bot on >hunter2 resetkeys ~sayso:* -@all +@connection +info +@hash \
        +@sortedset +@scripting +scan +exists +del";
    let () = master.tell(&rights.split_whitespace().collect::<Vec<_>>()).await;
    let url = format!("{}?wait=1", master.url().replace("//", "//bot:hunter2@"));
    let store = RedisStore::open_url(&url).await.unwrap();
    let saved = store.save(create("k", "{}")).await.unwrap();
    let Saved::Committed(etag) = saved else { panic!("{saved:?}") };
    assert_eq!(store.load(&key("k")).await.unwrap().unwrap().etag, etag);
    assert!(matches!(store.delete(&key("k"), &etag).await, Ok(Saved::Committed(_))));
    assert_eq!(store.load(&key("k")).await.unwrap(), None);
}

/// As proxies do that know no `WAIT`.
#[tokio::test]
async fn a_server_that_cannot_wait_is_refused() {
    let server =
        Server::start(&["--rename-command", "WAIT", "", "--repl-diskless-sync-delay", "0"]);
    let _replica = replica_of(&server).await;
    let error = RedisStore::open_url(&format!("{}?wait=1", server.url())).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("does not know WAIT"), "{error}");
}

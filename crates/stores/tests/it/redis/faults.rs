//! Lost answers, and servers that stop, are killed or full: the store's errors, and that it
//! recovers by itself.

use std::{
    collections::BTreeMap,
    future::Future,
    io::{Read, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sayso_stores::{RedisStore, redis::RedisConfig};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{ETag, Error, Expect, Saved, Store, Write},
};

use super::{create, key, server::Server};

/// Proxy that passes everything on, until it is told to keep an answer back and hang up.
struct Proxy {
    port: u16,
    cut: Arc<AtomicBool>,
    cuts: Arc<AtomicU64>,
}

impl Proxy {
    fn start(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cut, cuts) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let proxy = Self { port, cut: Arc::clone(&cut), cuts: Arc::clone(&cuts) };
        // The threads end with the process of the test.
        let _thread = thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let _there = thread::spawn(move || pass(from, to, || false));
                let (cut, cuts) = (Arc::clone(&cut), Arc::clone(&cuts));
                let _back = thread::spawn(move || {
                    pass(server, client, || {
                        let is_cut = cut.swap(false, Ordering::SeqCst);
                        cuts.fetch_add(u64::from(is_cut), Ordering::SeqCst);
                        is_cut
                    });
                });
            }
        });
        proxy
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, hangs_up: impl Fn() -> bool) {
    let mut buffer = [0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if hangs_up() || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    for side in [from, to] {
        drop(side.shutdown(Shutdown::Both));
    }
}

fn replace(text: &str, expect: &Expect, body: &str) -> Write {
    Write { expect: expect.clone(), ..create(text, body) }
}

async fn save(store: &RedisStore, write: Write) -> Expect {
    match store.save(write).await.unwrap() {
        Saved::Committed(etag) => Expect::At(etag),
        Saved::Conflict => panic!("nobody else writes"),
    }
}

/// Tries until it works, 10 s at most.
async fn eventually<T, F: Future<Output = Result<T, Error>>>(attempt: impl Fn() -> F) -> T {
    let start = Instant::now();
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(error) => {
                assert!(error.is_transient(), "{error}");
                assert!(start.elapsed() < Duration::from_secs(10), "still: {error}");
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_in_doubt_and_never_sent_twice() {
    let server = Server::start(&[]);
    let proxy = Proxy::start(server.port);
    let store = RedisStore::open_url(&format!("redis://127.0.0.1:{}", proxy.port)).await.unwrap();
    let mut at = save(&store, create("k", "0")).await;
    // So that the server knows the scripts: an answer that it does not is lost without harm.
    assert_eq!(store.delete(&key("k"), &ETag::new("e")).await.unwrap(), Saved::Conflict);
    let both = || vec![create("k", "1"), create("l", "1")];
    let transactions = store.transactions().unwrap();
    assert_eq!(transactions.save_all(both()).await.unwrap(), Saved::Conflict);
    for number in 1..=20 {
        let body = number.to_string();
        proxy.cut.store(true, Ordering::SeqCst);
        match store.save(replace("k", &at, &body)).await {
            Err(Error::Unknown { .. }) => {}
            other => panic!("{other:?}"),
        }
        // It landed; the next load finds it by itself, on a new connection.
        let stored = store.load(&key("k")).await.unwrap().unwrap();
        assert_eq!(stored.body, body);
        at = Expect::At(stored.etag);
    }
    assert_eq!(proxy.cuts.load(Ordering::SeqCst), 20);

    // A delete, a transaction and reads.
    let Expect::At(etag) = at else { panic!("saved before") };
    proxy.cut.store(true, Ordering::SeqCst);
    let deleted = store.delete(&key("k"), &etag).await;
    assert!(matches!(deleted, Err(Error::Unknown { .. })), "{deleted:?}");
    assert_eq!(store.load(&key("k")).await.unwrap(), None);
    proxy.cut.store(true, Ordering::SeqCst);
    let written = transactions.save_all(both()).await;
    assert!(matches!(written, Err(Error::Unknown { .. })), "{written:?}");
    for text in ["k", "l"] {
        assert!(store.load(&key(text)).await.is_ok(), "there is a connection to be cut");
        proxy.cut.store(true, Ordering::SeqCst);
        let stored = store.load(&key(text)).await;
        assert_eq!(stored.unwrap().unwrap().body, "1", "a read is simply made again");
    }
    assert_eq!(store.due(Timestamp::START, None, 9).await.unwrap().found, []);
    proxy.cut.store(true, Ordering::SeqCst);
    assert_eq!(store.due(Timestamp::START, None, 9).await.unwrap().found, []);
    assert_eq!(proxy.cuts.load(Ordering::SeqCst), 25);
}

#[tokio::test]
async fn a_server_that_does_not_answer_in_time_leaves_a_write_in_doubt() {
    let server = Server::start(&[]);
    let config = RedisConfig::from_url(&server.url()).unwrap();
    let store = RedisStore::open(config.with_timeout(Duration::from_millis(300))).await.unwrap();
    let at = save(&store, create("k", "1")).await;
    let () = server.tell(&["CLIENT", "PAUSE", "1500", "ALL"]).await;
    let start = Instant::now();
    let saved = store.save(replace("k", &at, "2")).await;
    assert!(matches!(saved, Err(Error::Unknown { .. })), "{saved:?}");
    let loaded = store.load(&key("k")).await;
    assert!(matches!(loaded, Err(Error::Unavailable { .. })), "{loaded:?}");
    assert!(start.elapsed() < Duration::from_millis(1200), "{:?}", start.elapsed());
    // It was sent and may have landed: what was written then is one of the two.
    let k = key("k");
    let stored = eventually(|| store.load(&k)).await.unwrap();
    assert!(["1", "2"].contains(&stored.body.as_str()), "{}", stored.body);
    let _at = save(&store, replace("k", &Expect::At(stored.etag), "3")).await;
}

#[tokio::test]
async fn a_script_that_the_server_has_forgotten_is_sent_again() {
    let server = Server::start(&[]);
    let store = RedisStore::open_url(&server.url()).await.unwrap();
    let mut at = Expect::Absent;
    for number in 0..3 {
        let () = server.tell(&["SCRIPT", "FLUSH"]).await;
        at = save(&store, replace("k", &at, &number.to_string())).await;
        let () = server.tell(&["SCRIPT", "FLUSH"]).await;
        assert_eq!(store.due(Timestamp::START, None, 9).await.unwrap().found, []);
    }
    let Expect::At(etag) = at else { panic!("saved before") };
    let () = server.tell(&["SCRIPT", "FLUSH"]).await;
    assert!(matches!(store.delete(&key("k"), &etag).await, Ok(Saved::Committed(_))));
}

#[tokio::test]
async fn a_full_server_and_a_replica_refuse_and_nothing_happens() {
    let server = Server::start(&["--maxmemory-policy", "noeviction"]);
    let store = RedisStore::open_url(&server.url()).await.unwrap();
    let at = save(&store, create("k", "1")).await;
    let both = || vec![replace("k", &at, "2"), create("l", "2")];
    for (sick, well, why) in [
        (
            &["CONFIG", "SET", "maxmemory", "1"][..],
            &["CONFIG", "SET", "maxmemory", "0"][..],
            "full",
        ),
        (&["REPLICAOF", "127.0.0.1", "1"], &["REPLICAOF", "NO", "ONE"], "replica"),
    ] {
        let () = server.tell(sick).await;
        for write in [replace("k", &at, "2"), create("l", "2")] {
            let error = store.save(write).await.unwrap_err();
            assert!(matches!(error, Error::Unavailable { .. }), "{error}");
            assert!(error.to_string().contains(why), "{error}");
        }
        let error = store.transactions().unwrap().save_all(both()).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        assert_eq!(store.load(&key("k")).await.unwrap().unwrap().body, "1", "reads still work");
        let () = server.tell(well).await;
    }
    assert_eq!(store.load(&key("l")).await.unwrap(), None);
    let written = store.transactions().unwrap().save_all(both()).await.unwrap();
    assert!(matches!(written, Saved::Committed(_)));
}

/// Adds one to a number, as often as it takes; the number that was acknowledged.
async fn increment(store: &RedisStore, key: &Key) -> Result<u64, Error> {
    let (expect, number) = match store.load(key).await? {
        Some(stored) => (Expect::At(stored.etag), stored.body.parse::<u64>().unwrap()),
        None => (Expect::Absent, 0),
    };
    let body = (number + 1).to_string();
    let write = Write::new(key.clone(), expect, body);
    match store.save(write).await? {
        Saved::Committed(_) => Ok(number + 1),
        Saved::Conflict => panic!("nobody else writes"),
    }
}

/// Eight writers, a server that is killed again and again: acknowledged writes are there
/// afterwards, while it is down the store says so at once, and it reconnects by itself.
#[tokio::test]
async fn a_killed_server_loses_no_acknowledged_write_and_is_found_again() {
    let mut server = Server::start(&[]);
    let store = RedisStore::open_url(&server.url()).await.unwrap();
    let mut known = BTreeMap::<Key, u64>::new();
    for round in 0..5_usize {
        let over = AtomicBool::new(false);
        let writer = |number: u64| {
            let (key, store, over) = (key(&format!("k{number}")), &store, &over);
            async move {
                let mut acked = eventually(|| increment(store, &key)).await;
                while !over.load(Ordering::SeqCst) {
                    match increment(store, &key).await {
                        Ok(number) => acked = number,
                        Err(error) => assert!(error.is_transient(), "{error}"),
                    }
                    tokio::task::yield_now().await;
                }
                (key, acked)
            }
        };
        let killer = async {
            tokio::time::sleep(Duration::from_millis(100 + 30 * round as u64)).await;
            server.kill();
            over.store(true, Ordering::SeqCst);
        };
        let (acked, ()) = tokio::join!(join_all((0..8).map(writer)), killer);

        let start = Instant::now();
        for _ in 0..4 {
            // The first of each connection may still have been sent to the old server.
            drop(store.save(create("new", "{}")).await);
            drop(store.load(&key("k0")).await);
        }
        let error = store.save(create("new", "{}")).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "nothing was sent: {error}");
        assert!(error.to_string().contains("is it running"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(2), "refused at once");

        server.start_again();
        for (key, acked) in acked {
            let stored = eventually(|| store.load(&key)).await.unwrap();
            let stored: u64 = stored.body.parse().unwrap();
            assert!(stored >= acked, "{key}: acknowledged {acked}, stored {stored}");
            assert!(stored <= acked + 1, "{key}: at most one was not yet acknowledged");
            let before = known.insert(key, stored).unwrap_or_default();
            assert!(stored > before, "there was progress in every round");
        }
    }
}

//! Sentinels: the store follows the master that they name.

use std::time::{Duration, Instant};

use sayso_stores::RedisStore;
use sayso_turn::store::{Error, Expect, Saved, Store, Write};

use super::{
    super::{
        cluster::wait_for,
        create, key,
        server::{Server, free_port, tell},
    },
    load::Load,
};

/// A master, its replicas, and three sentinels that watch them.
struct Watched {
    servers: Vec<Server>,
    sentinels: Vec<Server>,
}

impl Watched {
    /// The sentinels start last: one that starts before a replica learns of it late.
    async fn start(replicas: usize) -> Self {
        let fast = ["--repl-diskless-sync-delay", "0"];
        let mut servers = vec![Server::start(&fast)];
        let master = servers[0].port.to_string();
        let of_master = ["--replicaof", "127.0.0.1", &master];
        for _ in 0..replicas {
            servers.push(Server::start(&[&fast[..], &of_master].concat()));
        }
        wait_for(|| async {
            let info: String = servers[0].tell(&["INFO", "replication"]).await;
            info.matches("state=online").count() == replicas
        })
        .await;
        let port = servers[0].port;
        let sentinels: Vec<_> = (0..3).map(|_| Server::start_sentinel(port, 2)).collect();
        for sentinel in &sentinels {
            wait_for(|| async {
                let answer: String = tell_sentinel(sentinel, &["SENTINEL", "MASTERS"]).await;
                let knows = |field: &str, count: usize| {
                    answer.contains(&format!("{field:?} {:?}", count.to_string()))
                };
                knows("num-slaves", replicas) && knows("num-other-sentinels", 2)
            })
            .await;
        }
        Self { servers, sentinels }
    }

    fn url(&self, query: &str) -> String {
        let hosts: Vec<_> =
            self.sentinels.iter().map(|one| format!("127.0.0.1:{}", one.port)).collect();
        format!("redis+sentinel://{}/m{query}", hosts.join(","))
    }

    async fn master(&self) -> u16 {
        let question = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "m"];
        let (_, port): (String, u16) = tell(&self.sentinels[0].url(), &question).await;
        port
    }
}

/// The answer as text, the fields in quotation marks.
async fn tell_sentinel(sentinel: &Server, command: &[&str]) -> String {
    let answer: Vec<Vec<String>> = tell(&sentinel.url(), command).await;
    let fields = answer.iter().flatten().map(|field| format!("{field:?}"));
    fields.collect::<Vec<_>>().join(" ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_master_is_followed_and_nothing_acknowledged_is_lost() {
    let mut watched = Watched::start(2).await;
    let load = Load::start(&watched.url("?wait=1")).await;
    let started = load.is_back(Instant::now()).await;
    assert!(started < Duration::from_secs(5));
    tokio::time::sleep(Duration::from_millis(500)).await;
    watched.servers[0].kill();
    let back = load.is_back(Instant::now()).await;
    assert_ne!(watched.master().await, watched.servers[0].port);
    tokio::time::sleep(Duration::from_secs(1)).await;
    load.settle("sentinels, master killed", back).await;
}

/// The old master goes on for seconds after its thaw, and acknowledges nothing that would be lost,
/// not even to a store that has noticed nothing because it had nothing to do.
#[expect(clippy::print_stdout, reason = "the figures of the run")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_master_is_left_and_acknowledges_nothing_after_its_thaw() {
    let watched = Watched::start(2).await;
    let idle = RedisStore::open_url(&watched.url("?wait=1")).await.unwrap();
    for number in 0..64 {
        let saved = idle.save(create(&format!("early{number}"), "{}")).await;
        assert!(matches!(saved, Ok(Saved::Committed(_))), "{saved:?}");
    }
    let load = Load::start(&watched.url("?wait=1")).await;
    let _started = load.is_back(Instant::now()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let frozen = Instant::now();
    watched.servers[0].freeze();
    let back = load.is_back(frozen).await;
    tokio::time::sleep(Duration::from_secs(6).saturating_sub(frozen.elapsed())).await;
    watched.servers[0].thaw();
    let (mut committed, mut doubtful) = (Vec::new(), 0);
    for number in 0..200 {
        let text = format!("late{number}");
        match idle.save(create(&text, "{}")).await {
            Ok(Saved::Committed(_)) => committed.push(text),
            Ok(Saved::Conflict) => panic!("nobody else writes"),
            Err(error) => {
                assert!(error.is_transient(), "{error}");
                doubtful += 1;
            }
        }
    }
    assert_ne!(watched.master().await, watched.servers[0].port);
    let fresh = RedisStore::open_url(&watched.url("")).await.unwrap();
    for text in &committed {
        assert!(fresh.load(&key(text)).await.unwrap().is_some(), "{text} was acknowledged");
    }
    let count = committed.len();
    println!("after the thaw: {count} acknowledged and there, {doubtful} in doubt or refused");
    assert!(count > 100 && doubtful > 0, "it came upon the old master and found the new");
    load.settle("sentinels, master frozen", back).await;
}

/// Without `wait`: a connection to the old master ends, and the next one leads to the new.
#[tokio::test]
async fn a_planned_failover_is_followed_without_help() {
    let watched = Watched::start(1).await;
    let store = RedisStore::open_url(&watched.url("")).await.unwrap();
    let name = store.to_string();
    assert!(name.starts_with("Redis m by sentinels at 127.0.0.1:"), "{name}");
    assert!(store.warnings().join(" ").contains("wait=1"), "{:?}", store.warnings());
    let saved = store.save(create("k", "1")).await.unwrap();
    let Saved::Committed(etag) = saved else { panic!("{saved:?}") };
    let (old, new) = (watched.servers[0].port, watched.servers[1].port);
    let () = tell(&watched.sentinels[0].url(), &["SENTINEL", "FAILOVER", "m"]).await;
    wait_for(|| async { watched.master().await == new }).await;
    wait_for(|| async {
        let info: String = watched.servers[0].tell(&["INFO", "replication"]).await;
        info.contains("role:slave")
    })
    .await;
    let expect = Expect::At(etag);
    wait_for(|| async {
        let write = Write { expect: expect.clone(), ..create("k", "2") };
        match store.save(write).await {
            Ok(Saved::Committed(_)) => true,
            // One whose answer was lost when the old master hung up.
            Ok(Saved::Conflict) => store.load(&key("k")).await.unwrap().unwrap().body == "2",
            Err(error) => {
                assert!(error.is_transient(), "{error}");
                false
            }
        }
    })
    .await;
    assert_eq!(store.load(&key("k")).await.unwrap().unwrap().body, "2");
    let keys: Vec<String> = watched.servers[1].tell(&["KEYS", "*:d:k"]).await;
    assert_eq!(keys.len(), 1, "on {new}, not on {old}");
}

#[tokio::test]
async fn sentinels_that_know_no_such_master_and_none_at_all_are_named() {
    let server = Server::start(&[]);
    let sentinel = Server::start_sentinel(server.port, 1);
    let url = |path: &str| format!("redis+sentinel://:hunter2@127.0.0.1:{}/{path}", sentinel.port);
    let error = RedisStore::open_url(&url("other")).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("no master named `other`"), "{error}");
    let error = RedisStore::open_url(&url("m?wait=1").replace(":hunter2@", "")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("0 connected replicas and wait=1"), "{error}");
    let nowhere = format!("redis+sentinel://127.0.0.1:{}/m", free_port());
    let error = RedisStore::open_url(&nowhere).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("is it running there?"), "{error}");
    // They may ask for the password, too.
    let () = tell(&server.url(), &["CONFIG", "SET", "requirepass", "hunter2"]).await;
    let () = tell(&sentinel.url(), &["ACL", "SETUSER", "default", "resetpass", ">hunter2"]).await;
    let store = RedisStore::open_url(&url("m/0")).await.unwrap();
    assert!(matches!(store.save(create("j", "{}")).await, Ok(Saved::Committed(_))));
    assert!(!format!("{store} {store:?}").contains("hunter2"));
    // One that is frozen and one that is gone keep nobody from the third.
    let frozen = Server::start_sentinel(server.port, 1);
    frozen.freeze();
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", frozen.port, free_port());
    let url = format!("redis+sentinel://:hunter2@{hosts},127.0.0.1:{}/m/0", sentinel.port);
    let store = RedisStore::open_url(&url).await.unwrap();
    assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));
}

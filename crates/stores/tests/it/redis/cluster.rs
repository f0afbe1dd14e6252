//! A cluster: the suite on one of a single node, and several nodes while slots and nodes move.

use std::{
    collections::BTreeSet,
    env,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::TryStreamExt;
use sayso_stores::RedisStore;
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Error, Expect, Saved, Store, Write},
};

use super::{
    create, key, prefix,
    server::{Server, free_port, tell},
};

sayso_stores::conformance!(make(), cases: 64, operations: 40);

async fn make() -> (Arc<dyn Store>, ()) {
    let cluster = env::var("SAYSO_TEST_REDIS_CLUSTER").expect(
        "SAYSO_TEST_REDIS_CLUSTER is not set: run the tests with `scripts/servers run redis-cluster -- ...`",
    );
    // A node that has just started takes no writes for two seconds.
    let node = cluster.replace("+cluster", "").split(',').next().unwrap().to_owned();
    wait_for(|| async { tell::<String>(&node, &["CLUSTER", "INFO"]).await.contains("state:ok") })
        .await;
    let store = RedisStore::open_url(&format!("{cluster}?prefix={}", prefix())).await.unwrap();
    assert!(store.transactions().is_none(), "a script may touch one slot only");
    (Arc::new(store), ())
}

pub(super) async fn wait_for<F: Future<Output = bool>>(is_so: impl Fn() -> F) {
    let start = Instant::now();
    while !is_so().await {
        assert!(start.elapsed() < Duration::from_secs(30), "it takes too long");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Primaries with a third of the slots each, and further nodes that have none.
pub(super) struct Cluster {
    pub(super) nodes: Vec<Server>,
}

const SLOTS: [(u16, u16); 3] = [(0, 5_460), (5_461, 10_922), (10_923, 16_383)];
/// The hash slot of the shard in which the keys `k`, `k1` and `k103` are.
const SLOT: &str = "2975";

impl Cluster {
    async fn start() -> Self {
        Self::start_with(1, "2000").await
    }

    pub(super) async fn start_with(further: usize, node_timeout_ms: &str) -> Self {
        let count = SLOTS.len() + further;
        let buses: Vec<String> = (0..count).map(|_| free_port().to_string()).collect();
        let settings = |bus| {
            [
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                node_timeout_ms,
                "--cluster-port",
                bus,
                "--repl-diskless-sync-delay",
                "0",
            ]
        };
        let nodes: Vec<_> =
            buses.iter().map(|bus| Server::start(&settings(bus.as_str()))).collect();
        let cluster = Self { nodes };
        for (number, node) in cluster.nodes.iter().enumerate() {
            let () = node.tell(&["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()]).await;
            if let Some((from, to)) = SLOTS.get(number) {
                let (from, to) = (from.to_string(), to.to_string());
                let () = node.tell(&["CLUSTER", "ADDSLOTSRANGE", &from, &to]).await;
            }
            let port = cluster.nodes[0].port.to_string();
            let () = node.tell(&["CLUSTER", "MEET", "127.0.0.1", &port, &buses[0]]).await;
        }
        for node in &cluster.nodes {
            wait_for(|| async {
                let info: String = node.tell(&["CLUSTER", "INFO"]).await;
                info.contains("state:ok") && info.contains(&format!("cluster_known_nodes:{count}"))
            })
            .await;
        }
        cluster
    }

    pub(super) fn url(&self) -> String {
        let nodes: Vec<_> =
            self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)).collect();
        format!("redis+cluster://{}", nodes.join(","))
    }

    pub(super) async fn id(&self, number: usize) -> String {
        self.nodes[number].tell(&["CLUSTER", "MYID"]).await
    }
}

/// The node that has the slot of the tests.
fn owner() -> usize {
    let slot: u16 = SLOT.parse().unwrap();
    SLOTS.iter().position(|(from, to)| (*from..=*to).contains(&slot)).unwrap()
}

fn due(text: &str) -> Write {
    Write { due: Some(Timestamp::START), ..create(text, "{}") }
}

#[tokio::test]
async fn documents_are_spread_over_the_nodes_and_found_again() {
    let cluster = Cluster::start().await;
    let store = RedisStore::open_url(&cluster.url()).await.unwrap();
    let mut expected = BTreeSet::new();
    for number in 0..300 {
        let write = due(&format!("key{number:03}"));
        assert!(expected.insert(write.key.clone()));
        assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
    }
    let expected: Vec<Key> = expected.into_iter().collect();
    let mut listed: Vec<Key> = store.list("key").try_collect().await.unwrap();
    listed.sort();
    assert_eq!(listed, expected);
    let first = store.due(Timestamp::START, None, 250).await.unwrap();
    let rest = store.due(Timestamp::START, first.next.as_ref(), 250).await.unwrap();
    assert_eq!((first.found.len(), rest.found.len(), rest.next), (250, 50, None));
    let mut named: Vec<Key> =
        first.found.into_iter().chain(rest.found).map(|due| due.key).collect();
    named.sort();
    assert_eq!(named, expected);
    for node in &cluster.nodes[..3] {
        let count: u64 = node.tell(&["DBSIZE"]).await;
        assert!(count > 50, "{count} on one node");
    }
}

/// While a slot is on its way, loads work all the time and saves do or say that they did not;
/// afterwards the store follows the slot, to a node that it had never heard of.
#[tokio::test]
async fn the_store_follows_a_slot_to_another_node() {
    let cluster = Cluster::start().await;
    let store = RedisStore::open_url(&cluster.url()).await.unwrap();
    let texts = ["k", "k1", "k103"];
    let mut acked = Vec::new();
    for text in texts {
        assert!(matches!(store.save(due(text)).await, Ok(Saved::Committed(_))));
        acked.push(0_u64);
    }
    let (source, target) = (&cluster.nodes[owner()], &cluster.nodes[3]);
    let (source_id, target_id) = (cluster.id(owner()).await, cluster.id(3).await);
    let () = target.tell(&["CLUSTER", "SETSLOT", SLOT, "IMPORTING", &source_id]).await;
    let () = source.tell(&["CLUSTER", "SETSLOT", SLOT, "MIGRATING", &target_id]).await;
    let (mut refused, mut steps) = (0, 0);
    loop {
        for (text, acked) in texts.iter().zip(&mut acked) {
            let stored = store.load(&key(text)).await.expect("loads always work").unwrap();
            let body = format!("{}", *acked + 1);
            let expect = Expect::At(stored.etag);
            // At another time than before, so that the index changes with the document.
            let at = Some(Timestamp::from_millis((*acked + 1) % 2));
            match store.save(Write { expect, body, due: at, ..due(text) }).await {
                Ok(Saved::Committed(_)) => *acked += 1,
                Ok(Saved::Conflict) => panic!("nobody else writes"),
                Err(error) => {
                    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
                    refused += 1;
                }
            }
        }
        let left: Vec<String> = source.tell(&["CLUSTER", "GETKEYSINSLOT", SLOT, "1"]).await;
        let Some(name) = left.first() else { break };
        let port = target.port.to_string();
        let () = source.tell(&["MIGRATE", "127.0.0.1", &port, name, "0", "5000"]).await;
        steps += 1;
    }
    assert!(steps > texts.len(), "the documents and the index moved one by one: {steps}");
    assert!(refused > 0, "a save between the two places is refused");
    let before = acked.clone();
    for node in [target, source] {
        let () = node.tell(&["CLUSTER", "SETSLOT", SLOT, "NODE", &target_id]).await;
    }
    for round in 0..20 {
        for (text, acked) in texts.iter().zip(&mut acked) {
            let stored = store.load(&key(text)).await.unwrap().unwrap();
            let body = format!("{}", *acked + 1);
            let saved =
                store.save(Write { expect: Expect::At(stored.etag), body, ..due(text) }).await;
            assert!(matches!(saved, Ok(Saved::Committed(_))), "round {round}: {saved:?}");
            *acked += 1;
        }
    }
    for ((text, acked), before) in texts.iter().zip(&acked).zip(before) {
        assert_eq!(store.load(&key(text)).await.unwrap().unwrap().body, acked.to_string());
        assert_eq!(*acked, before + 20);
    }
    let named = store.due(Timestamp::START, None, 9).await.unwrap().found;
    assert_eq!(named.len(), texts.len(), "and the index moved with the documents");
}

/// A primary dies and its replica takes its place: the store finds it by itself.
#[tokio::test]
async fn the_store_goes_on_with_the_replica_of_a_dead_node() {
    let mut cluster = Cluster::start().await;
    let owner = owner();
    let owner_id = cluster.id(owner).await;
    let replica = 3;
    let () = cluster.nodes[replica].tell(&["CLUSTER", "REPLICATE", &owner_id]).await;
    wait_for(|| async {
        let info: String = cluster.nodes[replica].tell(&["INFO", "replication"]).await;
        info.contains("master_link_status:up")
    })
    .await;
    let store = RedisStore::open_url(&cluster.url()).await.unwrap();
    let warned = store.warnings().join(" ");
    assert!(warned.contains("has replicas"), "{warned}");
    assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));
    wait_for(|| async {
        let keys: Vec<String> = cluster.nodes[replica].tell(&["KEYS", "*:d:k"]).await;
        !keys.is_empty()
    })
    .await;

    cluster.nodes[owner].kill();
    for _ in 0..3 {
        let error = store.save(create("k", "{}")).await.unwrap_err();
        assert!(error.is_transient(), "{error}");
    }
    let () = cluster.nodes[replica].tell(&["CLUSTER", "FAILOVER", "TAKEOVER"]).await;
    wait_for(|| async {
        match store.load(&key("k")).await {
            Ok(stored) => {
                let write = Write { expect: Expect::At(stored.unwrap().etag), ..create("k", "2") };
                matches!(store.save(write).await, Ok(Saved::Committed(_)))
            }
            Err(error) => {
                assert!(error.is_transient(), "{error}");
                false
            }
        }
    })
    .await;
    assert_eq!(store.load(&key("k")).await.unwrap().unwrap().body, "2");
    let other = cluster.nodes.iter().enumerate().filter(|(number, _)| *number != owner);
    assert_eq!(other.count(), 3, "the dead one stays dead");
}

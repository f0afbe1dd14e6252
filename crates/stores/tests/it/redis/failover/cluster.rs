//! A cluster of three masters with a replica each, whose master is killed or frozen under load.

use std::time::{Duration, Instant};

use super::{
    super::cluster::{Cluster, wait_for},
    load::Load,
};

async fn start() -> Cluster {
    let cluster = Cluster::start_with(3, "1000").await;
    for number in 0..3 {
        let master = cluster.id(number).await;
        let () = cluster.nodes[number + 3].tell(&["CLUSTER", "REPLICATE", &master]).await;
    }
    for node in &cluster.nodes {
        wait_for(|| async {
            let info: String = node.tell(&["INFO", "replication"]).await;
            info.contains("master_link_status:up") || info.contains("state=online")
        })
        .await;
    }
    cluster
}

/// The replica takes over, but has no replica itself: writes go on when the killed node is there
/// again, as one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_master_loses_nothing_that_was_acknowledged() {
    let mut cluster = start().await;
    let load = Load::start(&format!("{}?wait=1", cluster.url())).await;
    let _started = load.is_back(Instant::now()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let killed = Instant::now();
    cluster.nodes[0].kill();
    tokio::time::sleep(Duration::from_secs(3)).await;
    cluster.nodes[0].start_again();
    let back = load.is_back(killed).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let info: String = cluster.nodes[3].tell(&["INFO", "replication"]).await;
    assert!(info.contains("role:master"), "there was a failover");
    load.settle("cluster, master killed", back).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_master_loses_nothing_that_was_acknowledged() {
    let cluster = start().await;
    let load = Load::start(&format!("{}?wait=1", cluster.url())).await;
    let _started = load.is_back(Instant::now()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let frozen = Instant::now();
    cluster.nodes[0].freeze();
    tokio::time::sleep(Duration::from_secs(5)).await;
    cluster.nodes[0].thaw();
    let back = load.is_back(frozen).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let info: String = cluster.nodes[3].tell(&["INFO", "replication"]).await;
    assert!(info.contains("role:master"), "there was a failover");
    load.settle("cluster, master frozen", back).await;
}

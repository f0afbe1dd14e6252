//! Ten machines on one server with PostgreSQL's default of 100 connections.

use futures_util::future::join_all;
use sayso_stores::PostgresStore;
use sayso_turn::store::{Store, StoreStats};

use super::{committed, connect, create, key, private::Server, replace};

const MACHINES: usize = 10;
const CONVERSATIONS: usize = 60;

/// Saves and loads of many conversations at once, so that each connection is needed.
async fn work(machine: usize, store: &PostgresStore) {
    let turns = (0..CONVERSATIONS).map(|number| async move {
        let name = format!("{machine}/{number}");
        let mut etag = committed(store.save(create(&name, "0")).await);
        for round in 1..6 {
            let stored = store.load(&key(&name)).await.unwrap().expect("it was saved");
            assert_eq!(stored.etag, etag);
            etag = committed(store.save(replace(&name, &etag, &round.to_string())).await);
        }
    });
    join_all(turns).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_machines_with_the_default_fit_a_server_with_a_hundred_connections() {
    let server = Server::start(&["-c", "max_connections=100"]).await;
    let admin = connect(&server.url()).await;
    let setting = admin.query_one("SHOW max_connections", &[]).await.unwrap();
    assert_eq!(setting.get::<_, &str>(0), "100");
    let stores = join_all((0..MACHINES).map(|_| server.open(""))).await;
    let stores: Vec<PostgresStore> = stores.into_iter().map(Result::unwrap).collect();
    let all = stores.iter().enumerate().map(|(machine, store)| work(machine, store));
    join_all(all).await;

    let sql = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
    let open: i64 = admin.query_one(sql, &[]).await.unwrap().get(0);
    let pools: Vec<_> = stores.iter().map(|store| store.stats().pool.unwrap()).collect();
    let most: u64 = pools.iter().map(|pool| pool.connections_max).sum();
    assert!(most < 97, "{most} of a hundred, of which the server keeps three");
    assert!(open > 50, "{open} were open: that was no load");
    let mine: u64 = pools.iter().map(|pool| pool.idle + pool.in_use).sum();
    assert_eq!(mine + 1, open.unsigned_abs(), "the pools and this test: {pools:?}");
    let failed = |stats: StoreStats| stats.unavailable + stats.unknown + stats.refused;
    assert!(stores.iter().all(|store| failed(store.stats()) == 0));
}

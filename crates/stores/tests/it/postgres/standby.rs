//! The wait for a synchronous standby that somebody cancels: the server acknowledges the write, and
//! says in a notice that the standby may not have it.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Store, Transactions as _};
use tokio_postgres::Client;

use super::{committed, create, key, private::Server, replace};

/// Makes every write wait for a standby that does not exist, or none.
async fn wait_for(admin: &Client, standby: &str) {
    let sql = format!("ALTER SYSTEM SET synchronous_standby_names = '{standby}'");
    admin.batch_execute(&sql).await.unwrap();
    let _row = admin.query_one("SELECT pg_reload_conf()", &[]).await.unwrap();
    for _ in 0..200 {
        let row = admin.query_one("SHOW synchronous_standby_names", &[]).await.unwrap();
        if row.get::<_, &str>(0) == standby {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the setting is not taken up");
}

/// Cancels the waits of so many sessions, as soon as they wait.
async fn cancel(admin: &Client, sessions: usize) {
    let mut cancelled = 0;
    for _ in 0..400 {
        let sql =
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        cancelled += admin.query(sql, &[]).await.unwrap().len();
        if cancelled >= sessions {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{cancelled} sessions waited for the standby, not {sessions}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_wait_for_the_standby_is_cancelled_is_unknown() {
    // The notice comes in the server's language.
    let server = Server::start(&[]).await;
    let store = Arc::new(server.open("schema=a").await.unwrap());
    let admin = super::connect(&server.url()).await;
    let create_first = ["replaced", "deleted"].map(|name| store.save(create(name, "old")));
    let etags: Vec<_> = join_all(create_first).await.into_iter().map(committed).collect();
    wait_for(&admin, "nobody").await;

    let told = async |call| -> Error {
        let call: tokio::task::JoinHandle<Result<(), Error>> = tokio::spawn(call);
        cancel(&admin, 1).await;
        call.await.unwrap().unwrap_err()
    };
    for call in ["create", "replace", "delete", "both"] {
        let (store, etags) = (Arc::clone(&store), etags.clone());
        let error = told(async move {
            match call {
                "create" => store.save(create("created", "new")).await.map(drop),
                "replace" => store.save(replace("replaced", &etags[0], "new")).await.map(drop),
                "delete" => store.delete(&key("deleted"), &etags[1]).await.map(drop),
                _ => {
                    let both = vec![create("both/1", "new"), create("both/2", "new")];
                    store.save_all(both).await.map(drop)
                }
            }
        })
        .await;
        assert!(matches!(error, Error::Unknown { .. }), "{call}: {error:?}");
        assert!(error.to_string().contains("synchronous standby"), "{call}: {error}");
    }
    // It has happened on this server, which is why it is not a failure.
    for name in ["created", "replaced", "both/1", "both/2"] {
        assert_eq!(store.load(&key(name)).await.unwrap().unwrap().body, "new", "{name}");
    }
    assert_eq!(store.load(&key("deleted")).await.unwrap(), None);
    wait_for(&admin, "").await;
    let _etag = committed(store.save(create("afterwards", "new")).await);
}

#[tokio::test]
async fn saves_that_share_a_statement_share_the_doubt() {
    let server = Server::start(&[]).await;
    let store = server.open("schema=a&connections=2").await.unwrap();
    let admin = super::connect(&server.url()).await;
    wait_for(&admin, "nobody").await;
    let names: Vec<_> = (0..8).map(|number| format!("key/{number}")).collect();
    let saves = join_all(names.iter().map(|name| store.save(create(name, "{}"))));
    let (saved, ()) = tokio::join!(saves, cancel(&admin, 1));
    for (name, saved) in names.iter().zip(saved) {
        assert!(matches!(saved, Err(Error::Unknown { .. })), "{name}: {saved:?}");
    }
}

/// Nobody of ours cancels: the wait outlives the call, and the write is there in the end.
#[tokio::test]
async fn a_write_that_waits_too_long_for_the_standby_is_unknown_and_is_not_cancelled() {
    let server = Server::start(&[]).await;
    let config = sayso_stores::PostgresConfig::from_url(&server.url()).unwrap();
    let store = PostgresStore::open(config.timeout(Duration::from_secs(1))).await.unwrap();
    let admin = super::connect(&server.url()).await;
    wait_for(&admin, "nobody").await;
    let error = store.save(create("a", "{}")).await.unwrap_err();
    assert!(matches!(error, Error::Unknown { .. }), "{error:?}");
    // Until somebody ends the wait nobody sees the row.
    assert_eq!(store.load(&key("a")).await.unwrap(), None);
    let sql = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    assert_eq!(admin.query(sql, &[]).await.unwrap().len(), 1);
    wait_for(&admin, "").await;
    let mut stored = None;
    for _ in 0..200 {
        stored = store.load(&key("a")).await.unwrap();
        if stored.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(stored.unwrap().body, "{}");
}

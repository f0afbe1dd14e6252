//! Opening: a missing table is made once, a foreign one is left alone, errors are one clear
//! sentence.

use futures_util::{StreamExt, future::join_all};
use sayso_stores::PostgresStore;
use sayso_turn::{
    clock::Timestamp,
    store::{Error, Store, Write},
};

use super::{Bench, committed, connect, create, fresh_name, server, url};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_instances_that_start_at_once_make_one_table() {
    let schema = fresh_name();
    let url = url(&format!("schema={schema}&connections=2"));
    let stores = join_all((0..12).map(|_| {
        let url = url.clone();
        tokio::spawn(async move { PostgresStore::open_url(&url).await.unwrap() })
    }));
    let stores: Vec<_> = stores.await.into_iter().map(Result::unwrap).collect();
    for (number, store) in stores.iter().enumerate() {
        let saved = store.save(create(&number.to_string(), "{}")).await;
        let _etag = committed(saved);
    }
    let other = connect(&server()).await;
    let sql = format!("SELECT name, version FROM {schema}.sayso_version");
    let rows = other.query(&sql, &[]).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].get::<_, &str>(0), "document");
    other.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await.unwrap();
}

#[tokio::test]
async fn two_tables_of_one_schema_are_two_stores() {
    let bench = Bench::new().await;
    let parameters = format!("schema={}&table=other", bench.schema);
    let second = PostgresStore::open_url(&url(&parameters)).await.unwrap();
    let _etag = committed(bench.store.save(create("a", "1")).await);
    assert_eq!(second.load(&super::key("a")).await.unwrap(), None);
    let _etag = committed(second.save(create("a", "2")).await);
    assert_eq!(bench.store.load(&super::key("a")).await.unwrap().unwrap().body, "1");
    bench.end().await;
}

#[tokio::test]
async fn a_table_that_is_not_ours_or_is_newer_is_left_alone() {
    let bench = Bench::new().await;
    bench.run(&format!("CREATE TABLE {}.pizza (topping text)", bench.schema)).await;
    let parameters = format!("schema={}&table=pizza", bench.schema);
    let error = PostgresStore::open_url(&url(&parameters)).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("not a table of ours"), "{error}");
    bench.run(&format!("INSERT INTO {}.pizza VALUES ('cheese')", bench.schema)).await;

    bench.run(&format!("UPDATE {}.sayso_version SET version = 99", bench.schema)).await;
    let parameters = format!("schema={}", bench.schema);
    let error = PostgresStore::open_url(&url(&parameters)).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("newer version"), "{error}");
    bench.end().await;
}

#[tokio::test]
async fn a_newer_table_that_this_build_may_use_is_used() {
    let bench = Bench::new().await;
    let version = format!("{}.sayso_version", bench.schema);
    let newer = format!(
        "ALTER TABLE {version} ADD COLUMN usable_from integer;
         UPDATE {version} SET version = 3, usable_from = 1"
    );
    bench.run(&newer).await;
    let parameters = url(&format!("schema={}", bench.schema));
    let store = PostgresStore::open_url(&parameters).await.unwrap();
    let _etag = committed(store.save(create("a", "{}")).await);
    let kept = bench.other.query_one(&format!("SELECT version FROM {version}"), &[]).await.unwrap();
    assert_eq!(kept.get::<_, i32>(0), 3, "its version is the newer build's");
    bench.run(&format!("UPDATE {version} SET usable_from = 2")).await;
    let error = PostgresStore::open_url(&parameters).await.unwrap_err().to_string();
    assert!(error.contains("newer version"), "{error}");
    bench.end().await;
}

#[tokio::test]
async fn rows_of_others_are_passed_over_and_hide_nothing() {
    let bench = Bench::new().await;
    let due = Some(Timestamp::from_millis(7));
    for number in 0..5 {
        let _etag =
            committed(bench.store.save(Write { due, ..create(&format!("k{number}"), "{}") }).await);
    }
    bench
        .run(
            "INSERT INTO {table} (key, version, due, body) VALUES
             ('', 1, 7, ''), ('\\x6b31ff', 1, 7, ''), ('\\xff', 1, 7, ''), ('\\x6bff', 1, 3, '')",
        )
        .await;
    for limit in [1, 2, 100] {
        let (mut named, mut from) = (0, None);
        for _ in 0..=20 {
            let page = bench.store.due(Timestamp::from_millis(7), from.as_ref(), limit).await;
            let page = page.unwrap();
            named += page.found.len();
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        assert_eq!((named, from), (5, None), "in pages of {limit}");
    }
    assert_eq!(bench.store.list("").map(Result::unwrap).collect::<Vec<_>>().await.len(), 5);
    bench.end().await;
}

#[tokio::test]
async fn a_server_or_a_database_that_is_not_there_is_said() {
    let error = PostgresStore::open_url("postgres://u:hunter2@127.0.0.1:1/d").await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("is unavailable: it cannot be reached"), "{error}");
    let shown = format!("{error:?}");
    assert!(shown.contains("127.0.0.1:1/d") && !shown.contains("hunter2"), "{shown}");

    let server = server();
    let (place, _database) = server.rsplit_once('/').unwrap();
    let missing = format!("{place}/no_such_database");
    let error = PostgresStore::open_url(&missing).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("create it or correct the URL"), "{error}");
}

#[tokio::test]
async fn a_role_without_rights_is_told_what_an_administrator_must_do() {
    let bench = Bench::new().await;
    let role = fresh_name();
    bench.run(&format!("CREATE ROLE {role} LOGIN")).await;
    let theirs = server().replace("postgres@", &format!("{role}@"));
    assert_ne!(theirs, server(), "the server's URL names the user postgres");
    let denied = super::with(&theirs, &format!("schema={}", fresh_name()));
    let error = PostgresStore::open_url(&denied).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("CREATE SCHEMA"), "{error}");

    // With the table there, no right to make it is needed.
    bench
        .run(&format!(
            "GRANT USAGE ON SCHEMA {schema} TO {role};
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
            schema = bench.schema
        ))
        .await;
    let allowed = super::with(&theirs, &format!("schema={}", bench.schema));
    let store = PostgresStore::open_url(&allowed).await.unwrap();
    let _etag = committed(store.save(create("a", "{}")).await);
    drop(store);
    let drop_role = format!("DROP OWNED BY {role}; DROP ROLE {role}");
    bench.run(&drop_role).await;
    bench.end().await;
}

#[tokio::test]
async fn a_store_is_shown_without_user_or_password() {
    let bench = Bench::new().await;
    let shown = format!("{} {:?}", bench.store, bench.store);
    assert!(shown.starts_with("PostgreSQL at 127.0.0.1:"), "{shown}");
    assert!(shown.contains(&format!("/postgres, table {}.document", bench.schema)), "{shown}");
    assert!(!shown.contains('@'), "{shown}");
    bench.end().await;
}

//! PgBouncer before the server, and products that only speak PostgreSQL's protocol.

use std::time::Duration;

use futures_util::future::join_all;
use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Store};
use tokio_postgres::SimpleQueryMessage;

use super::{
    Bench, committed, create, fresh_name,
    private::{Pooler, Server},
    server, with,
};

/// The number of other clients of a busy pooler.
const OTHERS: usize = 6;

fn through(pooler: &Pooler) -> String {
    format!("postgres://postgres@127.0.0.1:{}/postgres", pooler.port)
}

/// The names of settings that new clients find changed in the sessions that they are given. They
/// ask at the same time and take a moment, so that each is given another.
async fn leaked(pooler: &Pooler, clients: usize) -> Vec<String> {
    let sql = "SELECT DISTINCT name FROM pg_settings, pg_sleep(0.05)
        WHERE source = 'session' AND name NOT IN
        ('client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings',
         'application_name')";
    let url = through(pooler);
    let ask = async |_| super::connect(&url).await.simple_query(sql).await.unwrap();
    let rows = join_all((0..clients).map(ask)).await;
    let names = rows.iter().flatten().filter_map(|row| match row {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    names.collect()
}

#[tokio::test]
async fn a_pooler_that_shares_sessions_is_refused_and_nothing_leaks_into_them() {
    let server = Server::start(&[]).await;
    for mode in ["transaction", "statement"] {
        let pooler = Pooler::start(server.port(), mode).await;
        let error = PostgresStore::open_url(&through(&pooler)).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{mode}: {error}");
        assert!(error.to_string().contains("set pool_mode=session"), "{mode}: {error}");
        assert_eq!(leaked(&pooler, 1).await, Vec::<String>::new(), "{mode}");
    }
}

/// Other clients keep its sessions moving.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_pooler_is_refused_as_well() {
    let server = Server::start(&[]).await;
    let pooler = Pooler::start(server.port(), "transaction").await;
    let url = through(&pooler);
    let others = join_all((0..OTHERS).map(|_| super::connect(&url))).await;
    let noise = tokio::spawn(async move {
        for _ in 0..100_000 {
            let queries = others.iter().map(|other| other.simple_query("SELECT pg_sleep(0.001)"));
            drop(join_all(queries).await);
        }
    });
    for round in 0..20 {
        let error = PostgresStore::open_url(&url).await.unwrap_err();
        assert!(error.to_string().contains("set pool_mode=session"), "{round}: {error}");
    }
    noise.abort();
    assert_eq!(leaked(&pooler, OTHERS + 1).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_pooler_of_whole_sessions_is_used() {
    let server = Server::start(&[]).await;
    let pooler = Pooler::start(server.port(), "session").await;
    let store = PostgresStore::open_url(&through(&pooler)).await.unwrap();
    let names: Vec<_> = (0..200).map(|number| format!("key/{number}")).collect();
    let saves = join_all(names.iter().map(|name| store.save(create(name, "{}"))));
    for saved in tokio::time::timeout(Duration::from_secs(20), saves).await.unwrap() {
        let _etag = committed(saved);
    }
}

/// Its role finds another `version()` than the server's.
#[tokio::test]
async fn a_product_that_only_speaks_the_protocol_is_refused_by_name() {
    let bench = Bench::new().await;
    let role = fresh_name();
    let schema = &bench.schema;
    bench
        .run(&format!(
            "CREATE FUNCTION {schema}.version() RETURNS text LANGUAGE sql AS
                $$ SELECT 'CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15)' $$;
             CREATE ROLE {role} LOGIN SUPERUSER;
             ALTER ROLE {role} SET search_path = {schema}, pg_catalog"
        ))
        .await;
    let theirs = server().replace("postgres@", &format!("{role}@"));
    let error = PostgresStore::open_url(&with(&theirs, &format!("schema={schema}"))).await;
    let error = error.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("it is CockroachDB"), "{error}");
    bench.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
    bench.end().await;
}

//! PostgreSQL: the conformance suite on a real server, and tests of this engine alone.

mod costs;
mod erasure;
mod failover;
mod hot;
mod load;
mod looks;
mod lost;
mod machines;
mod mutual;
mod opening;
mod passing;
mod pooled;
mod private;
mod proxy;
mod restart;
mod rotation;
mod settings;
mod sharing;
mod standby;
mod trouble;

use std::{env, sync::Arc};

use sayso_stores::PostgresStore;
use sayso_turn::{
    Key,
    store::{ETag, Expect, Saved, Store, Write},
};
use tokio_postgres::{Client, NoTls};

async fn make() -> (Arc<dyn Store>, ()) {
    let store = PostgresStore::open_url(&url("schema=sayso_conformance")).await.unwrap();
    (Arc::new(store), ())
}

sayso_stores::conformance!(make(), cases: 64, operations: 40);

/// The server of this run, without parameters.
fn server() -> String {
    env::var("SAYSO_TEST_POSTGRES").expect(
        "SAYSO_TEST_POSTGRES is not set: run the tests with `scripts/servers run postgres -- ...`",
    )
}

/// A URL of the server of this run.
pub(crate) fn url(parameters: &str) -> String {
    with(&server(), parameters)
}

fn with(server: &str, parameters: &str) -> String {
    let separator = if server.contains('?') { '&' } else { '?' };
    format!("{server}{separator}{parameters}")
}

/// A name that no other test and no other run uses.
fn fresh_name() -> String {
    format!("sayso_test_{:012x}", fastrand::u64(..1 << 48))
}

/// A store in a schema of its own, and a connection that sees into it.
struct Bench {
    schema: String,
    store: PostgresStore,
    other: Client,
}

impl Bench {
    async fn new() -> Self {
        let schema = fresh_name();
        let store = PostgresStore::open_url(&url(&format!("schema={schema}"))).await.unwrap();
        Self { schema, store, other: connect(&server()).await }
    }

    /// Runs SQL with the table's name for `{table}`.
    async fn run(&self, sql: &str) {
        let sql = sql.replace("{table}", &format!("{}.document", self.schema));
        self.other.batch_execute(&sql).await.unwrap();
    }

    async fn end(self) {
        let sql = format!("DROP SCHEMA {} CASCADE", self.schema);
        self.other.batch_execute(&sql).await.unwrap();
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    drop(tokio::spawn(connection));
    client
}

fn key(name: &str) -> Key {
    Key::new(name).unwrap()
}

fn create(name: &str, body: &str) -> Write {
    Write::new(key(name), Expect::Absent, body)
}

fn replace(name: &str, etag: &ETag, body: &str) -> Write {
    Write { expect: Expect::At(etag.clone()), ..create(name, body) }
}

fn committed<T: std::fmt::Debug>(saved: Result<Saved<T>, sayso_turn::store::Error>) -> T {
    match saved {
        Ok(Saved::Committed(etag)) => etag,
        other => panic!("not committed: {other:?}"),
    }
}

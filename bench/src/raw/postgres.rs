//! Raw saves on PostgreSQL by tokio-postgres: a statement for each, on a pool of connections.

use std::sync::Arc;

use deadpool_postgres::{
    Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime as PoolRuntime,
};
use tokio::runtime::Runtime;
use tokio_postgres::NoTls;

use super::{Bodies, Raw, ServerCpu, body_of};
use crate::inputs;

/// Size of the connection pool. More bring nothing on a small server.
const CONNECTIONS: usize = 16;

/// Documents in a table.
#[derive(Debug)]
pub struct RawPostgres {
    runtime: Arc<Runtime>,
    pool: Pool,
    schema: String,
    update: Arc<str>,
    bodies: Bodies,
    versions: Vec<i64>,
}

impl RawPostgres {
    /// Makes a table in a schema that exists, with so many documents of these bodies. Its pages
    /// have as much room for new versions as those of our store.
    ///
    /// # Errors
    /// When the server does not do as told.
    ///
    /// # Panics
    /// When the URL is none of PostgreSQL.
    pub fn open(
        runtime: Arc<Runtime>,
        url: &str,
        schema: &str,
        conversations: usize,
        bodies: Bodies,
    ) -> Result<Self, PoolError> {
        let config = url.parse().expect("the URL is one of PostgreSQL");
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config, NoTls, recycling);
        let pool = Pool::builder(manager).max_size(CONNECTIONS).runtime(PoolRuntime::Tokio1);
        let pool = pool.build().expect("the pool has a runtime");
        runtime.block_on(async {
            let client = pool.get().await?;
            let table = "key text PRIMARY KEY, version bigint NOT NULL, body bytea NOT NULL";
            let table = format!("CREATE TABLE {schema}.raw ({table}) WITH (fillfactor = 60)");
            client.batch_execute(&table).await?;
            let insert = format!("INSERT INTO {schema}.raw VALUES ($1, 0, $2)");
            for conversation in 0..conversations {
                let key = inputs::key(conversation);
                client.execute(&insert, &[&key.as_str(), &bodies[0].as_bytes()]).await?;
            }
            Ok::<_, PoolError>(())
        })?;
        let update = format!(
            "UPDATE {schema}.raw SET version = version + 1, body = $3
             WHERE key = $1 AND version = $2 RETURNING version"
        );
        let (schema, versions) = (schema.to_owned(), vec![0; conversations]);
        Ok(Self { runtime, pool, schema, update: update.into(), bodies, versions })
    }

    /// Sums up the CPU time of the server's processes, if they run on this machine. What a process
    /// took that has ended is missing: sessions last as long as the benchmark does.
    #[must_use]
    pub fn server_cpu(&self) -> ServerCpu {
        let (runtime, pool) = (Arc::clone(&self.runtime), self.pool.clone());
        Box::new(move || {
            let pids = runtime.block_on(async {
                let client = pool.get().await.ok()?;
                let rows = client.query("SELECT pid FROM pg_stat_activity", &[]).await.ok()?;
                rows.iter().map(|row| row.try_get::<_, i32>(0).ok()).collect::<Option<Vec<_>>>()
            })?;
            pids.into_iter().map(cpu_of).sum()
        })
    }
}

/// The CPU time of a process of the server, in microseconds.
fn cpu_of(pid: i32) -> Option<f64> {
    let of_process = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).ok();
    // The server may be elsewhere, and the number that of some other process here.
    (of_process("comm")?.trim() == "postgres").then_some(())?;
    let nanos: f64 = of_process("schedstat")?.split(' ').next()?.parse().ok()?;
    Some(nanos / 1e3)
}

impl Raw for RawPostgres {
    fn run(&mut self, count: usize) {
        let Self { runtime, pool, update, bodies, versions, .. } = self;
        runtime.block_on(async {
            let others: Vec<_> = std::mem::take(versions)
                .into_iter()
                .enumerate()
                .map(|document| (pool.clone(), Arc::clone(update), document, bodies.clone()))
                .map(|(pool, update, document, bodies)| {
                    tokio::spawn(repeat(pool, update, document, bodies, count))
                })
                .collect();
            for other in others {
                versions.push(other.await.expect("no save panics"));
            }
        });
    }
}

impl Drop for RawPostgres {
    /// Leaves nothing behind on a server that was only lent.
    fn drop(&mut self) {
        let drop_all = format!("DROP SCHEMA {} CASCADE", self.schema);
        self.runtime.block_on(async {
            if let Ok(client) = self.pool.get().await {
                drop(client.batch_execute(&drop_all).await);
            }
        });
    }
}

async fn repeat(
    pool: Pool,
    update: Arc<str>,
    (conversation, mut version): (usize, i64),
    bodies: Bodies,
    count: usize,
) -> i64 {
    let key = inputs::key(conversation);
    for _ in 0..count {
        let client = pool.get().await.expect("a connection comes free");
        let statement = client.prepare_cached(&update).await.expect("the statement is right");
        let body = body_of(&bodies, version % 2 == 0);
        let row = client.query_one(&statement, &[&key.as_str(), &version, &body.as_bytes()]).await;
        version = row.expect("nobody else writes here").get(0);
    }
    version
}

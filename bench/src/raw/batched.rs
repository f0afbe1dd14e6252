//! Batched raw saves on PostgreSQL by tokio-postgres: one statement for many, over two connections.
//!
//! The best that raw saves can do there. Nobody hands a save over to anybody and waits, as real
//! callers would; each connection saves its half of the documents again and again.

use std::sync::Arc;

use tokio::{runtime::Runtime, task::JoinHandle};
use tokio_postgres::{Client, Error, NoTls};

use super::{Bodies, Raw};
use crate::inputs;

/// Number of connections. More wait for each other.
const LANES: usize = 2;

/// Documents in a table.
#[derive(Debug)]
pub struct BatchedPostgres {
    runtime: Arc<Runtime>,
    lanes: Vec<Lane>,
}

/// A connection, and the documents that it saves.
struct Lane {
    client: Client,
    connection: JoinHandle<Result<(), Error>>,
    update: Arc<str>,
    keys: Vec<String>,
    versions: Vec<i64>,
    /// For all of them, the next first.
    bodies: [Vec<Vec<u8>>; 2],
}

impl BatchedPostgres {
    /// Makes a table in a schema that exists, with so many documents of these bodies. Whoever made
    /// the schema removes it.
    ///
    /// # Errors
    /// When the server does not do as told.
    pub fn open(
        runtime: Arc<Runtime>,
        url: &str,
        schema: &str,
        conversations: usize,
        bodies: &Bodies,
    ) -> Result<Self, Error> {
        let update: Arc<str> = format!(
            "WITH given AS (
                 SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[]) AS t (key, version, body)
             ), locked AS (
                 SELECT old.key FROM {schema}.batched old JOIN given USING (key)
                 ORDER BY old.key FOR UPDATE OF old
             )
             UPDATE {schema}.batched AS new SET version = new.version + 1, body = given.body
             FROM given JOIN locked USING (key)
             WHERE new.key = given.key AND new.version = given.version"
        )
        .into();
        let lanes = runtime.block_on(async {
            let mut lanes = Vec::new();
            for lane in 0..LANES {
                let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
                let connection = tokio::spawn(connection);
                if lane == 0 {
                    let columns = "key text COLLATE \"C\" PRIMARY KEY, version bigint NOT NULL, body bytea NOT NULL";
                    let table = format!("CREATE TABLE {schema}.batched ({columns}) WITH (fillfactor = 60)");
                    client.batch_execute(&table).await?;
                }
                let numbers = (0..conversations).filter(|number| number % LANES == lane);
                let keys: Vec<_> =
                    numbers.map(|number| inputs::key(number).as_str().to_owned()).collect();
                let insert = format!("INSERT INTO {schema}.batched VALUES ($1, 0, $2)");
                for key in &keys {
                    client.execute(&insert, &[key, &bodies[0].as_bytes()]).await?;
                }
                let versions = vec![0; keys.len()];
                let [first, second] = bodies;
                let bodies =
                    [second, first].map(|body| vec![body.as_bytes().to_vec(); keys.len()]);
                let update = Arc::clone(&update);
                lanes.push(Lane { client, connection, update, keys, versions, bodies });
            }
            Ok::<_, Error>(lanes)
        })?;
        Ok(Self { runtime, lanes })
    }
}

impl Raw for BatchedPostgres {
    fn run(&mut self, count: usize) {
        let Self { runtime, lanes } = self;
        runtime.block_on(async {
            let both: Vec<_> = std::mem::take(lanes)
                .into_iter()
                .map(|lane| tokio::spawn(lane.repeat(count)))
                .collect();
            for lane in both {
                lanes.push(lane.await.expect("no save panics"));
            }
        });
    }
}

impl Lane {
    async fn repeat(mut self, count: usize) -> Self {
        let update = self.client.prepare(&self.update).await.expect("the statement is right");
        for _ in 0..count {
            let saved =
                self.client.execute(&update, &[&self.keys, &self.versions, &self.bodies[0]]).await;
            let saved = saved.expect("the server takes the saves");
            assert_eq!(saved, self.keys.len() as u64, "nobody else writes here");
            self.versions.iter_mut().for_each(|version| *version += 1);
            self.bodies.reverse();
        }
        self
    }
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lane").field("documents", &self.keys.len()).finish_non_exhaustive()
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

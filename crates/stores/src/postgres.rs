//! PostgreSQL: documents in one table, shared by any number of instances on any number of machines.
//!
//! Group commit: saves of different documents that are in flight together share a statement, and so
//! a flush of the server's log; each caller has its own verdict. A single caller waits for nobody.

mod batch;
mod config;
mod failure;
mod hosts;
mod line;
mod lineage;
mod pooler;
mod product;
mod purge;
mod reads;
mod schema;
mod session;
mod sessions;
mod settings;
mod sql;
mod stats;
mod tls;
mod transaction;
mod values;

use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::FutureExt;
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Participant, Purged, Saved, Store, Stored,
        Transactions, Write,
    },
};

use self::{
    batch::{Carrier, Kind, Verdict},
    failure::{Access, Failure},
    hosts::Hosts,
    reads::Reads,
    sessions::Sessions,
    sql::{Names, Statements},
    stats::Counters,
    values::{Row, Versions, version_of},
};
pub use self::{config::PostgresConfig, stats::PostgresStats};
use crate::lanes::{Lanes, Late};

/// The largest document that [`PostgresStore`] takes, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// Documents in a table of a PostgreSQL server.
///
/// # Guarantees
/// * A committed write is on the server's disk, and on that of its synchronous standbys where it
///   has any: each session asks for that itself, whatever the server's default is. A server with
///   settings that void this (`fsync=off`) is refused when the store is opened.
/// * Any number of stores, processes and machines may use one table at the same time.
/// * A version is never used again, not even by a document that was deleted and made anew.
/// * A server that restarts or fails over is found again without help. A write is committed only if
///   the server has not given up the wait for its synchronous standby; otherwise it is
///   [`Error::Unknown`].
///
/// # Limits
/// PostgreSQL 12 or newer. A document has at most [`DOCUMENT_BYTES_MAX`] bytes. A call takes at
/// most 10 s, or what [`PostgresConfig::timeout`] says.
///
/// # Cancellation
/// A save, delete or transaction whose future is dropped is done or not done, never half done. When
/// it was already on its way it is done later, perhaps after a load that follows.
///
/// # Example
/// ```no_run
/// use sayso_stores::PostgresStore;
/// use sayso_turn::{Key, store::{Expect, Saved, Store, Write}};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = PostgresStore::open_url("postgres://bot:secret@db.example/bots").await?;
/// assert_eq!(store.to_string(), "PostgreSQL at db.example:5432/bots, table sayso.document");
///
/// let key = Key::conversation("webchat", "c1")?;
/// let write = Write::new(key.clone(), Expect::Absent, "{}");
/// assert!(matches!(store.save(write.clone()).await?, Saved::Committed(_)));
/// assert_eq!(store.save(write).await?, Saved::Conflict);
/// # Ok(())
/// # }
/// ```
pub struct PostgresStore {
    name: Arc<str>,
    warnings: Vec<String>,
    names: Names,
    sessions: Sessions,
    statements: Arc<Statements>,
    reads: Reads,
    versions: Versions,
    counters: Arc<Counters>,
    creates: Lanes<Row, Verdict>,
    replaces: Lanes<Row, Verdict>,
}

impl PostgresStore {
    /// Connects, creates the table if it is missing, and checks the settings of the server.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the server does not let us in, the table is not ours or of a newer
    /// version, a setting voids the promise, a pooler shares sessions, or the server is another
    /// product. [`Error::Unavailable`] when no server can be reached that takes writes. A store
    /// that is open gives `Unavailable` for all of these that a connection meets.
    ///
    /// # Cancellation
    /// May be dropped at any time: the table is there whole or not at all.
    pub async fn open(config: PostgresConfig) -> Result<Self, Error> {
        let name: Arc<str> = config.to_string().into();
        Self::connect(&config, &name).await.map_err(|failure| failure.into_error(&name))
    }

    /// [`open`](Self::open) with the configuration in a URL, see [`PostgresConfig::from_url`].
    ///
    /// # Errors
    /// As `open`, and [`Error::Invalid`] when the URL is not of the right shape.
    ///
    /// # Cancellation
    /// As `open`.
    pub async fn open_url(url: &str) -> Result<Self, Error> {
        Self::open(PostgresConfig::from_url(url)?).await
    }

    async fn connect(config: &PostgresConfig, name: &Arc<str>) -> Result<Self, Failure> {
        let hosts = Arc::new(Hosts::new(config, name)?);
        let lanes_max = config.connections / 2;
        let sessions = Sessions::new(&hosts, config.connections - lanes_max, config.timeout);
        let set_up = schema::set_up(sessions.get(sessions.deadline()).await?, &config.names);
        Box::pin(set_up).await?;
        // Once more, with the table there.
        let client = sessions.get(sessions.deadline()).await?;
        let checked = tokio::time::timeout(config.timeout, hosts.check(&client)).await;
        let warnings = checked.map_err(|_| Failure::no_answer(config.timeout))??;
        client.give_back();
        hosts.opened();

        let statements = Arc::new(Statements::new(&config.names));
        let counters = Arc::new(Counters::default());
        let carrier = Carrier {
            // Of their own, so that saves never wait for loads. They give up a little earlier than
            // the callers do, and can say better what happened.
            sessions: Sessions::new(&hosts, lanes_max, config.timeout * 9 / 10),
            statements: Arc::clone(&statements),
            counters: Arc::clone(&counters),
        };
        let lanes = |kind| {
            let carrier = carrier.clone();
            Lanes::new(lanes_max, move |rows| carrier.clone().carry(kind, rows).boxed())
        };
        Ok(Self {
            name: Arc::clone(name),
            warnings,
            names: config.names.clone(),
            reads: Reads {
                store: Arc::clone(name),
                sessions: sessions.clone(),
                statements: Arc::clone(&statements),
            },
            sessions,
            statements,
            versions: Versions::default(),
            creates: lanes(Kind::Create),
            replaces: lanes(Kind::Replace),
            counters,
        })
    }

    /// Warnings about server settings that weakened the guarantees when the store was opened, a
    /// sentence each. They are also logged, then and whenever a new connection finds others: after
    /// a failover, for example.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The counters so far.
    #[must_use]
    pub fn stats(&self) -> PostgresStats {
        self.counters.read()
    }

    fn error(&self, failure: Failure) -> Error {
        failure.into_error(&self.name)
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let _before = self.counters.loads.fetch_add(1, Ordering::Relaxed);
        self.reads.document(key).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        write.check_size(self, DOCUMENT_BYTES_MAX)?;
        let Some(row) = Row::new(write, &self.versions) else { return Ok(Saved::Conflict) };
        let etag = row.etag();
        let lanes = if row.expected.is_some() { &self.replaces } else { &self.creates };
        let limit = self.sessions.timeout();
        let verdict = lanes.send(row, limit).await.unwrap_or_else(|late| {
            Err(match late {
                Late::Waiting => Failure::no_connection_in_time(limit),
                Late::UnderWay => Failure::out_of_time(Access::Write, limit),
            })
        });
        match verdict {
            Ok(true) => Ok(Saved::Committed(etag)),
            Ok(false) => Ok(Saved::Conflict),
            Err(failure) => Err(self.error(failure)),
        }
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let Some(version) = version_of(etag) else { return Ok(Saved::Conflict) };
        let key = key.as_str().as_bytes();
        let (deadline, sql) = (self.sessions.deadline(), &self.statements.delete);
        let gone = self.sessions.run(deadline, Access::Write, sql, &[&key, &version]).await;
        match gone.map_err(|failure| self.error(failure))?.len() {
            0 => Ok(Saved::Conflict),
            _ => Ok(Saved::Committed(etag.clone())),
        }
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        self.reads.due(now, from, limit).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.reads.pages(prefix, None)
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        Some(self.reads.pages(prefix, Some(participant)))
    }

    async fn purge(&self, effort: Effort) -> Result<Purged, Error> {
        let purged = purge::run(&self.sessions, &self.names, effort).await;
        purged.map_err(|failure| self.error(failure))
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }

    fn save_time_max(&self) -> Option<Duration> {
        // By the lanes, for each save.
        Some(self.sessions.timeout())
    }
}

#[async_trait]
impl Transactions for PostgresStore {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        writes.iter().try_for_each(|write| write.check_size(self, DOCUMENT_BYTES_MAX))?;
        let rows = writes.into_iter().map(|write| Row::new(write, &self.versions));
        let Some(rows) = rows.collect::<Option<Vec<_>>>() else { return Ok(Saved::Conflict) };
        if rows.is_empty() {
            return Ok(Saved::Committed(Vec::new()));
        }
        let etags = rows.iter().map(Row::etag).collect();
        let (sessions, statements) = (self.sessions.clone(), Arc::clone(&self.statements));
        // In a task of its own, which goes on when the caller is dropped.
        let work = async move { transaction::write_all(sessions, &statements, rows).await };
        let written = tokio::spawn(work)
            .await
            .unwrap_or_else(|_| Err(Failure::out_of_time(Access::Write, self.sessions.timeout())));
        match written.map_err(|failure| self.error(failure))? {
            true => Ok(Saved::Committed(etags)),
            false => Ok(Saved::Conflict),
        }
    }
}

impl fmt::Display for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

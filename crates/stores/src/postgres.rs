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
mod tls;
mod transaction;
mod values;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Participant, PoolStats, Purged, Saved, Store,
        StoreStats, Stored, Transactions, Write,
    },
};

pub use self::config::PostgresConfig;
use self::{
    batch::{Carrier, Kind, Verdict},
    failure::{Access, Failure},
    hosts::Hosts,
    reads::Reads,
    sessions::Sessions,
    sql::{Names, Statements},
    values::{Row, Versions, version_of},
};
use crate::{
    foreign::{ForeignRows, KeyPage},
    lanes::{Lanes, Late},
    meter::{Call, Meter},
};

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
    /// Sessions of the saves, which the lanes use.
    saving: Sessions,
    meter: Arc<Meter>,
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
        let meter = Arc::new(Meter::default());
        // Of their own, so that saves never wait for loads. They give up a little earlier than the
        // callers do, and can say better what happened.
        let saving = Sessions::new(&hosts, lanes_max, config.timeout * 9 / 10);
        let carrier = Carrier {
            sessions: saving.clone(),
            statements: Arc::clone(&statements),
            meter: Arc::clone(&meter),
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
                foreign: ForeignRows::default(),
            },
            sessions,
            statements,
            versions: Versions::default(),
            creates: lanes(Kind::Create),
            replaces: lanes(Kind::Replace),
            saving,
            meter,
        })
    }

    /// Warnings about server settings that weakened the guarantees when the store was opened, a
    /// sentence each. They are also logged, then and whenever a new connection finds others: after
    /// a failover, for example.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    async fn write(&self, write: Write) -> Result<Saved, Error> {
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

    async fn remove(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let Some(version) = version_of(etag) else { return Ok(Saved::Conflict) };
        let key = key.as_str().as_bytes();
        let (deadline, sql) = (self.sessions.deadline(), &self.statements.delete);
        let gone = self.sessions.run(deadline, Access::Write, sql, &[&key, &version]).await;
        match gone.map_err(|failure| self.error(failure))?.len() {
            0 => Ok(Saved::Conflict),
            _ => Ok(Saved::Committed(etag.clone())),
        }
    }

    async fn write_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
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

    /// The keys with a prefix, page by page: all, or those of a participant.
    fn pages(&self, prefix: &str, of: Option<Participant>) -> BoxStream<'_, Result<Key, Error>> {
        let prefix: Arc<str> = prefix.into();
        // The state is where the last page ended, and `None` after the last page.
        let pages = stream::try_unfold(Some(None), move |state: Option<Option<Vec<u8>>>| {
            let prefix = Arc::clone(&prefix);
            async move {
                let Some(after) = state else { return Ok(None) };
                let page = self.reads.page(&prefix, after.as_deref(), of);
                let KeyPage { keys, next } = self.meter.time(Call::List, page).await?;
                Ok(Some((stream::iter(keys.into_iter().map(Ok)), next.map(Some))))
            }
        });
        pages.try_flatten().boxed()
    }

    fn error(&self, failure: Failure) -> Error {
        failure.into_error(&self.name)
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.meter.load(self.reads.document(key)).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        self.meter.write(Call::Save, write.body.len(), self.write(write)).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        self.meter.write(Call::Delete, 0, self.remove(key, etag)).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        self.meter.time(Call::Due, self.reads.due(now, from, limit)).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.pages(prefix, None)
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        Some(self.pages(prefix, Some(participant)))
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

    fn stats(&self) -> StoreStats {
        let (mut stats, mut pool) = (self.meter.read(), PoolStats::default());
        for sessions in [&self.sessions, &self.saving] {
            sessions.add_to(&mut pool);
        }
        stats.pool = Some(pool);
        stats
    }
}

#[async_trait]
impl Transactions for PostgresStore {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        let bytes = writes.iter().map(|write| write.body.len()).sum();
        self.meter.write(Call::Transaction, bytes, self.write_all(writes)).await
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

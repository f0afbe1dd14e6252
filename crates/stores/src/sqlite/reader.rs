//! Readers: threads with a connection each, that answer all queued reads in one short snapshot.
//!
//! The snapshot is taken after the calls arrived, so each sees every write acknowledged before it.
//! It ends with the batch, so the log can always be cleaned up.

use std::sync::Arc;

use rusqlite::{
    Connection, OptionalExtension, Params, Row, ToSql, params,
    types::{ToSqlOutput, ValueRef},
};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, DuePage, Error, Participant, Stored},
};
use tokio::sync::{mpsc, oneshot};

use super::{
    failure::Failure,
    lane::BATCH_MAX,
    values::{etag_of, millis_of},
};
use crate::foreign::{DueRow, ForeignRows, KeyPage, Place};

type Reply<T> = oneshot::Sender<Result<T, Error>>;

pub(super) enum Read {
    Load { key: Key, reply: Reply<Option<Stored>> },
    Due { now: Timestamp, from: Option<Cursor>, limit: usize, reply: Reply<DuePage> },
    ListWith { participant: Participant, page: Page, reply: Reply<KeyPage> },
    List { page: Page, reply: Reply<KeyPage> },
}

/// Page of a listing: at most `limit` keys with a prefix, after a key.
pub(super) struct Page {
    pub(super) prefix: Arc<str>,
    pub(super) after: Option<Vec<u8>>,
    pub(super) limit: usize,
}

pub(super) struct Reader {
    connection: Connection,
    store: Arc<str>,
    foreign: Arc<ForeignRows>,
}

pub(super) const LOAD: &str = "SELECT version, body FROM document WHERE key = ?1";
/// Query of due documents, in the order of their index (keyset pagination). It names the index, so
/// that no statistics can talk the planner out of it.
pub(super) const DUE: &str = "SELECT key, version, due FROM document INDEXED BY document_due
    WHERE due <= ?1 AND (due, key) > (?2, ?3) ORDER BY due, key LIMIT ?4";
pub(super) const LIST_FROM: &str = "SELECT key FROM document WHERE key >= ?1 ORDER BY key LIMIT ?2";
pub(super) const LIST_AFTER: &str = "SELECT key FROM document WHERE key > ?1 ORDER BY key LIMIT ?2";

/// Query of the documents of a participant and those whose participants nobody told, in one order,
/// which both indexes have.
pub(super) const WITH_FROM: &str = "SELECT document FROM participant
    WHERE participant = ?3 AND document >= ?1
    UNION ALL SELECT key FROM document INDEXED BY document_unlisted
    WHERE participants IS NULL AND key >= ?1 ORDER BY 1 LIMIT ?2";
pub(super) const WITH_AFTER: &str = "SELECT document FROM participant
    WHERE participant = ?3 AND document > ?1
    UNION ALL SELECT key FROM document INDEXED BY document_unlisted
    WHERE participants IS NULL AND key > ?1 ORDER BY 1 LIMIT ?2";

impl Reader {
    pub(super) fn new(connection: Connection, store: Arc<str>, foreign: Arc<ForeignRows>) -> Self {
        Self { connection, store, foreign }
    }

    /// Works until the queue is closed and empty.
    pub(super) fn run(&self, mut queue: mpsc::Receiver<Read>) {
        let mut reads = Vec::with_capacity(BATCH_MAX);
        while queue.blocking_recv_many(&mut reads, BATCH_MAX) > 0 {
            // One snapshot for all is less work than one each. Correctness does not depend on it.
            let is_shared = reads.len() > 1 && self.run_sql("BEGIN").is_ok();
            for read in reads.drain(..) {
                self.answer(read);
            }
            if is_shared && self.run_sql("COMMIT").is_err() && !self.connection.is_autocommit() {
                drop(self.run_sql("ROLLBACK"));
            }
        }
    }

    fn answer(&self, read: Read) {
        // A caller that has gone needs no answer.
        match read {
            Read::Load { key, reply } => {
                if !reply.is_closed() {
                    drop(reply.send(self.load(&key)));
                }
            }
            Read::Due { now, from, limit, reply } => {
                drop(reply.send(self.due(now, from.as_ref(), limit)));
            }
            Read::List { page, reply } => drop(reply.send(self.list(&page))),
            Read::ListWith { participant, page, reply } => {
                drop(reply.send(self.list_with(participant, &page)));
            }
        }
    }

    fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let row = self.connection.prepare_cached(LOAD).and_then(|mut load| {
            let row = load.query_row([key.as_str()], |row| Ok((row.get(0)?, text(row, 1)?)));
            row.optional()
        });
        match row.map_err(|error| self.failed(error))? {
            None => Ok(None),
            Some((version, Ok(body))) => Ok(Some(Stored { body, etag: etag_of(version) })),
            Some((_, Err(reason))) => Err(Error::Corrupt { key: key.clone(), reason }),
        }
    }

    fn due(&self, now: Timestamp, from: Option<&Cursor>, limit: usize) -> Result<DuePage, Error> {
        let Place { at, key } = Place::of(from);
        let rows = self.connection.prepare_cached(DUE).and_then(|mut due| {
            let given = params![millis_of(now), at, RawText(&key), count(limit)];
            let rows = due.query_map(given, |row| {
                Ok(DueRow { key: raw(row)?, etag: etag_of(row.get(1)?), at: row.get(2)? })
            });
            rows?.collect::<Result<Vec<_>, _>>()
        });
        let rows = rows.map_err(|error| self.failed(error))?;
        Ok(self.foreign.due(&self.store, rows, limit))
    }

    /// Lists keys with a prefix. In byte order they stand together, so the first one without it
    /// ends the list. No pattern is involved that a key could contain.
    fn list(&self, page: &Page) -> Result<KeyPage, Error> {
        let (sql, from) = match &page.after {
            None => (LIST_FROM, page.prefix.as_bytes()),
            Some(key) => (LIST_AFTER, &key[..]),
        };
        self.keys(sql, params![RawText(from), count(page.limit)], page)
    }

    /// Lists keys with a prefix of documents that somebody may take part in.
    fn list_with(&self, participant: Participant, page: &Page) -> Result<KeyPage, Error> {
        let (sql, from) = match &page.after {
            None => (WITH_FROM, page.prefix.as_bytes()),
            Some(key) => (WITH_AFTER, &key[..]),
        };
        let given = params![RawText(from), count(page.limit), participant.as_i64()];
        self.keys(sql, given, page)
    }

    fn keys(&self, sql: &str, given: impl Params, page: &Page) -> Result<KeyPage, Error> {
        let rows = self.connection.prepare_cached(sql).and_then(|mut list| {
            let rows = list.query_map(given, raw);
            rows?.collect::<Result<Vec<_>, _>>()
        });
        let mut rows = rows.map_err(|error| self.failed(error))?;
        let inside = rows.iter().take_while(|key| key.starts_with(page.prefix.as_bytes())).count();
        rows.truncate(inside);
        Ok(self.foreign.list(&self.store, &rows, page.limit))
    }

    fn failed(&self, error: rusqlite::Error) -> Error {
        Failure::before_commit(error).into_error(&self.store)
    }

    fn run_sql(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }
}

/// Text that need not be UTF-8: SQLite does not check what others put in.
struct RawText<'a>(&'a [u8]);

impl ToSql for RawText<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.0)))
    }
}

/// The key of a row, as bytes.
fn raw(row: &Row<'_>) -> rusqlite::Result<Vec<u8>> {
    Ok(match row.get_ref(0)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
        // The table takes nothing but text.
        _ => Vec::new(),
    })
}

/// A column as text, or the reason why it is not text. Only the database can fail here.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Result<String, String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => {
            String::from_utf8(bytes.to_vec()).map_err(|error| format!("it is not text: {error}"))
        }
        other => Err(format!("it is not text but {}", other.data_type())),
    })
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

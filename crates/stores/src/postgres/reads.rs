//! Reads: one document, the due documents, the keys.

use std::sync::Arc;

use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, DuePage, Error, Participant, Stored},
};
use tokio_postgres::{Row, types::ToSql};

use super::{
    failure::{Access, Failure},
    sessions::Sessions,
    sql::Statements,
    values::{end_of_prefix, etag_of, millis_of},
};
use crate::foreign::{DueRow, ForeignRows, KeyPage, Place};

/// Page size of a listing, in keys.
const PAGE_MAX: usize = 256;

/// Reads documents in sessions of the pool.
pub(super) struct Reads {
    /// The name of the store, for errors.
    pub(super) store: Arc<str>,
    pub(super) sessions: Sessions,
    pub(super) statements: Arc<Statements>,
    pub(super) foreign: ForeignRows,
}

impl Reads {
    pub(super) async fn document(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let given = key.as_str().as_bytes();
        let rows = self.read(&self.statements.load, &[&given]).await;
        let rows = rows.map_err(|failure| self.error(failure))?;
        let Some(row) = rows.first() else { return Ok(None) };
        let version = row.try_get(0).map_err(|error| self.unreadable(&error))?;
        let body: Vec<u8> = row.try_get(1).map_err(|error| self.unreadable(&error))?;
        let body = String::from_utf8(body).map_err(|error| Error::Corrupt {
            key: key.clone(),
            reason: format!("it is not text: {}", error.utf8_error()),
        })?;
        Ok(Some(Stored { body, etag: etag_of(version) }))
    }

    pub(super) async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let Place { at, key } = Place::of(from);
        let (now, most) = (millis_of(now), count(limit));
        let given: [&(dyn ToSql + Sync); 4] = [&now, &at, &key, &most];
        let rows = self.read(&self.statements.due, &given).await;
        let rows = rows.map_err(|failure| self.error(failure))?;
        let due = |row: &Row| -> Result<_, tokio_postgres::Error> {
            Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
        };
        let rows = rows.iter().map(|row| {
            let (key, version, at) = due(row).map_err(|error| self.unreadable(&error))?;
            Ok(DueRow { key, etag: etag_of(version), at })
        });
        Ok(self.foreign.due(&self.store, rows.collect::<Result<_, Error>>()?, limit))
    }

    /// The next keys that begin with a prefix: all, or those of a participant.
    pub(super) async fn page(
        &self,
        prefix: &str,
        after: Option<&[u8]>,
        of: Option<Participant>,
    ) -> Result<KeyPage, Error> {
        let statements = &self.statements;
        let (sql, from) = match (after, of) {
            (None, None) => (&statements.list_from, prefix.as_bytes()),
            (Some(key), None) => (&statements.list_after, key),
            (None, Some(_)) => (&statements.with_from, prefix.as_bytes()),
            (Some(key), Some(_)) => (&statements.with_after, key),
        };
        let (end, limit) = (end_of_prefix(prefix), count(PAGE_MAX));
        let participant = of.map(Participant::as_i64);
        let given: [&(dyn ToSql + Sync); 4] = [&from, &end, &limit, &participant];
        let given = if of.is_some() { &given[..] } else { &given[..3] };
        let rows = self.read(sql, given).await;
        let rows = rows.map_err(|failure| self.error(failure))?;
        let keys = rows.iter().map(|row| row.try_get(0).map_err(|error| self.unreadable(&error)));
        let keys: Vec<_> = keys.collect::<Result<_, Error>>()?;
        Ok(self.foreign.list(&self.store, &keys, PAGE_MAX))
    }

    async fn read(&self, sql: &str, given: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Failure> {
        self.sessions.run(self.sessions.deadline(), Access::Read, sql, given).await
    }

    fn unreadable(&self, error: &tokio_postgres::Error) -> Error {
        self.error(Failure::before(error))
    }

    fn error(&self, failure: Failure) -> Error {
        failure.into_error(&self.store)
    }
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

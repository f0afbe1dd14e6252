//! Reads: one document, the due documents, the keys.

use std::{borrow::Cow, sync::Arc};

use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, Due, DuePage, Error, Stored},
};
use tokio_postgres::{Row, types::ToSql};

use super::{
    failure::{Access, Failure},
    sessions::Sessions,
    sql::Statements,
    values::{end_of_prefix, etag_of, millis_of, time_of},
};

/// Page size of a listing, in keys.
pub(super) const PAGE_MAX: usize = 256;

/// Reads documents in sessions of the pool.
pub(super) struct Reads {
    /// The name of the store, for errors.
    pub(super) store: Arc<str>,
    pub(super) sessions: Sessions,
    pub(super) statements: Arc<Statements>,
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
        let place = from.and_then(Cursor::place);
        let (at, key) = place.map_or((-1, ""), |(at, key)| (millis_of(at), key));
        let (now, key, most) = (millis_of(now), key.as_bytes(), count(limit));
        let given: [&(dyn ToSql + Sync); 4] = [&now, &at, &key, &most];
        let rows = self.read(&self.statements.due, &given).await;
        let rows = rows.map_err(|failure| self.error(failure))?;
        let due = |row: &Row| -> Result<_, tokio_postgres::Error> {
            Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
        };
        let found = rows.iter().map(|row| {
            let (key, version, at) = due(row).map_err(|error| self.unreadable(&error))?;
            Ok(Due { key: self.key(key)?, etag: etag_of(version), at: time_of(at) })
        });
        Ok(DuePage::in_order(found.collect::<Result<_, Error>>()?, limit))
    }

    /// The next keys that begin with a prefix.
    pub(super) async fn page(&self, prefix: &str, after: Option<&Key>) -> Result<Vec<Key>, Error> {
        let (sql, from) = match after {
            None => (&self.statements.list_from, prefix),
            Some(key) => (&self.statements.list_after, key.as_str()),
        };
        let (from, end, limit) = (from.as_bytes(), end_of_prefix(prefix), count(PAGE_MAX));
        let rows = self.read(sql, &[&from, &end, &limit]).await;
        let rows = rows.map_err(|failure| self.error(failure))?;
        rows.iter()
            .map(|row| self.key(row.try_get(0).map_err(|error| self.unreadable(&error))?))
            .collect()
    }

    async fn read(&self, sql: &str, given: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Failure> {
        self.sessions.run(self.sessions.deadline(), Access::Read, sql, given).await
    }

    fn key(&self, bytes: Vec<u8>) -> Result<Key, Error> {
        let text = String::from_utf8(bytes).map_err(|error| error.utf8_error().to_string());
        let key = text.and_then(|text| Key::new(text).map_err(|error| error.to_string()));
        key.map_err(|reason| Error::Invalid {
            store: Cow::Owned(self.store.to_string()),
            reason: format!("it holds a document under something that is no key: {reason}"),
            source: None,
        })
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

//! Reads: one document, the due documents, the keys.

use std::{borrow::Cow, sync::Arc};

use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, Due, DuePage, Error, Participant, Stored},
};
use tokio_postgres::{Row, types::ToSql};

use super::{
    failure::{Access, Failure},
    sessions::Sessions,
    sql::Statements,
    values::{end_of_prefix, etag_of, millis_of, time_of},
};

/// Page size of a listing, in keys.
const PAGE_MAX: usize = 256;

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

    /// The next keys that begin with a prefix: all, or those of a participant.
    async fn page(
        &self,
        prefix: &str,
        after: Option<&Key>,
        of: Option<Participant>,
    ) -> Result<Vec<Key>, Error> {
        let statements = &self.statements;
        let (sql, from) = match (after, of) {
            (None, None) => (&statements.list_from, prefix),
            (Some(key), None) => (&statements.list_after, key.as_str()),
            (None, Some(_)) => (&statements.with_from, prefix),
            (Some(key), Some(_)) => (&statements.with_after, key.as_str()),
        };
        let (from, end, limit) = (from.as_bytes(), end_of_prefix(prefix), count(PAGE_MAX));
        let participant = of.map(Participant::as_i64);
        let given: [&(dyn ToSql + Sync); 4] = [&from, &end, &limit, &participant];
        let given = if of.is_some() { &given[..] } else { &given[..3] };
        let rows = self.read(sql, given).await;
        let rows = rows.map_err(|failure| self.error(failure))?;
        rows.iter()
            .map(|row| self.key(row.try_get(0).map_err(|error| self.unreadable(&error))?))
            .collect()
    }

    /// The keys that begin with a prefix, page by page: all, or those of a participant.
    pub(super) fn pages(
        &self,
        prefix: &str,
        of: Option<Participant>,
    ) -> BoxStream<'_, Result<Key, Error>> {
        let prefix: Arc<str> = prefix.into();
        // The state is where the last page ended, and `None` after the last page.
        let pages = stream::try_unfold(Some(None), move |state: Option<Option<Key>>| {
            let prefix = Arc::clone(&prefix);
            async move {
                let Some(after) = state else { return Ok(None) };
                let keys = self.page(&prefix, after.as_ref(), of).await?;
                let next = (keys.len() == PAGE_MAX).then(|| keys.last().cloned());
                Ok(Some((stream::iter(keys.into_iter().map(Ok)), next)))
            }
        });
        pages.try_flatten().boxed()
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

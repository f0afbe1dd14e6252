//! The memory store: every promise but survival of the process.
//!
//! For tests, for the simulator and as the yardstick of the turn's own cost.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};

use super::{Due, ETag, Error, Expect, Saved, Store, Stored, Transactions, Write};
use crate::{Key, by_key::ByKey, clock::Timestamp};

/// Documents in the memory of this process.
///
/// # Example
/// ```
/// use sayso_turn::{Key, store::{Expect, MemoryStore, Saved, Store, Write}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let store = MemoryStore::default();
/// let key = Key::new("webchat/conversations/c1").unwrap();
/// let write = Write { key, expect: Expect::Absent, body: "{}".into(), due: None, expires: None };
/// assert!(matches!(store.save(write.clone()).await, Ok(Saved::Committed(_))));
/// assert!(matches!(store.save(write).await, Ok(Saved::Conflict)));
/// # }
/// ```
#[derive(Default)]
pub struct MemoryStore {
    rows: Mutex<Rows>,
}

#[derive(Default)]
struct Rows {
    by_key: ByKey<Row>,
    /// Those that have a due time, in order.
    due: BTreeMap<Key, Timestamp>,
    /// One counter for all keys: a version is never used twice, not even by a key made anew.
    version: u64,
}

struct Row {
    body: String,
    etag: ETag,
    due: Option<Timestamp>,
}

impl MemoryStore {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        // No code that can panic runs under the lock between two changes that belong together.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rows {
    fn holds(&self, key: &Key, expect: &Expect) -> bool {
        match (self.by_key.get(key), expect) {
            (None, Expect::Absent) => true,
            (Some(row), Expect::At(etag)) => row.etag == *etag,
            (None, Expect::At(_)) | (Some(_), Expect::Absent) => false,
        }
    }

    fn put(&mut self, write: Write) -> ETag {
        self.version += 1;
        let etag = ETag::new(itoa::Buffer::new().format(self.version));
        let Write { key, body, due, .. } = write;
        let old = self.by_key.get_mut(&key);
        if old.as_ref().and_then(|row| row.due) != due {
            match due {
                Some(at) => drop(self.due.insert(key.clone(), at)),
                None => drop(self.due.remove(&key)),
            }
        }
        let row = Row { body, etag: etag.clone(), due };
        match old {
            Some(old) => *old = row,
            None => self.by_key.insert(key, row),
        }
        etag
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let rows = self.rows();
        Ok(rows
            .by_key
            .get(key)
            .map(|row| Stored { body: row.body.clone(), etag: row.etag.clone() }))
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        let mut rows = self.rows();
        if !rows.holds(&write.key, &write.expect) {
            return Ok(Saved::Conflict);
        }
        Ok(Saved::Committed(rows.put(write)))
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let mut rows = self.rows();
        if rows.by_key.get(key).is_none_or(|row| row.etag != *etag) {
            return Ok(Saved::Conflict);
        }
        drop(rows.by_key.remove(key));
        rows.due.remove(key);
        Ok(Saved::Committed(etag.clone()))
    }

    async fn due(
        &self,
        now: Timestamp,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<Due>, Error> {
        let rows = self.rows();
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let waiting = rows.due.range((from, Bound::Unbounded)).filter(|(_, at)| **at <= now);
        let named = waiting.take(limit).filter_map(|(key, at)| {
            let row = rows.by_key.get(key)?;
            Some(Due { key: key.clone(), etag: row.etag.clone(), at: *at })
        });
        Ok(named.collect())
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        let rows = self.rows();
        let all = rows.by_key.sorted().into_iter().map(|(key, _)| key);
        let keys: Vec<_> =
            all.filter(|key| key.as_str().starts_with(prefix)).map(|key| Ok(key.clone())).collect();
        stream::iter(keys).boxed()
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }
}

#[async_trait]
impl Transactions for MemoryStore {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        let mut rows = self.rows();
        if !writes.iter().all(|write| rows.holds(&write.key, &write.expect)) {
            return Ok(Saved::Conflict);
        }
        Ok(Saved::Committed(writes.into_iter().map(|write| rows.put(write)).collect()))
    }
}

impl fmt::Display for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the memory store")
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("documents", &self.rows().by_key.len()).finish()
    }
}

//! Memory store: fulfils the whole contract except durability across restarts.
//!
//! For tests, the simulator, and benchmarks of the engine's own cost.

use std::fmt;

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};

use super::{Due, ETag, Error, Expect, Saved, Store, Stored, Transactions, Write};
use crate::{
    Key,
    by_key::ByKey,
    clock::Timestamp,
    sync::{Mutex, MutexGuard, lock},
};

/// Store that keeps documents in the memory of this process.
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
    /// Due times of the documents that have one.
    due: ByKey<Timestamp>,
    /// One counter for all keys: a version is never reused, not even by a key that was deleted and
    /// created again.
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
        lock(&self.rows)
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

    /// Writes a document if its condition holds.
    fn put(&mut self, write: Write) -> Option<ETag> {
        let Write { key, expect, body, due, .. } = write;
        let old = self.by_key.get_mut(&key);
        let was_due = match (&old, &expect) {
            (None, Expect::Absent) => None,
            (Some(row), Expect::At(etag)) if row.etag == *etag => row.due,
            _ => return None,
        };
        if was_due != due {
            match due {
                Some(at) => self.due.insert(key.clone(), at),
                None => drop(self.due.remove(&key)),
            }
        }
        self.version += 1;
        let etag = ETag::new(itoa::Buffer::new().format(self.version));
        let row = Row { body, etag: etag.clone(), due };
        match old {
            Some(old) => *old = row,
            None => self.by_key.insert(key, row),
        }
        Some(etag)
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
        Ok(self.rows().put(write).map_or(Saved::Conflict, Saved::Committed))
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let mut rows = self.rows();
        if rows.by_key.get(key).is_none_or(|row| row.etag != *etag) {
            return Ok(Saved::Conflict);
        }
        drop(rows.by_key.remove(key));
        let _time = rows.due.remove(key);
        Ok(Saved::Committed(etag.clone()))
    }

    async fn due(
        &self,
        now: Timestamp,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<Due>, Error> {
        let rows = self.rows();
        let is_next = |key: &Key| after.is_none_or(|after| key > after);
        let waiting = rows.due.sorted_if(|key, at| *at <= now && is_next(key));
        let named = waiting.into_iter().take(limit).filter_map(|(key, at)| {
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
        let put =
            |write| rows.put(write).expect("the condition was checked, and keys are distinct");
        Ok(Saved::Committed(writes.into_iter().map(put).collect()))
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

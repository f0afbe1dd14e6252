//! Memory store: fulfils the whole contract except durability across restarts.
//!
//! For tests, the simulator, and benchmarks of the engine's own cost.

use std::{
    collections::BTreeSet,
    fmt, mem,
    ops::Bound::{Excluded, Unbounded},
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};

use super::{
    Cursor, Due, DuePage, ETag, Effort, Error, Expect, Participant, Participants, Purged, Saved,
    Store, Stored, Transactions, Write,
};
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
/// let write = Write::new(key, Expect::Absent, "{}");
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
    /// Index of the documents that have a due time.
    due: BTreeSet<(Timestamp, Key)>,
    /// One counter for all keys: a version is never reused, not even by a key that was deleted and
    /// created again.
    version: u64,
}

const UNKNOWN: Participants = Participants::Unknown;

struct Row {
    body: String,
    etag: ETag,
    due: Option<Timestamp>,
    participants: Participants,
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
        let Write { key, expect, body, due, participants, .. } = write;
        let mut old = self.by_key.get_mut(&key);
        let was_due = match (&old, &expect) {
            (None, Expect::Absent) => None,
            (Some(row), Expect::At(etag)) if row.etag == *etag => row.due,
            _ => return None,
        };
        if was_due != due {
            if let Some(at) = was_due {
                self.due.remove(&(at, key.clone()));
            }
            if let Some(at) = due {
                self.due.insert((at, key.clone()));
            }
        }
        self.version += 1;
        let etag = ETag::new(itoa::Buffer::new().format(self.version));
        let former = || old.as_mut().map(|row| mem::replace(&mut row.participants, UNKNOWN));
        let participants = participants.or_else(former).unwrap_or(UNKNOWN);
        let row = Row { body, etag: etag.clone(), due, participants };
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
        let row = rows.by_key.remove(key);
        if let Some(at) = row.and_then(|row| row.due) {
            rows.due.remove(&(at, key.clone()));
        }
        Ok(Saved::Committed(etag.clone()))
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let rows = self.rows();
        let place = from.and_then(Cursor::place);
        let place = place.and_then(|(at, key)| Some((at, Key::new(key).ok()?)));
        let begin = place.map_or(Unbounded, Excluded);
        let waiting = rows.due.range((begin, Unbounded)).take_while(|(at, _)| *at <= now);
        let named = waiting.take(limit).filter_map(|(at, key)| {
            let row = rows.by_key.get(key)?;
            Some(Due { key: key.clone(), etag: row.etag.clone(), at: *at })
        });
        Ok(DuePage::in_order(named.collect(), limit))
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        let rows = self.rows();
        let all = rows.by_key.sorted().into_iter().map(|(key, _)| key);
        let keys: Vec<_> =
            all.filter(|key| key.as_str().starts_with(prefix)).map(|key| Ok(key.clone())).collect();
        stream::iter(keys).boxed()
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        // All are looked at: in memory that costs less than an index.
        let rows = self.rows();
        let is_it = |key: &Key, row: &Row| {
            key.as_str().starts_with(prefix) && row.participants.may_include(participant)
        };
        let keys: Vec<_> =
            rows.by_key.sorted_if(is_it).into_iter().map(|(key, _)| Ok(key.clone())).collect();
        Some(stream::iter(keys).boxed())
    }

    async fn purge(&self, _: Effort) -> Result<Purged, Error> {
        Ok(Purged { is_whole: true, done: Vec::new(), left: Vec::new() })
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

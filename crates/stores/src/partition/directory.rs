//! Directory of the partitions that exist: one small document in the base store.
//!
//! It is written before the first document of a partition. So an instance that knows only the base
//! store finds every partition, and a read of what is not in it opens nothing.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use sayso_turn::{
    Key,
    store::{Error, Expect, Saved, Store, Write},
};
use serde::{Deserialize, Serialize};

use super::names::PartitionBy;
use crate::sync::lock;

/// The most partitions of a store; a document of one more is refused.
pub const PARTITIONS_MAX: usize = 1000;
/// Key of the directory. No bot's key begins like this.
const KEY: &str = "$sayso/partitions";
/// Attempts to add a partition while others do, and the first pause between two of them.
const ROUNDS_MAX: u32 = 8;
const PAUSE: Duration = Duration::from_millis(5);

/// The directory, as this process knows it: what is in it stays in it.
#[derive(Debug)]
pub(super) struct Directory {
    by: PartitionBy,
    known: Mutex<BTreeSet<String>>,
    /// True until it was read once.
    is_unread: AtomicBool,
}

/// The directory, as it is stored.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Body {
    partitions: BTreeSet<String>,
}

/// Reports whether a key is the directory's.
pub(super) fn is(key: &Key) -> bool {
    key.as_str() == KEY
}

impl Directory {
    pub(super) fn new(by: PartitionBy) -> Self {
        let known: BTreeSet<String> = by.fixed().into_iter().collect();
        // A fixed set need not be stored.
        let is_unread = AtomicBool::new(known.is_empty());
        Self { by, known: Mutex::new(known), is_unread }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        lock(&self.known).contains(name)
    }

    /// The names, in order.
    pub(super) fn names(&self) -> Vec<String> {
        lock(&self.known).iter().cloned().collect()
    }

    pub(super) fn is_unread(&self) -> bool {
        self.is_unread.load(Ordering::Acquire)
    }

    /// Reads what others have added.
    pub(super) async fn refresh(&self, base: &dyn Store) -> Result<(), Error> {
        if !self.is_fixed() {
            let (_, body) = self.read(base).await?;
            lock(&self.known).extend(body.partitions);
        }
        self.is_unread.store(false, Ordering::Release);
        Ok(())
    }

    /// Adds a partition, unless it is there.
    pub(super) async fn add(&self, base: &dyn Store, name: &str) -> Result<(), Error> {
        for round in 0..ROUNDS_MAX {
            if self.has(name) {
                return Ok(());
            }
            if round > 0 {
                tokio::time::sleep(PAUSE * (1 << round)).await;
            }
            let (expect, mut body) = self.read(base).await?;
            lock(&self.known).extend(body.partitions.iter().cloned());
            if body.partitions.contains(name) {
                return Ok(());
            }
            if body.partitions.len() >= PARTITIONS_MAX {
                return Err(failed(base, |store| Error::Invalid {
                    store,
                    reason: format!(
                        "it has {PARTITIONS_MAX} partitions already (limit PARTITIONS_MAX)"
                    ),
                    source: None,
                }));
            }
            body.partitions.insert(name.to_owned());
            let text = serde_json::to_string(&body).expect("names are JSON");
            let write = Write {
                key: key(),
                expect,
                body: text,
                due: None,
                expires: None,
                participants: None,
            };
            match base.save(write).await {
                Ok(Saved::Committed(_)) => {
                    lock(&self.known).insert(name.to_owned());
                    return Ok(());
                }
                // Others have added one, or perhaps we have: the next round reads it.
                Ok(Saved::Conflict) | Err(Error::Unknown { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(failed(base, |store| Error::Unavailable {
            store,
            reason: "its directory of partitions is written by others all the time".into(),
            source: None,
        }))
    }

    fn is_fixed(&self) -> bool {
        self.by == PartitionBy::Kind
    }

    async fn read(&self, base: &dyn Store) -> Result<(Expect, Body), Error> {
        let Some(stored) = base.load(&key()).await? else {
            return Ok((Expect::Absent, Body::default()));
        };
        let body = serde_json::from_str(&stored.body).map_err(|_| Error::Corrupt {
            key: key(),
            reason: "it is not a directory of partitions".into(),
        })?;
        Ok((Expect::At(stored.etag), body))
    }
}

fn key() -> Key {
    Key::new(KEY).expect("a short key")
}

fn failed(base: &dyn Store, error: impl FnOnce(Cow<'static, str>) -> Error) -> Error {
    error(Cow::Owned(base.to_string()))
}

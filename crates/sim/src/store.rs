//! A store in the simulated world: the memory store behind a network that takes time, loses answers,
//! refuses, throttles and stalls.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Due, ETag, Error, Saved, Store, Stored, Transactions, Write},
};

use crate::{
    Fault,
    executor::{Executor, Owner},
    world::Chance,
};

/// One instance's view of the store that all share.
pub(crate) struct SimStore {
    pub(crate) shared: Arc<dyn Store>,
    pub(crate) old: Arc<Mutex<BTreeMap<Key, Stored>>>,
    pub(crate) chance: Arc<Chance>,
    pub(crate) executor: Executor,
    /// Whether this instance is of a newer minor version, which writes more into the ledger.
    pub(crate) is_newer: bool,
}

/// What a newer minor version keeps in the ledger.
pub(crate) const KEPT: &str = r#""newer":{"kept":true}"#;
const NEWER: &str = r#""$sayso":{"newer":{"kept":true},"#;
const PLAIN: &str = r#""$sayso":{"#;

impl SimStore {
    async fn latency(&self) -> Result<(), Error> {
        if self.chance.fires(Fault::Slow) {
            self.executor.sleep(self.chance.up_to(Duration::from_secs(20))).await;
        } else if self.chance.one_in(3) {
            self.executor.sleep(self.chance.up_to(Duration::from_millis(20))).await;
        }
        if self.chance.fires(Fault::Stalled) {
            std::future::pending::<()>().await;
        }
        if self.chance.fires(Fault::Throttled) {
            return Err(Error::Throttled { store: "sim".into(), after: None });
        }
        if self.chance.fires(Fault::ThrottledFor) {
            let after = Some(self.chance.up_to(Duration::from_secs(5)));
            return Err(Error::Throttled { store: "sim".into(), after });
        }
        Ok(())
    }

    /// What a save is asked to write, as this instance's version writes it.
    fn as_written(&self, mut write: Write) -> Write {
        if self.is_newer && !write.body.contains(KEPT) {
            write.body = write.body.replacen(PLAIN, NEWER, 1);
        }
        write
    }

    async fn save_some(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        self.latency().await?;
        let writes: Vec<Write> = writes.into_iter().map(|write| self.as_written(write)).collect();
        let unknown =
            || Err(Error::Unknown { store: "sim".into(), reason: "lost".into(), source: None });
        if self.chance.fires(Fault::Conflict) {
            return Ok(Saved::Conflict);
        }
        if self.chance.fires(Fault::SaveLost) {
            return unknown();
        }
        if self.chance.fires(Fault::SaveLate) {
            let (shared, wait) =
                (Arc::clone(&self.shared), self.chance.up_to(Duration::from_secs(15)));
            let sleep = self.executor.sleep(wait);
            let late = async move {
                sleep.await;
                drop(all_or_none(&*shared, writes).await);
            };
            self.executor.spawn(Owner::World, Box::pin(late));
            return unknown();
        }
        self.remember(&writes).await;
        let saved = all_or_none(&*self.shared, writes).await;
        if self.chance.fires(Fault::SaveAnswerLost) {
            return unknown();
        }
        if self.chance.one_in(4) {
            self.executor.sleep(self.chance.up_to(Duration::from_millis(10))).await;
        }
        saved
    }

    /// Keeps the version that is about to be replaced, for reads that show it later.
    async fn remember(&self, writes: &[Write]) {
        if !self.chance.has(Fault::StaleRead) {
            return;
        }
        for write in writes {
            if let Ok(Some(stored)) = self.shared.load(&write.key).await {
                let mut old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
                drop(old.insert(write.key.clone(), stored));
            }
        }
    }
}

async fn all_or_none(store: &dyn Store, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
    let transactions = store.transactions().expect("simulated stores have transactions");
    transactions.save_all(writes).await
}

#[async_trait]
impl Store for SimStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.latency().await?;
        if self.chance.fires(Fault::LoadError) {
            return Err(Error::Unavailable {
                store: "sim".into(),
                reason: "down".into(),
                source: None,
            });
        }
        let old = self.old.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if old.is_some() && self.chance.fires(Fault::StaleRead) {
            return Ok(old);
        }
        let loaded = self.shared.load(key).await;
        if self.chance.one_in(4) {
            self.executor.sleep(self.chance.up_to(Duration::from_millis(10))).await;
        }
        loaded
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        Ok(match self.save_some(vec![write]).await? {
            Saved::Conflict => Saved::Conflict,
            Saved::Committed(etags) => {
                Saved::Committed(etags.into_iter().next().expect("one write has one version"))
            }
        })
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        self.shared.delete(key, etag).await
    }

    async fn due(
        &self,
        now: Timestamp,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<Due>, Error> {
        self.latency().await?;
        self.shared.due(now, after, limit).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.shared.list(prefix)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }
}

#[async_trait]
impl Transactions for SimStore {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        self.save_some(writes).await
    }
}

impl fmt::Display for SimStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the simulated store")
    }
}

impl fmt::Debug for SimStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimStore")
    }
}

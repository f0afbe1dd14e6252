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
    world::{Chance, World},
};

/// One instance's view of the store that all share.
pub(crate) struct SimStore {
    pub(crate) world: Arc<World>,
    pub(crate) shared: Arc<dyn Store>,
    pub(crate) old: Arc<Mutex<BTreeMap<Key, Stored>>>,
    pub(crate) chance: Arc<Chance>,
    pub(crate) executor: Executor,
    /// Whether this instance is of a newer minor version, which writes more into the ledger.
    pub(crate) is_newer: bool,
}

/// The property that makes a document larger than the store takes.
const OVERSIZED: &str = r#""oversized":true"#;
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
        let unknown =
            || Err(Error::Unknown { store: "sim".into(), reason: "lost".into(), source: None });
        if let Some(write) = writes.iter().find(|write| write.body.contains(OVERSIZED)) {
            let (key, bytes) = (write.key.clone(), write.body.len());
            return Err(Error::TooLarge { store: "sim".into(), key, bytes, bytes_max: 0 });
        }
        if self.chance.fires(Fault::Conflict) {
            return Ok(Saved::Conflict);
        }
        if self.chance.fires(Fault::SaveLost) {
            return unknown();
        }
        let put = Put::new(self, writes);
        if self.chance.fires(Fault::SaveLate) {
            let sleep = self.executor.sleep(self.chance.up_to(Duration::from_secs(15)));
            let late = async move {
                sleep.await;
                drop(put.save().await);
            };
            self.executor.spawn(Owner::World, Box::pin(late));
            return unknown();
        }
        let saved = put.save().await;
        if self.chance.fires(Fault::SaveAnswerLost) {
            return unknown();
        }
        if self.chance.one_in(4) {
            self.executor.sleep(self.chance.up_to(Duration::from_millis(10))).await;
        }
        saved
    }
}

/// A save at the moment it takes effect, which may be long after its sender stopped waiting.
struct Put {
    world: Arc<World>,
    old: Arc<Mutex<BTreeMap<Key, Stored>>>,
    /// What an instance of this version asked for: it must keep what a newer one wrote.
    asked: Vec<String>,
    writes: Vec<Write>,
}

impl Put {
    fn new(store: &SimStore, writes: Vec<Write>) -> Self {
        // What a newer instance adds is added below its engine, which therefore does not know of it.
        let asked = match store.chance.has(Fault::Versions) && !store.is_newer {
            true => writes.iter().map(|write| write.body.clone()).collect(),
            false => Vec::new(),
        };
        let writes = writes.into_iter().map(|write| store.as_written(write)).collect();
        Self { world: Arc::clone(&store.world), old: Arc::clone(&store.old), asked, writes }
    }

    async fn save(self) -> Result<Saved<Vec<ETag>>, Error> {
        let store = Arc::clone(&self.world.store);
        let mut before = Vec::with_capacity(self.writes.len());
        for write in &self.writes {
            before.push(store.load(&write.key).await.ok().flatten());
        }
        let after: Vec<(Key, String)> =
            self.writes.iter().map(|write| (write.key.clone(), write.body.clone())).collect();
        let transactions = store.transactions().expect("simulated stores have transactions");
        let saved = transactions.save_all(self.writes).await;
        if !matches!(saved, Ok(Saved::Committed(_))) {
            return saved;
        }
        for (index, (stored, (key, body))) in before.into_iter().zip(&after).enumerate() {
            let Some(stored) = stored else { continue };
            let asked = self.asked.get(index);
            if stored.body.contains(KEPT) && asked.is_some_and(|asked| !asked.contains(KEPT)) {
                self.world.violation(format!("P1: what a newer version wrote in {key} is lost"));
            }
            self.world.replaced(key, &stored.body, body);
            if self.world.chance.has(Fault::StaleRead) {
                let mut old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
                drop(old.insert(key.clone(), stored));
            }
        }
        saved
    }
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
        self.world.plan.has_transactions.then_some(self as _)
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

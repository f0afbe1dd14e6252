//! The simulated store: the memory store behind a network that takes time, loses answers, refuses,
//! throttles and stalls.

mod put;
mod small_pages;

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
    store::{
        Cursor, DuePage, ETag, Effort, Error, Participant, Purged, Saved, Store, StoreStats,
        Stored, Transactions, Write,
    },
};

use self::put::{KEPT, Put};
use crate::{
    Fault,
    bot::SLOW_KEY,
    chance::Chance,
    executor::{Executor, Owner},
    tenancy,
    world::World,
};

/// One instance's view of the store that all share.
pub(crate) struct SimStore {
    pub(crate) world: Arc<World>,
    pub(crate) shared: Arc<dyn Store>,
    pub(crate) old: Arc<Mutex<BTreeMap<Key, Stored>>>,
    pub(crate) chance: Arc<Chance>,
    pub(crate) executor: Executor,
    pub(crate) life: usize,
    /// Number of the bot that it runs.
    pub(crate) bot: usize,
    /// True if this instance is of a newer minor version, which writes more into the ledger.
    pub(crate) is_newer: bool,
}

/// Load time of the document that the bot does not wait for.
const SLOW: Duration = Duration::from_secs(1);
/// The property that makes a document larger than the store takes.
const OVERSIZED: &str = r#""too_large":true"#;
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

    /// Counts a call about a document.
    fn count(&self, key: &Key) {
        let is_watched = self.world.costs().is_watched;
        if is_watched {
            self.world.tell(|| format!("instance {}: asks about {key}", self.life));
        }
        let broken = self.world.costs().call(self.executor.now(), self.life, key);
        if let Some(what) = broken {
            self.world.violation(what);
        }
    }

    /// Returns the error of a call that the store refuses for good, and counts the refusal.
    fn refusal(&self, key: &Key, error: Option<Error>) -> Result<(), Error> {
        let Some(error) = error else { return Ok(()) };
        let broken = self.world.costs().refused(self.executor.now(), self.life, key);
        if let Some(what) = broken {
            self.world.violation(what);
        }
        Err(error)
    }

    /// The write as this instance's version makes it: a newer one adds a member to the ledger.
    fn as_written(&self, mut write: Write) -> Write {
        if self.is_newer && !write.body.contains(KEPT) {
            write.body = write.body.replacen(PLAIN, NEWER, 1);
        }
        write
    }

    /// A save of these documents, on its way.
    fn put(&self, writes: Vec<Write>, asked_at: Duration) -> Put {
        writes.iter().for_each(|write| tenancy::is_own(&self.world, self.bot, &write.key));
        // What a newer instance adds is added below its engine, which therefore does not know of
        // it.
        let asked = match self.chance.has(Fault::Versions) && !self.is_newer {
            true => writes.iter().map(|write| write.body.clone()).collect(),
            false => Vec::new(),
        };
        let writes = writes.into_iter().map(|write| self.as_written(write)).collect();
        let (world, old) = (Arc::clone(&self.world), Arc::clone(&self.old));
        Put { world, old, asked, writes, asked_at, life: self.life }
    }

    async fn save_some(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        let asked_at = self.executor.now();
        for write in &writes {
            self.count(&write.key);
            self.world.costs().write(&write.key);
        }
        self.latency().await?;
        for write in &writes {
            let error = self.world.weather().refuses_save(self.executor.now(), &write.key);
            self.refusal(&write.key, error)?;
        }
        if let Some(write) = writes.iter().find(|write| write.body.contains(OVERSIZED)) {
            let (key, bytes) = (write.key.clone(), write.body.len());
            return Err(Error::TooLarge { store: "sim".into(), key, bytes, bytes_max: 0 });
        }
        if self.chance.fires(Fault::Conflict) {
            return Ok(Saved::Conflict);
        }
        if self.chance.fires(Fault::SaveLost) {
            return Err(unknown());
        }
        let put = self.put(writes, asked_at);
        if self.chance.fires(Fault::SaveLate) {
            let sleep = self.executor.sleep(self.chance.up_to(Duration::from_secs(15)));
            let late = async move {
                sleep.await;
                drop(put.save().await);
            };
            self.executor.spawn(Owner::World, Box::pin(late));
            return Err(unknown());
        }
        let saved = put.save().await;
        if self.chance.fires(Fault::SaveAnswerLost) {
            return Err(unknown());
        }
        if self.chance.one_in(4) {
            self.executor.sleep(self.chance.up_to(Duration::from_millis(10))).await;
        }
        saved
    }
}

fn unknown() -> Error {
    Error::Unknown { store: "sim".into(), reason: "lost".into(), source: None }
}

#[async_trait]
impl Store for SimStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.count(key);
        if key.without_scope() == SLOW_KEY {
            self.executor.sleep(SLOW).await;
        }
        self.latency().await?;
        let error = self.world.weather().refuses_load(self.executor.now(), Some(key));
        self.refusal(key, error)?;
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
        self.count(key);
        self.latency().await?;
        if self.chance.fires_always(Fault::DeleteLost) {
            return Err(unknown());
        }
        if self.chance.fires_always(Fault::DeleteLate) {
            let sleep = self.executor.sleep(self.chance.up_to(Duration::from_secs(15)));
            let (world, key, etag) = (Arc::clone(&self.world), key.clone(), etag.clone());
            let late = async move {
                sleep.await;
                drop(put::delete(&world, &key, &etag).await);
            };
            self.executor.spawn(Owner::World, Box::pin(late));
            return Err(unknown());
        }
        put::delete(&self.world, key, etag).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        self.world.costs().looks += u64::from(from.is_none());
        self.latency().await?;
        if self.chance.fires(Fault::DueSlow) {
            self.executor.sleep(self.chance.up_to(Duration::from_secs(30))).await;
        }
        let refused = self.world.weather().refuses_load(self.executor.now(), None);
        if let Some(error) = refused {
            return Err(error);
        }
        let mut page = match self.chance.has(Fault::DuePages) {
            true => small_pages::next(&*self.shared, &self.chance, now, from).await?,
            false => self.shared.due(now, from, limit).await?,
        };
        if page.found.len() > 1 && self.chance.fires(Fault::DueCut) {
            page.found.truncate(self.chance.below(page.found.len()));
        }
        Ok(page)
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.shared.list(prefix)
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        self.shared.list_with(participant, prefix)
    }

    async fn purge(&self, effort: Effort) -> Result<Purged, Error> {
        self.shared.purge(effort).await
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        self.world.plan.has_transactions.then_some(self as _)
    }

    fn stats(&self) -> StoreStats {
        self.shared.stats()
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

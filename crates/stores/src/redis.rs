//! Redis and Valkey: documents on a server, or a cluster, that many instances share.
//!
//! The condition of a save is checked inside the server, by a script that also keeps the index of
//! due documents; nothing can come in between. A write counts when as many replicas have
//! acknowledged it as the configuration asks for.
//!
//! Group commit: saves of different documents that are in flight together share a script, and so a
//! flush of the server's file; each caller has its own verdict. A single caller waits for nobody.
//! On a cluster each save is a script of its own.

mod access;
mod acks;
mod batch;
mod calls;
mod config;
mod connect;
mod due;
mod failure;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz;
mod lane;
mod limits;
mod link;
mod names;
mod scan;
mod script;
mod sentinel;
mod settings;
mod slots;
mod version;
mod wire;

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fmt,
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{FutureExt, StreamExt, TryFutureExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Expect, Purged, Saved, Store, StoreStats, Stored,
        Transactions, Write,
    },
};

use self::{
    access::Access,
    batch::Carrier,
    calls::Calls,
    failure::{Call, Failure},
    limits::TRANSACTION_MAX,
    link::Link,
    names::{Names, Shard},
    scan::Scan,
    script::Scripts,
    settings::Settings,
    version::condition,
    wire::decode,
};
use crate::{
    lanes::Lanes,
    loud::Reports,
    meter::{self, Meter},
    write_id::WriteIds,
};

pub use self::{
    config::{Durability, RedisConfig},
    limits::DOCUMENT_BYTES_MAX,
};

/// Places where copies of deleted documents may be left.
const LEFT: [&str; 3] = [
    "the append-only file until it is rewritten, and the last snapshot until the next one",
    "replicas, their files, and backups of files",
    "memory of the server that is not used again yet",
];

/// Documents in Redis or Valkey.
///
/// # Guarantees
/// * A committed write is as durable as the server's settings make it. With `appendonly yes` and
///   `appendfsync always` it survives a crash of the server and a loss of power. The settings are
///   checked on opening: such as void the promise are refused, see [`Durability`], and such as
///   weaken it are warned about, see [`warnings`](Self::warnings).
/// * A version is never used again, not even by a document that was deleted and made anew.
/// * On a server there are transactions; on a cluster there are none.
/// * The store finds the server again by itself after a restart or a broken connection.
///
/// # Limits
/// All documents are in the server's memory. A failover to a replica can lose the latest writes,
/// because Redis replicates after it has answered; `wait=1` in the URL has the store wait for the
/// replica, too. A document has at most [`DOCUMENT_BYTES_MAX`] bytes.
///
/// # Cancellation
/// A save, delete or transaction whose future is dropped is done or not done, never half done. When
/// it was already sent it is done later, perhaps after a load that follows.
///
/// # Example
/// ```no_run
/// use sayso_stores::RedisStore;
/// use sayso_turn::{Key, store::{Expect, Saved, Store, Write}};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = RedisStore::open_url("redis://127.0.0.1:6379/0").await?;
/// let key = Key::conversation("webchat", "c1")?;
/// let write = Write::new(key.clone(), Expect::Absent, "{}");
/// assert!(matches!(store.save(write.clone()).await?, Saved::Committed(_)));
/// assert_eq!(store.save(write).await?, Saved::Conflict);
/// # Ok(())
/// # }
/// ```
pub struct RedisStore {
    calls: Calls,
    meter: Arc<Meter>,
    warnings: Vec<String>,
}

impl RedisStore {
    /// Opens the store that a URL names, see [`RedisConfig::from_url`].
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::Invalid`] when the URL is wrong.
    pub async fn open_url(url: &str) -> Result<Self, Error> {
        Self::open(RedisConfig::from_url(url)?).await
    }

    /// Connects and checks the server's settings. Writes nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the password is wrong or the server's settings would lose
    /// acknowledged turns; [`Error::Unavailable`] when the server cannot be reached.
    pub async fn open(config: RedisConfig) -> Result<Self, Error> {
        let name: Arc<str> = config.to_string().into();
        if config.is_encrypted() && rustls::crypto::CryptoProvider::get_default().is_none() {
            // Fails when another thread was faster, and then there is one.
            drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
        }
        let (is_cluster, durability) = (config.is_cluster(), config.durability);
        let (names, scripts) = (Names::new(&config.prefix), Arc::new(Scripts::new()));
        let meter = Arc::new(Meter::default());
        let failed = |failure: Failure| failure.into_error(&name, None, Call::Open);
        let refused =
            |reason| Error::Invalid { store: Cow::Owned(name.to_string()), reason, source: None };
        let access = Access::open(&config).map_err(refused)?;
        let link = Link::new(&config, &access).ok_or_else(|| failed(Failure::Unsent(None)))?;
        let saves = (!is_cluster).then(|| {
            let carrier = Arc::new(Carrier {
                names: names.clone(),
                // Gives up a little earlier than the callers do, and can say better what happened.
                link: link.within(config.timeout * 9 / 10),
                scripts: Arc::clone(&scripts),
                meter: Arc::clone(&meter),
                next: AtomicUsize::new(0),
            });
            Lanes::new(batch::LANES, move |rows| Arc::clone(&carrier).carry(rows).boxed())
        });

        let mut warnings = BTreeSet::new();
        for settings in Settings::read(&link, &names).await.map_err(failed)? {
            let verdict = settings.judge(is_cluster, config.acks.is_some(), durability);
            if let Some(reason) = verdict.refusal {
                return Err(refused(reason));
            }
            warnings.extend(verdict.warnings);
        }
        for warning in &warnings {
            tracing::warn!("{name}: {warning}");
        }
        let (ids, reports) = (WriteIds::new(), Reports::default());
        let calls = Calls { store: name, names, link, scripts, saves, ids, reports };
        Ok(Self { calls, meter, warnings: warnings.into_iter().collect() })
    }

    /// Warnings about server settings that weaken the guarantees, a sentence each. They are also
    /// logged.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    async fn remove(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let Some(condition) = condition(&Expect::At(etag.clone())).map(str::to_owned) else {
            return Ok(Saved::Conflict);
        };
        let shard = Shard::of(key);
        let answer = self.calls.scripts.delete.run(&self.calls.link, shard, |command| {
            let _command = command.arg(2).arg(self.calls.names.document(key));
            let _command =
                command.arg(self.calls.names.waiting(shard)).arg(&condition).arg(key.as_str());
        });
        let verdict = answer.await.and_then(decode);
        let is_gone = self.calls.verdict(verdict, std::iter::once(key))?;
        Ok(if is_gone { Saved::Committed(etag.clone()) } else { Saved::Conflict })
    }
}

#[async_trait]
impl Store for RedisStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.meter.load(self.calls.load(key)).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        let (bytes, save) = (write.body.len(), self.calls.write(write));
        let save = save.map_ok(|etag| etag.map_or(Saved::Conflict, Saved::Committed));
        self.meter.write(meter::Call::Save, bytes, save).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        self.meter.write(meter::Call::Delete, 0, self.remove(key, etag)).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let ask = |shard, from, limit| self.calls.due_in(shard, now, from, limit);
        let look = due::look(from, limit, ask);
        let look = look.map_err(|failure| self.calls.error(failure, None, Call::Read));
        self.meter.time(meter::Call::Due, look).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        let scan = Scan::new(prefix, self.calls.link.is_cluster());
        let step = |scan| self.meter.time(meter::Call::List, self.calls.list_step(scan));
        let steps = stream::try_unfold(scan, step);
        steps.map_ok(|keys| stream::iter(keys.into_iter().map(Ok))).try_flatten().boxed()
    }

    async fn purge(&self, _: Effort) -> Result<Purged, Error> {
        Ok(Purged::nothing(&LEFT))
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        // A script may touch one slot of a cluster only.
        if self.calls.link.is_cluster() { None } else { Some(self) }
    }

    fn save_time_max(&self) -> Option<Duration> {
        // By the lanes, for each save.
        self.calls.saves.as_ref().map(|_| self.calls.link.timeout())
    }

    fn stats(&self) -> StoreStats {
        self.meter.read()
    }
}

#[async_trait]
impl Transactions for RedisStore {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        if writes.len() > TRANSACTION_MAX {
            let reason = format!("a transaction has at most {TRANSACTION_MAX} documents");
            return Err(Error::Invalid { store: self.to_string().into(), reason, source: None });
        }
        let bytes = writes.iter().map(|write| write.body.len()).sum();
        let save = self.calls.write_all(&writes);
        let save = save.map_ok(|etags| etags.map_or(Saved::Conflict, Saved::Committed));
        self.meter.write(meter::Call::Transaction, bytes, save).await
    }
}

impl fmt::Display for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.calls.store)
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("name", &self.calls.store).finish_non_exhaustive()
    }
}

//! Azure Cosmos DB, the NoSQL API: an item for each document, each a logical partition of its own.
//!
//! One document is one item, so a save is one conditional request and costs no more than it must:
//! only the time from which a document waits is indexed. Items are shaped as the bot SDKs shape
//! them, which is how their state is taken over.

mod account;
mod calls;
mod config;
mod containers;
mod database;
mod failure;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz;
mod item;
mod json;
mod looks;
mod names;
mod patience;
mod regions;
mod search;
mod version;

use std::{borrow::Cow, fmt};

use async_trait::async_trait;
use azure_data_cosmos::{
    CosmosClient,
    options::{ItemWriteOptions, Precondition},
};
use futures_core::stream::BoxStream;
use sayso_turn::{
    Key,
    clock::{Clock, SystemClock, Timestamp},
    store::{
        Cursor, DuePage, ETag, Effort, Error, Expect, Purged, Saved, Store, StoreStats, Stored,
        Transactions, Write,
    },
};

use self::{
    account::Account,
    calls::{Calls, Sent},
    database::Database,
    item::Item,
    looks::Looks,
    names::{Id, Names},
    patience::write_options,
    version::Version,
};
pub use self::{
    config::CosmosConfig,
    containers::{Containers, UnknownContainers},
    item::ITEM_BYTES_MAX,
};
use crate::{
    Layout,
    loud::Reports,
    meter::{Call, Meter},
    write_id::WriteIds,
};

/// Places where copies of deleted documents may be left.
const LEFT: [&str; 3] = [
    "backups of the account, periodic or continuous",
    "the change feed, where it keeps all versions and deletes",
    "other regions, until the delete is replicated",
];

/// Documents in a database of Azure Cosmos DB.
///
/// # Guarantees
/// * A committed write is on a quorum of replicas of the account's write region.
/// * Any number of stores, in any number of processes and machines, may use one database.
/// * A load sees what this store has written or seen before it (session consistency). What another
///   instance wrote it may see a moment later; whoever saves on an older version gets a conflict,
///   and sees the newer one from then on.
/// * A write is sent once. Where the library repeats one all the same, the write's own name in the
///   item tells whether it landed.
///
/// # Limits
/// The account must have a single write region: with several, two writers can both be told that
/// their condition held. Such an account is refused. An item has at most [`ITEM_BYTES_MAX`] bytes
/// of JSON. There are no transactions: each document is a partition of its own.
///
/// # Cancellation
/// A save or delete whose future is dropped is done or not done, never half done. When it was
/// already sent it may be done later, perhaps after a load that follows.
///
/// # Example
/// ```no_run
/// use sayso_stores::cosmos::CosmosStore;
/// use sayso_turn::store::Store;
///
/// # async fn open() -> Result<(), sayso_turn::store::Error> {
/// // The key is in AZURE_COSMOS_KEY, or the process has an identity that may write.
/// let store = CosmosStore::open_url("cosmos://bots.documents.azure.com/bots/state?create=true").await?;
/// assert_eq!(store.to_string(), "Cosmos DB at bots.documents.azure.com, bots/state");
/// println!("{} request units so far", store.stats().request_units());
/// # Ok(())
/// # }
/// ```
pub struct CosmosStore {
    calls: Calls,
    writes: WriteIds,
    clock: SystemClock,
    warnings: Vec<String>,
    reports: Reports,
}

impl CosmosStore {
    /// Connects to an account, checks the database and its containers, and creates them when asked.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the key or identity is refused, when the database or a container is
    /// missing or not fit for documents, when the account has several write regions; the message
    /// says what to do. [`Error::Unavailable`] when the account cannot be reached. Nothing is
    /// changed unless the configuration asks for it.
    pub async fn open(config: CosmosConfig) -> Result<Self, Error> {
        let account = Account::new(&config)?;
        let client = match Box::pin(account.connect()).await {
            // The other key, if there is one.
            Err(error) if failure::is_about_rights(&error) && account.has_other_key() => {
                Box::pin(account.connect()).await?
            }
            client => client?,
        };
        let warnings = account.judge().await?;
        Self::on(&client, Some(account), config, warnings).await
    }

    /// Opens the database that a URL names; see [`CosmosConfig::from_url`].
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::Invalid`] when the URL is not understood.
    pub async fn open_url(url: &str) -> Result<Self, Error> {
        Self::open(CosmosConfig::from_url(url)?).await
    }

    /// As [`open`](Self::open), with a client that the program has already. The address and the key
    /// of the configuration are not used. The account is not asked how many write regions it has,
    /// and there is no other key to turn to.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_with(client: &CosmosClient, config: CosmosConfig) -> Result<Self, Error> {
        Self::on(client, None, config, Vec::new()).await
    }

    async fn on(
        client: &CosmosClient,
        account: Option<Account>,
        config: CosmosConfig,
        mut warnings: Vec<String>,
    ) -> Result<Self, Error> {
        let name = config.name();
        if config.layout == Layout::Sample {
            return Err(Error::Invalid {
                store: name.into(),
                reason: "the published sample keeps nothing in Cosmos DB: use the layout sayso, \
                         dotnet, js or python"
                    .into(),
                source: None,
            });
        }
        let (names, call_max) = (Names::new(config.layout), config.call_max);
        for warning in &warnings {
            tracing::warn!(store = %name, "{warning}");
        }
        let database = Database::open(client, account, config).await?;
        warnings.extend(database.warnings());
        let (meter, looks) = (Meter::default(), Looks::default());
        let calls = Calls { store: name, names, database, meter, looks, call_max };
        let (writes, clock, reports) = (WriteIds::new(), SystemClock::new(), Reports::default());
        Ok(Self { calls, writes, clock, warnings, reports })
    }

    /// Warnings about settings of the account and its containers, a sentence each. They are also
    /// logged.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Makes a call; once more by another key or token when the one in use is refused, which means
    /// that nothing was done.
    async fn call<T, F>(&self, call: impl Fn() -> F + Send + Sync) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>> + Send,
    {
        let mut is_last = false;
        loop {
            let version = self.calls.database.version();
            let error = match call().await {
                Err(error) if failure::is_about_rights(&error) => error,
                answer => return answer,
            };
            if is_last || !self.calls.database.renew(version).await {
                self.reports.tell(&error);
                return Err(error);
            }
            is_last = true;
        }
    }

    async fn read(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let Some(container) = self.calls.database.of(key).await? else { return Ok(None) };
        let found = self.calls.find(&container, key).await?;
        Ok(found.map(|Item { id, body, etag, .. }| Stored {
            body,
            etag: self.calls.etag(key, etag, &id),
        }))
    }

    async fn write(&self, write: &Write) -> Result<Saved, Error> {
        let key = &write.key;
        let Id { text: id, has_others } = self.calls.id(key)?;
        let (container, id, version) = match &write.expect {
            Expect::Absent => (self.calls.database.for_new(key).await?, id, None),
            Expect::At(etag) => {
                let Some(version) = Version::of(etag, has_others) else {
                    return Ok(Saved::Conflict);
                };
                let Some(container) = self.calls.database.of(key).await? else {
                    return Ok(Saved::Conflict);
                };
                (container, version.other_id.clone().unwrap_or(id), Some(version))
            }
        };
        if version.is_none() && has_others && self.calls.find(&container, key).await?.is_some() {
            return Ok(Saved::Conflict);
        }
        let write_id = self.writes.next();
        let now = self.clock.now();
        let item = item::write(self.calls.names, &id, write, &write_id, container.forgets, now);
        let item = item.map_err(|reason| self.calls.invalid(reason))?;
        let bytes = item.get().len();
        if bytes > ITEM_BYTES_MAX {
            let (store, key) = (Cow::Owned(self.to_string()), key.clone());
            return Err(Error::TooLarge { store, key, bytes, bytes_max: ITEM_BYTES_MAX });
        }
        let sent = Sent {
            call: Call::Save,
            container: &container,
            key,
            id: &id,
            write_id: Some(&write_id),
            bytes,
        };
        let partition = container.partition(&id);
        let options = ItemWriteOptions::default();
        let options = options.with_operation_options(write_options(self.calls.call_max));
        let saved = match version {
            None => {
                let create = container.client.create_item(partition, &id, &item, Some(options));
                self.calls.send(sent, create).await?
            }
            Some(version) => {
                let options = options.with_precondition(Precondition::if_match(version.etag));
                let replace = container.client.replace_item(partition, &id, &item, Some(options));
                self.calls.send(sent, replace).await?
            }
        };
        match saved {
            Saved::Committed(Some(etag)) => Ok(Saved::Committed(self.calls.etag(key, etag, &id))),
            Saved::Committed(None) => Err(Error::Unknown {
                store: self.to_string().into(),
                reason: "the answer to the write names no version".into(),
                source: None,
            }),
            Saved::Conflict => Ok(Saved::Conflict),
        }
    }

    async fn remove(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let Id { text: id, has_others } = self.calls.id(key)?;
        let Some(version) = Version::of(etag, has_others) else { return Ok(Saved::Conflict) };
        let Some(container) = self.calls.database.of(key).await? else {
            return Ok(Saved::Conflict);
        };
        let id = version.other_id.unwrap_or(id);
        let options = ItemWriteOptions::default()
            .with_operation_options(write_options(self.calls.call_max))
            .with_precondition(Precondition::if_match(version.etag));
        let delete = container.client.delete_item(container.partition(&id), &id, Some(options));
        let sent = Sent {
            call: Call::Delete,
            container: &container,
            key,
            id: &id,
            write_id: None,
            bytes: 0,
        };
        Ok(match self.calls.send(sent, delete).await? {
            Saved::Committed(_) => Saved::Committed(etag.clone()),
            Saved::Conflict => Saved::Conflict,
        })
    }
}

#[async_trait]
impl Store for CosmosStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.calls.meter.load(self.call(|| self.read(key))).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        let (bytes, save) = (write.body.len(), self.call(|| self.write(&write)));
        self.calls.meter.write(Call::Save, bytes, save).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let delete = self.call(|| self.remove(key, etag));
        self.calls.meter.write(Call::Delete, 0, delete).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let look = self.call(|| self.calls.search_due(now, from, limit));
        self.calls.meter.time(Call::Due, look).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.calls.search_keys(prefix)
    }

    async fn purge(&self, _: Effort) -> Result<Purged, Error> {
        Ok(Purged::nothing(&LEFT))
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        None
    }

    fn stats(&self) -> StoreStats {
        self.calls.meter.read()
    }
}

impl fmt::Display for CosmosStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.calls.store)
    }
}

impl fmt::Debug for CosmosStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CosmosStore").field("name", &self.calls.store).finish_non_exhaustive()
    }
}

//! Database and containers: found, created, and checked for what the guarantees need.

mod policy;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use azure_data_cosmos::{
    ContainerClient, CosmosClient, DatabaseClient, PartitionKey,
    models::{ContainerProperties, PartitionKeyValue, ThroughputProperties, TimeToLive},
    options::CreateContainerOptions,
};
use futures_util::TryStreamExt;
use sayso_turn::{Key, store::Error};

use super::{
    account::Account,
    config::{CosmosConfig, Throughput},
    failure::{Aim, is_about_rights, sort},
    patience::within,
};
use crate::sync::lock;

use self::policy::{DUE, index, indexes_document, indexes_due, properties};

/// Cache lifetime of the list of the tenants' containers.
const LISTED_MAX: Duration = Duration::from_secs(30);

/// The number of containers that are warned about.
const WARNINGS_MAX: usize = 16;

/// After an attempt to turn to another key that failed, the time in which there is no other.
const PAUSE: Duration = Duration::from_secs(1);

/// A database, with the containers that were opened so far.
pub(super) struct Database {
    store: String,
    config: CosmosConfig,
    /// None where the program brought a client of its own.
    account: Option<Account>,
    clients: Mutex<Clients>,
    listed: Mutex<Option<Instant>>,
    /// True once the store is open: what is refused from then on may be put right.
    is_open: AtomicBool,
    /// Held while turning to another key. Keeps the time of the last failure.
    renewing: tokio::sync::Mutex<Option<Instant>>,
    warnings: Mutex<Vec<String>>,
}

/// The clients by the key in use.
struct Clients {
    database: Arc<DatabaseClient>,
    opened: BTreeMap<String, Arc<Container>>,
    version: u64,
    /// The key of the account that they have.
    key: u64,
}

/// Containers, and the failure of one that could not be looked at.
pub(super) struct Found {
    pub(super) containers: Vec<Arc<Container>>,
    pub(super) failure: Option<Error>,
}

/// A container that is fit to hold documents.
pub(super) struct Container {
    name: String,
    pub(super) client: ContainerClient,
    /// True if the container has a default time to live, so that each document must say that it
    /// stays.
    pub(super) forgets: bool,
    /// True for an old container without a partition key.
    is_keyless: bool,
}

impl Container {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn partition(&self, id: &str) -> PartitionKey {
        if self.is_keyless {
            PartitionKey::from(PartitionKeyValue::UNDEFINED)
        } else {
            PartitionKey::from(id.to_owned())
        }
    }
}

impl Database {
    /// Finds the database and its containers, and creates them when asked.
    pub(super) async fn open(
        client: &CosmosClient,
        account: Option<Account>,
        config: CosmosConfig,
    ) -> Result<Self, Error> {
        let clients = Clients {
            database: Arc::new(client.database_client(config.database.clone())),
            opened: BTreeMap::new(),
            version: 0,
            key: account.as_ref().map_or(0, Account::key_version),
        };
        let database = Self {
            store: config.name(),
            config,
            account,
            clients: Mutex::new(clients),
            listed: Mutex::default(),
            is_open: AtomicBool::new(false),
            renewing: tokio::sync::Mutex::default(),
            warnings: Mutex::default(),
        };
        database.find_itself(client).await?;
        for name in database.config.containers.known(&database.config.container) {
            drop(database.need(&name).await?);
        }
        database.is_open.store(true, Ordering::SeqCst);
        Ok(database)
    }

    /// Warnings about containers so far.
    pub(super) fn warnings(&self) -> Vec<String> {
        lock(&self.warnings).clone()
    }

    /// The number of keys that were turned to so far.
    pub(super) fn version(&self) -> u64 {
        lock(&self.clients).version
    }

    /// Turns to another key or token after the account has refused the one in use; false if there
    /// is none.
    pub(super) async fn renew(&self, version: u64) -> bool {
        let Some(account) = &self.account else { return false };
        let mut failed = self.renewing.lock().await;
        if self.version() != version || account.has_other_token() {
            return true;
        }
        if failed.is_some_and(|at| at.elapsed() < PAUSE) {
            return false;
        }
        // One that was turned to before, when no client could be made, has not been tried yet.
        let is_tried = account.key_version() == lock(&self.clients).key;
        if is_tried && !account.has_other_key() {
            return false;
        }
        let key = account.key_version();
        // The library keeps its key for good; a new client has the other one.
        let client = match Box::pin(account.connect()).await {
            Ok(client) => client,
            Err(error) => {
                *failed = Some(Instant::now());
                if is_about_rights(&error) {
                    let _is_other = account.has_other_key();
                }
                return false;
            }
        };
        let mut clients = lock(&self.clients);
        clients.key = key;
        clients.database = Arc::new(client.database_client(self.config.database.clone()));
        clients.opened.clear();
        clients.version += 1;
        *lock(&self.listed) = None;
        true
    }

    fn client(&self) -> Arc<DatabaseClient> {
        Arc::clone(&lock(&self.clients).database)
    }

    async fn find_itself(&self, client: &CosmosClient) -> Result<(), Error> {
        let name = &self.config.database;
        if self.config.creates {
            let created = within(self.config.call_max, client.create_database(name, None)).await;
            match created.map_err(|late| late.of_read(&self.store))? {
                Err(error) if !error.status().is_conflict() => return Err(self.unfit(error)),
                Ok(_) | Err(_) => {}
            }
        }
        let database = self.client();
        let read = within(self.config.call_max, database.read(None)).await;
        match read.map_err(|late| late.of_read(&self.store))? {
            Ok(_) => Ok(()),
            Err(error) if error.status().is_not_found() => Err(self.invalid(format!(
                "there is no database `{name}` in this account: create it, or open with create=true"
            ))),
            Err(error) => Err(self.unfit(error)),
        }
    }

    /// The container of a key, `None` when it is not there and may be created.
    pub(super) async fn of(&self, key: &Key) -> Result<Option<Arc<Container>>, Error> {
        let name = self.config.containers.of(&self.config.container, key);
        match self.find(&name).await? {
            None if !self.config.creates => Err(self.missing(&name)),
            found => Ok(found),
        }
    }

    /// The container of a key, created when it is not there and may be.
    pub(super) async fn for_new(&self, key: &Key) -> Result<Arc<Container>, Error> {
        self.need(&self.config.containers.of(&self.config.container, key)).await
    }

    /// The containers that may hold keys with this prefix.
    pub(super) async fn with(&self, prefix: &str) -> Result<Vec<Arc<Container>>, Error> {
        match self.config.containers.of_all(&self.config.container, prefix) {
            Some(name) => Ok(self.find(&name).await?.into_iter().collect()),
            None => {
                // A list that leaves something out must not look like a whole one.
                let Found { containers, failure } = self.all().await?;
                failure.map_or(Ok(containers), Err)
            }
        }
    }

    /// All containers that hold documents. One that cannot be looked at does not hide the others.
    pub(super) async fn all(&self) -> Result<Found, Error> {
        let is_fresh = |listed: Option<Instant>| listed.is_some_and(|at| at.elapsed() < LISTED_MAX);
        let is_known = is_fresh(*lock(&self.listed));
        let mut failure = None;
        let known = self.config.containers.known(&self.config.container);
        let names = match known.is_empty() {
            false => known,
            true if is_known => Vec::new(),
            true => {
                let names = within(self.config.call_max, self.list()).await;
                names.map_err(|late| late.of_read(&self.store))??
            }
        };
        for name in names {
            match self.find(&name).await {
                Ok(_) => {}
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        if failure.is_none() && !is_known {
            *lock(&self.listed) = Some(Instant::now());
        }
        let containers = lock(&self.clients).opened.values().map(Arc::clone).collect();
        Ok(Found { containers, failure })
    }

    async fn list(&self) -> Result<Vec<String>, Error> {
        let found = self.client().query_containers("SELECT * FROM c", None).await;
        let found = found.map_err(|error| self.unfit(error))?;
        let found: Vec<ContainerProperties> =
            found.try_collect().await.map_err(|error| self.unfit(error))?;
        let (containers, base) = (self.config.containers, &self.config.container);
        // What somebody else keeps under such a name is not our business.
        let ours = found.into_iter().filter(|properties| {
            containers.has(base, &properties.id) && is_keyless(properties).is_some()
        });
        Ok(ours.map(|properties| properties.id.into_owned()).collect())
    }

    /// True if a document of this key belongs in this container. Another deployment may have
    /// containers whose names begin alike.
    pub(super) fn is_home(&self, container: &Container, key: &Key) -> bool {
        self.config.containers.of(&self.config.container, key) == container.name
    }

    async fn need(&self, name: &str) -> Result<Arc<Container>, Error> {
        if let Some(container) = self.find(name).await? {
            return Ok(container);
        }
        if !self.config.creates {
            return Err(self.missing(name));
        }
        let database = self.client();
        let create = database.create_container(properties(name), Some(self.creation()));
        let created = within(self.config.call_max, create).await;
        match created.map_err(|late| late.of_read(&self.store))? {
            // Another instance was quicker.
            Err(error) if !error.status().is_conflict() => return Err(self.unfit(error)),
            Ok(_) | Err(_) => {}
        }
        self.find(name).await?.ok_or_else(|| self.missing(name))
    }

    async fn find(&self, name: &str) -> Result<Option<Arc<Container>>, Error> {
        let (client, version) = {
            let clients = lock(&self.clients);
            if let Some(container) = clients.opened.get(name) {
                return Ok(Some(Arc::clone(container)));
            }
            (Arc::clone(&clients.database), clients.version)
        };
        let found = within(self.config.call_max, self.look(&client, name)).await;
        let Some(container) = found.map_err(|late| late.of_read(&self.store))?? else {
            return Ok(None);
        };
        let container = Arc::new(container);
        let mut clients = lock(&self.clients);
        if clients.version == version {
            drop(clients.opened.insert(name.to_owned(), Arc::clone(&container)));
        }
        Ok(Some(container))
    }

    async fn look(
        &self,
        database: &DatabaseClient,
        name: &str,
    ) -> Result<Option<Container>, Error> {
        let client = match database.container_client(name.to_owned(), None).await {
            Ok(client) => client,
            Err(error) if error.status().is_not_found() => return Ok(None),
            Err(error) => return Err(self.unfit(error)),
        };
        let answer = client.read(None).await.map_err(|error| self.unfit(error))?;
        let mut properties = answer.into_model().map_err(|error| self.unfit(error))?;
        let Some(is_keyless) = is_keyless(&properties) else {
            return Err(self.invalid(format!(
                "the container `{name}` is partitioned by {} and not by /id, so it is none of ours: \
                 name another container",
                properties.partition_key.paths().join(" and ")
            )));
        };
        if !indexes_due(properties.indexing_policy.as_ref()) {
            if !self.config.creates {
                return Err(self.invalid(format!(
                    "the container `{name}` does not index {DUE}, so what waits to be delivered would \
                     never be found: add that path to its indexing policy, or open once with create=true"
                )));
            }
            properties.indexing_policy = Some(index(properties.indexing_policy.take()));
            let changed = client.replace(properties.clone(), None).await;
            drop(changed.map_err(|error| self.unfit(error))?);
        }
        if indexes_document(properties.indexing_policy.as_ref()) {
            self.warn(format!(
                "the container `{name}` indexes /document/*, which nobody searches and every save \
                 pays for: exclude that path in its indexing policy"
            ));
        }
        let forgets = matches!(properties.default_ttl, TimeToLive::Seconds(_));
        Ok(Some(Container { name: name.to_owned(), client, forgets, is_keyless }))
    }

    fn creation(&self) -> CreateContainerOptions {
        let throughput = match self.config.throughput {
            Some(Throughput::Manual(units)) => ThroughputProperties::manual(units),
            Some(Throughput::Autoscale(units)) => ThroughputProperties::autoscale(units, None),
            None => return CreateContainerOptions::default(),
        };
        CreateContainerOptions::default().with_throughput(throughput)
    }

    fn missing(&self, name: &str) -> Error {
        self.invalid(format!(
            "there is no container `{name}` in the database `{}`: create it with the partition key /id, \
             or open with create=true",
            self.config.database
        ))
    }

    fn warn(&self, warning: String) {
        let mut warnings = lock(&self.warnings);
        if warnings.len() < WARNINGS_MAX && !warnings.contains(&warning) {
            tracing::warn!(store = %self.store, "{warning}");
            warnings.push(warning);
        }
    }

    fn invalid(&self, reason: String) -> Error {
        Error::Invalid { store: self.store.clone().into(), reason, source: None }
    }

    fn unfit(&self, error: azure_data_cosmos::CosmosError) -> Error {
        let is_open = self.is_open.load(Ordering::SeqCst);
        sort(&self.store, if is_open { Aim::Read } else { Aim::SetUp }, error)
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("config", &self.config).finish_non_exhaustive()
    }
}

/// True if a container has no partition key; `None` when it has one that is not ours.
fn is_keyless(properties: &ContainerProperties) -> Option<bool> {
    match properties.partition_key.paths() {
        [path] if path == "/id" => Some(false),
        [path] if path == "/_partitionKey" => Some(true),
        _ => None,
    }
}

//! Database and containers: found, created, and checked for what the guarantees need.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use azure_data_cosmos::{
    ContainerClient, CosmosClient, DatabaseClient, PartitionKey,
    models::{
        ContainerProperties, IndexingMode, IndexingPolicy, PartitionKeyValue, PropertyPath,
        ThroughputProperties, TimeToLive,
    },
    options::CreateContainerOptions,
};
use futures_util::TryStreamExt;
use sayso_turn::{Key, store::Error};

use super::{
    config::{CosmosConfig, Throughput},
    failure::{Aim, sort},
    patience::within,
};
use crate::sync::lock;

/// Path of `due` in the indexing policy: all that recovery searches for.
const DUE: &str = "/due/?";

/// Cache lifetime of the list of the tenants' containers.
const LISTED_MAX: Duration = Duration::from_secs(30);

/// A database, with the containers that were opened so far.
pub(super) struct Database {
    client: DatabaseClient,
    store: String,
    config: CosmosConfig,
    opened: Mutex<BTreeMap<String, Arc<Container>>>,
    listed: Mutex<Option<Instant>>,
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
    pub(super) async fn open(client: &CosmosClient, config: CosmosConfig) -> Result<Self, Error> {
        let database = Self {
            client: client.database_client(config.database.clone()),
            store: config.name(),
            config,
            opened: Mutex::default(),
            listed: Mutex::default(),
        };
        database.find_itself(client).await?;
        for name in database.config.containers.known(&database.config.container) {
            drop(database.need(&name).await?);
        }
        Ok(database)
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
        let read = within(self.config.call_max, self.client.read(None)).await;
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
            None => self.all().await,
        }
    }

    /// All containers that hold documents.
    pub(super) async fn all(&self) -> Result<Vec<Arc<Container>>, Error> {
        let is_fresh = |listed: Option<Instant>| listed.is_some_and(|at| at.elapsed() < LISTED_MAX);
        let is_known = is_fresh(*lock(&self.listed));
        if !is_known && self.config.containers.known(&self.config.container).is_empty() {
            let names = within(self.config.call_max, self.list()).await;
            for name in names.map_err(|late| late.of_read(&self.store))?? {
                drop(self.find(&name).await?);
            }
            *lock(&self.listed) = Some(Instant::now());
        }
        Ok(lock(&self.opened).values().map(Arc::clone).collect())
    }

    async fn list(&self) -> Result<Vec<String>, Error> {
        let found = self.client.query_containers("SELECT * FROM c", None).await;
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
        let create = self.client.create_container(properties(name), Some(self.creation()));
        let created = within(self.config.call_max, create).await;
        match created.map_err(|late| late.of_read(&self.store))? {
            // Another instance was quicker.
            Err(error) if !error.status().is_conflict() => return Err(self.unfit(error)),
            Ok(_) | Err(_) => {}
        }
        self.find(name).await?.ok_or_else(|| self.missing(name))
    }

    async fn find(&self, name: &str) -> Result<Option<Arc<Container>>, Error> {
        if let Some(container) = lock(&self.opened).get(name) {
            return Ok(Some(Arc::clone(container)));
        }
        let found = within(self.config.call_max, self.look(name)).await;
        let Some(container) = found.map_err(|late| late.of_read(&self.store))?? else {
            return Ok(None);
        };
        let container = Arc::new(container);
        drop(lock(&self.opened).insert(name.to_owned(), Arc::clone(&container)));
        Ok(Some(container))
    }

    async fn look(&self, name: &str) -> Result<Option<Container>, Error> {
        let client = match self.client.container_client(name.to_owned(), None).await {
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

    fn invalid(&self, reason: String) -> Error {
        Error::Invalid { store: self.store.clone().into(), reason, source: None }
    }

    fn unfit(&self, error: azure_data_cosmos::CosmosError) -> Error {
        sort(&self.store, Aim::SetUp, error)
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

/// Properties of a new container: partitioned by key, only `due` is indexed, items may have a time
/// to live.
fn properties(name: &str) -> ContainerProperties {
    let mut properties = ContainerProperties::new(name.to_owned(), "/id".into());
    properties.default_ttl = TimeToLive::NoDefault;
    properties.with_indexing_policy(index(None))
}

/// Adds `due` to an indexing policy; without a policy, indexes nothing else.
fn index(policy: Option<IndexingPolicy>) -> IndexingPolicy {
    let keeps = policy.filter(|policy| policy.indexing_mode != Some(IndexingMode::None));
    let is_new = keeps.is_none();
    let mut policy = keeps.unwrap_or_default();
    policy.excluded_paths.retain(|excluded| !names_due(excluded));
    if is_new {
        // All of it: `/document/*` is by far the largest part, and nobody searches in it.
        policy = policy.with_excluded_path("/*");
    }
    policy.automatic = true;
    policy.with_indexing_mode(IndexingMode::Consistent).with_included_path(DUE)
}

fn indexes_due(policy: Option<&IndexingPolicy>) -> bool {
    let Some(policy) = policy else { return true };
    if !policy.automatic || policy.indexing_mode == Some(IndexingMode::None) {
        return false;
    }
    if policy.included_paths.iter().any(names_due) {
        return true;
    }
    !policy.excluded_paths.iter().any(names_due)
        && policy.included_paths.iter().any(|included| included.path == "/*")
}

fn names_due(path: &PropertyPath) -> bool {
    matches!(path.path.as_str(), DUE | "/due/*" | "/\"due\"/?" | "/\"due\"/*")
}

#[cfg(test)]
mod tests;

//! A database of its own on the server, a store on it, and the library's own client beside the
//! store.

use std::{env, sync::Arc};

use azure_core::credentials::Secret;
use azure_data_cosmos::{
    AccountReference, ContainerClient, CosmosClient, DatabaseClient, RoutingStrategy,
    models::{ContainerProperties, IndexingPolicy},
    options::{BinaryEncodingOptions, ItemReadOptions, ItemWriteOptions, OperationOptions},
};
use sayso_stores::{CosmosConfig, CosmosStore};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Due, ETag, Expect, Saved, Store, Write},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// The container in every test's database.
pub(super) const CONTAINER: &str = "state";

pub(super) fn connection_string() -> String {
    env::var("SAYSO_TEST_COSMOS").expect(
        "SAYSO_TEST_COSMOS is not set: run the tests with `scripts/servers run -- ...`, or set it to the \
         connection string of an account",
    )
}

/// A database that nobody else uses, and that is not there yet.
pub(super) fn config() -> CosmosConfig {
    let database = format!("test-{:016x}", fastrand::u64(..));
    in_database(&database).create(true)
}

pub(super) fn in_database(database: &str) -> CosmosConfig {
    CosmosConfig::from_connection_string(&connection_string(), database, CONTAINER).unwrap()
}

/// A store for the suite, and what removes its database afterwards.
pub(super) async fn make(config: CosmosConfig) -> (Arc<dyn Store>, ()) {
    (Arc::new(CosmosStore::open(config).await.unwrap()), ())
}

pub(super) fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

pub(super) fn create(key: &Key, body: &str) -> Write {
    let (due, expires) = (None, None);
    Write {
        key: key.clone(),
        expect: Expect::Absent,
        body: body.to_owned(),
        due,
        expires,
        participants: None,
    }
}

pub(super) fn replace(key: &Key, etag: &ETag, body: &str) -> Write {
    Write { expect: Expect::At(etag.clone()), ..create(key, body) }
}

pub(super) fn committed(saved: Saved) -> ETag {
    let Saved::Committed(etag) = saved else { panic!("it conflicted") };
    etag
}

/// A database as the library sees it.
pub(super) struct Raw {
    pub(super) name: String,
    pub(super) database: DatabaseClient,
}

impl Raw {
    pub(super) async fn open(name: &str) -> Self {
        let text = connection_string();
        let part = |name: &str| {
            let rest = text.split_once(name).unwrap().1;
            rest.split(';').next().unwrap().to_owned()
        };
        let endpoint = part("AccountEndpoint=").parse().unwrap();
        let key = Secret::new(part("AccountKey="));
        let account = AccountReference::with_authentication_key(endpoint, key);
        let client = CosmosClient::builder()
            .build(account, RoutingStrategy::PreferredRegions(Vec::new()))
            .await
            .unwrap();
        // Whether it is there already is for the tests to say.
        drop(client.create_database(name, None).await);
        Self { name: name.to_owned(), database: client.database_client(name.to_owned()) }
    }

    /// A new database with a container, as another SDK makes it unless told otherwise.
    pub(super) async fn with_container(properties: Value) -> Self {
        let raw = Self::open(&format!("test-{:016x}", fastrand::u64(..))).await;
        let mut all = json!({"id": CONTAINER, "partitionKey": {"paths": ["/id"], "kind": "Hash"}});
        all.as_object_mut().unwrap().extend(properties.as_object().unwrap().clone());
        let properties: ContainerProperties = serde_json::from_value(all).unwrap();
        raw.database.create_container(properties, None).await.unwrap();
        raw
    }

    pub(super) fn config(&self) -> CosmosConfig {
        in_database(&self.name)
    }

    pub(super) async fn container(&self, name: &str) -> ContainerClient {
        self.database.container_client(name.to_owned(), None).await.unwrap()
    }

    pub(super) async fn properties(&self, name: &str) -> Value {
        let answer = self.container(name).await.read(None).await.unwrap();
        serde_json::to_value(answer.into_model().unwrap()).unwrap()
    }

    pub(super) async fn policy(&self) -> IndexingPolicy {
        let answer = self.container(CONTAINER).await.read(None).await.unwrap();
        answer.into_model().unwrap().indexing_policy.unwrap()
    }

    /// An item as it is stored; `None` when it is absent.
    pub(super) async fn item(&self, container: &str, id: &str) -> Option<Value> {
        let options = ItemReadOptions::default().with_operation_options(text());
        let container = self.container(container).await;
        match container.read_item(id.to_owned(), id, Some(options)).await {
            Ok(answer) => Some(parsed(&answer.into_body().single().unwrap())),
            Err(error) if error.status().is_not_found() => None,
            Err(error) => panic!("{error}"),
        }
    }

    pub(super) async fn put(&self, item: &Value) {
        let options = ItemWriteOptions::default().with_operation_options(text());
        let id = item["id"].as_str().unwrap();
        let container = self.container(CONTAINER).await;
        drop(container.upsert_item(id.to_owned(), id, item, Some(options)).await.unwrap());
    }
}

/// Reads JSON of any depth: Cosmos takes a level more than the parser by itself.
pub(super) fn parsed(text: &[u8]) -> Value {
    let mut parser = serde_json::Deserializer::from_slice(text);
    parser.disable_recursion_limit();
    Value::deserialize(&mut parser).unwrap()
}

fn text() -> OperationOptions {
    let mut options = OperationOptions::default();
    options.binary_encoding = Some(BinaryEncodingOptions::new().with_enabled(false));
    options
}

/// Returns all that is due at the beginning of time.
pub(super) async fn look(store: &CosmosStore) -> Vec<Due> {
    let (mut due, mut from) = (Vec::new(), None);
    for _ in 0..100 {
        let page = store.due(Timestamp::START, from.as_ref(), 9).await.unwrap();
        due.extend(page.found);
        from = page.next;
        if from.is_none() {
            return due;
        }
    }
    panic!("a look does not end");
}

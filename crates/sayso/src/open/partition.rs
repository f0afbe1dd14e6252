//! Partitions by URL: `partition=kind` or `partition=tenant` on the URL of any engine.
//!
//! A partition is the same URL at a place of its own: another file, schema, container or prefix.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use sayso_stores::{PartitionBy, PartitionedStore};
use sayso_turn::store::{Error, MemoryStore, Store};

use super::engine::{OpenError, Opened, feature_of, open_one};

/// The most partitions that the URL may ask to have open.
const OPEN_LIMIT: usize = 1000;
/// Connections of a partition on PostgreSQL, unless the URL says otherwise.
const POSTGRES_CONNECTIONS: &str = "3";
/// Partitions open at a time on PostgreSQL, unless the URL says otherwise: a server has a hundred
/// connections by default.
const POSTGRES_OPEN: usize = 16;

/// Partitions that a URL asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Partitions {
    by: PartitionBy,
    open_max: Option<usize>,
}

/// Takes the parameters of partitions out of a URL.
pub(super) fn split(url: &str) -> Result<(String, Option<Partitions>), OpenError> {
    let Some((place, query)) = url.rsplit_once('?') else { return Ok((url.to_owned(), None)) };
    let (mut by, mut open_max, mut rest) = (None, None, Vec::new());
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("partition", how)) => by = Some(how),
            Some(("open-partitions", count)) => open_max = Some(count),
            _ => rest.push(pair),
        }
    }
    if by.is_none() && open_max.is_none() {
        return Ok((url.to_owned(), None));
    }
    let join = if rest.is_empty() { "" } else { "?" };
    let url = format!("{place}{join}{}", rest.join("&"));
    let number = |count: &str| {
        let count = count.parse::<usize>().ok().filter(|count| (1..=OPEN_LIMIT).contains(count));
        count.ok_or_else(|| wrong(format!("`open-partitions` must be 1 to {OPEN_LIMIT}")))
    };
    let open_max = open_max.map(number).transpose()?;
    match by {
        Some("one") => Ok((url, None)),
        None => Err(wrong("`open-partitions` needs `partition`".to_owned())),
        Some(how) => {
            let by = how.parse::<PartitionBy>().map_err(|error| wrong(error.to_string()))?;
            Ok((url, Some(Partitions { by, open_max })))
        }
    }
}

/// Opens the store that a URL names, with its partitions if it asks for them.
pub(super) async fn open_any(url: &str) -> Result<Opened, OpenError> {
    let (url, partitions) = split(url)?;
    match partitions {
        None => open_one(&url).await,
        Some(partitions) => Box::pin(partitions.open(&url)).await,
    }
}

fn wrong(reason: String) -> OpenError {
    OpenError::Partition { reason }
}

impl Partitions {
    /// Opens the store of a URL with its partitions.
    pub(super) async fn open(self, url: &str) -> Result<Opened, OpenError> {
        let scheme = url.split(':').next().unwrap_or_default();
        let feature = feature_of(scheme);
        if feature == Some("cosmos") {
            // The account's own containers: one client, and one query for all of them.
            return open_one(&with_parameter(url, "containers", &self.by.to_string())).await;
        }
        let base = open_one(url).await?;
        let store = if feature.is_none() {
            PartitionedStore::new(self.by, base.store, in_memory())
        } else {
            let (url, feature) = (url.to_owned(), feature.unwrap_or_default());
            PartitionedStore::new(self.by, base.store, move |name| {
                let place = place_of(feature, &url, &name);
                async move { at(feature, place).await }
            })
        };
        let open_default = (feature == Some("postgres")).then_some(POSTGRES_OPEN);
        let open_max = self.open_max.or(open_default);
        let store = match open_max {
            Some(count) => store.open_max(count),
            None => store,
        };
        Ok(Opened { store: Arc::new(store), warnings: base.warnings })
    }
}

/// Partitions in memory: a closed one would be forgotten, so all of them are kept.
fn in_memory() -> impl Fn(String) -> std::future::Ready<Result<Arc<dyn Store>, Error>> {
    let stores: Mutex<BTreeMap<String, Arc<MemoryStore>>> = Mutex::default();
    move |name| {
        let mut stores = stores.lock().unwrap_or_else(PoisonError::into_inner);
        let store = Arc::clone(stores.entry(name).or_default());
        std::future::ready(Ok(store as Arc<dyn Store>))
    }
}

/// Opens one partition. What the engine says against it is for the caller of the store.
async fn at(feature: &'static str, url: String) -> Result<Arc<dyn Store>, Error> {
    let opening = async move { open_one(&url).await.map(|opened| opened.store) };
    let opened = match feature {
        // It blocks for a moment, and a bot is at work meanwhile.
        "sqlite" => {
            let runtime = tokio::runtime::Handle::current();
            let opened = tokio::task::spawn_blocking(move || runtime.block_on(opening)).await;
            opened.map_err(|_| unopened("opening it failed".to_owned()))?
        }
        _ => opening.await,
    };
    opened.map_err(|error| match error {
        OpenError::Store(error) => error,
        error => unopened(error.to_string()),
    })
}

fn unopened(reason: String) -> Error {
    Error::Invalid { store: "a partition of the store".into(), reason, source: None }
}

/// URL of a partition.
fn place_of(feature: &str, url: &str, name: &str) -> String {
    match feature {
        "sqlite" => {
            let folder = url.rfind('/').map_or(0, |at| at + 1);
            let end = url.rfind('.').filter(|at| *at > folder).unwrap_or(url.len());
            let (file, extension) = url.split_at(end);
            format!("{file}-{name}{extension}")
        }
        "postgres" => {
            let schema = parameter(url, "schema").unwrap_or("sayso");
            let schema = format!("{schema}_{}", name.replace('-', "_"));
            let url = with_parameter(url, "schema", &schema);
            match parameter(&url, "connections") {
                Some(_) => url,
                None => with_parameter(&url, "connections", POSTGRES_CONNECTIONS),
            }
        }
        "redis" => {
            let prefix = parameter(url, "prefix").unwrap_or("sayso");
            with_parameter(url, "prefix", &format!("{prefix}.{name}"))
        }
        // A container, or a part of the prefix.
        _ => {
            let (place, query) = url.split_once('?').unwrap_or((url, ""));
            let place = place.trim_end_matches('/');
            let join = if feature == "s3" { '/' } else { '-' };
            let mark = if query.is_empty() { "" } else { "?" };
            format!("{place}{join}{name}{mark}{query}")
        }
    }
}

/// Place where the query of a URL begins, after the mark. A password may hold one, too.
fn query_of(url: &str) -> Option<usize> {
    let host = url.find('@').unwrap_or(0);
    url.split_at(host).1.find('?').map(|at| host + at + 1)
}

fn parameter<'a>(url: &'a str, name: &str) -> Option<&'a str> {
    let query = url.split_at(query_of(url)?).1;
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(own, _)| *own == name)
        .map(|(_, value)| value)
}

/// Sets a parameter of a URL, in place of one of that name.
fn with_parameter(url: &str, name: &str, value: &str) -> String {
    let (place, query) = query_of(url).map_or((url, ""), |at| {
        let (place, query) = url.split_at(at);
        (place.trim_end_matches('?'), query)
    });
    let is_other =
        |pair: &&str| !pair.is_empty() && pair.split_once('=').is_none_or(|(own, _)| own != name);
    let pair = format!("{name}={value}");
    let pairs: Vec<&str> = query.split('&').filter(is_other).chain([pair.as_str()]).collect();
    format!("{place}?{}", pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use sayso_turn::{
        Key, KeyScheme,
        store::{Expect, Write},
    };

    use super::*;
    use crate::open_store;

    #[test]
    fn a_partition_is_the_url_at_a_place_of_its_own() {
        for (feature, url, place) in [
            ("sqlite", "sqlite:data/bot.sqlite", "sqlite:data/bot-t-a.sqlite"),
            ("sqlite", "sqlite:a.b/bot", "sqlite:a.b/bot-t-a"),
            (
                "postgres",
                "postgres://u:p?w@h/d",
                "postgres://u:p?w@h/d?schema=sayso_t_a&connections=3",
            ),
            (
                "postgres",
                "postgres://h/d?schema=s&connections=5",
                "postgres://h/d?connections=5&schema=s_t_a",
            ),
            ("redis", "redis://h?wait=1", "redis://h?wait=1&prefix=sayso.t-a"),
            ("redis", "redis://h?prefix=p", "redis://h?prefix=p.t-a"),
            ("azure-blob", "azblob:https://h/c/?create=no", "azblob:https://h/c-t-a?create=no"),
            ("s3", "s3://bucket", "s3://bucket/t-a"),
            ("s3", "s3://bucket/p?region=r", "s3://bucket/p/t-a?region=r"),
        ] {
            assert_eq!(place_of(feature, url, "t-a"), place);
        }
    }

    #[test]
    fn parameters_of_partitions_are_taken_out_of_the_url() {
        let by_tenant = |open_max| Some(Partitions { by: PartitionBy::Tenant, open_max });
        for (url, rest, partitions) in [
            ("redis://h?wait=1", "redis://h?wait=1", None),
            ("sqlite:a?b", "sqlite:a?b", None),
            ("redis://h?partition=one&wait=1", "redis://h?wait=1", None),
            ("redis://h?wait=1&partition=tenant", "redis://h?wait=1", by_tenant(None)),
            ("sqlite:a?partition=tenant&open-partitions=7", "sqlite:a", by_tenant(Some(7))),
        ] {
            assert_eq!(split(url).unwrap(), (rest.to_owned(), partitions), "{url}");
        }
        for url in ["sqlite:a?partition=region", "sqlite:a?open-partitions=7"] {
            assert!(split(url).is_err());
        }
        let error = split("sqlite:a?partition=tenant&open-partitions=0").unwrap_err().to_string();
        assert!(error.contains("1 to 1000"), "{error}");
    }

    fn write(tenant: &str) -> Write {
        let scope = KeyScheme::default().by_tenant(true).scope(Some(tenant));
        let key = scope.user("msteams", "ann").unwrap();
        Write {
            key,
            expect: Expect::Absent,
            body: "{}".into(),
            due: None,
            expires: None,
            participants: None,
        }
    }

    #[tokio::test]
    async fn a_partition_in_memory_is_kept_while_others_are_used() {
        let store = open_store("memory://?partition=tenant&open-partitions=1").await.unwrap();
        for tenant in ["a", "b", "c"] {
            store.save(write(tenant)).await.unwrap();
        }
        for tenant in ["a", "b", "c"] {
            assert!(store.load(&write(tenant).key).await.unwrap().is_some());
        }
    }

    #[cfg(feature = "sqlite")]
    #[tokio::test]
    async fn each_tenant_has_a_file_that_any_process_finds_again() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}/bot.sqlite?partition=tenant", folder.path().display());
        let store = open_store(&url).await.unwrap();
        assert!(store.load(&write("a").key).await.unwrap().is_none());
        assert!(!folder.path().join("bot-t-a.sqlite").exists(), "a read makes no file");
        store.save(write("a")).await.unwrap();
        drop(store);
        assert!(folder.path().join("bot-t-a.sqlite").exists());
        let store = open_store(&url).await.unwrap();
        let keys: Vec<Key> = {
            use futures_util::TryStreamExt;
            store.list("").try_collect().await.unwrap()
        };
        assert_eq!(keys, [write("a").key]);
    }
}

//! Spreads the keys of the conformance suite over tenants, so that it runs over partitions.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, future, stream, stream::BoxStream};
use sayso_turn::{
    Key, KeyScheme, KeyScope,
    clock::Timestamp,
    store::{Cursor, DuePage, ETag, Error, Saved, Store, Stored, Transactions, Write},
};

const TENANTS: [Option<&str>; 4] = [None, Some("a"), Some("b"), Some("C/d")];

/// A store in which every key has a tenant, unless that would make it too long.
#[derive(Debug)]
pub(super) struct Scattered(pub(super) Arc<dyn Store>);

fn scopes() -> [KeyScope<'static>; 4] {
    TENANTS.map(|tenant| KeyScheme::default().by_tenant(true).scope(tenant))
}

fn inside(key: &Key) -> Key {
    let sum: usize = key.as_str().bytes().map(usize::from).sum();
    let scopes = scopes();
    scopes[sum % scopes.len()].place(key.clone()).unwrap_or_else(|_| key.clone())
}

fn outside(key: Key) -> Key {
    let is_ours = scopes().iter().any(|scope| *scope == key.scope());
    if is_ours { Key::new(key.without_scope()).unwrap() } else { key }
}

#[async_trait]
impl Store for Scattered {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.0.load(&inside(key)).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        self.0.save(Write { key: inside(&write.key), ..write }).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        self.0.delete(&inside(key), etag).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let mut page = self.0.due(now, from, limit).await?;
        for due in &mut page.found {
            due.key = outside(due.key.clone());
        }
        Ok(page)
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        let prefixes: Vec<String> =
            scopes().iter().map(|scope| format!("{scope}{prefix}")).collect();
        let plain = self.0.list(prefix);
        let own: Vec<_> = prefixes.iter().map(|prefix| self.0.list(prefix)).collect();
        // What begins with a scope of ours, whatever the prefix, is in one of those listings.
        let plain = plain
            .try_filter(|key| future::ready(!scopes().iter().any(|scope| *scope == key.scope())));
        plain.chain(stream::iter(own).flatten()).map_ok(outside).boxed()
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        None
    }

    fn save_time_max(&self) -> Option<Duration> {
        self.0.save_time_max()
    }
}

impl fmt::Display for Scattered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

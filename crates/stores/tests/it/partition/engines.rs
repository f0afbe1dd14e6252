//! The conformance suite over partitions of each engine.

use std::sync::Arc;

use sayso_stores::{PartitionBy, PartitionedStore};
use sayso_turn::store::{Error, Store};

use super::scattered::Scattered;

/// A partitioned store in which two partitions of three are open at a time.
fn over(base: impl Store, open: impl AsyncOpen) -> Arc<dyn Store> {
    let store =
        PartitionedStore::new(PartitionBy::Tenant, Arc::new(base), move |name| open.at(name));
    Arc::new(Scattered(Arc::new(store.open_max(2))))
}

/// Opens the partition of a name.
trait AsyncOpen: Send + Sync + 'static {
    fn at(&self, name: String) -> futures_util::future::BoxFuture<'static, Opened>;
}

type Opened = Result<Arc<dyn Store>, Error>;

impl<F, Fut> AsyncOpen for F
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Opened> + Send + 'static,
{
    fn at(&self, name: String) -> futures_util::future::BoxFuture<'static, Opened> {
        Box::pin(self(name))
    }
}

mod memory {
    use std::future::ready;

    use super::*;
    use crate::partition::Server;

    fn make() -> (Arc<dyn Store>, ()) {
        let store = Server::default().connect(PartitionBy::Tenant).open_max(2);
        (Arc::new(Scattered(Arc::new(store))), ())
    }

    sayso_stores::conformance!(ready(make()));
}

mod sqlite {
    use std::future::ready;

    use sayso_stores::SqliteStore;
    use tempfile::TempDir;

    use super::*;

    fn make() -> (Arc<dyn Store>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let base = SqliteStore::open(path.join("bot.sqlite")).unwrap();
        let open = move |name: String| {
            let opened = SqliteStore::open(path.join(format!("bot-{name}.sqlite")));
            ready(opened.map(|store| Arc::new(store) as Arc<dyn Store>))
        };
        (over(base, open), folder)
    }

    sayso_stores::conformance!(ready(make()), cases: 8, operations: 40);
}

#[cfg(feature = "postgres")]
mod postgres {
    use sayso_stores::PostgresStore;

    use super::*;

    async fn open(schema: String) -> Result<PostgresStore, Error> {
        let server = std::env::var("SAYSO_TEST_POSTGRES").expect(
            "set SAYSO_TEST_POSTGRES to the URL of a PostgreSQL server, or run scripts/servers",
        );
        let mark = if server.contains('?') { '&' } else { '?' };
        PostgresStore::open_url(&format!("{server}{mark}schema={schema}&connections=2")).await
    }

    async fn make() -> (Arc<dyn Store>, ()) {
        let base = open("sayso_parts".to_owned()).await.unwrap();
        let at = |name: String| async move {
            let schema = format!("sayso_parts_{}", name.replace('-', "_"));
            // A name of ours and the longest one there is fit.
            let schema = schema.replace("sayso_parts_h_", "sayso_h_");
            Ok(Arc::new(open(schema).await?) as Arc<dyn Store>)
        };
        (over(base, at), ())
    }

    sayso_stores::conformance!(make(), cases: 4, operations: 40);
}

#[cfg(feature = "redis")]
mod redis {
    use sayso_stores::RedisStore;

    use super::*;

    async fn open(prefix: String) -> Result<RedisStore, Error> {
        let server = std::env::var("SAYSO_TEST_REDIS")
            .expect("set SAYSO_TEST_REDIS to the URL of a Redis server, or run scripts/servers");
        let mark = if server.contains('?') { '&' } else { '?' };
        RedisStore::open_url(&format!("{server}{mark}prefix={prefix}")).await
    }

    async fn make() -> (Arc<dyn Store>, ()) {
        let prefix = format!("parts-{:016x}", number_of_the_test());
        let base = open(prefix.clone()).await.unwrap();
        let at = move |name: String| {
            let prefix = format!("{prefix}.{name}");
            async move { Ok(Arc::new(open(prefix).await?) as Arc<dyn Store>) }
        };
        (over(base, at), ())
    }

    /// A number that no other test has.
    fn number_of_the_test() -> u64 {
        use std::hash::BuildHasher as _;
        std::collections::hash_map::RandomState::new().hash_one(std::process::id())
    }

    sayso_stores::conformance!(make(), cases: 4, operations: 40);
}

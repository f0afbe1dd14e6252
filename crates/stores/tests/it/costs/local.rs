//! Engines without a server: calls of the store itself, and transactions of SQLite.

use std::sync::Arc;

use sayso_stores::{SqliteStore, doubles::Counted};
use sayso_turn::store::{MemoryStore, Store};

use super::{Calls, check};

#[expect(clippy::cast_precision_loss, reason = "a few calls")]
fn calls<const N: usize>(counts: [(&str, u64); N]) -> Calls {
    counts.into_iter().map(|(name, count)| (name.to_owned(), count as f64)).collect()
}

#[tokio::test]
async fn costs_of_memory_are_as_its_page_says() {
    let store = Arc::new(Counted::new(Arc::new(MemoryStore::default())));
    let counts = || {
        let counts = store.counts();
        calls([("save", counts.saves), ("load", counts.loads), ("page of a look", counts.dues)])
    };
    check("memory.md", Arc::clone(&store) as Arc<dyn Store>, &counts).await;
}

#[tokio::test]
async fn costs_of_sqlite_are_as_its_page_says() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Arc::new(SqliteStore::open(folder.path().join("bot.sqlite")).unwrap());
    let store = Arc::new(Counted::new(Arc::clone(&sqlite)));
    let counts = || {
        let (counts, stats) = (store.counts(), sqlite.stats());
        calls([
            ("transaction with a flush", stats.commits),
            ("load", stats.loads.calls),
            ("page of a look", counts.dues),
        ])
    };
    check("sqlite.md", Arc::clone(&store) as Arc<dyn Store>, &counts).await;
}

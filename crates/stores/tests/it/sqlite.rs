//! The conformance suite on SQLite.

use std::{future::ready, sync::Arc};

use sayso_stores::SqliteStore;
use sayso_turn::store::Store;
use tempfile::TempDir;

fn make() -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("bot.sqlite")).unwrap();
    (Arc::new(store), folder)
}

sayso_stores::conformance!(ready(make()), cases: 256, operations: 60);

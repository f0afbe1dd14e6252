//! The conformance suite on the memory store.

use std::{future::ready, sync::Arc};

use sayso_turn::store::{MemoryStore, Store};

fn make() -> (Arc<dyn Store>, ()) {
    (Arc::new(MemoryStore::default()), ())
}

sayso_stores::conformance!(ready(make()), cases: 256, operations: 60);

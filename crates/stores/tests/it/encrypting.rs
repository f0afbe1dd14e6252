//! Encrypting decorator: the conformance suite on top of four engines, and what only it promises.

mod names;
mod passed_on;
mod rotation;
mod sealed;

use std::{future::ready, sync::Arc};

use sayso_stores::{
    SqliteStore,
    encrypting::{Encrypting, KeyRing, NameKey},
};
use sayso_turn::{
    Key,
    store::{ETag, Expect, MemoryStore, Saved, Store, Write},
};
use tempfile::TempDir;

/// Entries of key rings.
const A: &str = "a:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const B: &str = "b:YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY=";
const NAMES: &str = "bmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgISE=";

fn ring(entries: &[&str]) -> KeyRing {
    KeyRing::parse(&entries.join(" ")).unwrap()
}

fn over<S: Store + ?Sized>(store: &Arc<S>, entries: &[&str]) -> Encrypting<S> {
    Encrypting::new(Arc::clone(store), ring(entries))
}

fn hashed<S: Store + ?Sized>(store: &Arc<S>, entries: &[&str]) -> Encrypting<S> {
    over(store, entries).with_names(NameKey::parse(NAMES).unwrap()).unwrap()
}

fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

fn create(name: &str, body: &str) -> Write {
    Write::new(key(name), Expect::Absent, body)
}

fn replace(name: &str, etag: &ETag, body: &str) -> Write {
    Write { expect: Expect::At(etag.clone()), ..create(name, body) }
}

async fn save(store: &dyn Store, write: Write) -> ETag {
    match store.save(write).await.unwrap() {
        Saved::Committed(etag) => etag,
        Saved::Conflict => panic!("nobody else writes"),
    }
}

async fn body(store: &dyn Store, name: &str) -> String {
    store.load(&key(name)).await.unwrap().unwrap().body
}

mod on_memory {
    use super::*;

    fn make() -> (Arc<dyn Store>, ()) {
        (Arc::new(over(&Arc::new(MemoryStore::default()), &[A])), ())
    }

    sayso_stores::conformance!(ready(make()), cases: 64, operations: 60);
}

mod on_memory_with_hashed_names {
    use super::*;

    fn make() -> (Arc<dyn Store>, ()) {
        (Arc::new(hashed(&Arc::new(MemoryStore::default()), &[A])), ())
    }

    sayso_stores::conformance!(ready(make()), cases: 64, operations: 60);
}

/// With an older key and with documents in clear accepted.
mod on_memory_while_it_is_introduced {
    use super::*;

    fn make() -> (Arc<dyn Store>, ()) {
        (Arc::new(over(&Arc::new(MemoryStore::default()), &["clear", A])), ())
    }

    sayso_stores::conformance!(ready(make()), cases: 16, operations: 60);
}

mod on_sqlite {
    use super::*;

    fn make() -> (Arc<dyn Store>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("bot.sqlite")).unwrap();
        (Arc::new(over(&Arc::new(store), &[A, B])), folder)
    }

    sayso_stores::conformance!(ready(make()), cases: 64, operations: 60);
}

mod on_sqlite_with_hashed_names {
    use super::*;

    fn make() -> (Arc<dyn Store>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("bot.sqlite")).unwrap();
        (Arc::new(hashed(&Arc::new(store), &[A, B])), folder)
    }

    sayso_stores::conformance!(ready(make()), cases: 64, operations: 60);
}

#[cfg(feature = "postgres")]
mod on_postgres {
    use super::*;
    use crate::postgres;

    async fn make() -> (Arc<dyn Store>, ()) {
        let url = postgres::url("schema=sayso_encrypted");
        let store = sayso_stores::PostgresStore::open_url(&url).await.unwrap();
        (Arc::new(over(&Arc::new(store), &[A])), ())
    }

    sayso_stores::conformance!(make(), cases: 32, operations: 40);
}

#[cfg(feature = "azure-blob")]
mod on_blob {
    use super::*;
    use crate::blob;

    async fn make() -> (Arc<dyn Store>, ()) {
        (Arc::new(over(&blob::open(blob::config()).await, &[A])), ())
    }

    async fn make_hashed() -> (Arc<dyn Store>, ()) {
        (Arc::new(hashed(&blob::open(blob::config()).await, &[A])), ())
    }

    sayso_stores::conformance!(make(), cases: 16, operations: 40);

    mod with_hashed_names {
        use super::make_hashed;

        sayso_stores::conformance!(make_hashed(), cases: 16, operations: 40);
    }
}

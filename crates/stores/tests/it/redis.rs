//! Redis: the conformance suite on a real server, and tests of this engine alone.

mod cluster;
mod costs;
mod documents;
mod failover;
mod faults;
mod listing;
mod mutual;
mod opening;
mod rotation;
mod server;
mod together;

use std::{collections::hash_map::RandomState, env, hash::BuildHasher, sync::Arc};

use sayso_stores::RedisStore;
use sayso_turn::{
    Key,
    store::{Expect, Store, Write},
};

sayso_stores::conformance!(make(), cases: 64, operations: 40);

/// The server that all tests share, with a prefix that this test alone has.
fn url() -> String {
    let server = env::var("SAYSO_TEST_REDIS").expect(
        "SAYSO_TEST_REDIS is not set: run the tests with `scripts/servers run redis -- ...`",
    );
    let mark = if server.contains('?') { '&' } else { '?' };
    format!("{server}{mark}prefix={}", prefix())
}

fn prefix() -> String {
    format!("test:{:016x}", RandomState::new().hash_one(std::process::id()))
}

async fn make() -> (Arc<dyn Store>, ()) {
    (Arc::new(RedisStore::open_url(&url()).await.unwrap()), ())
}

fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

fn create(text: &str, body: &str) -> Write {
    let (key, expect) = (key(text), Expect::Absent);
    Write::new(key, expect, body)
}

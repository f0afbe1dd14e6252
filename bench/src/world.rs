//! A world: an engine, a store that holds conversations, and a channel that takes every reply.
//!
//! The runtime has one thread, so that what is counted is the engine's work and not the scheduler's
//! moving of it. SQLite has threads of its own.

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use sayso_activity::Activity;
use sayso_stores::SqliteStore;
use sayso_turn::{
    Engine,
    channel::{Channel, Delivery, Parcel},
    store::{Expect, MemoryStore, Store, Write},
};
use tokio::runtime::{Builder, Runtime};

use crate::{
    inputs,
    pizza::{self, Cut},
};

/// An engine and everything around it.
#[derive(Debug)]
pub struct World {
    // First, so that it is dropped first: its tasks hold the engine.
    runtime: Runtime,
    engine: Engine,
    store: Arc<dyn Store>,
    sqlite: Option<Arc<SqliteStore>>,
    conversations: usize,
    next: u64,
}

/// Takes every reply and forgets it.
#[derive(Debug)]
struct Null;

#[async_trait]
impl Channel for Null {
    async fn deliver(&self, _: &Parcel) -> Delivery {
        Delivery::Delivered { id: None }
    }
}

impl World {
    /// A world in memory, warm: every conversation has a full document and is cached.
    #[must_use]
    pub fn memory(cut: Cut, conversations: usize) -> Self {
        Self::new(Arc::new(MemoryStore::default()), None, cut, conversations)
    }

    /// A world on a SQLite file in a folder, warm.
    ///
    /// # Panics
    /// When the file cannot be used.
    #[must_use]
    pub fn sqlite(folder: &Path, cut: Cut, conversations: usize) -> Self {
        let store = SqliteStore::open(folder.join("turns.sqlite")).expect("the file can be opened");
        let store = Arc::new(store);
        Self::new(Arc::clone(&store) as _, Some(store), cut, conversations)
    }

    fn new(
        store: Arc<dyn Store>,
        sqlite: Option<Arc<SqliteStore>>,
        cut: Cut,
        conversations: usize,
    ) -> Self {
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("the system gives a runtime");
        let engine = runtime.block_on(async {
            for conversation in 0..conversations {
                let key = inputs::key(conversation);
                let body = inputs::document(cut);
                let write = Write { key, expect: Expect::Absent, body, due: None, expires: None };
                store.save(write).await.expect("an empty store takes a document");
            }
            let builder = Engine::builder(pizza::bot(), Arc::clone(&store), Arc::new(Null));
            builder.seed(1).start()
        });
        let mut world = Self { runtime, engine, store, sqlite, conversations, next: 1000 };
        // The first turn loads; from the third one on every turn is like the one before.
        let warmup = world.messages(3);
        world.run(warmup);
        world
    }

    /// The next messages, `count` for each conversation.
    pub fn messages(&mut self, count: usize) -> Vec<Vec<Activity>> {
        let first = self.next;
        self.next += count as u64;
        let of = |conversation| {
            (first..self.next).map(|number| inputs::activity(conversation, number)).collect()
        };
        (0..self.conversations).map(of).collect()
    }

    /// Runs turns until all are durable and their replies handed over: the conversations at the same
    /// time, the messages of each one after the other.
    ///
    /// # Panics
    /// When a turn fails.
    pub fn run(&self, messages: Vec<Vec<Activity>>) {
        self.runtime.block_on(async {
            let before = self.engine.stats().turns;
            let expected: usize = messages.iter().map(Vec::len).sum();
            let others: Vec<_> = messages
                .into_iter()
                .map(|messages| (self.engine.clone(), messages))
                .map(|(engine, messages)| tokio::spawn(converse(engine, messages)))
                .collect();
            for other in others {
                other.await.expect("no turn panics");
            }
            while self.engine.stats().delivered < self.engine.stats().turns {
                tokio::task::yield_now().await;
            }
            let ran = self.engine.stats().turns - before;
            assert_eq!(ran, expected as u64, "every message became one turn");
        });
    }

    /// How large the first conversation's document is now, in bytes.
    ///
    /// # Panics
    /// When it is not there.
    #[must_use]
    pub fn document_bytes(&self) -> usize {
        let stored = self.runtime.block_on(self.store.load(&inputs::key(0)));
        stored.expect("the store answers").expect("the document exists").body.len()
    }

    /// How many commits the engine has made so far.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.engine.stats().commits
    }

    /// How often SQLite has flushed so far.
    #[must_use]
    pub fn flushes(&self) -> u64 {
        self.sqlite.as_ref().map_or(0, |sqlite| sqlite.stats().transactions)
    }
}

async fn converse(engine: Engine, messages: Vec<Activity>) {
    for message in messages {
        let answer = engine.receive(message).await.expect("a turn of the pizza bot succeeds");
        assert!(answer.is_handled && !answer.is_repeat, "every message is new");
    }
}

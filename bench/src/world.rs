//! Fixture: an engine, a store that holds conversations, and a channel that takes every reply.
//!
//! The runtime has one thread, so that what is counted is the engine's work and not the scheduler's
//! moving of it. SQLite has threads of its own. Only [`World::small`] takes a runtime, such as one
//! with many threads, as bots have in production.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use sayso_activity::Activity;
use sayso_stores::SqliteStore;
use sayso_turn::{
    Engine, Limits,
    channel::{Channel, Delivery, Parcel},
    store::{MemoryStore, Store},
};
use tokio::runtime::{Builder, Runtime};

use crate::{
    inputs,
    pizza::{self, Cut},
    saves,
};

/// An engine and everything around it.
#[derive(Debug)]
pub struct World {
    // First, so that it is dropped first: its tasks hold the engine.
    runtime: Arc<Runtime>,
    engine: Engine,
    store: Arc<dyn Store>,
    sqlite: Option<Arc<SqliteStore>>,
    /// Numbers of the conversations that get messages.
    conversations: Vec<usize>,
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
        let store = Arc::new(MemoryStore::default());
        Self::new(alone(), store, None, &Start::full(cut), (0..conversations).collect())
    }

    /// A world on a SQLite file in a folder, warm.
    ///
    /// # Panics
    /// When the file cannot be used.
    #[must_use]
    pub fn sqlite(folder: &Path, cut: Cut, conversations: usize) -> Self {
        let store = SqliteStore::open(folder.join("turns.sqlite")).expect("the file can be opened");
        let store = Arc::new(store);
        let (dynamic, start) = (Arc::clone(&store) as _, Start::full(cut));
        Self::new(alone(), dynamic, Some(store), &start, (0..conversations).collect())
    }

    /// A world on an empty store, warm.
    #[must_use]
    pub fn over(store: Arc<dyn Store>, cut: Cut, conversations: usize) -> Self {
        Self::new(alone(), store, None, &Start::full(cut), (0..conversations).collect())
    }

    /// A world with so many small documents on an empty store, warm. Only in these conversations is
    /// anything said.
    #[must_use]
    pub fn small(
        runtime: Arc<Runtime>,
        store: Arc<dyn Store>,
        documents: usize,
        conversations: Vec<usize>,
    ) -> Self {
        let start = Start { documents, ..Start::small() };
        Self::new(runtime, store, None, &start, conversations)
    }

    /// A world in memory of one conversation that starts with this document, warm.
    #[must_use]
    pub fn with(document: String, limits: Limits) -> Self {
        let store = Arc::new(MemoryStore::default());
        Self::new(alone(), store, None, &Start { document, limits, documents: 1 }, vec![0])
    }

    fn new(
        runtime: Arc<Runtime>,
        store: Arc<dyn Store>,
        sqlite: Option<Arc<SqliteStore>>,
        start: &Start,
        conversations: Vec<usize>,
    ) -> Self {
        let documents = start.documents.max(conversations.len());
        let engine = runtime.block_on(async {
            saves::fill(&store, documents, &start.document, None).await;
            let builder = Engine::builder(pizza::bot(), Arc::clone(&store), Arc::new(Null));
            builder.limits(start.limits.clone()).seed(1).start()
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
        self.conversations.iter().copied().map(of).collect()
    }

    /// Runs turns until all are durable and their replies handed over: the conversations at the
    /// same time, the messages of each one after the other.
    ///
    /// # Panics
    /// When a turn fails.
    pub fn run<M>(&self, messages: Vec<M>)
    where
        M: IntoIterator<Item = Activity>,
        M::IntoIter: ExactSizeIterator + Send + 'static,
    {
        let messages: Vec<_> = messages.into_iter().map(M::into_iter).collect();
        self.runtime.block_on(async {
            let before = self.engine.stats().turns;
            let expected: usize = messages.iter().map(ExactSizeIterator::len).sum();
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

    /// Runs `count` turns in every conversation, as [`run`](Self::run) does, and makes each message
    /// when it is sent: a copy of a parsed one, under the next id. Servers parse a message right
    /// before its turn. Made all together before, messages would be cold in the cache, and another
    /// thread's memory.
    ///
    /// # Panics
    /// When a turn fails.
    pub fn talk(&mut self, count: usize) {
        let first = self.next;
        self.next += count as u64;
        let samples = self.conversations.iter().map(|number| inputs::activity(*number, first));
        let messages = samples
            .map(|sample| (0..count).map(move |step| inputs::next(&sample, first + step as u64)));
        self.run(messages.collect());
    }

    /// Waits until the last hand-overs are recorded, too, so that nothing goes on in the
    /// background.
    ///
    /// # Panics
    /// When that takes long.
    pub fn rest(&self) {
        let began = Instant::now();
        while self.engine.busy() > 0 {
            assert!(began.elapsed() < Duration::from_secs(30), "the engine comes to rest");
            let a_little = async { tokio::time::sleep(Duration::from_millis(5)).await };
            self.runtime.block_on(a_little);
        }
    }

    /// Size of the first conversation's document now, in bytes.
    ///
    /// # Panics
    /// When it is not there.
    #[must_use]
    pub fn document_bytes(&self) -> usize {
        let stored = self.runtime.block_on(self.store.load(&inputs::key(0)));
        stored.expect("the store answers").expect("the document exists").body.len()
    }

    /// Number of commits by the engine so far.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.engine.stats().commits
    }

    /// Number of flushes by SQLite so far.
    #[must_use]
    pub fn flushes(&self) -> u64 {
        self.sqlite.as_ref().map_or(0, |sqlite| sqlite.stats().commits)
    }
}

/// Initial documents and limits of a world.
struct Start {
    document: String,
    limits: Limits,
    /// Minimum number of documents, including those of conversations that get no messages.
    documents: usize,
}

impl Start {
    fn full(cut: Cut) -> Self {
        Self { document: inputs::document(cut), limits: Limits::default(), documents: 0 }
    }

    fn small() -> Self {
        let limits = Limits { seen_max: inputs::SEEN_SMALL, ..Limits::default() };
        Self { document: inputs::small_document(), limits, documents: 0 }
    }
}

/// A runtime of one thread.
fn alone() -> Arc<Runtime> {
    let runtime = Builder::new_current_thread().enable_time().build();
    Arc::new(runtime.expect("the system gives a runtime"))
}

async fn converse(engine: Engine, messages: impl Iterator<Item = Activity> + Send) {
    for message in messages {
        let answer = engine.receive(message).await.expect("a turn of the pizza bot succeeds");
        assert!(answer.is_handled && !answer.is_repeat, "every message is new");
    }
}

//! Saves by a store without an engine: a lower bound for the cost of a durable turn on it.

use std::{path::Path, sync::Arc};

use sayso_stores::SqliteStore;
use sayso_turn::{
    Key,
    clock::Timestamp,
    document::Ledger,
    store::{ETag, Expect, Saved, Store, Write},
};
use tokio::runtime::{Builder, Runtime};

use crate::{
    inputs,
    raw::{Bodies, Raw},
};

/// Concurrency while documents are created.
const TOGETHER: usize = 64;

/// Documents of one size, each saved again and again.
#[derive(Debug)]
pub struct Saves {
    runtime: Arc<Runtime>,
    store: Arc<dyn Store>,
    sqlite: Option<Arc<SqliteStore>>,
    bodies: Bodies,
    documents: Vec<(Key, ETag)>,
}

impl Saves {
    /// Makes a file in a folder, with so many documents of this body.
    ///
    /// # Panics
    /// When the file cannot be used.
    #[must_use]
    pub fn new(folder: &Path, conversations: usize, body: Arc<str>) -> Self {
        let runtime = Builder::new_current_thread().build().expect("the system gives a runtime");
        let store = SqliteStore::open(folder.join("saves.sqlite")).expect("the file can be opened");
        let store = Arc::new(store);
        let bodies = [Arc::clone(&body), body];
        let all: Vec<_> = (0..conversations).collect();
        let mut saves =
            Self::on(Arc::new(runtime), Arc::clone(&store) as _, bodies, all.len(), &all);
        saves.sqlite = Some(store);
        saves
    }

    /// Makes so many documents of these bodies on a store that has none of them, and saves those of
    /// these numbers from then on.
    ///
    /// # Panics
    /// When the store fails.
    #[must_use]
    pub fn on(
        runtime: Arc<Runtime>,
        store: Arc<dyn Store>,
        bodies: Bodies,
        documents: usize,
        numbers: &[usize],
    ) -> Self {
        let mut all: Vec<_> = runtime
            .block_on(fill(&store, documents, &bodies[1], Some(Ledger::CLAIMED)))
            .into_iter()
            .map(Some)
            .collect();
        let documents = numbers
            .iter()
            .map(|number| all.get_mut(*number).and_then(Option::take).expect("one of them, once"))
            .collect();
        Self { runtime, store, sqlite: None, bodies, documents }
    }

    /// Number of documents.
    #[must_use]
    pub fn conversations(&self) -> usize {
        self.documents.len()
    }

    /// Saves every document so many times: the documents at the same time, the saves of each one
    /// after the other.
    ///
    /// # Panics
    /// When a save fails.
    pub fn run(&mut self, count: usize) {
        let Self { runtime, store, bodies, documents, .. } = self;
        runtime.block_on(async {
            let others: Vec<_> = std::mem::take(documents)
                .into_iter()
                .map(|document| (Arc::clone(store), document, bodies.clone()))
                .map(|(store, document, bodies)| {
                    tokio::spawn(repeat(store, document, bodies, count))
                })
                .collect();
            for other in others {
                documents.push(other.await.expect("no save panics"));
            }
        });
    }

    /// Number of saves by SQLite so far.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.sqlite.as_ref().map_or(0, |sqlite| sqlite.stats().writes)
    }

    /// Number of flushes by SQLite so far.
    #[must_use]
    pub fn flushes(&self) -> u64 {
        self.sqlite.as_ref().map_or(0, |sqlite| sqlite.stats().commits)
    }
}

impl Raw for Saves {
    fn run(&mut self, count: usize) {
        Self::run(self, count);
    }
}

async fn repeat(
    store: Arc<dyn Store>,
    (key, mut etag): (Key, ETag),
    bodies: Bodies,
    count: usize,
) -> (Key, ETag) {
    for body in bodies.iter().cycle().take(count) {
        etag = save(&*store, &key, Expect::At(etag), body).await;
    }
    (key, etag)
}

/// Makes so many documents of this body on a store that has none of them, in the order of their
/// numbers.
///
/// # Panics
/// When the store fails, or has one of them already.
pub async fn fill(
    store: &Arc<dyn Store>,
    documents: usize,
    body: &str,
    due: Option<Timestamp>,
) -> Vec<(Key, ETag)> {
    let mut all = Vec::with_capacity(documents);
    while all.len() < documents {
        // Together, so that they share a flush where the engine can do that.
        let some = (all.len()..documents).take(TOGETHER).map(|number| {
            let (store, key, body) = (Arc::clone(store), inputs::key(number), body.to_owned());
            tokio::spawn(async move {
                let etag = create(&*store, &key, body, due).await;
                (key, etag)
            })
        });
        for one in some.collect::<Vec<_>>() {
            all.push(one.await.expect("no save panics"));
        }
    }
    all
}

async fn create(store: &dyn Store, key: &Key, body: String, due: Option<Timestamp>) -> ETag {
    let write = Write {
        key: key.clone(),
        expect: Expect::Absent,
        body,
        due,
        expires: None,
        participants: None,
    };
    match store.save(write).await.expect("the store takes a document") {
        Saved::Committed(etag) => etag,
        Saved::Conflict => unreachable!("the store was empty"),
    }
}

/// One save, due like that of a turn with a reply.
async fn save(store: &dyn Store, key: &Key, expect: Expect, body: &str) -> ETag {
    let (key, body, due) = (key.clone(), body.to_owned(), Some(Ledger::CLAIMED));
    match store
        .save(Write { key, expect, body, due, expires: None, participants: None })
        .await
        .expect("the store takes a save")
    {
        Saved::Committed(etag) => etag,
        Saved::Conflict => unreachable!("nobody else writes here"),
    }
}

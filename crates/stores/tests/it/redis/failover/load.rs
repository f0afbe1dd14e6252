//! Load of conditional writes from several stores, and its books: what was acknowledged is there
//! once.
//!
//! A document is a list of marks, each of one write. When the outcome of a write is unknown the
//! writer looks, as the turn engine does: if the mark is there it counts as acknowledged.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use sayso_stores::RedisStore;
use sayso_turn::store::{Error, Expect, Saved, Store, Write};
use tokio::task::JoinHandle;

use super::super::{create, key};

/// The number of documents, which all writers share.
const DOCUMENTS: usize = 9;

/// The number of writers of each store.
const WRITERS: usize = 5;

/// The time within which writes must go on, and within which a write ends.
pub(super) const BACK_MAX: Duration = Duration::from_secs(15);

/// The largest number of writes of one writer.
const WRITES_MAX: usize = 4_000;

/// Writers at work.
pub(in crate::redis) struct Load {
    stores: Vec<Arc<RedisStore>>,
    books: Arc<Books>,
    writers: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Books {
    is_over: AtomicBool,
    acked: Mutex<BTreeMap<usize, Vec<(Instant, String)>>>,
    conflicts: AtomicU64,
    unknown: AtomicU64,
    unavailable: AtomicU64,
    found: AtomicU64,
}

impl Load {
    /// Opens two stores and starts the writers of both.
    pub(in crate::redis) async fn start(url: &str) -> Self {
        let books = Arc::new(Books::default());
        let (mut stores, mut writers) = (Vec::new(), Vec::new());
        for number in 0..2 {
            let store = Arc::new(RedisStore::open_url(url).await.unwrap());
            for writer in 0..WRITERS {
                let name = format!("{number}.{writer}");
                let (store, books) = (Arc::clone(&store), Arc::clone(&books));
                writers.push(tokio::spawn(async move { books.write(&store, &name).await }));
            }
            stores.push(store);
        }
        Self { stores, books, writers }
    }

    /// Waits until every document has been written again; the time that took.
    pub(in crate::redis) async fn is_back(&self, since: Instant) -> Duration {
        loop {
            let last = self.books.last_acks();
            if last.len() == DOCUMENTS && last.iter().all(|at| *at > since) {
                return last.iter().max().unwrap().duration_since(since);
            }
            let waited = since.elapsed();
            assert!(waited < BACK_MAX, "no service {waited:?} after: {}", self.books.figures());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends the writers and compares the documents with the books.
    #[expect(clippy::print_stdout, reason = "the figures of the run")]
    pub(in crate::redis) async fn settle(self, what: &str, back: Duration) {
        self.books.is_over.store(true, Ordering::SeqCst);
        for writer in self.writers {
            tokio::time::timeout(BACK_MAX, writer).await.expect("a write ends").unwrap();
        }
        let acked = std::mem::take(&mut *self.books.acked.lock().unwrap());
        let (mut lost, mut doubled, mut count) = (Vec::new(), Vec::new(), 0);
        for (number, marks) in &acked {
            let stored = self.stores[number % 2].load(&key(&document(*number))).await.unwrap();
            let body = stored.expect("it was written").body;
            let mut there = BTreeSet::new();
            for mark in body.split_terminator(';') {
                if !there.insert(mark) {
                    doubled.push(mark.to_owned());
                }
            }
            count += marks.len();
            lost.extend(marks.iter().filter(|(_, mark)| !there.contains(mark.as_str())));
            let known: BTreeSet<_> = marks.iter().map(|(_, mark)| mark.as_str()).collect();
            assert_eq!(known.len(), marks.len(), "each is acknowledged once");
            assert!(there.is_subset(&known), "every write was settled");
        }
        let (back, figures) = (back.as_millis(), self.books.figures());
        println!(
            "{what}: {count} acknowledged, {} lost, {} doubled, back after {back} ms; {figures}",
            lost.len(),
            doubled.len()
        );
        assert!(lost.is_empty() && doubled.is_empty(), "lost {lost:?}, doubled {doubled:?}");
        assert!(count > 100, "there was load");
        assert!(self.books.failures() > 0, "the writers noticed");
    }
}

impl Books {
    async fn write(&self, store: &RedisStore, writer: &str) {
        for number in 0..WRITES_MAX {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let place = (number + writer.len() * 7 + writer.as_bytes()[2] as usize) % DOCUMENTS;
            let mark = format!("{writer}.{number}");
            let start = Instant::now();
            while !self.attempt(store, place, &mark).await {
                assert!(start.elapsed() < 2 * BACK_MAX, "{mark} is never settled");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            self.acked.lock().unwrap().entry(place).or_default().push((Instant::now(), mark));
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
    }

    /// True when the mark is acknowledged.
    async fn attempt(&self, store: &RedisStore, place: usize, mark: &str) -> bool {
        let text = document(place);
        let (expect, mut body) = match store.load(&key(&text)).await {
            Ok(Some(stored)) => (Expect::At(stored.etag), stored.body),
            Ok(None) => (Expect::Absent, String::new()),
            Err(error) => return self.note(&error),
        };
        if body.split_terminator(';').any(|known| known == mark) {
            self.found.fetch_add(1, Ordering::SeqCst);
            return true;
        }
        body.push_str(mark);
        body.push(';');
        match store.save(Write { expect, body, ..create(&text, "") }).await {
            Ok(Saved::Committed(_)) => true,
            Ok(Saved::Conflict) => {
                self.conflicts.fetch_add(1, Ordering::SeqCst);
                false
            }
            Err(error) => self.note(&error),
        }
    }

    fn note(&self, error: &Error) -> bool {
        assert!(error.is_transient(), "{error}");
        let counter = match error {
            Error::Unknown { .. } => &self.unknown,
            _ => &self.unavailable,
        };
        counter.fetch_add(1, Ordering::SeqCst);
        false
    }

    fn last_acks(&self) -> Vec<Instant> {
        let acked = self.acked.lock().unwrap();
        acked.values().filter_map(|marks| marks.last().map(|(at, _)| *at)).collect()
    }

    fn failures(&self) -> u64 {
        self.unknown.load(Ordering::SeqCst) + self.unavailable.load(Ordering::SeqCst)
    }

    fn figures(&self) -> String {
        let count = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
        format!(
            "{} conflicts, {} unknown ({} of them found), {} unavailable",
            count(&self.conflicts),
            count(&self.unknown),
            count(&self.found),
            count(&self.unavailable)
        )
    }
}

fn document(place: usize) -> String {
    format!("document{place}")
}

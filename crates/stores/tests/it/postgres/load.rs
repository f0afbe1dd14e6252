//! Writers of two stores that compete for documents and keep account of every answer.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Expect, Saved, Store, Write};
use tokio::task::JoinHandle;

use super::{create, key};

const DOCUMENTS: usize = 8;
const STORES: [&str; 2] = ["one", "two"];
/// The limit on rounds of a writer.
const ROUNDS_MAX: usize = 100_000;

/// The number of writes of each store to the document.
type Counts = BTreeMap<String, u64>;

fn read(body: &str) -> Counts {
    let pairs = body.split_whitespace().filter_map(|pair| pair.split_once('='));
    pairs.map(|(store, count)| (store.to_owned(), count.parse().unwrap())).collect()
}

fn text(counts: &Counts) -> String {
    let pairs: Vec<_> = counts.iter().map(|(store, count)| format!("{store}={count}")).collect();
    pairs.join(" ")
}

/// The account of one writer: of one store, about one document.
#[derive(Debug, Default)]
struct Account {
    /// The largest count of its own that was acknowledged, or found after a doubt.
    is_there: u64,
    tried: u64,
    committed: u64,
    doubts: u64,
    refused: u64,
    /// The times at which a write was acknowledged.
    times: Vec<Instant>,
}

impl Account {
    /// Compares the account with the stored document.
    fn audit(&mut self, stored: u64, name: &str) {
        assert!(stored >= self.is_there, "{name}: {stored} stored, {} are lost", self.is_there);
        assert!(stored <= self.tried, "{name}: {stored} stored, {} were tried", self.tried);
        self.is_there = stored;
    }
}

/// Writes for as long as it is told to.
pub(super) struct Load {
    is_over: Arc<AtomicBool>,
    writers: Vec<JoinHandle<Account>>,
}

impl Load {
    pub(super) fn start(stores: [Arc<PostgresStore>; 2]) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let writers = stores.into_iter().zip(STORES).flat_map(|(store, name)| {
            (0..DOCUMENTS).map({
                let is_over = Arc::clone(&is_over);
                move |document| {
                    let work = write(Arc::clone(&store), name, document, Arc::clone(&is_over));
                    tokio::spawn(work)
                }
            })
        });
        Self { writers: writers.collect(), is_over }
    }

    /// Ends the load, and compares all accounts with what another store finds.
    pub(super) async fn end(self, since: Instant, other: &PostgresStore) -> Figures {
        self.is_over.store(true, Ordering::SeqCst);
        let mut figures = Figures::default();
        let mut times = Vec::new();
        for (number, account) in join_all(self.writers).await.into_iter().enumerate() {
            let (store, name) = (STORES[number / DOCUMENTS], name(number % DOCUMENTS));
            let mut account: Account = account.unwrap();
            let stored = other.load(&key(&name)).await.unwrap().unwrap();
            account.audit(read(&stored.body)[store], &format!("{store}, {name}"));
            figures.stored += account.is_there;
            figures.committed += account.committed;
            figures.doubts += account.doubts;
            figures.refused += account.refused;
            let longest = longest_gap(&account.times);
            figures.longest_writer = figures.longest_writer.max(longest);
            times.append(&mut account.times);
        }
        times.sort_unstable();
        figures.longest = longest_gap(&times);
        figures.afterwards = times.iter().filter(|time| **time > since).count();
        figures
    }
}

fn longest_gap(times: &[Instant]) -> Duration {
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
    gaps.max().unwrap_or(Duration::MAX)
}

fn name(document: usize) -> String {
    format!("document/{document}")
}

async fn write(
    store: Arc<PostgresStore>,
    own: &'static str,
    document: usize,
    is_over: Arc<AtomicBool>,
) -> Account {
    let name = name(document);
    let mut account = Account::default();
    for _ in 0..ROUNDS_MAX {
        tokio::time::sleep(Duration::from_millis(2)).await;
        let stored = match store.load(&key(&name)).await {
            Ok(stored) => stored,
            Err(Error::Unavailable { .. }) => {
                account.refused += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let mut counts = stored.as_ref().map(|stored| read(&stored.body)).unwrap_or_default();
        let before = counts.get(own).copied().unwrap_or(0);
        account.audit(before, &name);
        if is_over.load(Ordering::SeqCst) && account.is_there > 0 {
            break;
        }
        let _before = counts.insert(own.to_owned(), before + 1);
        let expect = stored.map_or(Expect::Absent, |stored| Expect::At(stored.etag));
        account.tried = account.tried.max(before + 1);
        match store.save(Write { expect, ..create(&name, &text(&counts)) }).await {
            Ok(Saved::Committed(_)) => {
                account.is_there = before + 1;
                account.committed += 1;
                account.times.push(Instant::now());
            }
            Ok(Saved::Conflict) => {}
            Err(Error::Unknown { .. }) => account.doubts += 1,
            Err(Error::Unavailable { .. }) => account.refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    account
}

/// The figures of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    /// Writes that are there at the end. Those beyond the acknowledged ones were in doubt.
    pub(super) stored: u64,
    pub(super) committed: u64,
    pub(super) doubts: u64,
    pub(super) refused: u64,
    /// Acknowledged after the trouble began.
    pub(super) afterwards: usize,
    /// The longest time in which nobody was acknowledged.
    pub(super) longest: Duration,
    /// The longest time in which one writer was not.
    pub(super) longest_writer: Duration,
}

impl Figures {
    /// Asserts that nothing is doubled, that it was more than a few, and that service came back.
    pub(super) fn assert_good(&self, within: Duration) {
        assert!(self.stored >= self.committed, "{self}");
        assert!(self.stored <= self.committed + self.doubts, "{self}");
        assert!(self.committed > 100 && self.afterwards > 50, "{self}");
        assert!(self.longest < within, "{self}");
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} acknowledged, {} after it, 0 lost, {} in doubt ({} of them had happened), \
             {} refused; without an acknowledgement for {:.2} s, one writer for {:.2} s",
            self.committed,
            self.afterwards,
            self.doubts,
            self.stored.saturating_sub(self.committed),
            self.refused,
            self.longest.as_secs_f64(),
            self.longest_writer.as_secs_f64()
        )
    }
}

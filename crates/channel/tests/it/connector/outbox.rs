//! Every fault of a channel x every position in the outbox x every kind of delivery, through the
//! engine: retried, parked or delivered as expected, in order, with nothing lost (P3) and no
//! duplicate that is not counted (P5).

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_channel::{Connector, ConnectorOptions};
use sayso_turn::{
    Bot, Engine, Limits, MessageId, Stats, Turn,
    activity::Activity,
    channel::{Channel, Delivery, Parcel},
    document::{Document, Ledger},
    store::{MemoryStore, Store},
};

use super::{
    activity,
    fake_channel::{Book, FakeChannel, Request, When},
    faults::{Fault, Verdict, all},
};
use crate::support::{PATIENCE, message};

/// Replies of the turn.
const REPLIES: usize = 3;
/// Delivery attempts of the engine for one reply.
const TRIES_MAX: usize = 3;
/// Cases that run concurrently; most of them only wait for a timer.
const AT_A_TIME: usize = 96;
/// Timeout of the connector at a channel that does not answer.
const SHORT: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Send,
    Update,
    Delete,
}

#[derive(Clone, Debug)]
struct Case {
    fault: Arc<Fault>,
    kind: Kind,
    position: usize,
    /// Number of attempts that meet the fault.
    times: usize,
}

/// Channel with a short timeout for attempts that meet a silent channel, and only for those: on a
/// busy machine a healthy channel must not look silent.
#[derive(Debug)]
struct ImpatientChannel {
    connectors: Arc<[Connector; 2]>,
    silent: Option<When>,
    tries: AtomicUsize,
}

#[async_trait]
impl Channel for ImpatientChannel {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        let number = self.tries.fetch_add(1, Ordering::SeqCst);
        let is_silent = self.silent.is_some_and(|when| when.contains(number));
        self.connectors[usize::from(is_silent)].deliver(parcel).await
    }
}

/// Expected result of a case.
struct Wanted {
    tries: usize,
    repeats: usize,
    is_parked: bool,
}

impl Case {
    fn verdict(&self) -> Verdict {
        match self.kind {
            Kind::Delete => self.fault.of_deletion,
            Kind::Send | Kind::Update => self.fault.verdict,
        }
    }

    fn wanted(&self) -> Wanted {
        let failed = self.times.min(TRIES_MAX);
        let is_parked = self.times >= TRIES_MAX;
        let tries = (failed + 1).min(TRIES_MAX);
        match self.verdict() {
            Verdict::Delivered => Wanted { tries: 1, repeats: 0, is_parked: false },
            Verdict::Refused => Wanted { tries: 1, repeats: 0, is_parked: true },
            Verdict::Later => Wanted { tries, repeats: 0, is_parked },
            Verdict::Unknown => Wanted { tries, repeats: tries - 1, is_parked },
        }
    }

    /// A turn of three replies, of which one is of the kind.
    fn bot(&self) -> Bot {
        let (kind, position) = (self.kind, self.position);
        Bot::new().on_message(move |mut turn: Turn| async move {
            let earlier = MessageId::of_channel("m/0");
            for number in 0..REPLIES {
                let words = format!("words {number}");
                match kind {
                    Kind::Update if number == position => {
                        turn.update(&earlier, Activity::message(words));
                    }
                    Kind::Delete if number == position => turn.delete(&earlier),
                    _ => drop(turn.say(words)),
                }
            }
            Ok(())
        })
    }

    async fn run(self, connectors: Arc<[Connector; 2]>) -> Kind {
        let when = When { first: self.position, times: self.times };
        let fake = FakeChannel::start(&self.fault, when).await;
        let silent = self.fault.is_slow().then_some(when);
        let store = Arc::new(MemoryStore::default());
        let limits = Limits {
            send_attempts_max: TRIES_MAX.try_into().unwrap(),
            send_backoff_max: Duration::from_millis(5),
            send_timeout: 2 * PATIENCE,
            claim: 8 * PATIENCE,
            record_after: Duration::ZERO,
            ..Limits::default()
        };
        let channel = Arc::new(ImpatientChannel { connectors, silent, tries: AtomicUsize::new(0) });
        let engine = Engine::builder(self.bot(), Arc::clone(&store) as _, channel).limits(limits);
        let engine = engine.start();
        let inbound = activity(&message("in", "hi", &fake.url));
        // The sender gets its response whatever happens to the replies.
        engine.receive(inbound).await.unwrap();
        assert_eq!(engine.close(2 * PATIENCE).await, 0, "{self:?}: replies are left");
        let book = std::mem::take(&mut *fake.book.lock().unwrap());
        self.check_requests(&book);
        self.check_promises(&book, &engine.stats(), &ledger(&*store).await);
        self.kind
    }

    /// The expected attempts, in order, each with the method of its kind.
    fn check_requests(&self, book: &Book) {
        let Wanted { tries, .. } = self.wanted();
        let mut wanted = [1; REPLIES];
        wanted[self.position] = tries;
        assert_eq!(book.tries, wanted.iter().sum::<usize>(), "{self:?}");
        if !self.fault.is_read {
            wanted[self.position] -= self.times.min(tries);
        }
        let in_order = wanted.iter().enumerate().flat_map(|(number, tries)| vec![number; *tries]);
        let in_order: Vec<usize> = in_order.collect();
        let numbers: Vec<usize> = book.requests.iter().map(Request::number).collect();
        assert_eq!(numbers, in_order, "{self:?}: not in order");
        for request in &book.requests {
            self.check_request(request);
        }
        // The next attempt comes after the channel's `Retry-After`.
        if self.verdict() == Verdict::Later && self.fault.name.contains("retry-after: 1") {
            for pair in book.requests.windows(2).skip(self.position).take(self.times) {
                let pause = pair[1].at - pair[0].at;
                assert!(pause >= Duration::from_millis(990), "{self:?}: after {pause:?}");
            }
        }
    }

    fn check_request(&self, request: &Request) {
        let (number, line) = (request.number(), request.posted.line());
        let path = "/_connector/v3/conversations/c1/activities";
        let words = format!("words {number}");
        match self.kind {
            Kind::Update if number == self.position => {
                assert_eq!(line, format!("PUT {path}/m%2F0"));
                let body = request.posted.json();
                assert_eq!((&body["type"], &body["id"]), (&"message".into(), &"m/0".into()));
                assert_eq!(body["text"], words);
            }
            Kind::Delete if number == self.position => {
                assert_eq!(line, format!("DELETE {path}/m%2F0"));
                assert!(request.posted.body.is_empty());
            }
            _ => {
                assert_eq!(line, format!("POST {path}/in"));
                assert_eq!(request.posted.json()["text"], words);
            }
        }
    }

    fn check_promises(&self, book: &Book, stats: &Stats, ledger: &Ledger) {
        let Wanted { tries, repeats, is_parked } = self.wanted();
        let counts = [stats.delivered, stats.parked, stats.repeats];
        let parked = usize::from(is_parked);
        let [delivered, given_up, repeated] = counts.map(|it| usize::try_from(it).unwrap());
        assert_eq!([delivered, given_up], [REPLIES - parked, parked], "{self:?}: {stats:?}");
        let least = if self.fault.may_be_early() { 0 } else { repeats };
        assert!((least..=repeats).contains(&repeated), "{self:?}: {stats:?}");
        // P3: nothing is pending, and what was not accepted is parked with the reason.
        assert!(ledger.outbox.is_empty(), "{self:?}");
        let numbers: Vec<String> = ledger.parked.iter().map(|it| it.id.to_string()).collect();
        let ends: Vec<bool> =
            numbers.iter().map(|it| it.ends_with(&format!(".{}", self.position))).collect();
        assert_eq!(ends, vec![true; parked], "{self:?}: {numbers:?}");
        for parked in &ledger.parked {
            let reason = &parked.reason;
            let is_quiet = ["canary", "words", "http:"].iter().all(|it| !reason.contains(it));
            assert!(is_quiet && reason.contains(" failed: "), "{self:?}: {reason}");
        }
        // P5: accepted once, or once more for each counted repeat.
        for number in 0..REPLIES {
            let id = |id: &&String| id.ends_with(&format!(".{number}"));
            let ids: Vec<&String> = book.taken.keys().filter(id).collect();
            assert!(ids.len() <= 1, "{self:?}: a repeat is under another id: {ids:?}");
            let taken = ids.first().map_or(0, |id| book.taken[*id]);
            let is_faulty = number == self.position;
            let most = if is_faulty { tries.min(1 + repeats) } else { 1 };
            let is_untaken = is_faulty && (is_parked || self.is_gone());
            let least = usize::from(!is_untaken);
            assert!((least..=most).contains(&taken), "{self:?}: {number} taken {taken} times");
        }
    }

    /// True if there was nothing to delete: it had been deleted before.
    fn is_gone(&self) -> bool {
        self.fault.verdict != self.verdict()
    }
}

async fn ledger(store: &dyn Store) -> Ledger {
    let keys: Vec<_> = store.list("").try_collect().await.unwrap();
    let [key] = keys.as_slice() else { panic!("one conversation, not {keys:?}") };
    let stored = store.load(key).await.unwrap().unwrap();
    Document::parse(key, &stored.body).unwrap().ledger
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for fault in all().into_iter().map(Arc::new) {
        for kind in [Kind::Send, Kind::Update, Kind::Delete] {
            for position in 0..REPLIES {
                let case = |times| Case { fault: Arc::clone(&fault), kind, position, times };
                cases.push(case(1));
                // A permanent fault: the reply is parked, and the others are delivered.
                cases.push(case(match case(1).verdict() {
                    Verdict::Later | Verdict::Unknown => TRIES_MAX,
                    Verdict::Delivered | Verdict::Refused => continue,
                }));
            }
        }
    }
    cases
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the count is for people to read")]
async fn every_fault_at_every_place_is_retried_parked_or_done_and_nothing_is_lost() {
    let connectors = [PATIENCE, SHORT]
        .map(|timeout| Connector::new(ConnectorOptions { timeout, ..Default::default() }).unwrap());
    let connectors = Arc::new(connectors);
    let (cases, faults) = (cases(), all().len());
    let count = cases.len();
    let runs = cases.into_iter().map(|case| tokio::spawn(case.run(Arc::clone(&connectors))));
    let mut runs = stream::iter(runs).buffer_unordered(AT_A_TIME);
    let mut kinds = BTreeMap::<Kind, usize>::new();
    while let Some(kind) = runs.next().await {
        *kinds.entry(kind.unwrap()).or_default() += 1;
    }
    println!(
        "{count} cases: {faults} faults x {REPLIES} places x 3 kinds, passing and staying; {kinds:?}"
    );
    assert!(count > 900 && kinds.values().sum::<usize>() == count, "only {count}");
}

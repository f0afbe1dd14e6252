//! Invariants that must hold at the end of a run.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    time::{Duration, Instant},
};

use sayso::{pizza::Order, turn::store::Store};
use tokio::time::sleep;

use super::Said;
use crate::{
    process::STEP_MAX,
    proxy::{Closed, Done},
    recorder::{Arrival, CLAIM, stored},
};

/// Minimum time for which a sender keeps an idle connection.
const KEPT: Duration = Duration::from_secs(4);

/// Toppings that were said, with the time of the first try, by conversation and user.
#[derive(Default)]
pub(super) struct Story {
    said: BTreeMap<String, BTreeMap<char, Vec<(String, Instant)>>>,
}

/// Result of the checks.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) repeats: usize,
    pub(super) violations: Vec<String>,
}

impl Verdict {
    pub(super) fn figures(&self, channel: &Done) -> String {
        format!(
            "{} answers to deliveries cut, {} repeated replies, {} violations",
            channel.cut,
            self.repeats,
            self.violations.len(),
        )
    }

    fn expect<T: Debug + PartialEq>(&mut self, what: &str, found: &[T], expected: &[T]) {
        let most = found.len().max(expected.len());
        if let Some(at) = (0..most).find(|at| found.get(*at) != expected.get(*at)) {
            let (found, expected) = (found.get(at), expected.get(at));
            self.violations.push(format!("{what}: at {at} {found:?} instead of {expected:?}"));
        }
    }
}

impl Story {
    pub(super) fn said(&mut self, said: Said) {
        let users = self.said.entry(said.conversation).or_default();
        drop(users.insert(said.name, said.toppings));
    }

    /// Number of toppings said: each is a turn.
    pub(super) fn turns(&self) -> usize {
        self.said.values().flat_map(BTreeMap::values).map(Vec::len).sum()
    }

    /// Waits until every outbox is empty, then checks everything.
    pub(super) async fn check(
        &self,
        store: &dyn Store,
        channel: impl Fn() -> (Vec<Arrival>, Done),
    ) -> Verdict {
        let mut verdict = Verdict::default();
        let mut orders = BTreeMap::new();
        let until = Instant::now() + STEP_MAX;
        for conversation in self.said.keys() {
            let mut document = stored(store, conversation).await;
            while document["$sayso"].get("outbox").is_some() && Instant::now() < until {
                sleep(Duration::from_millis(50)).await;
                document = stored(store, conversation).await;
            }
            if document["$sayso"].get("outbox").is_some() {
                verdict.violations.push(format!("{conversation}: never comes to rest"));
            }
            let order: Order = serde_json::from_value(document["Order"].clone()).unwrap();
            orders.insert(conversation, order.toppings);
        }
        let (arrived, done) = channel();
        for (conversation, order) in orders {
            let came: Vec<&Arrival> =
                arrived.iter().filter(|one| one.conversation == *conversation).collect();
            self.check_order(&mut verdict, conversation, &order);
            check_replies(&mut verdict, conversation, &order, &came);
        }
        self.check_repeats(&mut verdict, &arrived, &done);
        verdict
    }

    /// P1, P4: what every user said is there, once and in the order in which it was said.
    fn check_order(&self, verdict: &mut Verdict, conversation: &str, order: &[String]) {
        let said = &self.said[conversation];
        for (name, toppings) in said {
            let found: Vec<&String> = order.iter().filter(|one| one.starts_with(*name)).collect();
            let expected: Vec<&String> = toppings.iter().map(|(topping, _)| topping).collect();
            verdict.expect(&format!("{conversation}: toppings of {name}"), &found, &expected);
        }
        let (found, expected) = (order.len(), said.values().map(Vec::len).sum());
        verdict.expect(&format!("{conversation}: number of toppings"), &[found], &[expected]);
    }

    /// Time of the first try of the topping that a reply answers: the last one it names.
    fn said_at(&self, reply: &Arrival) -> Instant {
        let topping = reply.text.trim_end_matches('.').rsplit(' ').next().unwrap();
        let mut said = self.said[&reply.conversation].values().flatten();
        said.find(|(one, _)| one == topping).unwrap().1
    }

    /// P5: a reply comes again only when its sender could not know that it had arrived, once for
    /// each such attempt.
    fn check_repeats(&self, verdict: &mut Verdict, arrived: &[Arrival], channel: &Done) {
        let last = |closed: &Closed| {
            let before = |one: &&Arrival| one.peer == closed.peer && one.at <= closed.at;
            arrived.iter().filter(before).map(|one| one.at).max()
        };
        // A sender that is content with an answer keeps the connection for a while.
        let gave_up = |left: &Closed| last(left).filter(|at| left.at - *at < KEPT);
        let unanswered: BTreeSet<Instant> = channel
            .lost
            .iter()
            .filter_map(last)
            .chain(channel.left.iter().filter_map(gave_up))
            .collect();
        let mut last = BTreeMap::<&str, &Arrival>::new();
        for one in arrived {
            let Some(earlier) = last.insert(&one.id, one) else { continue };
            verdict.repeats += 1;
            // Another instance takes over once it has seen a claim unchanged for its time, and no
            // claim is older than the turn.
            let (after, age) = (one.at - earlier.at, one.at - self.said_at(one));
            let is_excused = earlier.is_refused || unanswered.contains(&earlier.at) || age >= CLAIM;
            if !is_excused {
                verdict.violations.push(format!(
                    "{}: {} came again after {after:?}, {age:?} after it was asked for, for no reason",
                    one.conversation, one.id
                ));
            }
            if (&one.text, &one.conversation) != (&earlier.text, &earlier.conversation) {
                verdict.violations.push(format!("{} came again with another text", one.id));
            }
        }
    }
}

/// P2, P3, P6: for every topping one reply, true to what is stored, in the order of the turns.
fn check_replies(verdict: &mut Verdict, conversation: &str, order: &[String], came: &[&Arrival]) {
    let mut ids = BTreeSet::new();
    let found: Vec<&str> =
        came.iter().filter(|one| ids.insert(&one.id)).map(|one| one.text.as_str()).collect();
    let sentences: Vec<String> =
        (1..=order.len()).map(|n| Order { toppings: order[..n].to_vec() }.sentence()).collect();
    let expected: Vec<&str> = sentences.iter().map(String::as_str).collect();
    verdict.expect(&format!("{conversation}: replies"), &found, &expected);
}

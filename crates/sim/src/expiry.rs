//! Checks that no document is forgotten too early, and records what each of them was.

use std::time::Duration;

use sayso_turn::{Key, document::Document};

use crate::{
    Fault,
    bot::{self, OwnTtl},
    text::between,
    world::World,
};

/// Maximum error of a clock that drifts, as a share of the time since the start.
pub(crate) const DRIFT_MAX: f64 = 0.05;
/// Maximum time between the dating of a turn and the request of its save.
const DATING_SLACK: Duration = Duration::from_secs(16);

impl World {
    /// Records that a document was written by a save that was asked for at a time.
    pub(crate) fn wrote(&self, key: &Key, before: Option<&str>, after: &str, asked_at: Duration) {
        if !self.plan.forgets() {
            return;
        }
        let turn = |body: &str| between(body, "\"turn\":", ',').map(str::to_owned);
        let known =
            if before.is_some() { self.history().turned_at.get(key).copied() } else { None };
        let log = log_of(after);
        // Turns of other documents are not counted in this one.
        let is_turn =
            before.and_then(turn) != turn(after) || before.map(log_of) != Some(log.clone());
        let known_ttl = self.history().ttl_of(key);
        let ttl = self.ttl_of(key, after, &log);
        let is_forgotten = {
            let mut history = self.history();
            let logs = history.logs.entry(key.clone()).or_default();
            let is_more = logs.last().is_some_and(|last| log.starts_with(last));
            match logs.last_mut() {
                Some(last) if is_more && before.is_some() => *last = log,
                _ => logs.push(log),
            }
            !is_more && before.is_some()
        };
        if is_forgotten {
            self.forgotten(key, known, known_ttl);
        }
        self.history().ttls.insert(key.clone(), ttl);
        if is_turn {
            self.history().turned_at.insert(key.clone(), asked_at);
        }
    }

    /// Records that a document was removed.
    pub(crate) fn removed(&self, key: &Key) {
        let (known, ttl) = {
            let history = self.history();
            (history.turned_at.get(key).copied(), history.ttl_of(key))
        };
        self.forgotten(key, known, ttl);
    }

    /// The TTL that a document should have: what the last of its turns that sets one says, else
    /// the longest of its properties.
    fn ttl_of(&self, key: &Key, body: &str, log: &[String]) -> Option<Duration> {
        let own = {
            let history = self.history();
            let is_set = key.without_scope() != bot::visits_key().as_str();
            let own = log.iter().rev().find_map(|id| history.own_ttls.get(id).copied());
            own.filter(|_| is_set)
        };
        match own {
            Some(OwnTtl::After(seconds)) => return Some(Duration::from_secs(seconds)),
            Some(OwnTtl::Never) => return None,
            Some(OwnTtl::Default) | None => {}
        }
        let document = Document::parse(key, body).ok()?;
        let mut longest = None;
        for (name, _) in document.bag.iter() {
            longest = longest.max(Some(bot::declared(name).or(self.plan.ttl)?));
        }
        longest.or(self.plan.ttl)
    }

    /// Checks that a forgotten document has outlived its time to live, by the true clock.
    fn forgotten(&self, key: &Key, turned_at: Option<Duration>, ttl: Option<Duration>) {
        let now = self.executor.now();
        self.tell(|| format!("{key} is forgotten"));
        let Some(ttl) = ttl else {
            return self.violation(format!("P1: {key} is forgotten and was to be kept"));
        };
        if self.plan.has(Fault::ShortLived) {
            self.chance.tally.add(Fault::ShortLived);
        }
        let drift =
            if self.plan.has(Fault::Drift) { now.mul_f64(DRIFT_MAX) } else { Duration::ZERO };
        let age = now.saturating_sub(turned_at.unwrap_or_default());
        if age + drift + DATING_SLACK < ttl {
            self.violation(format!("P1: {key} is forgotten {age:?} after its last turn"));
        }
    }
}

/// The log in a document's text.
fn log_of(body: &str) -> Vec<String> {
    // A change that is only prepared is in the ledger, behind the properties.
    let (properties, _) = body.split_once("\"$sayso\":").unwrap_or((body, ""));
    let text = between(properties, "\"log\":[", ']').unwrap_or_default();
    let ids = text.split(',').map(|id| id.trim_matches('"').to_owned());
    ids.filter(|id| !id.is_empty()).collect()
}

//! Checks that no document is forgotten too early, and records what each of them was.

use std::time::Duration;

use sayso_turn::Key;

use crate::{Fault, text::between, world::World};

/// Maximum error of a clock that drifts, as a share of the time since the start.
pub(crate) const DRIFT_MAX: f64 = 0.05;
/// Maximum time between the dating of a turn and the request of its save.
const DATING_SLACK: Duration = Duration::from_secs(16);

impl World {
    /// Records that a document was written by a save that was asked for at a time.
    pub(crate) fn wrote(&self, key: &Key, before: Option<&str>, after: &str, asked_at: Duration) {
        if self.plan.ttl.is_none() {
            return;
        }
        let turn = |body: &str| between(body, "\"turn\":", ',').map(str::to_owned);
        let is_turn = before.and_then(turn) != turn(after);
        let known =
            if before.is_some() { self.history().turned_at.get(key).copied() } else { None };
        let log = log_of(after);
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
            self.forgotten(key, known);
        }
        if is_turn {
            self.history().turned_at.insert(key.clone(), asked_at);
        }
    }

    /// Records that a document was removed.
    pub(crate) fn removed(&self, key: &Key) {
        let known = self.history().turned_at.get(key).copied();
        self.forgotten(key, known);
    }

    /// Checks that a forgotten document has outlived its time to live, by the true clock.
    fn forgotten(&self, key: &Key, turned_at: Option<Duration>) {
        let now = self.executor.now();
        self.tell(|| format!("{key} is forgotten"));
        let Some(ttl) = self.plan.ttl else {
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

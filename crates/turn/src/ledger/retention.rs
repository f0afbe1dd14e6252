//! Retention: byte budgets of history, and expiry of documents.
//!
//! History (dead letters, recorded answers) never makes a turn fail: the oldest is dropped first.
//!
//! A wall clock may be wrong by a year. An expired document is usually found within moments,
//! because every instance looks for it; one that is long overdue means that no instance was
//! running, or that this clock is ahead. So a document that is overdue by more than a tolerance
//! counts as alive, and is deleted only after an instance has seen it unchanged for a whole time to
//! live of its own monotonic clock.

use std::{sync::Arc, time::Duration};

use super::{Document, Ledger};
use crate::{Limits, clock::Timestamp};

/// Tolerance: a document overdue by more than this is not expired by the wall clock alone.
const TOLERANCE_MAX: Duration = Duration::from_secs(60 * 60);

/// Reports whether a document has expired (within the tolerance) and counts as absent.
pub(crate) fn is_expired(ledger: &Ledger, now: Timestamp, ttl: Option<Duration>) -> bool {
    let tolerance = ttl.map_or(TOLERANCE_MAX, |ttl| TOLERANCE_MAX.min(ttl / 4));
    ledger.expires.is_some_and(|at| at <= now && now.since(at) <= tolerance)
}

/// Reports whether a document is past its expiry, by however much.
pub(crate) fn is_overdue(ledger: &Ledger, now: Timestamp) -> bool {
    ledger.expires.is_some_and(|at| at <= now)
}

impl Document {
    /// Drops the oldest history beyond its budgets, or that leaves no room for live data.
    pub(crate) fn trim(&mut self, limits: &Limits) {
        let ledger = &mut self.ledger;
        if ledger.parked.is_empty() && ledger.answers.is_empty() {
            return;
        }
        let over = ledger.parked.len().saturating_sub(limits.parked_max);
        drop(ledger.parked.drain(..over));
        let over = ledger.answers.len().saturating_sub(limits.answers_max);
        drop(ledger.answers.drain(..over));
        let room = limits.document_bytes_max.saturating_sub(self.bag.bytes() + ledger.live_bytes());
        // The newest answer may be larger than the budget: its sender may ask for it again.
        let newest = ledger.answers.last().map_or(0, |answer| answer.bytes());
        let budget = limits.answers_bytes_max.max(newest).min(room);
        let answers = shrink(&mut ledger.answers, budget, |answer| answer.bytes());
        // The newest dead letter is kept too, so that an operator can see it.
        let newest = ledger.parked.last().map_or(0, |parked| parked.bytes());
        let budget = limits.parked_bytes_max.max(newest).min(room.saturating_sub(answers));
        shrink(&mut ledger.parked, budget, |parked| parked.bytes());
    }
}

/// Drops the oldest entries until the rest fits the budget; returns the remaining bytes.
fn shrink<T>(list: &mut Vec<Arc<T>>, budget: usize, bytes: impl Fn(&T) -> usize) -> usize {
    let mut left: usize = list.iter().map(|one| bytes(one)).sum();
    let mut over = 0;
    for one in list.iter() {
        if left <= budget {
            break;
        }
        left -= bytes(one);
        over += 1;
    }
    drop(list.drain(..over));
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_far_ahead_is_not_believed() {
        let hour = Duration::from_secs(3600);
        let ledger =
            Ledger { expires: Some(Timestamp::from_millis(1_000_000)), ..Ledger::default() };
        let at = Timestamp::from_millis(1_000_000);
        let month = Some(720 * hour);
        assert!(!is_expired(&ledger, Timestamp::from_millis(999_999), month));
        assert!(is_expired(&ledger, at, month));
        assert!(is_expired(&ledger, at.after(hour), month));
        assert!(!is_expired(&ledger, at.after(2 * hour), month));
        assert!(!is_expired(&ledger, at.after(hour / 2), Some(hour)));
        assert!(is_overdue(&ledger, at.after(9000 * hour)));
    }
}

//! Retention: byte budgets of kept history, and when a document has expired.
//!
//! History (parked replies, recorded answers) never makes a turn fail: the oldest goes first.
//!
//! A wall clock may be wrong by a year. A document whose time is over is found within moments,
//! because every instance looks for it; one that is overdue for long means that nobody looked, or
//! that this clock is ahead. So a document that is overdue by more than a tolerance counts as
//! alive, and goes only when an instance has seen it unchanged for a whole time to live of its own
//! monotonic clock.

use std::{sync::Arc, time::Duration};

use super::{Document, Ledger};
use crate::{Limits, clock::Timestamp};

/// A clock that is wrong by more than this is not believed about expiry.
const TOLERANCE_MAX: Duration = Duration::from_secs(60 * 60);

/// Whether a document counts as absent by now.
pub(crate) fn is_expired(ledger: &Ledger, now: Timestamp, ttl: Option<Duration>) -> bool {
    let tolerance = ttl.map_or(TOLERANCE_MAX, |ttl| TOLERANCE_MAX.min(ttl / 4));
    ledger.expires.is_some_and(|at| at <= now && now.since(at) <= tolerance)
}

/// Whether a document is over its time by this clock, however long.
pub(crate) fn is_overdue(ledger: &Ledger, now: Timestamp) -> bool {
    ledger.expires.is_some_and(|at| at <= now)
}

impl Document {
    /// Lets the oldest history go that is beyond its budgets, or that leaves no room for what is
    /// alive.
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
        // Nor is the newest dead letter forgotten before anybody could see it.
        let newest = ledger.parked.last().map_or(0, |parked| parked.bytes());
        let budget = limits.parked_bytes_max.max(newest).min(room.saturating_sub(answers));
        shrink(&mut ledger.parked, budget, |parked| parked.bytes());
    }
}

/// Drops the oldest until the rest fits a budget; gives what is left in bytes.
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

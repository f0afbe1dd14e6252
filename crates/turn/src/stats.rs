//! Counters of an instance, for operators and tests.

use crate::sync::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Live counters of one instance.
        #[derive(Debug, Default)]
        pub(crate) struct Counters { $(pub(crate) $name: Counter,)* }

        /// Statistics of an instance since its start.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub struct Stats { $($(#[$doc])* pub $name: u64,)* }

        impl Counters {
            pub(crate) fn read(&self) -> Stats {
                Stats { $($name: self.$name.get(),)* }
            }
        }
    };
}

counters! {
    /// Turns committed.
    turns,
    /// Activities acknowledged before their turns ended.
    accepted,
    /// Results of steps saved.
    steps,
    /// Runs of the logic, those that lost a race included.
    attempts,
    /// Activities recognised as delivered before.
    duplicates,
    /// Turns whose logic failed.
    failures,
    /// Turns refused because a newer build wrote their state.
    newer,
    /// Turns given up because of contention, throttling or an outage.
    given_up,
    /// Documents read from the store.
    loads,
    /// Conversations taken from memory instead.
    cache_hits,
    /// Commits that succeeded; one may carry several turns.
    commits,
    /// Commits that another instance won.
    conflicts,
    /// Commits whose outcome was not known.
    unknown,
    /// Replies handed over.
    delivered,
    /// Deliveries retried although an earlier attempt may have arrived: possible duplicates.
    repeats,
    /// Dead letters: replies given up, kept with the reason.
    parked,
    /// Replies not sent again because they may have arrived and their delivery policy is `once`.
    withheld,
    /// Replies not sent because they had expired (delivery policy).
    outdated,
    /// Outboxes taken over from another instance.
    recovered,
    /// Timers fired.
    fired,
    /// Prepared changes of other instances' turns that were fenced off.
    fenced,
    /// Expired documents that were deleted.
    expired,
    /// Looks through all due documents, for what was left behind.
    looks,
    /// Total duration of those looks, the pauses between their pages included, in milliseconds.
    looks_ms,
    /// Duration of the longest of them, in milliseconds.
    look_ms_max,
    /// Pages of looks that failed or came too late; the look goes on where it stopped.
    looks_cut,
}

/// A counter.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: usize) {
        // Most counts of a turn are zero, and every thread of the process writes here.
        if count > 0 {
            self.0.fetch_add(count as u64, Ordering::Relaxed);
        }
    }

    /// Raises the counter to a value, unless it is higher already.
    pub(crate) fn raise(&self, value: u64) {
        self.0.fetch_max(value, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

//! Documents with pending work that the sweep watches, until they change or it is time to act.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    Key,
    backoff::Backoff,
    engine::Core,
    ledger::Ledger,
    store::{Due, ETag},
};

/// Maximum number of documents watched for each of the two reasons; others are watched later.
const WATCHED_MAX: usize = 50_000;
/// Back-off of a document that is still due after a chore was requested for it.
const ASK_AGAIN: Backoff = Backoff { first: Duration::from_secs(16), max: Duration::from_secs(60) };

/// Documents that were seen with pending work.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// Those with a claim, or without one that they need.
    claims: BTreeMap<Key, Watch>,
    /// Those whose time has come: however many they are, they leave room for the others.
    times: BTreeMap<Key, Watch>,
    /// Number of the look that is under way.
    look: u64,
}

/// A watched document.
#[derive(Debug)]
pub(super) struct Watch {
    etag: ETag,
    /// Time since which it is unchanged.
    since: Duration,
    /// Number of chores requested for it, and the earliest time of the next.
    asked: u32,
    not_before: Duration,
    /// Number of the last look that named it.
    look: u64,
}

impl Watched {
    /// Returns the watch of a document that a look has named, if there is room: it begins anew when
    /// the document has changed.
    pub(super) fn see(
        &mut self,
        due: &Due,
        now: Duration,
        patience: Duration,
    ) -> Option<&mut Watch> {
        let Self { claims, times, look } = self;
        let documents = if due.at <= Ledger::CLAIMED { claims } else { times };
        if documents.len() >= WATCHED_MAX && !documents.contains_key(&due.key) {
            return None;
        }
        let new = || Watch {
            etag: due.etag.clone(),
            since: now,
            asked: 0,
            not_before: now + patience,
            look: *look,
        };
        let watch = documents.entry(due.key.clone()).or_insert_with(new);
        if watch.etag != due.etag {
            *watch = new();
        }
        watch.look = *look;
        Some(watch)
    }

    pub(super) fn forget(&mut self, key: &Key) {
        drop(self.claims.remove(key));
        drop(self.times.remove(key));
    }

    /// Reports whether this is a resting outbox that was not seen before and has no alarm here.
    pub(super) fn is_new_rest(&self, core: &Core, due: &Due) -> bool {
        Ledger::rest_of(due.at).is_some()
            && self.times.get(&due.key).is_none_or(|watch| watch.etag != due.etag)
            && core.mailboxes().get(&due.key).is_none()
            && core.rests.get(&due.key).is_none()
    }

    /// Ends a look: documents that it has not named are not due any more.
    pub(super) fn end_look(&mut self) {
        self.begin_look(0);
    }

    /// Gives a look up: what it has not reached is watched for one more look.
    pub(super) fn give_up_look(&mut self) {
        self.begin_look(1);
    }

    /// Begins the next look, and drops what was not named for more than so many.
    fn begin_look(&mut self, most: u64) {
        let look = self.look;
        let is_kept = |watch: &Watch| watch.look + most >= look;
        self.claims.retain(|_, watch| is_kept(watch));
        self.times.retain(|_, watch| is_kept(watch));
        self.look += 1;
    }
}

impl Watch {
    pub(super) fn is_early(&self, now: Duration) -> bool {
        now < self.not_before
    }

    /// Notes that a chore is requested. Returns the time for which the document is unchanged.
    pub(super) fn ask(&mut self, core: &Core, now: Duration) -> Duration {
        self.not_before = now + ASK_AGAIN.wait_at_least_half(self.asked, &core.ids);
        self.asked += 1;
        now.saturating_sub(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    fn due(key: usize, at: Timestamp) -> Due {
        Due { key: Key::new(key.to_string()).unwrap(), etag: ETag::new("1"), at }
    }

    #[test]
    fn any_number_of_overdue_documents_leaves_room_for_claims() {
        let (mut watched, zero) = (Watched::default(), Duration::ZERO);
        let at = Timestamp::from_millis(1_000_000);
        for key in 0..WATCHED_MAX {
            assert!(watched.see(&due(key, at), zero, zero).is_some());
        }
        assert!(watched.see(&due(WATCHED_MAX, at), zero, zero).is_none());
        assert!(watched.see(&due(0, at), zero, zero).is_some(), "it is known");
        assert!(watched.see(&due(WATCHED_MAX, Ledger::UNCLAIMED), zero, zero).is_some());
        assert!(watched.see(&due(WATCHED_MAX, Ledger::CLAIMED), zero, zero).is_some());
    }

    #[test]
    fn a_look_that_is_given_up_does_not_keep_documents_for_ever() {
        let (mut watched, zero) = (Watched::default(), Duration::ZERO);
        watched.see(&due(0, Ledger::CLAIMED), zero, zero);
        watched.give_up_look();
        watched.give_up_look();
        assert_eq!(watched.claims.len(), 1, "this look may name it");
        watched.give_up_look();
        assert_eq!(watched.claims.len(), 0, "nobody names it any more");
        watched.see(&due(1, Ledger::CLAIMED), zero, zero);
        watched.end_look();
        assert_eq!(watched.claims.len(), 1, "this look has named it");
        watched.end_look();
        assert_eq!(watched.claims.len(), 0);
    }
}

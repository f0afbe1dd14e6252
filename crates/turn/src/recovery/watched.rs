//! Documents with pending work that the sweep watches, until they change or it is time to act.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    Key,
    backoff::Backoff,
    engine::Core,
    ledger::Ledger,
    store::{Due, ETag},
};

/// Maximum number of documents watched; others are watched later.
const WATCHED_MAX: usize = 100_000;
/// Back-off of a document that is still due after a chore was requested for it.
const ASK_AGAIN: Backoff = Backoff { first: Duration::from_secs(16), max: Duration::from_secs(60) };

/// Documents that were seen with pending work.
#[derive(Debug, Default)]
pub(super) struct Watched {
    documents: BTreeMap<Key, Watch>,
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
        let Self { documents, look } = self;
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
        drop(self.documents.remove(key));
    }

    /// Reports whether this is a resting outbox that was not seen before and has no alarm here.
    pub(super) fn is_new_rest(&self, core: &Core, due: &Due) -> bool {
        Ledger::rest_of(due.at).is_some()
            && self.documents.get(&due.key).is_none_or(|watch| watch.etag != due.etag)
            && core.mailboxes().get(&due.key).is_none()
            && core.rests.get(&due.key).is_none()
    }

    /// Ends a look: documents that it has not named are not due any more.
    pub(super) fn end_look(&mut self) {
        let look = self.look;
        self.documents.retain(|_, watch| watch.look == look);
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

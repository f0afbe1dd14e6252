//! The sweep: scans the store for abandoned outboxes and inboxes, due timers, and expired
//! documents.
//!
//! Every instance watches the documents with pending work; when one has not changed for the
//! duration of a claim, by this instance's monotonic clock, its holder counts as dead. A wrong
//! verdict costs a repeated delivery under the same id, never a lost one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Weak},
    time::Duration,
};

use crate::{
    Key,
    backoff::Backoff,
    engine::{Core, RestEnd},
    ledger::{Chore, Ledger, Wake},
    store::{Due, ETag},
};

/// Number of partial scans in the interval of a full scan.
const PARTS: u32 = 16;
/// Maximum number of documents watched; others are watched later.
const WATCHED_MAX: usize = 100_000;
/// Back-off of a document that is still due after a chore was requested for it.
const ASK_AGAIN: Backoff = Backoff { first: Duration::from_secs(16), max: Duration::from_secs(60) };

/// Documents that were seen with pending work.
#[derive(Debug, Default)]
struct Watched {
    documents: BTreeMap<Key, Watch>,
    /// True if the last scan failed: only the first failure in a row is logged.
    has_failed: bool,
}

/// A watched document.
#[derive(Debug)]
struct Watch {
    etag: ETag,
    /// Time since which it is unchanged.
    since: Duration,
    /// Number of chores requested for it, and the earliest time of the next.
    asked: u32,
    not_before: Duration,
}

/// Maximum number of resting outboxes that one scan reads to learn the end of their rest; later
/// scans read the others.
const RESTS_READ_MAX: usize = 64;

/// Progress of the scan.
#[derive(Debug, Default)]
struct Progress {
    /// Last key scanned; the next scan starts after it.
    after: Option<Key>,
    /// True if there is more work than one scan takes, or than there are recovery slots.
    is_behind: bool,
}

/// Runs alarms and the sweep until the instance is dropped or closes.
pub(crate) async fn watch(core: Weak<Core>) {
    let mut watched = Watched::default();
    let mut progress = Progress::default();
    let mut next_scan = Duration::ZERO;
    loop {
        let Some(core) = core.upgrade() else { return };
        if core.is_closing() {
            return;
        }
        core.suspension.check(core.uptime(), core.now());
        for (_, key) in core.timers.take(core.now(), core.free_recoveries()) {
            core.ask_for(&key, Chore::Wake(Wake::Timer));
        }
        let over = RestEnd::over_at(core.uptime());
        for (rest, key) in core.rests.take(over, core.free_recoveries()) {
            core.ask_for(&key, Chore::Wake(Wake::Rested(rest.until)));
        }
        if core.uptime() >= next_scan {
            scan(&core, &mut watched, &mut progress).await;
            // With much pending work a scan covers only a part of it. The next part follows soon,
            // because otherwise a dead instance with many conversations would be missed for
            // minutes.
            let parts = if progress.is_behind { PARTS } else { 1 };
            let every = core.limits.sweep_every / parts;
            // Jitter, so that instances started together do not scan together.
            next_scan = core.uptime() + every / 2 + core.ids.jitter(every);
        }
        pause(&core, next_scan).await;
    }
}

/// Waits for the next scan or the next alarm.
async fn pause(core: &Core, next_scan: Duration) {
    let scan_in = next_scan.saturating_sub(core.uptime());
    let least = match core.free_recoveries() {
        // Due alarms wait for a recovery slot.
        0 => Duration::from_millis(100),
        _ => Duration::from_millis(1),
    };
    let timer_in = core.timers.next().map(|at| at.since(core.now()));
    let rest_in = core.rests.next().map(|rest| rest.at.saturating_sub(core.uptime()));
    let wait = [timer_in, rest_in].into_iter().flatten().fold(scan_in, Duration::min).max(least);
    core.within(wait, core.alarmed.notified()).await;
}

async fn scan(core: &Arc<Core>, watched: &mut Watched, progress: &mut Progress) {
    let limits = &core.limits;
    let scanned_after = progress.after.clone();
    let after = scanned_after.as_ref();
    let found = core.store.due(core.now(), after, limits.sweep_max);
    let found = match core.within(limits.deadline, found).await {
        Some(Ok(found)) => found,
        failed => {
            if !std::mem::replace(&mut watched.has_failed, true) {
                let error = failed.and_then(Result::err);
                tracing::warn!(?error, "could not look for abandoned work");
            }
            return;
        }
    };
    watched.has_failed = false;
    let end = if found.len() < limits.sweep_max { None } else { found.last() };
    let end = end.map(|due| due.key.clone());
    watched.forget_gone(&found, after, end.as_ref());
    *progress = Progress { is_behind: end.is_some(), after: end };
    let (mut rests_read, mut passed_over) = (0, None);
    for (at, due) in found.iter().enumerate() {
        let rest_left = match watched.is_new_rest(core, due) {
            true if rests_read == RESTS_READ_MAX => continue,
            true => {
                rests_read += 1;
                core.rest_left(&due.key).await
            }
            false => None,
        };
        if !consider(core, watched, due.clone(), rest_left) {
            passed_over.get_or_insert(at);
        }
    }
    if let Some(at) = passed_over {
        // The next scan starts with it.
        let before = at.checked_sub(1).and_then(|before| found.get(before));
        let after = before.map(|due| due.key.clone()).or(scanned_after);
        *progress = Progress { is_behind: true, after };
    }
}

impl Watched {
    /// Reports whether this is a resting outbox that was not seen before and has no alarm here.
    fn is_new_rest(&self, core: &Core, due: &Due) -> bool {
        Ledger::rest_of(due.at).is_some()
            && self.documents.get(&due.key).is_none_or(|watch| watch.etag != due.etag)
            && core.mailboxes().get(&due.key).is_none()
            && core.rests.get(&due.key).is_none()
    }

    /// Drops documents in the scanned range of keys that are not due any more.
    fn forget_gone(&mut self, found: &[Due], after: Option<&Key>, end: Option<&Key>) {
        let there: BTreeSet<&Key> = found.iter().map(|due| &due.key).collect();
        self.documents.retain(|key, _| {
            let is_before = after.is_some_and(|after| key <= after);
            let is_beyond = end.is_some_and(|end| key > end);
            is_before || is_beyond || there.contains(key)
        });
    }
}

/// Requests recovery of a document that has been unchanged for long enough. Returns false if that
/// has to wait for a recovery slot.
fn consider(
    core: &Arc<Core>,
    watched: &mut Watched,
    due: Due,
    rest_left: Option<Duration>,
) -> bool {
    let Due { key, etag, at } = due;
    let mailbox = core.mailboxes().get(&key).cloned();
    if let Some(mailbox) = mailbox {
        // This instance is busy with it: its own courier handles it, as soon as it knows that the
        // claim for which it waits was released.
        drop(watched.documents.remove(&key));
        let state = mailbox.state();
        let may_ask = core.uptime() >= state.queue.pause.until;
        if at == Ledger::UNCLAIMED && state.delivery.is_watching() && may_ask {
            drop(state);
            core.ask_for(&key, Chore::TakeIfAt(etag));
        }
        return true;
    }
    if core.deferred.contains(&key, || core.uptime()) {
        return true;
    }
    let rest = Ledger::rest_of(at);
    let patience = match at {
        Ledger::UNCLAIMED => Duration::ZERO,
        Ledger::CLAIMED => core.limits.claim,
        // The instance that let it rest, or set the timer, goes first. As clocks may be wrong, a
        // wait is never longer than the rest that was stored.
        _ => {
            rest.map_or(Duration::ZERO, |rest| rest_left.map_or(rest, |left| left.min(rest)))
                + core.limits.sweep_every
        }
    };
    let now = core.uptime();
    if watched.documents.len() >= WATCHED_MAX && !watched.documents.contains_key(&key) {
        return true;
    }
    let new = || Watch { etag: etag.clone(), since: now, asked: 0, not_before: now + patience };
    let watch = watched.documents.entry(key.clone()).or_insert_with(new);
    if watch.etag != etag {
        *watch = new();
    }
    if now < watch.not_before || core.refusals.is_recent(&key, now) {
        return true;
    }
    if core.free_recoveries() == 0 {
        return false;
    }
    watch.not_before = now + ASK_AGAIN.wait_at_least_half(watch.asked, &core.ids);
    watch.asked += 1;
    tracing::debug!(%key, "taking care of what was left behind");
    let unchanged_for = now.saturating_sub(watch.since);
    core.ask_for(
        &key,
        match at <= Ledger::CLAIMED || rest.is_some() {
            true => Chore::TakeIfAt(etag),
            false => Chore::Wake(Wake::Found(etag, unchanged_for)),
        },
    );
    true
}

//! The sweep: looks into the store for outboxes and inboxes that were left behind, timers, and
//! expiry.
//!
//! An instance that has died cannot say so. Others look at the documents that wait; when one has
//! not changed for the time of a claim, by this instance's own clock, its holder counts as gone.
//! Being wrong about that costs a repeated hand-over under the same id, never a lost one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Weak},
    time::Duration,
};

use crate::{
    Key,
    backoff::Backoff,
    engine::Core,
    ledger::{Chore, Ledger, Wake},
    store::{Due, ETag},
};

/// How many parts are looked at in the time that lies between two looks at the whole.
const PARTS: u32 = 16;
/// How many documents are watched at most; what is beyond is watched later.
const WATCHED_MAX: usize = 100_000;
/// What was asked for and is still due is asked for again after this, doubled each time.
const ASK_AGAIN: Backoff = Backoff { first: Duration::from_secs(16), max: Duration::from_secs(60) };

/// Documents that were seen waiting.
#[derive(Debug, Default)]
struct Watched {
    documents: BTreeMap<Key, Watch>,
    /// Whether the last look failed: the first one in a row is logged.
    is_blind: bool,
}

/// One of them.
#[derive(Debug)]
struct Watch {
    etag: ETag,
    /// Since when it has not changed.
    since: Duration,
    /// How often somebody was asked to see to it, and when that may be done again.
    asked: u32,
    not_before: Duration,
}

/// How many outboxes at rest one look reads, to learn until when: the others are read by later
/// looks.
const RESTS_READ_MAX: usize = 64;

/// How far the looks have come.
#[derive(Debug, Default)]
struct Progress {
    /// The last key of what was looked at; the next look begins behind it.
    after: Option<Key>,
    /// Whether more is there than one look takes, or than there are places for.
    is_behind: bool,
}

/// Looks around until the instance is gone.
pub(crate) async fn watch(core: Weak<Core>) {
    let mut watched = Watched::default();
    let mut progress = Progress::default();
    let mut next_look = Duration::ZERO;
    loop {
        let Some(core) = core.upgrade() else { return };
        if core.is_closing() {
            return;
        }
        core.suspension.look(core.uptime(), core.now());
        for key in core.timers.take(core.now(), core.free_recoveries()) {
            core.ask_for(&key, Chore::Wake(Wake::Timer));
        }
        for key in core.rests.take(core.uptime(), core.free_recoveries()) {
            core.ask_for(&key, Chore::Wake(Wake::Rested));
        }
        if core.uptime() >= next_look {
            look(&core, &mut watched, &mut progress).await;
            // Where much waits a look sees a part of it: the next part soon, or a dead instance
            // with many conversations would be missed for minutes.
            let parts = if progress.is_behind { PARTS } else { 1 };
            let every = core.limits.sweep_every / parts;
            // Spread, so that instances started together do not look together.
            next_look = core.uptime() + every / 2 + core.ids.jitter(every);
        }
        pause(&core, next_look).await;
    }
}

/// Waits for the next look or the next alarm.
async fn pause(core: &Core, next_look: Duration) {
    let look_in = next_look.saturating_sub(core.uptime());
    let least = match core.free_recoveries() {
        // Alarms wait for a place.
        0 => Duration::from_millis(100),
        _ => Duration::from_millis(1),
    };
    let timer_in = core.timers.next().map(|at| at.since(core.now()));
    let rest_in = core.rests.next().map(|at| at.saturating_sub(core.uptime()));
    let wait = [timer_in, rest_in].into_iter().flatten().fold(look_in, Duration::min).max(least);
    core.within(wait, core.alarmed.notified()).await;
}

async fn look(core: &Arc<Core>, watched: &mut Watched, progress: &mut Progress) {
    let limits = &core.limits;
    let looked_after = progress.after.clone();
    let after = looked_after.as_ref();
    let found = core.store.due(core.now(), after, limits.sweep_max);
    let found = match core.within(limits.deadline, found).await {
        Some(Ok(found)) => found,
        failed => {
            if !std::mem::replace(&mut watched.is_blind, true) {
                let error = failed.and_then(Result::err);
                tracing::warn!(?error, "could not look for what others left behind");
            }
            return;
        }
    };
    watched.is_blind = false;
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
        // The next look begins with it.
        let before = at.checked_sub(1).and_then(|before| found.get(before));
        let after = before.map(|due| due.key.clone()).or(looked_after);
        *progress = Progress { is_behind: true, after };
    }
}

impl Watched {
    /// Whether an outbox rests that was not seen before, and that nobody here set an alarm for.
    fn is_new_rest(&self, core: &Core, due: &Due) -> bool {
        Ledger::rest_of(due.at).is_some()
            && self.documents.get(&due.key).is_none_or(|watch| watch.etag != due.etag)
            && core.mailboxes().get(&due.key).is_none()
            && !core.rests.contains(&due.key)
    }

    /// Forgets what was seen in the same stretch of keys and is not there any more: it has been
    /// dealt with.
    fn forget_gone(&mut self, found: &[Due], after: Option<&Key>, end: Option<&Key>) {
        let there: BTreeSet<&Key> = found.iter().map(|due| &due.key).collect();
        self.documents.retain(|key, _| {
            let is_before = after.is_some_and(|after| key <= after);
            let is_beyond = end.is_some_and(|end| key > end);
            is_before || is_beyond || there.contains(key)
        });
    }
}

/// Acts on a waiting document once it has been silent for long enough. False where that has to wait
/// for a place among those that recovery takes up at once.
fn consider(
    core: &Arc<Core>,
    watched: &mut Watched,
    due: Due,
    rest_left: Option<Duration>,
) -> bool {
    let Due { key, etag, at } = due;
    if core.mailboxes().get(&key).is_some() {
        // This instance is busy with it: its own courier delivers or watches.
        drop(watched.documents.remove(&key));
        return true;
    }
    if core.shunned.contains(&key, || core.uptime()) {
        return true;
    }
    let rest = Ledger::rest_of(at);
    let patience = match at {
        Ledger::UNCLAIMED => Duration::ZERO,
        Ledger::CLAIMED => core.limits.claim,
        // The instance that let it rest, or set the timer, should be first. A clock may be wrong:
        // no rest is longer than whoever began it said.
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

//! The sweep: scans the store for abandoned outboxes and inboxes, due timers, and expired
//! documents.
//!
//! Every instance watches the documents with pending work; when one has not changed for the
//! duration of a claim, by this instance's monotonic clock, its holder counts as dead. A wrong
//! verdict costs a repeated delivery under the same id, never a lost one.
//!
//! A look goes through all due documents page by page, and goes on where it stopped, whatever
//! happened in between.

use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
    time::Duration,
};

use super::{page_size::PageSize, watched::Watched};
use crate::{
    clock::Timestamp,
    engine::{Core, RestEnd},
    ledger::{Chore, Ledger, Wake},
    store::{Cursor, Due},
};

/// Number of scans in the interval between looks, while a look is under way.
const PARTS: u32 = 16;
/// Failed pages in a row after which a look begins anew: perhaps it is the cursor that fails.
const FAILURES_MAX: u32 = 8;

/// Maximum number of resting outboxes that one scan reads to learn the end of their rest; later
/// scans read the others.
const RESTS_READ_MAX: usize = 64;

/// Progress of the look.
#[derive(Debug, Default)]
struct Look {
    watched: Watched,
    /// Beginning of the next page.
    from: Option<Cursor>,
    /// Time of the first page, and so of all: or a look could run after what becomes due meanwhile.
    now: Option<Timestamp>,
    /// Uptime when the first page was asked for.
    began: Duration,
    /// Documents of the last page that wait for a recovery slot, or to be read.
    waiting: VecDeque<Due>,
    /// True if the look is not over.
    is_under_way: bool,
    /// Failed pages in a row.
    failures: u32,
    page_size: PageSize,
}

/// Runs alarms and the sweep until the instance is dropped or closes.
pub(crate) async fn watch(core: Weak<Core>) {
    let mut look = Look::default();
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
            look.scan(&core).await;
            // With much pending work a scan covers only a part of it. The next part follows soon,
            // because otherwise a dead instance with many conversations would be missed for
            // minutes.
            let parts = if look.is_under_way && look.failures == 0 { PARTS } else { 1 };
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

impl Look {
    /// Goes on with the look, by one page at most.
    async fn scan(&mut self, core: &Arc<Core>) {
        if self.waiting.is_empty() {
            self.fetch(core).await;
        }
        let mut rests_read = 0;
        let (mut waiting, mut later) = (std::mem::take(&mut self.waiting), VecDeque::new());
        while let Some(due) = waiting.pop_front() {
            let rest_left = match self.watched.is_new_rest(core, &due) {
                true if rests_read == RESTS_READ_MAX => {
                    later.push_back(due);
                    continue;
                }
                true => {
                    rests_read += 1;
                    core.rest_left(&due.key).await
                }
                false => None,
            };
            if !consider(core, &mut self.watched, &due, rest_left) {
                later.push_back(due);
            }
        }
        self.waiting = later;
        self.is_under_way = self.from.is_some() || !self.waiting.is_empty();
        if !self.is_under_way && self.failures == 0 {
            self.watched.end_look();
            self.count(core);
        }
    }

    /// Counts a finished look and its duration.
    fn count(&self, core: &Core) {
        let millis = core.uptime().saturating_sub(self.began).as_millis();
        core.counters.looks.add(1);
        core.counters.looks_ms.add(usize::try_from(millis).unwrap_or(usize::MAX));
        core.counters.look_ms_max.raise(u64::try_from(millis).unwrap_or(u64::MAX));
    }

    /// Fetches the next page.
    async fn fetch(&mut self, core: &Core) {
        let limits = &core.limits;
        if self.from.is_none() {
            self.began = core.uptime();
        }
        let now = self.now.filter(|_| self.from.is_some()).unwrap_or_else(|| core.now());
        self.now = Some(now);
        let limit = self.page_size.of(limits.sweep_max);
        let page = core.store.due(now, self.from.as_ref(), limit);
        match core.within(limits.deadline, page).await {
            Some(Ok(page)) => {
                self.failures = 0;
                self.page_size.note_success();
                // What is of another bot in this store is for its own instances to take up.
                let own = page.found.into_iter().filter(|due| core.keys.owns(&due.key));
                (self.from, self.waiting) = (page.next, own.collect());
            }
            failed => {
                core.counters.looks_cut.add(1);
                if self.failures == 0 {
                    let error = failed.and_then(Result::err);
                    tracing::warn!(?error, "could not look for abandoned work: goes on later");
                }
                self.failures += 1;
                self.page_size.note_failure();
                if self.failures.is_multiple_of(FAILURES_MAX) {
                    self.from = None;
                    self.watched.give_up_look();
                }
            }
        }
    }
}

/// Requests recovery of a document that has been unchanged for long enough. Returns false if that
/// has to wait for a recovery slot.
fn consider(
    core: &Arc<Core>,
    watched: &mut Watched,
    due: &Due,
    rest_left: Option<Duration>,
) -> bool {
    let Due { key, etag, at } = due;
    let mailbox = core.mailboxes().get(key).cloned();
    if let Some(mailbox) = mailbox {
        // This instance is busy with it: its own courier handles it, as soon as it knows that the
        // claim for which it waits was released.
        watched.forget(key);
        let state = mailbox.state();
        let may_ask = core.uptime() >= state.queue.pause.until;
        if *at == Ledger::UNCLAIMED && state.delivery.is_watching() && may_ask {
            drop(state);
            core.ask_for(key, Chore::TakeIfAt(etag.clone()));
        }
        return true;
    }
    if core.deferred.contains(key, || core.uptime()) {
        return true;
    }
    let rest = Ledger::rest_of(*at);
    let patience = match *at {
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
    let mut watch = watched.see(due, now, patience);
    let is_early = match &watch {
        Some(watch) => watch.is_early(now),
        // No room to watch it, so there is no patience.
        None => *at == Ledger::CLAIMED,
    };
    if is_early || core.refusals.is_recent(key, now) {
        return true;
    }
    if core.free_recoveries() == 0 {
        return false;
    }
    tracing::debug!(%key, "taking care of what was left behind");
    let unchanged_for = watch.as_mut().map_or(Duration::ZERO, |watch| watch.ask(core, now));
    core.ask_for(
        key,
        match *at <= Ledger::CLAIMED || rest.is_some() {
            true => Chore::TakeIfAt(etag.clone()),
            false => Chore::Wake(Wake::Found(etag.clone(), unchanged_for)),
        },
    );
    true
}

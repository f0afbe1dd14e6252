//! Recovery: finds what nobody is busy with any more, an outbox or a timer, and sees to it.
//!
//! An instance that has died cannot say so. Others look at the documents that wait; when one has not
//! changed for the time of a claim, by this instance's own clock, its holder counts as gone. Being wrong
//! about that costs a repeated hand-over under the same id, never a lost one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Weak},
    time::Duration,
};

use super::{Shared, mailbox::Chore};
use crate::{
    Key,
    document::Ledger,
    store::{Due, ETag},
};

/// How many parts are looked at in the time that lies between two looks at the whole.
const PARTS: u32 = 16;

/// What was seen waiting, and since when it has not changed.
type Seen = BTreeMap<Key, (ETag, Duration)>;

/// Looks around until the instance is gone.
pub(super) async fn watch(shared: Weak<Shared>) {
    let mut seen = Seen::new();
    let mut after = None;
    let mut next_look = Duration::ZERO;
    loop {
        let Some(shared) = shared.upgrade() else { return };
        if shared.is_closing() {
            return;
        }
        for key in shared.alarms.take(shared.clock.now()) {
            shared.ask_for(&key, Chore::Fire);
        }
        if shared.uptime() >= next_look {
            look(&shared, &mut seen, &mut after).await;
            // Where much waits a look sees a part of it: the next part soon, or a dead instance with
            // many conversations would be missed for minutes.
            let parts = if after.is_some() { PARTS } else { 1 };
            let every = shared.limits.sweep_every / parts;
            // Spread, so that instances started together do not look together.
            next_look = shared.uptime() + every / 2 + shared.ids.jitter(every);
        }
        pause(&shared, next_look).await;
    }
}

/// Waits for the next look or the next alarm.
async fn pause(shared: &Shared, next_look: Duration) {
    let look_in = next_look.saturating_sub(shared.uptime());
    let alarm_in = shared.alarms.next().map(|at| at.since(shared.clock.now()));
    let wait = alarm_in.unwrap_or(look_in).min(look_in).max(Duration::from_millis(1));
    shared.within(wait, shared.alarms.earlier.notified()).await;
}

async fn look(shared: &Arc<Shared>, seen: &mut Seen, after: &mut Option<Key>) {
    let limits = &shared.limits;
    let now = shared.clock.now();
    let found = shared.store.due(now, after.as_ref(), limits.sweep_max);
    let found = match shared.within(limits.deadline, found).await {
        Some(Ok(found)) => found,
        Some(Err(error)) => {
            tracing::warn!(%error, "could not look for what others left behind");
            return;
        }
        None => return,
    };
    // What was seen in the same stretch of keys and is not there any more has been dealt with.
    let end = if found.len() < limits.sweep_max { None } else { found.last() };
    let end = end.map(|due| due.key.clone());
    let there: BTreeSet<&Key> = found.iter().map(|due| &due.key).collect();
    seen.retain(|key, _| {
        let is_before = after.as_ref().is_some_and(|after| key <= after);
        let is_beyond = end.as_ref().is_some_and(|end| key > end);
        is_before || is_beyond || there.contains(key)
    });
    for due in found {
        consider(shared, seen, due);
    }
    *after = end;
}

/// Acts on a waiting document once it has been silent for long enough.
fn consider(shared: &Arc<Shared>, seen: &mut Seen, due: Due) {
    let Due { key, etag, at } = due;
    if shared.mailboxes().get(&key).is_some() {
        // This instance is busy with it: its own courier delivers or watches.
        return drop(seen.remove(&key));
    }
    let patience = match at {
        Ledger::UNCLAIMED => Duration::ZERO,
        Ledger::CLAIMED => shared.limits.claim,
        // A timer: the instance that set it should be first.
        _ => shared.limits.sweep_every,
    };
    let now = shared.uptime();
    let since = match seen.get(&key) {
        Some((known, since)) if *known == etag => *since,
        _ => {
            drop(seen.insert(key.clone(), (etag.clone(), now)));
            now
        }
    };
    if now.saturating_sub(since) < patience {
        return;
    }
    drop(seen.remove(&key));
    tracing::debug!(%key, "taking care of what was left behind");
    if at <= Ledger::CLAIMED {
        shared.ask_for(&key, Chore::TakeIfAt(etag));
    } else {
        shared.ask_for(&key, Chore::Fire);
    }
}

//! The courier (outbox relay): delivers a conversation's outbox to its channel, in order, one reply
//! at a time.
//!
//! Only the holder of the claim (a lease) delivers. Hand-overs are recorded with the next commit of
//! the conversation, or by a commit of their own when none comes soon. A holder that is still
//! delivering renews its claim, as a heartbeat for other instances; before every hand-over it makes
//! sure that the claim cannot lapse while the channel answers. When the next attempt is further
//! away than that, the claim is given up together with the time of the next attempt, and any live
//! instance continues then.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt;

use super::{
    acks,
    hand_over::{hand_over, is_outdated, settle},
};
use crate::{
    Limits,
    engine::{Core, Hold, Mailbox, MailboxState, Task},
    ledger::{Chore, Entry, HandedOver, OutboxRest, REST_MAX},
};

/// Interval at which a paused channel is checked again.
const PAUSED: Duration = Duration::from_secs(60);

/// Interval at which a courier that wants to take over checks for a free recovery slot.
const FULL: Duration = Duration::from_secs(1);

/// Next step of a courier.
enum Errand {
    /// Deliver this reply; the flag says that an earlier attempt may have arrived.
    HandOver(Arc<Entry>, bool),
    /// Request a write from the runner and wait for it.
    Ask(Chore),
    /// Wait for a time, or until the mailbox changes.
    Wait(Duration),
    /// Record hand-overs at a time, unless a commit does that first.
    RecordAt(Duration),
    /// Nothing is left to do; the flag says that the mailbox is idle.
    Done(bool),
}

/// Creates the courier of a mailbox.
pub(crate) fn courier(core: Arc<Core>, mailbox: Arc<Mailbox>) -> Task {
    deliver(core, mailbox).boxed()
}

/// Delivers until nothing is left to deliver, record or watch.
async fn deliver(core: Arc<Core>, mailbox: Arc<Mailbox>) {
    let mut errand = next(&core, &mailbox, &mut mailbox.state(), core.uptime());
    loop {
        match errand {
            Errand::HandOver(entry, is_repeat) => {
                let delivery = hand_over(&core, &mailbox, &entry, is_repeat).await;
                let now = core.uptime();
                let state = &mut *mailbox.state();
                settle(&core, &mailbox, state, (entry, now), &delivery);
                errand = next(&core, &mailbox, state, now);
                continue;
            }
            Errand::Ask(chore) => {
                // Consume the permit of earlier changes: they do not answer this request.
                mailbox.changed.notified().now_or_never();
                if let Some(runner) = core.ask(&mailbox, chore) {
                    core.poll_or_spawn(runner).await;
                }
                mailbox.changed.notified().await;
            }
            Errand::Wait(time) => {
                core.within(time, mailbox.changed.notified()).await;
            }
            Errand::RecordAt(at) => return acks::record_at(&core, at, &mailbox),
            Errand::Done(is_at_rest) => {
                if is_at_rest {
                    core.retire(&mailbox);
                }
                return;
            }
        }
        errand = next(&core, &mailbox, &mut mailbox.state(), core.uptime());
    }
}

fn next(core: &Core, mailbox: &Mailbox, state: &mut MailboxState, now: Duration) -> Errand {
    let errand = wanted(core, mailbox, state, now);
    let pause = state.queue.pause;
    match errand {
        // Requests that failed back off before the next one.
        Errand::Ask(_) if pause.tries > 0 && now < pause.until => Errand::Wait(pause.until - now),
        Errand::RecordAt(_) | Errand::Done(_) => {
            state.delivery.is_courier_on = false;
            match errand {
                // The mailbox is in the queue already.
                Errand::RecordAt(_) if state.delivery.is_ack_queued => Errand::Done(false),
                errand => errand,
            }
        }
        errand => errand,
    }
}

fn wanted(core: &Core, mailbox: &Mailbox, state: &mut MailboxState, now: Duration) -> Errand {
    let limits = &core.limits;
    if core.is_releasing() {
        // A commit that was under way may have made the claim ours since.
        state.delivery.begin_release();
    }
    let delivery = &state.delivery;
    let is_handed = |entry: &Arc<Entry>| delivery.handed.iter().any(|d| d.entry.id == entry.id);
    let waiting = delivery.outbox.iter().find(|entry| !is_handed(entry));
    if let (Some(entry), Hold::Ours(claimed)) = (waiting.cloned(), &delivery.hold) {
        let claimed = *claimed;
        return to_deliver(core, mailbox, state, (entry, claimed), now);
    }
    if delivery.hold == Hold::Releasing && !delivery.outbox.is_empty() {
        // The commit that should have released the claim failed, or is in progress.
        return Errand::Ask(Chore::Release);
    }
    if !delivery.handed.is_empty() {
        // Record at once if another instance shares the conversation, or this one shuts down.
        let is_foreign = matches!(delivery.hold, Hold::Foreign(..));
        let is_urgent = delivery.is_shared || is_foreign || core.is_closing();
        let at = delivery.handed_at + delivery.patience;
        return match is_urgent || now >= at {
            true => Errand::Ask(Chore::Record),
            false => Errand::RecordAt(at),
        };
    }
    if let Hold::Foreign(claim, since) = &delivery.hold
        && !core.is_closing()
    {
        let at = *since + limits.claim;
        return match now >= at {
            true if core.acquire_recovery_slot(mailbox) => {
                Errand::Ask(Chore::TakeFrom(claim.clone()))
            }
            true => Errand::Wait(FULL),
            false => Errand::Wait(at - now),
        };
    }
    state.delivery.is_courier_on = false;
    Errand::Done(state.is_idle())
}

/// Decides between delivering the first reply, waiting for its time, and renewing the claim first.
fn to_deliver(
    core: &Core,
    mailbox: &Mailbox,
    state: &mut MailboxState,
    (entry, claimed): (Arc<Entry>, Option<crate::engine::Moment>),
    now: Duration,
) -> Errand {
    let limits = &core.limits;
    let delivery = &mut state.delivery;
    if core.paused_channels.is_paused(&mailbox.key) {
        delivery.not_before = delivery.not_before.max(now + PAUSED);
    }
    let safe = limits.claim.saturating_sub(limits.send_timeout);
    let wall = core.now();
    core.suspension.check(now, wall);
    let claimed = claimed.filter(|claimed| !core.suspension.is_since(claimed.uptime));
    let elapsed = claimed.map(|claimed| claimed.elapsed(now, wall));
    let wait = delivery.not_before.saturating_sub(now);
    let Some(elapsed) = elapsed.filter(|elapsed| *elapsed < safe) else {
        // The inbox needs the claim, and a shutdown releases it soon anyway.
        let can_rest = !state.queue.has_inbox && !core.is_closing();
        return Errand::Ask(match can_rest && wait > safe {
            true => {
                let rest = wait.min(REST_MAX);
                let (until, rest_s) = (core.now().after(rest), rest.as_secs() + 1);
                Chore::Hold(OutboxRest { until, rest_s, tries: delivery.tries })
            }
            false => Chore::Renew,
        });
    };
    if !wait.is_zero() {
        return Errand::Wait(wait.min(safe - elapsed));
    }
    // Clocks of instances may disagree about expiry. A reply that this instance has parked as
    // expired is recorded before a later one overtakes it.
    let is_given_up = |handed: &HandedOver| handed.parked.is_some() && handed.entry.until.is_some();
    if delivery.handed.iter().any(is_given_up) && !is_outdated(core, &entry) {
        return Errand::Ask(Chore::Record);
    }
    delivery.patience = patience(limits, elapsed);
    let id = entry.id.clone();
    let is_repeat = entry.is_doubtful || delivery.doubtful.contains(&id);
    delivery.in_hand = Some(id);
    Errand::HandOver(entry, is_repeat)
}

/// Time that hand-overs wait for a commit to record them, given the duration of the last commit.
/// Waiting is worth as much as it may save: little where commits are quick.
fn patience(limits: &Limits, commit: Duration) -> Duration {
    (4 * commit).clamp(limits.record_after / 10, limits.record_after)
}

//! The courier: hands a conversation's outbox over to its channel, in order, one reply at a time.
//!
//! Only the holder of the claim delivers. What was handed over is recorded with the next commit of the
//! conversation, or by a commit of its own when none comes soon. A holder that is still at it renews its
//! claim, so that others know it lives; before every hand-over it makes sure that the claim cannot lapse
//! while the channel answers.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use sayso_activity::Activity;

use super::{
    Shared,
    mailbox::{Chore, Desk, Handed, Mailbox},
};
use crate::{
    Limits,
    channel::{Delivery, Parcel},
    document::Entry,
    fault::fault,
    message::Target,
};

/// What the courier does next.
enum Errand {
    /// Hand this reply over; the flag says that an earlier try may have arrived.
    HandOver(Arc<Entry>, bool),
    /// Ask the runner for a write and wait for it.
    Ask(Chore),
    /// Wait, or until something changed.
    Wait(Duration),
    /// Nothing is left; the flag says that the mailbox is at rest.
    Done(bool),
}

/// Delivers until nothing is left to deliver, record or watch.
pub(super) async fn deliver(shared: Arc<Shared>, mailbox: Arc<Mailbox>) {
    let mut errand = next(&shared, &mailbox, &mut mailbox.desk(), shared.uptime());
    loop {
        match errand {
            Errand::HandOver(entry, is_repeat) => {
                let delivery = hand_over(&shared, &mailbox, &entry, is_repeat).await;
                let now = shared.uptime();
                let desk = &mut *mailbox.desk();
                settle(&shared, &mailbox, desk, entry, &delivery, now);
                errand = next(&shared, &mailbox, desk, now);
                continue;
            }
            Errand::Ask(chore) => {
                // What changed before is none of the answer.
                mailbox.changed.notified().now_or_never();
                if let Some(runner) = shared.ask(&mailbox, chore) {
                    shared.go(runner).await;
                }
                mailbox.changed.notified().await;
            }
            Errand::Wait(time) => {
                shared.within(time, mailbox.changed.notified()).await;
            }
            Errand::Done(is_at_rest) => {
                if is_at_rest {
                    shared.retire(&mailbox);
                }
                return;
            }
        }
        errand = next(&shared, &mailbox, &mut mailbox.desk(), shared.uptime());
    }
}

fn next(shared: &Arc<Shared>, mailbox: &Arc<Mailbox>, desk: &mut Desk, now: Duration) -> Errand {
    let limits = &shared.limits;
    let is_handed = |entry: &Arc<Entry>| desk.handed.iter().any(|done| done.entry.id == entry.id);
    let waiting = desk.outbox.iter().find(|entry| !is_handed(entry));
    if let Some(entry) = waiting.filter(|_| !desk.is_releasing) {
        let safe = limits.claim.saturating_sub(limits.send_timeout);
        let is_safe = |at: &Duration| now < *at + safe;
        let Some(claimed_at) = desk.claimed_at.filter(is_safe) else {
            return Errand::Ask(Chore::Renew);
        };
        if now < desk.not_before {
            return Errand::Wait(desk.not_before.min(claimed_at + safe).saturating_sub(now));
        }
        desk.patience = patience(limits, now.saturating_sub(claimed_at));
        let (entry, id) = (Arc::clone(entry), entry.id.clone());
        let is_repeat = entry.is_doubtful || desk.doubtful.contains(&id);
        desk.in_hand = Some(id);
        return Errand::HandOver(entry, is_repeat);
    }
    if !desk.handed.is_empty() {
        // Another instance that shares the conversation, or one that shuts down, should not wait.
        let is_urgent = desk.is_shared || desk.foreign.is_some() || shared.is_closing();
        let at = desk.handed_at + desk.patience;
        if is_urgent || now >= at {
            return Errand::Ask(Chore::Record);
        }
        shared.record_at(at, mailbox, desk);
        desk.is_delivering = false;
        return Errand::Done(false);
    }
    if let Some((claim, since)) = &desk.foreign
        && !shared.is_closing()
    {
        let at = *since + limits.claim;
        return if now >= at {
            Errand::Ask(Chore::TakeFrom(claim.clone()))
        } else {
            Errand::Wait(at - now)
        };
    }
    desk.is_delivering = false;
    Errand::Done(desk.is_idle())
}

/// How long what is handed over waits for a commit to be recorded with, if the last one took so long. To
/// wait is worth as much as it may save: little where a commit is quick.
fn patience(limits: &Limits, commit: Duration) -> Duration {
    (4 * commit).clamp(limits.record_after / 10, limits.record_after)
}

/// Hands a reply over, and gives what became of that.
async fn hand_over(shared: &Shared, mailbox: &Mailbox, entry: &Entry, is_repeat: bool) -> Delivery {
    let limits = &shared.limits;
    let Ok(activity) = entry.to_activity() else {
        return Delivery::Refused { reason: "the stored reply cannot be read".to_owned() };
    };
    let activity = match named(&activity, mailbox) {
        Ok(named) => named.unwrap_or(activity),
        Err(reason) => return Delivery::Refused { reason },
    };
    let parcel = Parcel { id: entry.id.clone(), key: mailbox.key.clone(), activity, is_repeat };
    if is_repeat {
        shared.counters.repeats.add(1);
    }
    let delivery = AssertUnwindSafe(shared.channel.deliver(&parcel)).catch_unwind();
    let delivery = match shared.within(limits.send_timeout, delivery).await {
        Some(Ok(delivery)) => delivery,
        Some(Err(_)) => Delivery::Unknown { reason: "the channel panicked".to_owned() },
        None => Delivery::Unknown { reason: format!("no answer within {:?}", limits.send_timeout) },
    };
    fault!("after_hand_over");
    delivery
}

/// An activity that changes a message, with the channel's name for it. Nothing to do for any other: it
/// is handed over as it is.
fn named(activity: &Activity, mailbox: &Mailbox) -> Result<Option<Arc<Activity>>, String> {
    let name = match Target::of(activity) {
        None => return Ok(None),
        Some(Target::Channels(name)) => name,
        Some(Target::Ours(id)) => mailbox.desk().name_of(&id).ok_or_else(|| {
            "the channel has given no id to the message that it changes, or it was forgotten \
             (limit sent_max)"
                .to_owned()
        })?,
    };
    Ok(Some(Arc::new(Activity { id: Some(name), ..activity.clone() })))
}

/// Takes note of what became of a hand-over.
fn settle(
    shared: &Shared,
    mailbox: &Mailbox,
    desk: &mut Desk,
    entry: Arc<Entry>,
    delivery: &Delivery,
    now: Duration,
) {
    let limits = &shared.limits;
    desk.in_hand = None;
    let (reason, after) = match delivery {
        Delivery::Delivered { id } => {
            shared.counters.delivered.add(1);
            return desk.hand(Handed { entry, parked: None, name: id.clone() }, now);
        }
        Delivery::Refused { reason } => (reason, None),
        Delivery::Later { after, reason } => (reason, Some(after.unwrap_or_default())),
        Delivery::Unknown { reason } => {
            desk.doubtful.insert(entry.id.clone());
            (reason, Some(Duration::ZERO))
        }
    };
    desk.tries += 1;
    match after {
        Some(after) if desk.tries < limits.send_attempts_max => {
            let wait = backoff(limits, desk.tries, |most| shared.ids.jitter(most)).max(after);
            tracing::debug!(key = %mailbox.key, reply = %entry.id, %reason, ?wait, "not handed over yet");
            desk.not_before = now + wait;
        }
        _ => {
            shared.counters.parked.add(1);
            tracing::warn!(key = %mailbox.key, reply = %entry.id, %reason, "a reply was parked");
            let parked = Some((reason.clone(), shared.clock.now()));
            desk.hand(Handed { entry, parked, name: None }, now);
        }
    }
}

fn backoff(limits: &Limits, tries: u32, jitter: impl Fn(Duration) -> Duration) -> Duration {
    let most = Duration::from_millis(100).saturating_mul(1 << tries.min(16));
    jitter(most.min(limits.send_backoff_max))
}

impl Desk {
    fn hand(&mut self, handed: Handed, now: Duration) {
        self.handed.push(handed);
        self.handed_at = now;
        self.tries = 0;
        self.not_before = Duration::ZERO;
    }
}

//! One hand-over (delivery attempt): what the channel is given, and the handling of its outcome.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use sayso_activity::Activity;

use crate::{
    backoff::Backoff,
    channel::{Delivery, Parcel},
    engine::{Core, Mailbox, MailboxState},
    fault::fault,
    ledger::{Entry, HandedOver, REST_MAX},
    message_id::Target,
};

/// First back-off between delivery attempts.
const BACKOFF_FIRST: Duration = Duration::from_millis(200);

/// A `Retry-After` of at least this means that the channel is down or overloaded; it does not count
/// as an attempt at the reply.
const OUTAGE: Duration = Duration::from_secs(30);

/// Reason for which the delivery policy keeps a reply from being sent.
enum Withheld {
    /// It may have arrived, and the policy is at most once.
    Doubtful,
    /// It has expired.
    Outdated,
}

/// Delivers a reply and returns the outcome.
pub(super) async fn hand_over(
    core: &Core,
    mailbox: &Mailbox,
    entry: &Entry,
    is_repeat: bool,
) -> Delivery {
    let limits = &core.limits;
    if let Some(withheld) = withheld(core, entry, is_repeat) {
        return withheld.refusal(core);
    }
    let Ok(activity) = entry.to_activity() else {
        return Delivery::Refused { reason: "the stored reply cannot be read".to_owned() };
    };
    let activity = match named(&activity, mailbox) {
        Ok(named) => named.unwrap_or(activity),
        Err(reason) => return Delivery::Refused { reason },
    };
    let parcel = Parcel { id: entry.id.clone(), key: mailbox.key.clone(), activity, is_repeat };
    if is_repeat {
        core.counters.repeats.add(1);
    }
    let delivery = AssertUnwindSafe(core.channel.deliver(&parcel)).catch_unwind();
    let delivery = match core.within(limits.send_timeout, delivery).await {
        Some(Ok(delivery)) => delivery,
        Some(Err(_)) => Delivery::Unknown { reason: "the channel panicked".to_owned() },
        None => Delivery::Unknown { reason: format!("no answer within {:?}", limits.send_timeout) },
    };
    fault!("after_hand_over");
    delivery
}

fn withheld(core: &Core, entry: &Entry, is_repeat: bool) -> Option<Withheld> {
    if entry.is_once && is_repeat {
        return Some(Withheld::Doubtful);
    }
    is_outdated(core, entry).then_some(Withheld::Outdated)
}

/// Reports whether a reply has expired.
pub(super) fn is_outdated(core: &Core, entry: &Entry) -> bool {
    entry.until.is_some_and(|until| until <= core.now())
}

impl Withheld {
    fn refusal(&self, core: &Core) -> Delivery {
        let reason = match self {
            Self::Doubtful => {
                core.counters.withheld.add(1);
                "it may have arrived, and its delivery policy is once"
            }
            Self::Outdated => {
                core.counters.outdated.add(1);
                "it was not delivered before it expired (delivery policy)"
            }
        };
        Delivery::Refused { reason: reason.to_owned() }
    }
}

/// Resolves the target of an update or deletion to the channel's message id. `None` for any other
/// activity: it is delivered as it is.
fn named(activity: &Activity, mailbox: &Mailbox) -> Result<Option<Arc<Activity>>, String> {
    let name = match Target::of(activity) {
        None => return Ok(None),
        Some(Target::Channels(name)) => name,
        Some(Target::Ours(id)) => mailbox.state().delivery.name_of(&id).ok_or_else(|| {
            "the channel has given no id to the message that it changes, or it was forgotten \
             (limit sent_max)"
                .to_owned()
        })?,
    };
    Ok(Some(Arc::new(Activity { id: Some(name), ..activity.clone() })))
}

/// Applies the outcome of a hand-over that ended at `now`: done, back-off, or dead letter.
pub(super) fn settle(
    core: &Core,
    mailbox: &Mailbox,
    state: &mut MailboxState,
    (entry, now): (Arc<Entry>, Duration),
    delivery: &Delivery,
) {
    let limits = &core.limits;
    let state = &mut state.delivery;
    state.in_hand = None;
    let (reason, after) = match delivery {
        Delivery::Delivered { id } => {
            core.counters.delivered.add(1);
            let name = id.clone();
            return state.hand(HandedOver { entry, parked: None, is_doubtful: false, name }, now);
        }
        Delivery::Refused { reason } => (reason, None),
        Delivery::Later { after, reason } => (reason, Some(after.unwrap_or_default())),
        Delivery::Unknown { reason } => {
            state.doubtful.insert(entry.id.clone());
            (reason, Some(Duration::ZERO))
        }
    };
    state.tries += u32::from(after.is_none_or(|after| after < OUTAGE));
    // A reply with an expiry is retried until then.
    let is_worth_it = state.tries < limits.send_attempts_max || entry.until.is_some();
    match after {
        Some(after) if is_worth_it => {
            let backoff = Backoff { first: BACKOFF_FIRST, max: limits.send_backoff_max };
            let wait =
                backoff.wait(state.tries.saturating_sub(1), &core.ids).max(after.min(REST_MAX));
            tracing::debug!(key = %mailbox.key, reply = %entry.id, %reason, ?wait, "not handed over yet");
            state.not_before = now + wait;
        }
        _ => {
            core.counters.parked.add(1);
            tracing::warn!(key = %mailbox.key, reply = %entry.id, %reason, "a reply was parked");
            let parked = Some((reason.clone(), core.now()));
            let is_doubtful = state.doubtful.contains(&entry.id);
            state.hand(HandedOver { entry, parked, is_doubtful, name: None }, now);
        }
    }
}

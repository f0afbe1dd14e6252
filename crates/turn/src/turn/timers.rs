//! Timers of a turn: set and cancelled, durable when the turn commits.

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Raw};
use serde::{Deserialize, Serialize};

use super::Turn;
use crate::ledger::Timer;

/// Id of a timer, so that a later turn can cancel it. It can be stored in the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TimerId(pub(crate) String);

impl TimerId {
    /// Returns the id as text: it is also the `id` of the activity that the timer becomes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Turn {
    /// Sets a timer: sends an event to this conversation later. It is durable with this turn, fires
    /// once, on any live instance, and arrives as an activity from the same user.
    ///
    /// If its turn fails it is retried with back-off, [`timer_attempts_max`] times; then it is
    /// parked with the error, and an operator can retry it. The same happens to one whose event the
    /// bot does not handle: an instance of a newer build may fire it until then.
    ///
    /// [`timer_attempts_max`]: crate::Limits::timer_attempts_max
    pub fn after(&mut self, wait: Duration, event: Activity) -> TimerId {
        let inner = self.inner_mut();
        // A counter instead of the list's length: a number is never reused after a cancellation.
        let id = format!("{}.t{}", inner.attempt.id, inner.timers_made);
        inner.timers_made += 1;
        let at = inner.attempt.now.after(wait);
        let activity = addressed(event, inner.activity(), &id);
        let raw = Raw::of(&activity).expect("an activity is always JSON");
        let timer = Timer { id: id.clone(), at, tries: 0, retries: 0, activity: raw };
        inner.timers.push(Arc::new(timer));
        TimerId(id)
    }

    /// Cancels a timer of this conversation, if its turn has not started yet.
    pub fn cancel(&mut self, timer: &TimerId) {
        let inner = self.inner_mut();
        inner.timers.retain(|new| new.id != timer.0);
        inner.cancelled.push(timer.0.clone());
    }
}

/// Addresses a timer's event: from the same user, to the same bot, in the same conversation.
fn addressed(mut event: Activity, inbound: &Activity, id: &str) -> Activity {
    event.id = Some(id.to_owned());
    event.channel_id.clone_from(&inbound.channel_id);
    event.service_url.clone_from(&inbound.service_url);
    event.conversation.clone_from(&inbound.conversation);
    event.from.clone_from(&inbound.from);
    event.recipient.clone_from(&inbound.recipient);
    event.locale = event.locale.or_else(|| inbound.locale.clone());
    event
}

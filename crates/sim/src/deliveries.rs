//! Checks that hand-overs keep to the delivery policies, and records the policy of each reply.

use std::time::Duration;

use sayso_turn::{DeliveryPolicy, OnDoubt, channel::Parcel, clock::Timestamp};

use crate::{Fault, clock::START_MS, text::plain, world::World};

impl World {
    /// Records a reply of a turn, under a policy of its own or the bot's.
    pub(crate) fn promise(&self, text: &str, policy: Option<DeliveryPolicy>) {
        let policy = policy.unwrap_or_else(|| self.plan.delivery());
        if policy != DeliveryPolicy::default() {
            self.seen().policies.0.insert(plain(text), policy);
        }
    }

    /// Checks that its policy allows the hand-over of a reply now, by the clock of the instance.
    pub(crate) fn is_allowed(&self, parcel: &Parcel, text: &str, clock: Timestamp) {
        let DeliveryPolicy { on_doubt, expires } = self.seen().policies.of(text);
        if on_doubt == OnDoubt::Once && parcel.is_repeat {
            self.violation(format!("P5: {text} is sent again though it may have arrived"));
        }
        let Some(expires) = expires else { return };
        let outbox = self.document(&parcel.key).ledger.outbox;
        // Another instance may have recorded it already.
        let Some(entry) = outbox.iter().find(|entry| entry.id == parcel.id) else { return };
        let is_right = entry.until.is_some_and(|until| until <= self.latest(expires));
        if !is_right {
            let until = entry.until;
            self.violation(format!("P8: {text} is kept until {until:?}, not for {expires:?}"));
        }
        if entry.until.is_some_and(|until| until <= clock) {
            self.violation(format!("P8: {text} is sent when it is not worth it any more"));
        }
    }

    /// Latest expiry of a reply that is said now.
    fn latest(&self, expires: Duration) -> Timestamp {
        let wrong = [Fault::Skew, Fault::Jump, Fault::Drift, Fault::YearAhead];
        match wrong.iter().any(|fault| self.plan.has(*fault)) {
            true => Timestamp::from_millis(u64::MAX),
            false => Timestamp::from_millis(START_MS as u64).after(self.executor.now() + expires),
        }
    }
}

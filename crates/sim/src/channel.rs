//! The simulated channel: takes replies, or fails in every way a channel can. When a reply arrives
//! it checks that what the reply says is stored.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use sayso_activity::Activity;
use sayso_turn::{
    Key,
    channel::{Channel, Delivery, Parcel},
    clock::Clock,
};

use crate::{Fault, clock::SimClock, executor::Executor, world::World};

/// Longest `Retry-After` of a channel.
pub(crate) const QUIET_MAX: Duration = Duration::from_secs(60);

/// One instance's way to the users.
#[derive(Debug)]
pub(crate) struct SimChannel {
    pub(crate) world: Arc<World>,
    pub(crate) executor: Executor,
    pub(crate) instance: usize,
    pub(crate) clock: SimClock,
}

#[async_trait]
impl Channel for SimChannel {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        let chance = &self.world.chance;
        let began = self.executor.now();
        self.world.costs().cause(began, self.instance);
        self.world.tries(self.instance, parcel, self.clock.now());
        if chance.one_in(2) {
            let most = if self.world.plan.in_bursts { 300 } else { 30 };
            self.executor.sleep(chance.up_to(Duration::from_millis(most))).await;
        }
        if self.world.is_refused(parcel) {
            self.world.refused(self.instance, parcel);
            return Delivery::Refused { reason: "400".to_owned() };
        }
        let down_for = self.world.weather().channel_down_for(self.executor.now());
        if let Some(after) = down_for {
            return Delivery::Later { after: Some(after), reason: "503".to_owned() };
        }
        if chance.fires(Fault::Later) {
            // Now and then for longer than a claim lives without being renewed.
            let most = if chance.one_in(4) { QUIET_MAX } else { Duration::from_secs(10) };
            let after = chance.one_in(2).then(|| chance.up_to(most));
            return Delivery::Later { after, reason: "429".to_owned() };
        }
        if chance.fires(Fault::FailedLost) {
            self.world.ambiguous(parcel);
            return Delivery::Unknown { reason: "500".to_owned() };
        }
        if chance.fires(Fault::SilentLost) {
            self.world.ambiguous(parcel);
            return std::future::pending().await;
        }
        self.world.arrived(self.instance, parcel, began);
        if chance.fires(Fault::FailedTaken) {
            self.world.ambiguous(parcel);
            return Delivery::Unknown { reason: "502".to_owned() };
        }
        if chance.fires(Fault::SilentTaken) {
            self.world.ambiguous(parcel);
            return std::future::pending().await;
        }
        if chance.one_in(4) {
            self.executor.sleep(chance.up_to(Duration::from_millis(10))).await;
        }
        Delivery::Delivered { id: self.world.name(parcel) }
    }

    /// Signs are shown, lost, or never answered: nothing may hang on them.
    async fn show(&self, _: &Key, _: &Activity) -> Option<String> {
        let chance = &self.world.chance;
        match chance.below(4) {
            0 => std::future::pending().await,
            1 => None,
            _ => {
                self.executor.sleep(chance.up_to(Duration::from_millis(30))).await;
                Some("sign".to_owned())
            }
        }
    }
}

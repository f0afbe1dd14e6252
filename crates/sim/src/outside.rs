//! The world outside the bot: a service that its turns call.

use std::{sync::Arc, time::Duration};

use sayso_turn::IdempotencyKey;

use crate::{Fault, world::World};

/// Access of one life of an instance to the world outside.
#[derive(Clone, Debug)]
pub(crate) struct Outside {
    pub(crate) world: Arc<World>,
    pub(crate) life: usize,
    /// Number of the bot that it runs.
    pub(crate) bot: usize,
    /// True if this life runs the newer build of the bot.
    pub(crate) is_new: bool,
}

impl Outside {
    pub(crate) async fn sleep(&self, most_ms: u64) {
        let world = &self.world;
        world.executor.sleep(world.chance.up_to(Duration::from_millis(most_ms))).await;
    }

    /// A call to the service. Within one life it succeeds at most once under one key.
    pub(crate) async fn call(&self, key: &IdempotencyKey, wish: &str) {
        if self.world.chance.one_in(2) {
            self.sleep(20).await;
        }
        let life = self.life;
        let mut counts = self.world.outbound.counts();
        counts.keys.entry(wish.to_owned()).or_default().insert(key.to_string());
        let count = counts.calls.entry((life, key.to_string())).or_default();
        *count += 1;
        let is_again = *count > 1;
        drop(counts);
        self.world.tell(|| format!("instance {life}: calls the service for {wish}"));
        // What was forgotten is not known to have been done.
        if is_again && !self.world.plan.has(Fault::ShortLived) {
            self.world.violation(format!("once: instance {life} calls again for {wish}"));
        }
    }

    /// Reports whether a wish is to fail now: the first times.
    pub(crate) fn fails(&self, wish: &str, times: u32) -> bool {
        let mut counts = self.world.outbound.counts();
        let failed = counts.failures.entry(wish.to_owned()).or_default();
        if *failed >= times {
            return false;
        }
        *failed += 1;
        drop(counts);
        let life = self.life;
        self.world.tell(|| format!("instance {life}: {wish} fails as it was asked to"));
        true
    }
}

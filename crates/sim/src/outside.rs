//! The world outside the bot: a service that its turns call.

use std::{sync::Arc, time::Duration};

use sayso_turn::{BotError, IdempotencyKey};

use crate::{Fault, world::World};

/// Maximum number of calls of a step that fail, over all instances.
pub(crate) const STEP_FAILURES_MAX: u32 = 2;
/// Longest time of a call of a step that ends.
pub(crate) const CALL_MAX: Duration = Duration::from_secs(3);

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

    /// A call of a durable step: another answer each time. It is not made once its result is saved,
    /// by whomever.
    pub(crate) async fn step(&self, key: &str, wish: &str) -> Result<u64, BotError> {
        let (world, life) = (&self.world, self.life);
        let (number, is_saved) = {
            let mut counts = world.outbound.counts();
            counts.step_keys.entry(wish.to_owned()).or_default().insert(key.to_owned());
            counts.step_calls += 1;
            (counts.step_calls, counts.saved_steps.contains_key(key))
        };
        world.tell(|| format!("instance {life}: takes step {key} for {wish}, call {number}"));
        // What was forgotten is not known to have been done, and who slept without noticing does
        // not know that it was overtaken: it calls under the same key.
        if is_saved && !world.plan.has(Fault::ShortLived) && !world.hides_sleep() {
            world.violation(format!(
                "steps: instance {life} calls again for {wish}, {key} is saved"
            ));
        }
        let (slow, quick) = (world.chance.one_in(6), world.chance.one_in(2));
        if slow {
            world.executor.sleep(world.chance.up_to(CALL_MAX)).await;
        } else if quick {
            self.sleep(20).await;
        }
        let (fails, hangs) =
            (world.chance.fires(Fault::StepFails), world.chance.fires(Fault::StepHangs));
        if (fails || hangs) && self.step_may_fail(key) {
            let what = if fails { "fails" } else { "hangs" };
            world.tell(|| format!("instance {life}: step {key} {what}"));
            if !fails {
                std::future::pending::<()>().await;
            }
            return Err("the service was asked to fail".into());
        }
        Ok(number)
    }

    fn step_may_fail(&self, key: &str) -> bool {
        let mut counts = self.world.outbound.counts();
        let failed = counts.step_failures.entry(key.to_owned()).or_default();
        *failed += 1;
        *failed <= STEP_FAILURES_MAX
    }

    /// The turn goes on with the result of a step: the one that is saved.
    pub(crate) fn stepped(&self, key: &str, wish: &str, result: u64) {
        let saved = self.world.outbound.counts().saved_steps.get(key).cloned();
        let life = self.life;
        let what = match saved {
            None => format!("instance {life} goes on with {wish} before {key} is saved"),
            // A turn whose document has expired is run anew.
            Some(saved)
                if saved != result.to_string() && !self.world.plan.has(Fault::ShortLived) =>
            {
                format!("instance {life} is given {result} for {key}, saved is {saved}")
            }
            Some(_) => return,
        };
        self.world.violation(format!("steps: {what}"));
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

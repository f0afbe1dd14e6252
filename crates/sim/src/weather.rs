//! Weather: what goes wrong for everybody, for a while: a store that refuses, a channel that is down.

use std::{sync::Arc, time::Duration};

use sayso_turn::{Key, store::Error};

use crate::{Fault, clients::Said, world::World};

/// How long a channel is down at most.
pub(crate) const OUTAGE_MAX: Duration = Duration::from_secs(600);
/// How long a store refuses at most what it took before.
const REFUSAL_MAX: Duration = Duration::from_secs(40);

/// What is wrong at the moment.
#[derive(Debug, Default)]
pub(crate) struct Weather {
    /// Until when the channel takes nothing.
    channel_down_until: Option<Duration>,
    refusals: Vec<Refusal>,
}

/// A store that refuses for a while.
#[derive(Debug)]
struct Refusal {
    until: Duration,
    /// One document, or all of them.
    key: Option<Key>,
    of: Refused,
}

/// What a store refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// To show a document, because it is damaged.
    Damaged,
    /// To show or name anything.
    Loads,
    /// To write anything.
    Saves,
}

impl Weather {
    /// How long the channel asks for patience now, if it is down.
    pub(crate) fn channel_down_for(&self, now: Duration) -> Option<Duration> {
        self.channel_down_until.filter(|until| *until > now).map(|until| until - now)
    }

    /// From now on nothing is wrong any more.
    pub(crate) fn clear_up(&mut self) {
        *self = Self::default();
    }

    /// Whether no refusal is about a document.
    pub(crate) fn is_fine_for(&self, key: &Key) -> bool {
        !self.refusals.iter().any(|refusal| refusal.is_about(key))
    }

    /// The error of a load, if the store refuses it; of no document in particular where there is no key.
    pub(crate) fn refuses_load(&self, now: Duration, key: Option<&Key>) -> Option<Error> {
        let refusal = self.refusals.iter().find(|refusal| {
            let is_about = match key {
                Some(key) => refusal.is_about(key),
                None => refusal.key.is_none(),
            };
            refusal.until > now && refusal.of != Refused::Saves && is_about
        })?;
        Some(match (refusal.of, key) {
            (Refused::Damaged, Some(key)) => {
                Error::Corrupt { key: key.clone(), reason: "torn".to_owned() }
            }
            _ => forbidden(),
        })
    }

    /// The error of a save, if the store refuses it.
    pub(crate) fn refuses_save(&self, now: Duration, key: &Key) -> Option<Error> {
        let is_it = |refusal: &&Refusal| {
            refusal.until > now && refusal.of == Refused::Saves && refusal.is_about(key)
        };
        self.refusals.iter().find(is_it).map(|_| forbidden())
    }
}

impl Refusal {
    fn is_about(&self, key: &Key) -> bool {
        self.key.as_ref().is_none_or(|own| own == key)
    }
}

fn forbidden() -> Error {
    Error::Invalid { store: "sim".into(), reason: "403".to_owned(), source: None }
}

/// Makes the weather of a run for as long as it lasts.
pub(crate) async fn make(world: Arc<World>, keys: Vec<Key>) {
    let (chance, executor) = (&world.chance, &world.executor);
    if world.plan.has(Fault::Crowd) {
        // Nothing gets out, so that all of it waits when its instance dies.
        world.weather().channel_down_until = Some(Duration::from_secs(4));
        return;
    }
    loop {
        executor.sleep(chance.up_to(Duration::from_secs(10))).await;
        let now = executor.now();
        if chance.fires(Fault::Outage) {
            let length =
                Duration::from_secs(60) + chance.up_to(OUTAGE_MAX - Duration::from_secs(60));
            world.weather().channel_down_until = Some(now + length);
            world.tell(|| format!("the channel is down for {length:?}"));
        }
        if chance.fires(Fault::StoreRefuses) {
            let of = match chance.below(3) {
                0 => Refused::Damaged,
                1 => Refused::Loads,
                _ => Refused::Saves,
            };
            let one = keys.get(chance.below(keys.len())).cloned();
            let key = one.filter(|_| of == Refused::Damaged || chance.one_in(2));
            let length = chance.up_to(REFUSAL_MAX);
            world.tell(|| format!("the store refuses {of:?} of {key:?} for {length:?}"));
            world.weather().refusals.push(Refusal { until: now + length, key, of });
        }
        if chance.is_calm() {
            return;
        }
    }
}

/// Every document that the turns of a run may touch.
pub(crate) fn keys(all: &[Said]) -> Vec<Key> {
    let mut keys: Vec<Key> = all.iter().map(|said| said.key.clone()).collect();
    keys.extend(all.iter().filter_map(Said::user_key));
    keys.extend(crate::bot::pair_keys());
    keys.sort();
    keys.dedup();
    keys
}

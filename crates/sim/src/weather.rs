//! Weather: outages that concern all instances for a while. The store refuses calls, or the channel
//! is down.

use std::{sync::Arc, time::Duration};

use sayso_activity::Raw;
use sayso_turn::{
    Key, KeyKind,
    clock::Timestamp,
    document::{Accepted, Document},
    id::TurnId,
    store::{Error, Expect, Saved, Write},
};

use crate::{Fault, clients::Said, world::World};

/// Maximum duration of a channel outage.
pub(crate) const OUTAGE_MAX: Duration = Duration::from_secs(600);
/// Maximum duration of a store's refusal.
const REFUSAL_MAX: Duration = Duration::from_secs(40);

/// Content of an inbox entry that cannot be read.
pub(crate) const UNREADABLE: &str = "7";

/// The outages at the moment.
#[derive(Debug, Default)]
pub(crate) struct Weather {
    /// End of the channel's outage.
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

/// Kind of calls that a store refuses.
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
    /// Time left until the channel is up again, if it is down.
    pub(crate) fn channel_down_for(&self, now: Duration) -> Option<Duration> {
        self.channel_down_until.filter(|until| *until > now).map(|until| until - now)
    }

    /// Ends all outages.
    pub(crate) fn clear_up(&mut self) {
        *self = Self::default();
    }

    /// Reports whether no refusal is about a document.
    pub(crate) fn is_fine_for(&self, key: &Key) -> bool {
        !self.refusals.iter().any(|refusal| refusal.is_about(key))
    }

    /// The error of a load, if the store refuses it; of no document in particular where there is no
    /// key.
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

/// Makes outages at random until the faults of the run end.
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
        if chance.fires(Fault::Unreadable) {
            let nth = chance.below(keys.len());
            if let Some(key) = keys.get(nth).filter(|key| key.kind() == KeyKind::Conversation) {
                spoil_the_line(&world, key).await;
            }
        }
        if chance.is_calm() {
            return;
        }
    }
}

/// Writes an entry that cannot be read into the inbox of a conversation.
async fn spoil_the_line(world: &World, key: &Key) {
    let Ok(Some(stored)) = world.store.load(key).await else { return };
    let Ok(mut document) = Document::parse(key, &stored.body) else { return };
    let ledger = &mut document.ledger;
    ledger.rev += 1;
    ledger.write = format!("spoiler.{}", ledger.rev);
    ledger.expires = None;
    ledger.inbox.push(Arc::new(Accepted {
        ids: vec![TurnId::new(key, &ledger.write).to_string()],
        at: Timestamp::START,
        lost: 0,
        is_timer: false,
        tries: 0,
        activity: Raw::from_text(UNREADABLE.to_owned()).expect("a number is JSON"),
    }));
    let (body, due) = (document.to_json(), document.ledger.due());
    let write =
        Write { key: key.clone(), expect: Expect::At(stored.etag), body, due, expires: None };
    if let Ok(Saved::Committed(_)) = world.store.save(write).await {
        world.tell(|| format!("the line of {key} cannot be read"));
        *world.seen().unreadable.entry(key.clone()).or_default() += 1;
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

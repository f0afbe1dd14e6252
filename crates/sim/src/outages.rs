//! Outages at random, and inbox entries that cannot be read.

use std::{sync::Arc, time::Duration};

use sayso_activity::Raw;
use sayso_turn::{
    Key, KeyKind,
    clock::Timestamp,
    document::{Accepted, Document},
    id::TurnId,
    store::{Expect, Saved, Write},
};

use crate::{
    Fault,
    weather::{Refusal, Refused},
    world::World,
};

/// Maximum duration of a channel outage.
pub(crate) const OUTAGE_MAX: Duration = Duration::from_secs(600);
/// Maximum duration of a store's refusal.
const REFUSAL_MAX: Duration = Duration::from_secs(40);

/// Content of an inbox entry that cannot be read.
pub(crate) const UNREADABLE: &str = "7";

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
        retries: 0,
        activity: Raw::from_text(UNREADABLE.to_owned()).expect("a number is JSON"),
    }));
    let (body, due) = (document.to_json(), document.ledger.due());
    let write = Write {
        key: key.clone(),
        expect: Expect::At(stored.etag),
        body,
        due,
        expires: None,
        participants: None,
    };
    if let Ok(Saved::Committed(_)) = world.store.save(write).await {
        world.tell(|| format!("the line of {key} cannot be read"));
        *world.seen().unreadable.entry(key.clone()).or_default() += 1;
    }
}

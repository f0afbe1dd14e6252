//! Delivery policies hold whatever instance delivers the reply and whatever its clock says.

use std::sync::Arc;

use sayso_turn::{Bot, DeliveryPolicy, Turn, channel::Delivery};
use tokio::time::sleep;

use super::{arrived, secs};
use crate::world::{MachineClock, Step, World};

/// Says one thing under a policy, and another one under none.
fn bot(policy: DeliveryPolicy) -> Bot {
    Bot::new().on_message(move |mut turn: Turn| async move {
        let first = turn.say("first");
        turn.set_delivery(&first, policy);
        turn.say("second");
        Ok(())
    })
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_may_have_arrived_is_not_sent_again_under_the_policy_once() {
    let world = World::new();
    let instance = world.start(bot(DeliveryPolicy::once()));
    let lost = Delivery::Unknown { reason: "502".into() };
    world.channel.script([Step::TakeAnd(lost)]);
    instance.say("1", "x").await.unwrap();
    sleep(secs(60)).await;
    assert_eq!(world.channel.texts(), ["first", "second"]);
    let (ledger, stats) = (world.ledger().await, instance.engine.stats());
    assert!(ledger.outbox.is_empty() && ledger.parked[0].is_doubtful, "an operator sees it");
    assert_eq!((stats.withheld, stats.repeats), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_heir_does_not_send_again_what_may_have_arrived_under_the_policy_once() {
    let world = World::new();
    let first = world.start(bot(DeliveryPolicy::once()));
    world.channel.script([Step::TakeAndHang]);
    first.say("1", "x").await.unwrap();
    assert_eq!(arrived(&world, 1, secs(10)).await, ["first"]);
    first.kill();
    let heir = world.start(bot(DeliveryPolicy::once()));
    sleep(secs(60)).await;
    assert_eq!(world.channel.texts(), ["first", "second"]);
    assert_eq!(heir.engine.stats().withheld, 1);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_has_expired_is_parked_instead_of_sent() {
    let world = World::new();
    let instance = world.start(bot(DeliveryPolicy::repeat().expires(secs(5))));
    let later = Delivery::Later { after: Some(secs(6)), reason: "busy".into() };
    world.channel.script([Step::Answer(later)]);
    instance.say("1", "x").await.unwrap();
    sleep(secs(60)).await;
    assert_eq!(world.channel.texts(), ["second"]);
    assert_eq!(world.ledger().await.parked.len(), 1);
    assert_eq!(instance.engine.stats().outdated, 1);
}

/// Its holder gives it up by a clock that is wrong, and dies when it has handed over what stands
/// behind it.
#[tokio::test(start_paused = true)]
async fn a_reply_that_was_given_up_as_too_old_does_not_come_after_those_behind_it() {
    let world = World::new();
    let (clock, policy) = (MachineClock::default(), DeliveryPolicy::repeat().expires(secs(60)));
    let first = world.start_on(Arc::new(clock.clone()), bot(policy));
    let later = Delivery::Later { after: Some(secs(1)), reason: "busy".into() };
    world.channel.script([Step::Answer(later), Step::TakeAndHang]);
    first.say("1", "x").await.unwrap();
    clock.set_ahead(secs(3600));
    assert_eq!(arrived(&world, 1, secs(10)).await, ["second"]);
    first.kill();
    let _heir = world.start(bot(policy));
    sleep(secs(60)).await;
    assert_eq!(world.channel.texts(), ["second", "second"], "the last one is marked as a repeat");
    assert_eq!(world.ledger().await.parked.len(), 1);
}

//! Long turns beside store failures, timers, a full inbox, and the claim on an outbox.

use std::time::Duration;

use sayso_turn::{Bot, Turn, activity::Activity, channel::Delivery, clock::Clock};
use tokio::time::sleep;

use super::{MINUTE, Outside, bot, ended, said, secs, until};
use crate::world::{Fault, PausedClock, Step, World, append, message};

#[tokio::test(start_paused = true)]
async fn store_trouble_at_the_end_of_a_long_turn_does_not_run_it_again() {
    for faults in [
        vec![Fault::LostAnswer],
        vec![Fault::LostRequest, Fault::Unavailable, Fault::Throttled(Some(secs(1)))],
        vec![Fault::Conflict],
    ] {
        let (world, outside) = (World::new(), Outside::default());
        let instance = world.start(bot(&outside));
        said(&instance, "1", "slow a").await.0.unwrap();
        sleep(secs(59).saturating_sub(PausedClock.uptime())).await;
        world.store.fail_saves(faults.clone());
        ended(&world).await;
        assert_eq!(outside.calls().len(), 1, "{faults:?}");
        assert_eq!(
            (world.log().await, world.channel.texts()),
            (vec!["slow a".into()], vec!["slow a".into()])
        );
        assert_eq!(instance.engine.stats().attempts, 1, "{faults:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_acknowledgement_that_may_be_lost_is_settled_by_looking() {
    for fault in [Fault::LostAnswer, Fault::LostRequest, Fault::Conflict] {
        let (world, outside) = (World::new(), Outside::default());
        let instance = world.start(bot(&outside));
        world.store.fail_saves([fault.clone()]);
        let (answer, waited) = said(&instance, "1", "slow a").await;
        assert!(answer.unwrap().is_pending && waited < secs(12), "{fault:?} {waited:?}");
        ended(&world).await;
        assert_eq!(
            (world.log().await, world.channel.texts()),
            (vec!["slow a".into()], vec!["slow a".into()])
        );
    }
}

#[tokio::test(start_paused = true)]
async fn timers_wait_for_a_long_turn_and_may_take_long_themselves() {
    let world = World::new();
    let ticks = Bot::new()
        .on_event("tick", async |turn: Turn| {
            sleep(secs(20)).await;
            append(turn).await
        })
        .on_message(async |mut turn: Turn| {
            if turn.text() == "slow" {
                sleep(MINUTE).await;
            } else {
                turn.after(secs(10), Activity::event("tick").with_text("tick"));
            }
            append(turn).await
        });
    let instance = world.start(ticks);
    instance.say("1", "ask").await.unwrap();
    said(&instance, "2", "slow").await.0.unwrap();
    until(&world, |ledger| ledger.timers.is_empty()).await;
    assert_eq!(world.ledger().await.inbox.len(), 2, "the tick takes its place in line");
    until(&world, |ledger| ledger.inbox.len() == 1).await;
    assert_eq!(world.log().await, ["ask", "slow"], "the tick is under way");
    ended(&world).await;
    assert_eq!(world.log().await, ["ask", "slow", "tick"]);
    assert_eq!(world.channel.texts().len(), 3);
    assert_eq!(world.channel.replies_to().last(), Some(&None), "nothing can be a reply to a timer");
}

#[tokio::test(start_paused = true)]
async fn the_line_is_bounded() {
    let mut world = World::new();
    world.limits.inbox_max = 2;
    let instance = world.start(bot(&Outside::default()));
    said(&instance, "1", "slow a").await.0.unwrap();
    assert!(instance.say("2", "b").await.unwrap().is_pending);
    let error = instance.say("3", "c").await.unwrap_err();
    assert!(error.is_retryable() && error.to_string().contains("inbox_max"), "{error}");
    ended(&world).await;
    assert_eq!(world.log().await, ["slow a", "b"]);
    assert_eq!(message("3", "c").id.as_deref(), Some("3"));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_takes_a_while_does_not_hold_up_the_claim_on_the_outbox() {
    let world = World::new();
    let bot = || {
        Bot::new().on_message(async |turn: Turn| {
            if turn.text() == "seconds" {
                sleep(Duration::from_millis(7900)).await;
            }
            append(turn).await
        })
    };
    let (first, second) = (world.start(bot()), world.start(bot()));
    let later =
        Delivery::Later { after: Some(Duration::from_millis(6500)), reason: "429".to_owned() };
    world.channel.script([Step::Answer(later), Step::Hang]);
    first.say("1", "a").await.unwrap();
    sleep(Duration::from_millis(500)).await;
    // From now on the second one watches the first one's claim.
    second.say("2", "b").await.unwrap();
    sleep(secs(9).saturating_sub(PausedClock.uptime())).await;
    // The claim has to be renewed while this runs, or the second one takes the outbox.
    first.say("3", "seconds").await.unwrap();
    ended(&world).await;
    assert_eq!(second.engine.stats().recovered, 0, "the first one lives");
    assert_eq!(world.channel.texts(), ["a", "a b", "a b seconds"]);
}

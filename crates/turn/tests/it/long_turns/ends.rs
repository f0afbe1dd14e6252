//! Ends of long turns: none is tried for ever, whatever is slow or refused there.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use sayso_turn::{Bot, BotError, Turn, activity::Activity, store::Write};
use tokio::time::sleep;

use super::secs;
use crate::world::{CONVERSATION, Fault, World, append};

/// Messages `slow` take a while and fail.
fn failing() -> Bot {
    Bot::new().on_message(async |turn: Turn| {
        if turn.text() == "slow" {
            sleep(secs(20)).await;
            return Err::<(), BotError>("the oven is cold".into());
        }
        append(turn).await
    })
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_whose_error_handler_hangs_is_parked_in_the_end() {
    let world = World::new();
    *world.store.latency.lock().unwrap() = std::time::Duration::from_millis(50);
    let instance = world.start(failing().on_error(async |_, _| std::future::pending().await));
    assert!(instance.say("1", "slow").await.unwrap().is_pending);
    assert!(instance.say("2", "next").await.unwrap().is_pending);
    sleep(secs(120)).await;
    let ledger = world.ledger().await;
    assert!(ledger.inbox.is_empty(), "what stands behind it goes on");
    assert_eq!(ledger.parked.len(), 1);
    assert!(ledger.parked[0].reason.contains("oven"), "{}", ledger.parked[0].reason);
    assert_eq!(world.log().await, ["next"]);
    assert_eq!(instance.engine.stats().attempts, 2, "neither ran twice");
}

#[tokio::test(start_paused = true)]
async fn a_timer_whose_error_handler_hangs_is_parked_in_the_end() {
    let world = World::new();
    *world.store.latency.lock().unwrap() = std::time::Duration::from_millis(50);
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(secs(5), Activity::event("boom"));
            Ok(())
        })
        .on_event("boom", async |_| Err::<(), BotError>("the oven is cold".into()))
        .on_error(async |_, _| std::future::pending().await);
    let instance = world.start(bot);
    instance.say("1", "go").await.unwrap();
    sleep(secs(3600)).await;
    let ledger = world.ledger().await;
    assert_eq!((ledger.parked.len(), ledger.timers.len()), (1, 0));
    let attempts = instance.engine.stats().attempts;
    assert_eq!(attempts, u64::from(world.limits.timer_attempts_max) + 1, "one for the message");
}

/// The turn's own words are refused, or only those of the error handler.
#[tokio::test(start_paused = true)]
async fn a_long_turn_whose_apology_is_too_large_is_parked_without_it() {
    let is_sorry = |write: &Write| write.body.contains("sorry");
    for is_own in [true, false] {
        let world = World::new();
        *world.store.refuses.lock().unwrap() = Some((is_sorry, Fault::TooLarge));
        let bot = Bot::new().on_message(move |mut turn: Turn| async move {
            if turn.text() != "slow" {
                return append(turn).await;
            }
            sleep(secs(20)).await;
            if !is_own {
                return Err::<(), BotError>("the oven is cold".into());
            }
            turn.say("sorry, but");
            Ok(())
        });
        let asked = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&asked);
        let instance = world.start(bot.on_error(move |mut turn: Turn, _| {
            count.fetch_add(1, Ordering::SeqCst);
            turn.say("sorry");
            async { Ok(()) }
        }));
        assert!(instance.say("1", "slow").await.unwrap().is_pending);
        assert!(instance.say("2", "next").await.unwrap().is_pending);
        sleep(secs(17)).await;
        let ledger = world.ledger().await;
        assert!(ledger.inbox.is_empty(), "what stands behind it goes on at once");
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        assert_eq!(ledger.parked.len(), 1);
        let cause = if is_own { "takes at most" } else { "oven" };
        assert!(ledger.parked[0].reason.contains(cause), "{}", ledger.parked[0].reason);
        assert_eq!(world.log().await, ["next"]);
        sleep(secs(20)).await;
        let calls = world.store.calls_within(CONVERSATION, secs(20), secs(10));
        assert!(calls <= 20, "{calls} calls in ten seconds");
    }
}

//! A timer whose turn fails is tried again, then parked; others do not wait for it.

mod refused;

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use sayso_turn::{Bot, BotError, Turn, activity::Activity};
use tokio::time::sleep;

use super::{millis, secs};
use crate::world::World;

/// `boom` fails so many times; `fine` never does.
fn bot(runs: &Arc<AtomicU32>, failures: u32) -> Bot {
    let runs = Arc::clone(runs);
    Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(secs(1), Activity::event("boom"));
            turn.after(secs(1), Activity::event("fine"));
            turn.after(secs(10), Activity::event("fine"));
            Ok(())
        })
        .on_event("boom", move |mut turn: Turn| {
            let runs = Arc::clone(&runs);
            async move {
                if runs.fetch_add(1, Ordering::SeqCst) < failures {
                    return Err::<(), BotError>("the oven is cold".into());
                }
                turn.say("boom");
                Ok(())
            }
        })
        .on_event("fine", async |mut turn: Turn| {
            turn.say("fine");
            Ok(())
        })
}

#[tokio::test(start_paused = true)]
async fn a_timer_whose_turn_fails_is_tried_again() {
    let (world, runs) = (World::new(), Arc::default());
    let instances = [world.start(bot(&runs, 2)), world.start(bot(&runs, 2))];
    instances[0].say("1", "go").await.unwrap();
    sleep(secs(1800)).await;
    assert_eq!(runs.load(Ordering::SeqCst), 3, "twice in vain, then once");
    let mut texts = world.channel.texts();
    texts.sort();
    assert_eq!(texts, ["boom", "fine", "fine"]);
    let ledger = world.ledger().await;
    assert!(ledger.timers.is_empty() && ledger.parked.is_empty(), "{:?}", ledger.parked);
}

#[tokio::test(start_paused = true)]
async fn another_instance_tries_the_failed_timer_of_a_dead_one() {
    let (world, runs) = (World::new(), Arc::default());
    let first = world.start(bot(&runs, 1));
    first.say("1", "go").await.unwrap();
    for _ in 0..1000 {
        if runs.load(Ordering::SeqCst) > 0 {
            break;
        }
        sleep(millis(10)).await;
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1, "it has failed once");
    first.kill();
    let _second = world.start(bot(&runs, 1));
    sleep(secs(1800)).await;
    assert_eq!(world.channel.texts().iter().filter(|text| *text == "boom").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_always_fails_is_parked_with_its_cause_and_others_go_on() {
    let (world, runs) = (World::new(), Arc::default());
    let instance = world.start(bot(&runs, u32::MAX));
    instance.say("1", "go").await.unwrap();
    sleep(secs(20)).await;
    assert_eq!(world.channel.texts(), ["fine", "fine"], "the others have fired in time");
    sleep(secs(4 * 3600)).await;
    let tries = runs.load(Ordering::SeqCst);
    assert!((2..=20).contains(&tries), "{tries} tries");
    let ledger = world.ledger().await;
    assert!(ledger.timers.is_empty(), "it is given up in the end");
    assert_eq!(ledger.parked.len(), 1);
    let reason = &ledger.parked[0].reason;
    assert!(reason.contains("logic failed") || reason.contains("oven"), "{reason}");
    assert!(ledger.parked[0].activity.as_str().contains("boom"));
    sleep(secs(4 * 3600)).await;
    assert_eq!(runs.load(Ordering::SeqCst), tries, "not tried any more");
    assert_eq!(world.channel.texts(), ["fine", "fine"]);
}

#[tokio::test(start_paused = true)]
async fn the_tries_of_a_failing_timer_lie_ever_further_apart() {
    let (world, runs) = (World::new(), Arc::default());
    let instance = world.start(bot(&runs, u32::MAX));
    instance.say("1", "go").await.unwrap();
    sleep(secs(10)).await;
    let soon = runs.load(Ordering::SeqCst);
    assert!((2..=6).contains(&soon), "{soon} tries in the first seconds");
    sleep(secs(3600)).await;
    assert_eq!(runs.load(Ordering::SeqCst), world.limits.timer_attempts_max, "tried again");
}

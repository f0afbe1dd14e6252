//! Timers: durable, fired once by any instance, cancellable.

use std::time::Duration;

use futures_util::future::join_all;
use sayso_turn::{Bot, BotError, TimerId, Turn, activity::Activity};

use crate::world::{World, append};

fn reminder() -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            match turn.text() {
                "cancel" => {
                    if let Some(id) = turn.state().named::<Option<TimerId>>("timer")?.clone() {
                        turn.cancel(&id);
                    }
                }
                "now" => {
                    turn.after(Duration::ZERO, Activity::event("remind"));
                }
                _ => {
                    let id = turn.after(Duration::from_secs(60), Activity::event("remind"));
                    *turn.state().named("timer")? = Some(id);
                }
            }
            Ok(())
        })
        .on_event("remind", async |mut turn: Turn| {
            *turn.state().named::<u32>("fired")? += 1;
            turn.say("time!");
            Ok(())
        })
}

async fn fired(world: &World) -> u32 {
    world.document().await.unwrap().bag.get("fired").unwrap().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_timer_fires_once_at_its_time_though_many_instances_watch() {
    let world = World::new();
    let instances: Vec<_> = (0..4).map(|_| world.start(reminder())).collect();
    instances[0].say("1", "in a minute").await.unwrap();
    tokio::time::sleep(Duration::from_secs(59)).await;
    assert_eq!(fired(&world).await, 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(fired(&world).await, 1);
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(fired(&world).await, 1);
    assert_eq!(world.channel.texts(), ["time!"]);
    assert_eq!(world.channel.replies_to(), [None], "the channel never had the timer's id");
    assert!(world.ledger().await.timers.is_empty());
    assert_eq!(instances.iter().map(|i| i.engine.stats().fired).sum::<u64>(), 1);
}

#[tokio::test(start_paused = true)]
async fn another_instance_fires_the_timer_of_a_dead_one() {
    let world = World::new();
    let first = world.start(reminder());
    first.say("1", "in a minute").await.unwrap();
    first.kill();
    let _second = world.start(reminder());
    tokio::time::sleep(Duration::from_secs(90)).await;
    assert_eq!(fired(&world).await, 1);
    assert_eq!(world.channel.texts(), ["time!"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_timer_does_not_fire() {
    let world = World::new();
    let instances = [world.start(reminder()), world.start(reminder())];
    instances[0].say("1", "in a minute").await.unwrap();
    instances[1].say("2", "cancel").await.unwrap();
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(fired(&world).await, 0);
}

#[tokio::test(start_paused = true)]
async fn timers_and_messages_of_one_conversation_are_serialised() {
    let world = World::new();
    let instances = [world.start(reminder()), world.start(reminder())];
    let turns = (0..20).map(|n: usize| {
        let engine = instances[n % 2].engine.clone();
        async move { engine.receive(crate::world::message(&n.to_string(), "now")).await }
    });
    assert!(join_all(turns).await.iter().all(Result::is_ok));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(fired(&world).await, 20);
}

#[tokio::test(start_paused = true)]
async fn a_timer_whose_handler_fails_is_tried_again_and_parked_in_the_end() {
    let mut world = World::new();
    world.limits.timer_attempts_max = 3;
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(Duration::from_secs(1), Activity::event("boom"));
            append(turn).await
        })
        .on_event("boom", async |_| Err::<(), BotError>("no".into()));
    let instance = world.start(bot);
    instance.say("1", "m1").await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let ledger = world.ledger().await;
    assert!(ledger.timers.is_empty());
    assert_eq!(ledger.parked.len(), 1);
    assert_eq!(ledger.parked[0].reason, "timer: the bot's logic failed: no");
    assert_eq!(instance.engine.stats().failures, 3);
}

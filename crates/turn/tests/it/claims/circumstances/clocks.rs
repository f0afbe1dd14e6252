//! Several wrong clocks, times to live of every length, and sleep.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use sayso_turn::{Bot, Limits, Ttl, Turn, activity::Activity};
use tokio::time::sleep;

use super::{
    super::{millis, secs},
    always,
};
use crate::world::{MachineClock, Step, World, append, log_bot};

const DAY: Duration = Duration::from_secs(86_400);
const USER: &str = "test/users/u";

fn with_ttl(ttl: Ttl) -> World {
    let mut world = World::new();
    world.limits = Limits { ttl, ..Limits::default() };
    world
}

fn counting_bot() -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            *turn.user_state().await?.named::<u32>("count")? += 1;
            if turn.text() == "remind" {
                turn.after(20 * DAY, Activity::event("tick"));
            }
            append(turn).await
        })
        .on_event("tick", async |_| Ok(()))
}

#[tokio::test(start_paused = true)]
async fn clocks_that_are_wrong_delete_nothing_that_lives_whatever_its_time_to_live() {
    for days in [1, 30, 364, 366, 400, 1000] {
        for text in ["m1", "remind"] {
            let ttl = Ttl {
                conversation: Some(days * DAY),
                user: Some(days * DAY / 2),
                ..Ttl::default()
            };
            let world = with_ttl(ttl);
            let right = world.start(counting_bot());
            right.say("1", text).await.unwrap();
            sleep(secs(90)).await;
            let clocks =
                [MachineClock::default(), MachineClock::default(), MachineClock::default()];
            clocks[0].set_ahead(365 * DAY);
            clocks[1].set_ahead(700 * DAY);
            let wrong: Vec<_> = clocks
                .iter()
                .map(|clock| world.start_on(Arc::new(clock.clone()), counting_bot()))
                .collect();
            sleep(secs(60)).await;
            clocks[2].set_ahead(365 * DAY);
            sleep(secs(3600)).await;
            let what = format!("a time to live of {days} days, {text}");
            assert!(world.document().await.is_some(), "the conversation is there: {what}");
            assert!(
                world.store.document(USER).await.is_some(),
                "the user's state is there: {what}"
            );
            for (n, instance) in wrong.iter().chain([&right]).enumerate() {
                instance.say(&format!("x{n}"), &format!("x{n}")).await.unwrap();
            }
            assert_eq!(world.log().await, [text, "x0", "x1", "x2", "x3"], "{what}");
            let count: Option<u32> = world.store.bag(USER).await.get("count").unwrap();
            assert_eq!(count, Some(5), "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_was_suspended_while_many_replies_waited_repeats_nothing_when_it_wakes() {
    for asleep in [14, 16, 18, 40, 600] {
        let world = World::new();
        always(&world, Step::Slow(secs(1)));
        let clock = MachineClock::default();
        let suspended = world.start_on(Arc::new(clock.clone()), log_bot());
        let _other = world.start(log_bot());
        for n in 0..10 {
            suspended.say(&n.to_string(), &format!("m{n}")).await.unwrap();
        }
        sleep(millis(3_500)).await;
        clock.suspend();
        suspended.freeze();
        sleep(secs(asleep)).await;
        clock.wake();
        suspended.thaw();
        let before = world.channel.texts();
        sleep(secs(120)).await;
        let texts = world.channel.texts();
        let again = texts[before.len()..].iter().filter(|text| before.contains(text)).count();
        // What was in hand when it fell asleep may have arrived.
        assert!(again <= 1, "asleep for {asleep} s: {texts:?}");
        let all: BTreeSet<_> = texts.iter().collect();
        assert_eq!(all.len(), 10, "{texts:?}");
    }
}

//! Timers: named once, counted as they are, each a turn of its own.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use sayso_turn::{Bot, BotError, Limits, TimerId, Turn, activity::Activity, clock::Clock};
use tokio::time::sleep;

use super::{Outside, arrived, millis, secs};
use crate::world::{PausedClock, World, append, message_in};

fn tick(text: &str) -> Activity {
    Activity::event("tick").with_text(text)
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

/// Timers that are set, cancelled and set again in one turn, so many seconds from then.
async fn set_cancel_set(waits: [u64; 3]) -> Vec<String> {
    let world = World::new();
    let bot = Bot::new()
        .on_message(move |mut turn: Turn| async move {
            let a = turn.after(secs(waits[0]), tick("a"));
            turn.after(secs(waits[1]), tick("b"));
            turn.cancel(&a);
            turn.after(secs(waits[2]), tick("c"));
            Ok::<_, BotError>(())
        })
        .on_event("tick", async |mut turn: Turn| {
            let text = turn.text().to_owned();
            turn.say(text);
            Ok(())
        });
    let instances = [world.start(bot.clone()), world.start(bot)];
    instances[0].say("1", "go").await.unwrap();
    sleep(secs(120)).await;
    assert!(world.ledger().await.timers.is_empty(), "all have fired");
    sorted(world.channel.texts())
}

#[tokio::test(start_paused = true)]
async fn a_timer_set_after_a_cancelled_one_fires_when_all_are_due_together() {
    assert_eq!(set_cancel_set([5, 5, 5]).await, ["b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn a_timer_set_after_a_cancelled_one_fires_when_they_are_due_apart() {
    assert_eq!(set_cancel_set([5, 5, 20]).await, ["b", "c"]);
    assert_eq!(set_cancel_set([5, 40, 20]).await, ["b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn no_two_timers_of_a_turn_have_the_same_id() {
    let (world, ids) = (World::new(), Outside::default());
    let seen = ids.clone();
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let ids = seen.clone();
        async move {
            for _ in 0..5 {
                let id = turn.after(secs(1000), tick("a"));
                turn.cancel(&id);
                ids.note(id.as_str());
                ids.note(turn.after(secs(1000), tick("b")).as_str());
            }
            Ok::<_, BotError>(())
        }
    });
    world.start(bot).say("1", "go").await.unwrap();
    let mut all = ids.calls();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 10, "{all:?}");
    assert_eq!(world.ledger().await.timers.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_an_earlier_one_of_the_same_pass_cancels_does_not_fire() {
    let world = World::new();
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(secs(5), tick("first"));
            let second = turn.after(secs(5), tick("second"));
            *turn.state().named::<Option<TimerId>>("second")? = Some(second);
            Ok(())
        })
        .on_event("tick", async |mut turn: Turn| {
            if let Some(second) = turn.state().named::<Option<TimerId>>("second")?.clone() {
                turn.cancel(&second);
            }
            let text = turn.text().to_owned();
            turn.say(text);
            Ok(())
        });
    let instance = world.start(bot);
    instance.say("1", "go").await.unwrap();
    sleep(secs(60)).await;
    assert_eq!(world.channel.texts(), ["first"]);
    assert!(world.ledger().await.timers.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_timers_counts_what_is_left() {
    let world = World::new();
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let (cancelled, set) = match turn.text() {
            "fill" => (0, Limits::default().timers_max),
            "swap" => (1, 1),
            "set and cancel" => (0, 0),
            _ => (0, 1),
        };
        if turn.text() == "set and cancel" {
            for _ in 0..3 {
                let id = turn.after(secs(1000), tick("x"));
                turn.cancel(&id);
            }
        }
        let mut known = turn.state().named::<Vec<TimerId>>("timers")?.clone();
        for id in known.drain(..cancelled) {
            turn.cancel(&id);
        }
        known.extend((0..set).map(|_| turn.after(secs(1000), tick("x"))));
        *turn.state().named("timers")? = known;
        Ok(())
    });
    let instance = world.start(bot);
    instance.say("1", "fill").await.unwrap();
    assert!(instance.say("2", "one more").await.is_err(), "that is too many");
    let swapped = instance.say("3", "swap").await;
    assert!(swapped.is_ok(), "{swapped:?}");
    let unchanged = instance.say("4", "set and cancel").await;
    assert!(unchanged.is_ok(), "{unchanged:?}");
    assert_eq!(world.ledger().await.timers.len(), 100);
}

/// An instance sets many timers that are far away, in one conversation where each cancels the one
/// before it, or in as many conversations. How late is one that is due soon, then?
async fn lateness(count: u64, is_cancelled: bool) -> Duration {
    let (world, fired) = (World::new(), Arc::new(Mutex::new(None)));
    let fired_at = Arc::clone(&fired);
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            // Never the same time twice, or one slot would do for many.
            let wait = match turn.text().parse::<u64>() {
                Ok(n) => secs(365 * 86_400) + millis(n),
                Err(_) => secs(20),
            };
            if let Some(old) = turn.state().named::<Option<TimerId>>("timer")?.take() {
                turn.cancel(&old);
            }
            let new = turn.after(wait, tick("x"));
            *turn.state().named("timer")? = Some(new);
            Ok(())
        })
        .on_event("tick", move |_| {
            let fired = Arc::clone(&fired_at);
            async move {
                *fired.lock().unwrap() = Some(PausedClock.uptime());
                Ok::<_, BotError>(())
            }
        });
    let instance = world.start(bot);
    for n in 0..count {
        let conversation = if is_cancelled { "far".to_owned() } else { format!("far{n}") };
        let far = message_in(&conversation, &n.to_string(), &n.to_string());
        instance.engine.receive(far).await.unwrap();
    }
    let due = PausedClock.uptime() + secs(20);
    instance.say("1", "soon").await.unwrap();
    sleep(secs(60)).await;
    let fired = fired.lock().unwrap().expect("it has fired");
    fired.saturating_sub(due)
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_far_timers_do_not_delay_a_near_one() {
    let late = lateness(10_100, false).await;
    assert!(late < secs(1), "{late:?} late");
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_cancelled_timers_do_not_delay_a_near_one() {
    let late = lateness(10_100, true).await;
    assert!(late < secs(1), "{late:?} late");
}

#[tokio::test(start_paused = true)]
async fn slow_timers_that_are_due_together_run_once_each_on_two_healthy_instances() {
    let (world, runs) = (World::new(), Outside::default());
    let bot = || {
        let runs = runs.clone();
        Bot::new()
            .on_message(async |mut turn: Turn| {
                for n in 0..5 {
                    turn.after(secs(5), tick(&format!("tick{n}")));
                }
                Ok::<_, BotError>(())
            })
            .on_event("tick", move |turn: Turn| {
                let runs = runs.clone();
                async move {
                    runs.note(turn.text());
                    sleep(millis(3700)).await;
                    append(turn).await
                }
            })
    };
    let instances = [world.start(bot()), world.start(bot())];
    instances[0].say("1", "go").await.unwrap();
    arrived(&world, 5, secs(300)).await;
    sleep(secs(60)).await;
    let once_each = ["tick0", "tick1", "tick2", "tick3", "tick4"];
    assert_eq!(sorted(runs.calls()), once_each, "each handler ran once");
    assert_eq!(sorted(world.log().await), once_each);
    assert_eq!(world.channel.texts().len(), 5, "{:?}", world.channel.texts());
    assert!(world.ledger().await.timers.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_timer_sets_the_next_one_though_its_conversation_has_as_many_as_it_may() {
    let mut world = World::new();
    world.limits.timers_max = 1;
    let next = |mut turn: Turn| async move {
        turn.after(secs(5), tick("x"));
        turn.say("set");
        Ok::<_, BotError>(())
    };
    let bot = Bot::new().on_message(next).on_event("tick", next);
    let instance = world.start(bot);
    instance.say("1", "go").await.unwrap();
    sleep(secs(17)).await;
    assert_eq!(world.channel.texts(), ["set"; 4]);
    let (ledger, stats) = (world.ledger().await, instance.engine.stats());
    assert_eq!((ledger.timers.len(), stats.fired, stats.failures), (1, 3, 0));
}

/// One that takes long stands in line, and is set again when it fails.
#[tokio::test(start_paused = true)]
async fn timers_that_stand_in_line_count_among_those_of_their_conversation() {
    let mut world = World::new();
    world.limits.timers_max = 1;
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(secs(1), tick("x"));
            Ok(())
        })
        .on_event("tick", async |_: Turn| {
            sleep(secs(4)).await;
            Err::<(), BotError>("it fails".into())
        });
    let instance = world.start(bot);
    instance.say("1", "go").await.unwrap();
    sleep(millis(3500)).await;
    assert_eq!(world.ledger().await.inbox.len(), 1, "it stands in line");
    drop(instance.say("2", "one more").await);
    for _ in 0..20 {
        sleep(secs(1)).await;
        let ledger = world.ledger().await;
        assert!(ledger.timers.len() <= 1, "{:?}", ledger.timers);
    }
}

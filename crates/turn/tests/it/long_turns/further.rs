//! Long turns with further documents: when a finished run still counts.

use std::time::Duration;

use sayso_turn::{Bot, Turn, activity::Activity};
use tokio::time::sleep;

use super::{MINUTE, Outside, ended, secs};
use crate::world::{Instance, World, append, message, message_in};

/// `long…` takes ten seconds after it has read the user's state, and `… write` changes it, as
/// `profile` does at once. Notes every run of a long one.
fn bot(runs: &Outside) -> Bot {
    let runs = runs.clone();
    Bot::new().on_message(move |mut turn: Turn| {
        let runs = runs.clone();
        async move {
            let text = turn.text().to_owned();
            if text.starts_with("long") || text == "profile" {
                let count = turn.user_state().await?.named::<u32>("count")?;
                *count += u32::from(text.ends_with("write") || text == "profile");
            }
            if text.starts_with("long") {
                runs.0.lock().unwrap().push(text);
                sleep(secs(10)).await;
            }
            append(turn).await
        }
    })
}

/// Two instances, of which the first has a long turn that ends in about a second.
async fn under_way(runs: &Outside, text: &str, has_steps: bool) -> (World, [Instance; 2]) {
    let world = World::new();
    world.store.has_steps.store(has_steps, std::sync::atomic::Ordering::Relaxed);
    let instances = [world.start(bot(runs)), world.start(bot(runs))];
    assert!(instances[0].say("1", text).await.unwrap().is_pending);
    sleep(secs(1)).await;
    (world, instances)
}

#[tokio::test(start_paused = true)]
async fn a_finished_run_is_not_thrown_away_because_a_message_was_lined_up_elsewhere() {
    for (text, has_steps) in [("long read", false), ("long write", false), ("long write", true)] {
        let runs = Outside::default();
        let (world, instances) = under_way(&runs, text, has_steps).await;
        assert!(instances[1].say("2", "quick").await.unwrap().is_pending);
        ended(&world).await;
        sleep(MINUTE).await;
        assert!(instances[0].engine.stats().conflicts > 0, "{text}: it had not seen the message");
        assert_eq!(world.log().await, [text, "quick"]);
        assert_eq!(runs.calls().len(), 1, "{text}, {has_steps}");
        let count = world.store.bag("test/users/u").await.get::<u32>("count").unwrap();
        let expected = text.ends_with("write").then_some(1);
        assert_eq!(count.filter(|count| *count > 0), expected, "{text}, {has_steps}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_finished_run_is_outdated_by_a_change_of_a_further_document() {
    for has_steps in [false, true] {
        let runs = Outside::default();
        let (world, instances) = under_way(&runs, "long write", has_steps).await;
        instances[1].engine.receive(message_in("d", "1", "profile")).await.unwrap();
        assert!(instances[1].engine.receive(message("2", "quick")).await.unwrap().is_pending);
        ended(&world).await;
        sleep(MINUTE).await;
        assert_eq!(world.log().await, ["long write", "quick"]);
        assert_eq!(runs.calls().len(), 2, "{has_steps}");
        let count = world.store.bag("test/users/u").await.get::<u32>("count").unwrap();
        assert_eq!(count, Some(2), "{has_steps}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_that_reads_after_the_deadline_of_its_sender_runs_once() {
    let (world, runs) = (World::new(), Outside::default());
    let noted = runs.clone();
    let think = move |mut turn: Turn| {
        let noted = noted.clone();
        async move {
            noted.0.lock().unwrap().push(turn.text().to_owned());
            // Between two renewals of the claim, during which the run is not polled.
            sleep(secs(15)).await;
            *turn.user_state().await?.named::<u32>("count")? += 1;
            append(turn).await
        }
    };
    let timed = think.clone();
    let bot = Bot::new().on_event("tick", timed).on_message(move |mut turn: Turn| {
        let think = think.clone();
        async move {
            if turn.text() != "timer" {
                return think(turn).await;
            }
            turn.after(secs(1), Activity::event("tick").with_text("tick"));
            Ok(())
        }
    });
    // As real stores do, it takes longer to answer than is left after a deadline.
    *world.store.latency.lock().unwrap() = Duration::from_millis(20);
    let instance = world.start(bot);
    for (id, text) in [("1", "long"), ("2", "timer")] {
        instance.say(id, text).await.unwrap();
        sleep(MINUTE).await;
    }
    assert_eq!(runs.calls(), ["long", "tick"]);
    assert_eq!(world.log().await, ["long", "tick"]);
}

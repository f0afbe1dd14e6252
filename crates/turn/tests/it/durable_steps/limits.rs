//! Limits of steps, and turns that cannot take any.

use sayso_turn::{Bot, BotError, StepError, Turn};

use super::{ended, saved};
use crate::world::{Fault, World, message};

/// Takes so many steps with results of so many bytes; says the error, or how many it took.
fn bulky(count: usize, bytes: usize) -> Bot {
    Bot::new().on_message(move |mut turn: Turn| async move {
        let mut taken = 0;
        for _ in 0..count {
            let call = |_| async move { Ok::<_, BotError>("x".repeat(bytes)) };
            match turn.step("bulk", call).await {
                Ok(_) => taken += 1,
                Err(error) => drop(turn.say(error.to_string())),
            };
        }
        turn.say(taken.to_string());
        Ok(())
    })
}

async fn said(world: &World, bot: Bot) -> Vec<String> {
    let instance = world.start(bot);
    instance.say("1", "x").await.unwrap();
    ended(world).await;
    world.channel.texts()
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_steps_is_a_clear_error_that_names_it() {
    let mut world = World::new();
    world.limits.steps_max = 2;
    let texts = said(&world, bulky(3, 1)).await;
    assert_eq!(texts, ["the turn takes more than 2 steps (limit steps_max)", "2"]);
    let mut world = World::new();
    world.limits.step_bytes_max = 100;
    let texts = said(&world, bulky(1, 99)).await;
    assert_eq!(
        texts,
        ["the result of a step has 101 bytes, at most 100 (limit step_bytes_max)", "0"]
    );
    let mut world = World::new();
    world.limits.steps_bytes_max = 1000;
    let texts = said(&world, bulky(3, 400)).await;
    assert!(texts[0].ends_with("at most 1000 (limit steps_bytes_max)"), "{texts:?}");
    assert_eq!(texts[1], "2");
    let mut world = World::new();
    world.limits.document_bytes_max = 20_000;
    let texts = said(&world, bulky(2, 12_000)).await;
    assert!(texts[0].ends_with("at most 20000 (limit document_bytes_max)"), "{texts:?}");
    assert_eq!(texts[1], "1");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_the_store_refuses_is_an_error_of_the_step() {
    let world = World::new();
    let is_bulky = |write: &sayso_turn::store::Write| write.body.contains("xxxxxxxx");
    *world.store.refuses.lock().unwrap() = Some((is_bulky, Fault::TooLarge));
    let texts = said(&world, bulky(2, 8)).await;
    assert!(texts[0].starts_with("the result of step `bulk` cannot be saved"), "{texts:?}");
    assert_eq!(texts.last().unwrap(), "0");
    assert_eq!(saved(&world.ledger().await), 0);
}

#[tokio::test(start_paused = true)]
async fn turns_that_nobody_could_go_on_with_take_no_steps() {
    let world = World::new();
    let failing = Bot::new().on_message(async |_: Turn| Err("no".into())).on_error(
        async |mut turn: Turn, _| {
            let step = turn.step("late", async |_| Ok::<_, BotError>(1)).await;
            turn.say(step.unwrap_err().to_string());
            Ok(())
        },
    );
    let instance = world.start(failing);
    instance.say("1", "x").await.unwrap();
    let reference = message("1", "x").reference();
    let proactive = async |mut turn: Turn| {
        let step = turn.step("push", async |_| Ok::<_, BotError>(1)).await;
        assert!(matches!(step, Err(StepError::Misplaced { .. })), "{step:?}");
        turn.say(step.unwrap_err().to_string());
        Ok::<_, BotError>(())
    };
    instance.engine.resume(&reference, "p", proactive).await.unwrap();
    ended(&world).await;
    let texts = world.channel.texts();
    assert!(texts[0].starts_with("step `late` cannot be taken in the error handler"), "{texts:?}");
    assert!(texts[1].starts_with("step `push` cannot be taken in a proactive turn"), "{texts:?}");
    assert!(texts[1].contains("use `once` there"), "{texts:?}");
}

#[tokio::test]
async fn a_pure_run_makes_each_call_and_saves_nothing() {
    let bot = bulky(2, 1);
    let outcome = sayso_turn::run(&bot, message("1", "x"), Default::default()).await.unwrap();
    assert_eq!(outcome.replies[0].text(), "2");
}

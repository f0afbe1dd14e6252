//! Kept history has a budget of its own and never makes a turn fail.

use sayso_turn::{Bot, BotError, Turn, channel::Delivery};

use super::secs;
use crate::world::{Step, World, invoke};

/// Says as many bytes as it is asked for.
fn speaker() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let bytes: usize = turn.text().parse()?;
        turn.say("x".repeat(bytes));
        Ok::<_, BotError>(())
    })
}

#[tokio::test(start_paused = true)]
async fn refused_replies_that_fill_the_room_leave_turns_working() {
    let world = World::new();
    let refused = Delivery::Refused { reason: "no such conversation".into() };
    *world.channel.always.lock().unwrap() = Some(Step::Answer(refused));
    let instance = world.start(speaker());
    // What is left of the room after twenty is filled in ever smaller steps.
    let steps = [50 * 1024; 20].into_iter().chain([10_000, 3_000, 3_000, 1_000, 1_000]);
    for (n, bytes) in steps.enumerate() {
        instance.say(&n.to_string(), &bytes.to_string()).await.unwrap();
        world.until_delivered().await;
    }
    for n in 100..200 {
        let said = instance.say(&n.to_string(), "100").await;
        assert!(said.is_ok(), "small turn {n}: {said:?}");
        world.until_delivered().await;
    }
    let document = world.document().await.unwrap();
    assert!(document.to_json().len() <= world.limits.document_bytes_max);
    let last = document.ledger.parked.last().unwrap();
    assert_eq!(last.reason, "no such conversation", "the newest are kept");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_needs_the_room_of_parked_replies_gets_it() {
    let world = World::new();
    let refused = Delivery::Refused { reason: "no such conversation".into() };
    let instance = world.start(speaker());
    for n in 0..6 {
        world.channel.script([Step::Answer(refused.clone())]);
        instance.say(&n.to_string(), "150000").await.unwrap();
        world.until_delivered().await;
    }
    let said = instance.say("large", "600000").await;
    assert!(said.is_ok(), "{said:?}");
    world.until_delivered().await;
    assert_eq!(world.channel.texts().iter().map(String::len).collect::<Vec<_>>(), [600_000]);
}

#[tokio::test(start_paused = true)]
async fn large_answers_leave_a_small_document_and_the_last_one_is_given_again() {
    let world = World::new();
    let instance = world.start(Bot::new().on_invoke("fetch", async |mut turn: Turn| {
        let id = turn.activity().id.clone().unwrap_or_default();
        turn.respond(200, &format!("{id}{}", "x".repeat(200 * 1024)))?;
        Ok(())
    }));
    let mut last = None;
    for n in 0..32 {
        let said = instance.engine.receive(invoke(&n.to_string(), "fetch")).await;
        assert!(said.is_ok(), "invoke {n}");
        last = said.unwrap().response;
    }
    let bytes = world.document().await.unwrap().to_json().len();
    assert!(bytes < 1_000_000, "the document has {bytes} bytes");
    let again = instance.engine.receive(invoke("31", "fetch")).await.unwrap();
    assert!(again.is_repeat);
    assert!(again.response.is_some() && again.response == last, "the answer is the same");
    let oldest = instance.engine.receive(invoke("0", "fetch")).await.unwrap();
    assert!(oldest.is_repeat, "known, though its answer may be forgotten");
    tokio::time::sleep(secs(1)).await;
    assert_eq!(instance.engine.stats().turns, 32);
}

#[tokio::test(start_paused = true)]
async fn small_answers_are_all_given_again() {
    let world = World::new();
    let instance = world.start(Bot::new().on_invoke("fetch", async |mut turn: Turn| {
        let id = turn.activity().id.clone().unwrap_or_default();
        turn.respond(200, &format!("{id}{}", "x".repeat(1024)))?;
        Ok(())
    }));
    let mut answers = Vec::new();
    for n in 0..32 {
        let answer = instance.engine.receive(invoke(&n.to_string(), "fetch")).await.unwrap();
        answers.push(answer.response);
    }
    for (n, response) in answers.into_iter().enumerate() {
        let again = instance.engine.receive(invoke(&n.to_string(), "fetch")).await.unwrap();
        assert_eq!(again.response, response, "invoke {n}");
    }
}

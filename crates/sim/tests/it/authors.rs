//! Simulation tests of a sound bot and of a broken one, as authors of bots write them.

use std::{
    panic::catch_unwind,
    sync::{Arc, Mutex},
    time::Duration,
};

use sayso_sim::{Services, simulate, simulate_with};
use sayso_turn::{Bot, BotError, IdempotencyKey, Turn};

/// A bot that keeps its order in its state, as it should.
fn sound() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        let toppings = turn.state().named::<Vec<String>>("toppings")?;
        toppings.push(text);
        let line = toppings.join(" and ");
        turn.say(line);
        Ok(())
    })
}

/// A bot that keeps its order in the memory of its process: each instance has another pizza.
fn racy() -> Bot {
    let memory = Arc::new(Mutex::new(Vec::<String>::new()));
    Bot::new().on_message(move |mut turn: Turn| {
        let memory = Arc::clone(&memory);
        async move {
            let text = turn.text().to_owned();
            let toppings = {
                let mut memory = memory.lock().unwrap();
                memory.push(text);
                memory.clone()
            };
            let line = toppings.join(" and ");
            *turn.state().named("toppings")? = toppings;
            turn.say(line);
            Ok(())
        }
    })
}

fn toppings_are_all_there(world: &sayso_sim::Outcome) {
    let toppings: Vec<String> = world.state(0, "toppings").unwrap_or_default();
    assert_eq!(toppings.len(), 3, "the pizza has {toppings:?}");
}

#[test]
fn a_sound_bot_holds_in_every_world() {
    let simulation = simulate(sound).users(2).script(["ham", "olives", "basil"]).instances(3);
    simulation.seeds(500).check(|world| {
        for user in 0..2 {
            let toppings: Vec<String> = world.state(user, "toppings").unwrap();
            assert_eq!(toppings.len(), 3, "the pizza has {toppings:?}");
            let replies = world.replies(user);
            let is_prefix = |reply: &String| toppings.join(" and ").starts_with(reply.as_str());
            assert!(replies.iter().all(is_prefix), "{replies:?}");
        }
    });
}

#[test]
fn a_racy_bot_is_caught_with_a_time_line_worth_reading() {
    let caught = catch_unwind(|| {
        simulate(racy).script(["ham", "olives", "basil"]).seeds(500).check(toppings_are_all_there);
    });
    let panic = caught.unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    println!("{text}");
    assert!(text.contains("the pizza has"), "{text}");
    assert!(text.contains("goes to instance 1"), "{text}");
    assert!(text.contains("replay it with .seed("), "{text}");
}

/// A bot that asks three questions, waits by tokio's timers, and pays for what was ordered.
fn asks(services: Services) -> Bot {
    Bot::new().on_message(move |mut turn: Turn| {
        let services = services.clone();
        async move {
            let text = turn.text().to_owned();
            tokio::time::sleep(Duration::from_millis(30)).await;
            let answers = turn.state().named::<Vec<String>>("answers")?;
            answers.push(text);
            let line = match answers.as_slice() {
                [_] => "What size?".to_owned(),
                [_, size] => format!("Which topping on the {size} one?"),
                [_, size, topping] => {
                    let order = format!("A {size} pizza with {topping}");
                    let pay = async |key: IdempotencyKey| {
                        let limit = Duration::from_secs(3);
                        loop {
                            let call = services.call("payment", &key);
                            match tokio::time::timeout(limit, call).await {
                                Ok(Ok(receipt)) => return Ok::<_, BotError>(receipt),
                                _ => tokio::time::sleep(Duration::from_millis(200)).await,
                            }
                        }
                    };
                    let receipt = turn.once("pay", pay).await?;
                    format!("{order}, receipt {receipt}.")
                }
                more => format!("{} answers?", more.len()),
            };
            turn.say(line);
            Ok(())
        }
    })
}

#[test]
fn an_ordered_conversation_with_timers_and_calls_holds_in_every_world() {
    let repeated = Mutex::new(0);
    let simulation = simulate_with(asks).users(2).conversation(["hi", "large", "ham"]);
    simulation.failing_services().instances(3).seeds(300).check(|world| {
        for user in 0..2 {
            let replies = world.replies(user);
            assert_eq!(replies.len(), 3, "{replies:?}");
            assert_eq!(replies[..2], ["What size?", "Which topping on the large one?"]);
            assert!(replies[2].starts_with("A large pizza with ham, receipt "), "{replies:?}");
        }
        assert_eq!(world.effects("payment"), 2, "each pays once");
        *repeated.lock().unwrap() += world.calls("payment") - 2;
    });
    assert!(*repeated.lock().unwrap() > 50, "answers were lost, and calls repeated");
}

#[tokio::test]
async fn a_simulation_runs_inside_a_test_that_has_a_runtime() {
    simulate_with(asks).conversation(["hi"]).seeds(20).check(|world| {
        assert_eq!(world.replies(0), ["What size?"]);
    });
}

/// A bot that keeps its answers in its process is caught by an ordered conversation, too.
#[test]
fn an_ordered_conversation_catches_a_bot_that_forgets() {
    let caught = catch_unwind(|| {
        simulate(racy)
            .conversation(["ham", "olives", "basil"])
            .seeds(500)
            .check(toppings_are_all_there);
    });
    let text = *caught.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("the pizza has"), "{text}");
    assert!(text.contains("(at crates/sim/tests/it/authors.rs:"), "the place of the check: {text}");
}

#[test]
fn the_panics_of_a_bot_are_told_with_the_failure() {
    let panics = || {
        Bot::new().on_message(async |turn: Turn| -> Result<(), BotError> {
            panic!("no oven for {}", turn.text())
        })
    };
    let caught = catch_unwind(|| simulate(panics).script(["ham"]).seeds(1).check(|_| {}));
    let text = *caught.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("the bot panicked, "), "{text}");
    assert!(text.contains("no oven for ham (at "), "{text}");
}

//! Simulation tests of a sound bot and of a broken one, as authors of bots write them.

use std::{
    panic::catch_unwind,
    sync::{Arc, Mutex},
};

use sayso_sim::simulate;
use sayso_turn::{Bot, Turn};

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

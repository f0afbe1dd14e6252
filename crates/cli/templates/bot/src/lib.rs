//! The bot: every message is a topping, every reply says what is on the pizza.

use std::sync::Arc;

use sayso::prelude::*;

/// The bot's memory of a conversation.
#[derive(Default, Serialize, Deserialize)]
pub struct Order {
    pub toppings: Vec<String>,
}

/// The bot and what it reacts to.
pub fn bot() -> Bot {
    Bot::new().on_message(topping).on_joined(greet).on_error(sorry)
}

async fn topping(mut turn: Turn) -> Result {
    let text = turn.text().to_owned();
    let order = turn.conversation::<Order>()?; // by reference; saved with the turn if it changed
    order.toppings.push(text);
    let line = format!("A pizza with {}.", order.toppings.join(" and "));
    turn.say(line); // leaves when, and only when, the order is saved
    Ok(())
}

async fn greet(mut turn: Turn) -> Result {
    turn.say("Welcome! Name a topping.");
    Ok(())
}

async fn sorry(mut turn: Turn, _failure: Arc<Failure>) -> Result {
    turn.say("Sorry, that did not work. Nothing was changed.");
    Ok(())
}

//! The pizza bot with a state of constant size, however many turns it has had.
//!
//! The reply names what is on the pizza now. Beside that the state remembers the customer and
//! earlier pizzas, as states do.

use sayso_turn::{Bag, Bot, BotError, Turn};
use serde::{Deserialize, Serialize};

/// Size of the state as JSON, in bytes.
pub const STATE_BYTES: usize = 1024;

/// Texts of the messages, in rotation. The pizza keeps the last six, so its size does not change.
pub const TOPPINGS: [&str; 6] = ["ham", "olives", "mushrooms", "onions", "anchovies", "corn"];

/// Division of the state into properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// One property: every turn reads and writes all of it.
    Whole,
    /// The order and the customer are properties of their own, and a turn touches only the order.
    Apart,
}

/// The bot's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Toppings, oldest first.
    pub toppings: Vec<String>,
    /// The customer, if part of the order's property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<Customer>,
}

/// The customer of a pizza.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    /// Name to address them by.
    pub name: String,
    /// Address for the delivery.
    pub address: String,
    /// `true` if they want to hear of offers.
    pub is_subscribed: bool,
    /// Notes for the driver.
    pub notes: String,
    /// Earlier pizzas.
    pub earlier: Vec<Pizza>,
}

/// An earlier pizza.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pizza {
    /// Its toppings.
    pub toppings: Vec<String>,
    /// Its price.
    pub price_cents: u32,
}

/// A state of exactly [`STATE_BYTES`].
///
/// # Panics
/// When this file is wrong about sizes.
#[must_use]
pub fn state(cut: Cut) -> Bag {
    let missing = STATE_BYTES.checked_sub(state_with(cut, String::new()).to_json().len());
    let notes = "n".repeat(missing.expect("the sample is not too large"));
    let state = state_with(cut, notes);
    assert_eq!(state.to_json().len(), STATE_BYTES, "the state has the size it claims");
    state
}

/// A state of about so many bytes, one property with as many earlier pizzas as it takes.
///
/// # Panics
/// Never: an order is always JSON.
#[must_use]
pub fn state_of(bytes: usize) -> (Bag, Order) {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let pizza = Pizza { toppings: owned(&["ham", "corn", "onions"]), price_cents: 950 };
    let each = r#"{"toppings":["ham","corn","onions"],"price_cents":950},"#.len();
    let earlier = vec![pizza; bytes / each];
    let customer = Customer { name: "Ann Example".to_owned(), earlier, ..Customer::default() };
    let order = Order { toppings: owned(&TOPPINGS), customer: Some(customer) };
    let mut bag = Bag::default();
    bag.set("Order", &order).expect("an order is always JSON");
    (bag, order)
}

/// A state with the order alone, for documents that are to be small.
///
/// # Panics
/// Never: an order is always JSON.
#[must_use]
pub fn order() -> Bag {
    let toppings = TOPPINGS.map(str::to_owned).to_vec();
    let mut bag = Bag::default();
    bag.set("Order", &Order { toppings, customer: None }).expect("an order is always JSON");
    bag
}

fn state_with(cut: Cut, notes: String) -> Bag {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let pizza = |price_cents| Pizza { toppings: owned(&["ham", "corn", "onions"]), price_cents };
    let customer = Customer {
        name: "Ann Example".to_owned(),
        address: "12 Long Lane, Third Floor, Sampletown".to_owned(),
        is_subscribed: true,
        notes,
        earlier: (0..9).map(|number| pizza(900 + number)).collect(),
    };
    let mut bag = Bag::default();
    let (inside, beside) = match cut {
        Cut::Whole => (Some(customer), None),
        Cut::Apart => (None, Some(customer)),
    };
    let order = Order { toppings: owned(&TOPPINGS), customer: inside };
    bag.set("Order", &order).expect("an order is always JSON");
    if let Some(customer) = beside {
        bag.set("Customer", &customer).expect("a customer is always JSON");
    }
    bag
}

/// The bot: every message is a topping, every reply says what is on the pizza.
#[must_use]
pub fn bot() -> Bot {
    Bot::new().on_message(topping)
}

async fn topping(mut turn: Turn) -> Result<(), BotError> {
    let text = turn.text().to_owned();
    let order = turn.conversation::<Order>()?;
    order.toppings.push(text);
    if order.toppings.len() > TOPPINGS.len() {
        drop(order.toppings.remove(0));
    }
    let line = format!("A pizza with {}.", order.toppings.join(" and "));
    turn.say(line);
    Ok(())
}

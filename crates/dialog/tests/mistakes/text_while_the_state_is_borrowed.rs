use sayso_turn::{BotError, Turn};

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Order {
    toppings: Vec<String>,
}

async fn hello(mut turn: Turn) -> Result<(), BotError> {
    let order = turn.conversation::<Order>()?;
    order.toppings.push(turn.text().to_owned());
    turn.say(order.toppings.join(" and "));
    Ok(())
}

fn main() {
    drop(hello);
}

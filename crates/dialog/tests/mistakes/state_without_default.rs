use sayso_turn::{BotError, Turn};

#[derive(serde::Serialize, serde::Deserialize)]
struct Order {
    toppings: Vec<String>,
}

async fn hello(mut turn: Turn) -> Result<(), BotError> {
    turn.conversation::<Order>()?.toppings.push("ham".into());
    Ok(())
}

fn main() {
    drop(hello);
}

use std::rc::Rc;

use sayso_turn::{Bot, BotError, Turn};

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Profile {
    name: String,
}

async fn hello(mut turn: Turn) -> Result<(), BotError> {
    let name = Rc::new("Ada");
    turn.user::<Profile>().await?.name = name.to_string();
    Ok(())
}

fn main() {
    let _ = Bot::new().on_message(hello);
}

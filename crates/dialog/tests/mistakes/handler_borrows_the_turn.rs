use sayso_turn::{Bot, BotError, Turn};

async fn hello(turn: &mut Turn) -> Result<(), BotError> {
    turn.say("hello");
    Ok(())
}

fn main() {
    let _ = Bot::new().on_message(hello);
}

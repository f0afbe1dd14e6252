use sayso_turn::{Bot, BotError, Turn};

fn hello(mut turn: Turn) -> Result<(), BotError> {
    turn.say("hello");
    Ok(())
}

fn main() {
    let _ = Bot::new().on_message(hello);
}

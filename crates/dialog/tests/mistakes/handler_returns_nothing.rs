use sayso_turn::{Bot, Turn};

async fn hello(mut turn: Turn) {
    turn.say("hello");
}

fn main() {
    let _ = Bot::new().on_message(hello);
}

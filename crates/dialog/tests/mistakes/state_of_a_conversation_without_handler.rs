use sayso_dialog::States;
use sayso_turn::{BotError, BotState, Turn};

#[derive(Default, BotState, States)]
#[state(version = 1)]
enum Order {
    #[default]
    #[handler(start)]
    Start,
    Size,
}

async fn start(_: &mut Turn) -> Result<Order, BotError> {
    Ok(Order::Size)
}

fn main() {
    drop(start);
}

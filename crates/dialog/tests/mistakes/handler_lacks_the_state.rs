use std::sync::Arc;

use sayso_turn::{Bot, BotError, Turn};

struct App;
struct Other;

async fn hello(_: Turn, _: Arc<Other>) -> Result<(), BotError> {
    Ok(())
}

fn main() {
    let _ = Bot::with_state(App).on_message(hello);
}

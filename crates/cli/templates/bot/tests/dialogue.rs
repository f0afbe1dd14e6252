//! The bot as dialogues: without a server, a store or time.

use {{crate}}::bot;
use sayso::testing::{chat, chat_with};

#[tokio::test]
async fn toppings_add_up() {
    chat(bot())
        .joins()
        .expects("Welcome! Name a topping.")
        .user("mushrooms")
        .expects("A pizza with mushrooms.")
        .again() // the channel delivers it once more
        .expects_nothing()
        .user("cheese")
        .expects("A pizza with mushrooms and cheese.")
        .await;
}

#[tokio::test]
async fn toppings_add_up_on_any_instance() {
    chat_with(bot)
        .restarting() // a new process for every turn: only the state survives
        .contended() // every turn runs twice, and one run is thrown away
        .user("mushrooms")
        .expects("A pizza with mushrooms.")
        .user("cheese")
        .expects("A pizza with mushrooms and cheese.")
        .await;
}

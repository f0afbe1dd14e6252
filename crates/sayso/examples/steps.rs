//! Durable steps: an order that reserves, charges and ships, and is never charged twice.
//!
//! Each call's result is saved before the turn goes on. Kill the process in the middle and start it
//! again: what is finished is not called again, what was under way is, under the same key. Run it
//! with `SAYSO_AUTH=none cargo run --example steps` (as a conversation with `-- conversation`),
//! talk to it with the Agents Playground or the Emulator, and watch the calls on its terminal.

use std::time::Duration;

use sayso::{
    dialog::conversation::{Conversation, confirm, conversation},
    prelude::*,
    turn::IdempotencyKey,
};

/// Stands for a service that takes its time. One that honours the key does its work once, however
/// often it is called with it.
async fn call(service: &str, key: IdempotencyKey, takes: Duration) -> Result<String> {
    tracing::info!(service, %key, "called");
    tokio::time::sleep(takes).await;
    Ok(format!("{service} done"))
}

/// The steps in a turn.
async fn buy(mut turn: Turn, takes: Duration) -> Result {
    let reserved = turn.step("reserve", |key| call("reserve", key, takes)).await?;
    // What costs money is worth more tries.
    let charged = turn
        .step("charge", |key| call("charge", key, takes))
        .attempts(5)
        .backoff(Duration::from_secs(1), Duration::from_secs(30))
        .time_out(Duration::from_secs(20))
        .await?;
    let shipped = turn.step("ship", |key| call("ship", key, takes)).await?;
    turn.say(format!("{reserved}, {charged}, {shipped}."));
    Ok(())
}

/// The same in a conversation: the question before it may be answered tomorrow.
async fn order(c: Conversation, takes: Duration) -> Result {
    if !c.ask(confirm("Shall I charge you 12 €?")).await? {
        c.say("Okay, nothing was charged.");
        return Ok(());
    }
    let charged = c.step("charge", |key| call("charge", key, takes)).attempts(5).await?;
    let shipped = c.step("ship", |key| call("ship", key, takes)).await?;
    c.say(format!("{charged}, {shipped}."));
    Ok(())
}

fn bot(takes: Duration) -> Bot {
    Bot::new().on_message(move |turn| buy(turn, takes))
}

fn conversation_bot(takes: Duration) -> Bot {
    conversation("order", move |c| order(c, takes)).bot()
}

#[tokio::main]
async fn main() -> Result {
    let takes = Duration::from_secs(5);
    match std::env::args().nth(1).as_deref() {
        Some("conversation") => serve(conversation_bot(takes)).await,
        _ => serve(bot(takes)).await,
    }
}

#[cfg(test)]
mod tests {
    use sayso::testing::chat;

    use super::*;

    #[tokio::test]
    async fn steps_are_taken_one_after_the_other_in_a_turn_and_in_a_conversation() {
        chat(bot(Duration::ZERO))
            .user("buy")
            .expects("reserve done, charge done, ship done.")
            .await;
        chat(conversation_bot(Duration::ZERO))
            .user("order")
            .expects("Shall I charge you 12 €? (1) Yes or (2) No")
            .user("yes")
            .expects("charge done, ship done.")
            .await;
    }
}

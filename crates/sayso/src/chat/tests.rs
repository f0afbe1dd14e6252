//! A chat whose lines come from a test, and whose output is a text.

use std::{
    future::pending,
    sync::{Mutex, PoisonError},
};

use sayso_activity::CardAction;
use sayso_turn::{Bot, Turn};

use super::*;

async fn chat_of(lines: &[&str], is_live: bool, chat: Chat<impl Logic>) -> String {
    let written = Arc::new(Mutex::new(String::new()));
    let (sender, receiver) = mpsc::channel(16);
    for line in lines {
        sender.send(Ok((*line).to_owned())).await.unwrap();
    }
    drop(sender);
    let output = Output::Text(Arc::clone(&written));
    assert_eq!(chat.talk(receiver, output, is_live, pending()).await.unwrap(), 0);
    let written = written.lock().unwrap_or_else(PoisonError::into_inner);
    written.clone()
}

fn echo() -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            if turn.text() == "fail" {
                return Err("the oven is cold".into());
            }
            if turn.text() == "slow" {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            let locale = turn.activity().locale.clone().unwrap_or_default();
            let line = format!("{locale}{}", turn.text());
            turn.send(Activity::message(line).with_buttons([CardAction::im_back("Yes")]));
            Ok(())
        })
        .on_joined(async |mut turn: Turn| {
            turn.say("Welcome!");
            Ok(())
        })
}

#[tokio::test]
async fn piped_in_it_prints_replies_alone_and_says_why_a_turn_failed() {
    let said = chat_of(&["one", "", "fail", "/quit", "two"], false, Chat::new(echo())).await;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "one [Yes]");
    assert!(lines[1].starts_with("not saved: "), "{said}");
    assert!(lines[1].contains("the oven is cold"), "{said}");
    assert_eq!(lines.len(), 2, "nothing after /quit: {said}");
}

#[tokio::test]
async fn at_a_terminal_it_greets_prompts_and_tells_the_cost() {
    let chat = Chat::new(echo()).name("pizza").locale("fr-");
    let said = chat_of(&["ham"], true, chat).await;
    assert!(said.contains("pizza < Welcome!\n"), "{said}");
    assert!(said.contains("  you > pizza < fr-ham [Yes]\n"), "{said}");
    assert!(said.contains(", 1 attempt\n"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_turn_may_take_longer_than_a_channel_would_wait() {
    assert_eq!(chat_of(&["slow"], false, Chat::new(echo())).await, "slow [Yes]\n");
}

#[tokio::test]
async fn a_store_keeps_the_conversation_and_no_message_counts_as_delivered_before() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    for expected in ["A pizza with ham.\n", "A pizza with ham and ham.\n"] {
        let chat = Chat::new(crate::pizza::bot()).store(Arc::clone(&store));
        assert_eq!(chat_of(&["ham"], false, chat).await, expected);
    }
}

//! Scripts: they run a bot as the engine does, and they fail when they should.

mod engine;
mod forced_failures;
mod messages;
mod recordings;
mod time;
mod transcripts;

use std::time::Duration;

use sayso_turn::{
    Bag, Bot, Turn,
    activity::{Activity, Kind},
    script::{Script, chat},
};

/// Asks for a size and a topping, then says the order.
pub(super) fn pizza() -> Bot {
    Bot::new()
        .on_joined(async |mut turn: Turn| {
            turn.say("Welcome!");
            Ok(())
        })
        .on_message(async |mut turn: Turn| {
            let text = turn.text().to_owned();
            let order = turn.state().named::<Vec<String>>("order")?;
            if text != "hi" {
                order.push(text);
            }
            let line = match order.as_slice() {
                [] => "What size?".to_owned(),
                [_] => "Which topping?".to_owned(),
                [size, topping, ..] => format!("A {size} pizza with {topping}."),
            };
            turn.say(line);
            Ok(())
        })
}

pub(super) fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

/// The script's mismatch in one text, or a failure when there is none.
pub(super) async fn mismatch(script: Script<'_>) -> String {
    script.run().await.expect_err("the script must not pass").to_string()
}

#[tokio::test]
async fn state_goes_from_turn_to_turn() {
    let dialogue = chat(pizza())
        .joins()
        .expects("Welcome!")
        .user("hi")
        .expects("What size?")
        .user("large")
        .expects_any(["And?", "Which topping?"])
        .state(|bag| bag.get::<Vec<String>>("order").unwrap().unwrap() == ["large"])
        .user("olives")
        .expects_containing("olives")
        .await;
    assert_eq!(dialogue.replies().count(), 4);
    let ids = dialogue.lines().iter().map(|line| line.activity().unwrap().id.clone().unwrap());
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8, "every activity has an id of its own");
}

#[tokio::test]
async fn each_user_and_each_conversation_has_a_state_of_its_own() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        *turn.state().named::<u32>("here")? += 1;
        *turn.user_state().await?.named::<u32>("yours")? += 1;
        Ok(())
    });
    chat(bot)
        .from_user("ann")
        .user("a")
        .user("b")
        .from_user("ben")
        .user("c")
        .user_state(|bag| assert_eq!(bag.to_json(), r#"{"yours":1}"#))
        .state(|bag| assert_eq!(bag.to_json(), r#"{"here":3}"#))
        .in_conversation("another")
        .from_user("ann")
        .user("d")
        .user_state(|bag| assert_eq!(bag.to_json(), r#"{"yours":3}"#))
        .state(|bag| assert_eq!(bag.to_json(), r#"{"here":1}"#))
        .on_channel("msteams")
        .user("e")
        .user_state(|bag| assert_eq!(bag.to_json(), r#"{"yours":1}"#))
        .await;
}

#[tokio::test]
async fn an_activity_keeps_what_it_says_and_gets_what_it_lacks() {
    let bot = Bot::new().on(Kind::Message, async |mut turn: Turn| {
        let inbound = turn.activity();
        let parts = [&inbound.id, &inbound.channel_id, &inbound.locale, &inbound.service_url];
        let known = parts.iter().filter(|part| part.is_some()).count();
        let line = format!("{known} {}", inbound.locale.as_deref().unwrap_or_default());
        turn.say(line);
        Ok(())
    });
    chat(bot)
        .in_locale("de-de")
        .activity(Activity::message("hi").with_locale("it-it"))
        .expects("4 it-it")
        .user("hi")
        .expects("4 de-de")
        .await;
}

#[tokio::test]
async fn the_first_conversation_starts_with_the_given_state_wherever_it_is() {
    let bag = Bag::from_json(r#"{"order":["small"]}"#).unwrap();
    chat(pizza())
        .starts_with_state(bag)
        .on_channel("msteams")
        .user("ham")
        .expects("A small pizza with ham.")
        .in_conversation("another")
        .user("hi")
        .expects("What size?")
        .await;
}

#[tokio::test]
async fn typing_and_trace_need_not_be_expected_but_can_be() {
    let bot = || {
        Bot::new().on_message(async |mut turn: Turn| {
            turn.send(Activity::typing());
            turn.say("one");
            turn.send(Activity::new(Kind::Trace));
            turn.send(Activity::typing());
            Ok(())
        })
    };
    chat(bot()).user("a").expects("one").user("b").expects("one").expects_nothing().await;
    let asides = chat(bot()).user("a").expects_kind(Kind::Typing).expects("one");
    asides.expects_kind(Kind::Trace).expects_kind(Kind::Typing).await;
    let text = mismatch(chat(bot()).user("a").expects_kind(Kind::Trace).expects("one")).await;
    assert!(text.contains(" -> bot:      one\n    expected: [trace]\n"), "{text}");
}

/// A script is a future like any other: it can run on another thread.
#[tokio::test]
async fn a_script_can_be_spawned() {
    let script = chat(pizza()).user("hi").expects("What size?");
    tokio::spawn(script.into_future()).await.unwrap();
}

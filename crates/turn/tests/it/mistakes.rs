//! Mistakes of authors: each is told with what happened, where, and what to do.

use std::sync::Arc;

use sayso_turn::{
    ActivityHandler, Bag, Bot, BotError, BotState, Failure, Logic, StateError, Turn,
    activity::{Account, Activity, Kind},
    script::chat,
};
use serde::{Deserialize, Serialize};

async fn nothing(_: Turn) -> Result<(), BotError> {
    Ok(())
}

#[test]
fn a_handler_that_would_never_run_is_told_with_both_places_and_the_cure() {
    let first = line!() + 1;
    let bot = Bot::new().on_message(nothing);
    let bot = bot.on_message(nothing);
    let [mistake] = &bot.mistakes()[..] else { panic!("{:?}", bot.mistakes()) };
    let file = file!();
    let (start, second) = (format!("the handler of `message` at {file}:"), first + 1);
    assert!(mistake.starts_with(&format!("{start}{second}:19 would never run")), "{mistake}");
    assert!(mistake.contains(&format!("the one of `message` at {file}:{first}:26")), "{mistake}");
    assert!(mistake.contains("let one handler decide, by `turn.text()`"), "{mistake}");
}

#[test]
fn a_general_handler_before_a_specific_one_is_a_mistake_and_after_it_is_none() {
    let general: [fn(Bot) -> Bot; 4] = [
        |bot| bot.on(Kind::Event, nothing),
        |bot| bot.on(Kind::Invoke, nothing),
        |bot| bot.on(Kind::ConversationUpdate, nothing),
        |bot| bot.on_message(nothing),
    ];
    let specific: [fn(Bot) -> Bot; 4] = [
        |bot| bot.on_event("tick", nothing),
        |bot| bot.on_invoke("task", nothing),
        |bot| bot.on_members_added(async |_: Turn, _: Vec<Account>| Ok(())),
        |bot| bot.on_command("/help", nothing),
    ];
    for (at, (general, specific)) in general.iter().zip(&specific).enumerate() {
        assert!(general(specific(Bot::new())).mistakes().is_empty(), "{at}");
        let mistakes = specific(general(Bot::new())).mistakes();
        assert!(mistakes[0].contains("add the specific one before the general one"), "{at}");
    }
    let all = general.iter().chain(&specific).rev().fold(Bot::new(), |bot, add| add(bot));
    assert_eq!(all.on_any(nothing).mistakes(), Vec::<String>::new());
}

#[test]
fn two_ways_to_say_the_same_are_two_handlers_and_different_names_are_not() {
    let bot = Bot::new().on_joined(nothing);
    let bot = bot.on_members_added(async |_: Turn, _: Vec<Account>| Ok(()));
    assert_eq!(bot.mistakes().len(), 1);
    let bot = Bot::new().on_event("a", nothing).on_event("b", nothing).on_event("a", nothing);
    assert_eq!(bot.mistakes().len(), 1, "{:?}", bot.mistakes());
    let bot = Bot::new().on_command("/a", nothing).on_command("a", nothing);
    assert!(bot.mistakes().is_empty(), "a message and a command");
}

#[test]
fn a_handler_as_a_type_may_stand_beside_others() {
    struct Nothing;
    impl ActivityHandler for Nothing {}
    let bot = Bot::from(Nothing).on_message(nothing);
    assert!(bot.mistakes().is_empty(), "nobody knows what it handles");
}

#[test]
fn a_pattern_that_is_none_is_told_with_its_place() {
    let bot = Bot::new().on_match("(", async |_: Turn, _| Ok(()));
    let mistakes = bot.mistakes();
    assert!(mistakes[0].starts_with("the pattern `(` at "), "{mistakes:?}");
    assert!(mistakes[0].contains(file!()), "{mistakes:?}");
}

#[tokio::test]
async fn a_script_does_not_start_with_a_mistake() {
    let bot = Bot::new().on_message(nothing).on_message(nothing);
    let played = tokio::spawn(async { chat(bot).user("hi").await });
    let panic = played.await.unwrap_err().into_panic();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.starts_with("the bot cannot be started: the handler of `message`"), "{text}");
}

mod one {
    #[derive(Default, serde::Serialize, serde::Deserialize)]
    pub(super) struct Order {
        pub(super) size: u8,
    }
}

mod other {
    #[derive(Default, serde::Serialize, serde::Deserialize)]
    pub(super) struct Order {
        pub(super) toppings: Vec<String>,
    }

    #[derive(Default, sayso_turn::BotState)]
    #[state(name = "other order", version = 1)]
    pub(super) struct NamedOrder {
        pub(super) toppings: Vec<String>,
    }
}

/// Says what went wrong, with its causes.
async fn sorry(mut turn: Turn, failure: Arc<Failure>) -> Result<(), BotError> {
    turn.say(format!("{failure:?}"));
    Ok(())
}

#[tokio::test]
async fn two_types_of_one_name_are_told_apart_before_one_overwrites_the_other() {
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            match turn.text() {
                "size" => turn.conversation::<one::Order>()?.size += 1,
                "topping" => turn.conversation::<other::Order>()?.toppings.push("ham".into()),
                // Another document, so not the same property.
                "user" => turn.user::<other::Order>().await?.toppings.push("ham".into()),
                _ => turn.conversation::<other::NamedOrder>()?.toppings.push("ham".into()),
            }
            turn.say("Okay.");
            Ok(())
        })
        .on_error(sorry);
    chat(bot)
        .user("size")
        .expects("Okay.")
        .user("topping")
        .expects_activity(|reply: &Activity| {
            let text = reply.text();
            assert!(text.contains("kept under the name `Order`: "), "{text}");
            assert!(text.contains("::one::Order` and `"), "{text}");
            assert!(text.contains("::other::Order`; give one of them another name"), "{text}");
            assert!(text.contains("#[state(name = \"...\", version = 1)]"), "{text}");
        })
        .user("user")
        .expects("Okay.")
        .user("named")
        .expects("Okay.")
        .user("size")
        .expects("Okay.")
        .await;
}

#[tokio::test]
async fn a_container_is_not_kept_without_a_name() {
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            match turn.text() {
                "named" => turn.state().named::<Vec<String>>("toppings")?.push("ham".into()),
                "text" => turn.user::<String>().await?.push('x'),
                _ => turn.conversation::<Vec<String>>()?.push("ham".into()),
            }
            turn.say("Okay.");
            Ok(())
        })
        .on_error(sorry);
    let told = |reply: &Activity| {
        let text = reply.text();
        assert!(text.contains(" has no name of its own to be kept under"), "{text}");
        assert!(text.contains("make it the field of a struct with a name"), "{text}");
        assert!(text.contains("turn.state().named::<...>(\"toppings\")?"), "{text}");
    };
    chat(bot)
        .user("hi")
        .expects_activity(told)
        .user("text")
        .expects_activity(told)
        .user("named")
        .expects("Okay.")
        .await;
}

#[derive(Default, Serialize, Deserialize)]
struct Tally {
    count: u32,
}

/// Counts, and fails on request. `reset` says what the error handler does about it.
fn counting(reset: fn(&mut Turn)) -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            let fails = turn.text() == "fail";
            let tally = turn.conversation::<Tally>()?;
            tally.count += 1;
            let line = format!("{}", tally.count);
            turn.state().named::<String>("name")?.push('x');
            turn.say(line);
            if fails { Err("no".into()) } else { Ok(()) }
        })
        .on_error(move |mut turn: Turn, _| async move {
            turn.conversation::<Tally>()?.count = 77;
            reset(&mut turn);
            turn.say("Sorry.");
            Ok(())
        })
}

#[tokio::test]
async fn an_error_handler_resets_and_nothing_else_that_it_does_to_the_state_is_kept() {
    type Reset = fn(&mut Turn);
    let cases: [(Reset, &str, &str); 3] = [
        (|_| {}, "3", "\"xxx\""),
        (|turn| turn.reset_property("Tally"), "1", "\"xxx\""),
        (Turn::reset_conversation, "1", "\"x\""),
    ];
    for (reset, count, name) in cases {
        chat(counting(reset))
            .user("a")
            .expects("1")
            .user("b")
            .expects("2")
            .user("fail")
            .expects("Sorry.")
            .again() // handled is handled: the reset is not repeated
            .expects_nothing()
            .user("c")
            .expects(count)
            .state(move |bag: &Bag| assert_eq!(bag.get_raw("name").unwrap().as_str(), name))
            .await;
    }
}

#[tokio::test]
async fn a_reset_outside_of_an_error_handler_is_a_change_like_any_other() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        if turn.text() == "reset" {
            turn.reset_conversation();
        }
        let tally = turn.conversation::<Tally>()?;
        tally.count += 1;
        let line = format!("{}", tally.count);
        turn.say(line);
        Ok(())
    });
    chat(bot).user("a").expects("1").user("b").expects("2").user("reset").expects("1").await;
}

#[tokio::test]
async fn a_state_that_does_not_fit_any_more_arrives_in_the_error_handler() {
    let bot = counting(|_| {}).on_error(async |mut turn: Turn, failure: Arc<Failure>| {
        if let Some(StateError::Shape { name, .. }) = failure.find() {
            let name = name.clone();
            turn.reset_property(&name);
            turn.say(format!("Starting afresh without {name}."));
        }
        Ok(())
    });
    chat(bot)
        .starts_with_state(Bag::from_json(r#"{"Tally":"what was that?"}"#).unwrap())
        .user("a")
        .expects("Starting afresh without Tally.")
        .user("b")
        .expects("1")
        .await;
}

#[test]
fn debug_of_a_failure_is_its_sentence_with_the_causes() {
    let cause = std::io::Error::other("the oven is cold");
    let failure = Failure::Error(Box::new(Baking(cause)));
    assert_eq!(format!("{failure:?}"), "the bot's logic failed: baking failed: the oven is cold");
    let error = sayso_turn::Error::Failed(Arc::new(failure));
    assert_eq!(format!("{error:?}"), "the bot's logic failed: baking failed: the oven is cold");
    let closing = sayso_turn::Error::Closing;
    assert_eq!(format!("{closing:?}"), closing.to_string());
}

#[derive(Debug, thiserror::Error)]
#[error("baking failed")]
struct Baking(#[source] std::io::Error);

#[derive(Default, BotState)]
#[state(name = "order", version = 1)]
struct PizzaOrder {
    toppings: Vec<String>,
}

/// The stored form: what a bot has written under a fixed name is found by a type of another name.
#[tokio::test]
async fn a_type_with_a_fixed_name_can_be_renamed_and_nothing_is_lost() {
    let stored = r#"{"order":{"$version":1,"toppings":["ham"]}}"#;
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        let order = turn.conversation::<PizzaOrder>()?;
        order.toppings.push(text);
        let line = order.toppings.join(" and ");
        turn.say(line);
        Ok(())
    });
    let kept = r#"{"order":{"$version":1,"toppings":["ham","olives"]}}"#;
    chat(bot)
        .starts_with_state(Bag::from_json(stored).unwrap())
        .user("olives")
        .expects("ham and olives")
        .state(|bag: &Bag| assert_eq!(bag.to_json(), kept))
        .await;
    assert_eq!(PizzaOrder::NAME, "order");
}

//! Enum state: a pizza order that survives restarts, deployments and failures.

#![expect(clippy::unused_async, reason = "handlers are async, whether they wait or not")]

use sayso_dialog::{States, states};
use sayso_turn::{
    Bot, BotError, BotState, Documents, Error, Key, Turn,
    activity::{Activity, Kind},
    run,
};
use serde::{Deserialize, Serialize};

type Result<T, E = BotError> = std::result::Result<T, E>;

/// The first build.
mod first {
    use super::*;

    #[derive(Default, BotState, States)]
    #[state(version = 1)]
    pub(super) enum Order {
        #[default]
        #[handler(start)]
        Start,
        #[handler(size)]
        Size,
        #[handler(self.toppings)]
        Toppings { size: String, so_far: Vec<String> },
    }

    async fn start(turn: &mut Turn) -> Result<Order> {
        turn.say("What size?");
        Ok(Order::Size)
    }

    async fn size(turn: &mut Turn) -> Result<Order> {
        let size = turn.text().to_owned();
        if !["small", "large"].contains(&size.as_str()) {
            turn.say("Small or large?");
            return Ok(Order::Size);
        }
        turn.say("What is on it?");
        Ok(Order::Toppings { size, so_far: vec![] })
    }

    impl Order {
        async fn toppings(mut self, turn: &mut Turn) -> Result<Self> {
            let text = turn.text().to_owned();
            let Self::Toppings { size, so_far } = &mut self else { return Ok(self) };
            match text.as_str() {
                "" => turn.say("Still there?"),
                "burn" => return Err("the oven is on fire".into()),
                "done" => {
                    turn.say(format!("A {size} pizza with {}.", so_far.join(" and ")));
                    return Ok(Self::default());
                }
                _ => {
                    so_far.push(text);
                    turn.say("What else?")
                }
            };
            Ok(self)
        }
    }
}

/// The next build asks for an address as well.
mod second {
    use super::*;
    use sayso_turn::versioned::as_is;

    #[derive(Default, BotState, States)]
    #[state(version = 2, upcast(1 = as_is))]
    pub(super) enum Order {
        #[default]
        #[handler(start)]
        Start,
        #[handler(size)]
        Size,
        #[handler(toppings)]
        Toppings { size: String, so_far: Vec<String> },
        #[handler(address)]
        Address(String, Vec<String>),
    }

    async fn start(turn: &mut Turn) -> Result<Order> {
        turn.say("What size?");
        Ok(Order::Size)
    }

    // Any error will do.
    async fn size(turn: &mut Turn) -> Result<Order, std::io::Error> {
        turn.say("What is on it?");
        Ok(Order::Toppings { size: turn.text().to_owned(), so_far: vec![] })
    }

    async fn toppings(turn: &mut Turn, size: String, mut so_far: Vec<String>) -> Result<Order> {
        if turn.text() == "done" {
            turn.say("Where to?");
            return Ok(Order::Address(size, so_far));
        }
        so_far.push(turn.text().to_owned());
        turn.say("What else?");
        Ok(Order::Toppings { size, so_far })
    }

    async fn address(turn: &mut Turn, size: String, so_far: Vec<String>) -> Result<Order> {
        turn.say(format!("A {size} pizza with {} to {}.", so_far.join(" and "), turn.text()));
        Ok(Order::Start)
    }
}

fn first_bot() -> Bot {
    Bot::new().on_message(states::<first::Order>()).on_event("late", states::<first::Order>())
}

fn second_bot() -> Bot {
    Bot::new().on_message(states::<second::Order>())
}

/// A conversation whose every turn may be on another machine: only the text of its state goes on.
#[derive(Default)]
struct Talk {
    stored: String,
    turns: usize,
}

impl Talk {
    async fn hear(&mut self, bot: Bot, activity: Activity) -> Result<String, Error> {
        let key = Key::conversation("test", "c").unwrap();
        let mut documents = Documents::new();
        if !self.stored.is_empty() {
            let bag = sayso_turn::Bag::from_json(&self.stored).unwrap();
            drop(documents.insert(key.clone(), bag));
        }
        let json =
            br#"{"type":"message","channelId":"test","conversation":{"id":"c"},"from":{"id":"u"}}"#;
        let from = Activity::from_json(json).unwrap();
        self.turns += 1;
        let id = Some(self.turns.to_string());
        let (channel_id, conversation) = (from.channel_id, from.conversation);
        let activity = Activity { id, channel_id, conversation, from: from.from, ..activity };
        let outcome = run(&bot, activity, documents).await?;
        self.stored = outcome.documents.get(&key).unwrap().to_json();
        let texts: Vec<&str> = outcome.replies.iter().map(Activity::text).collect();
        Ok(texts.join("|"))
    }

    async fn say(&mut self, bot: Bot, text: &str) -> String {
        self.hear(bot, Activity::message(text)).await.unwrap()
    }
}

#[tokio::test]
async fn an_order_survives_a_restart_between_any_two_messages() {
    let mut talk = Talk::default();
    let script = [
        ("hi", "What size?"),
        ("huge", "Small or large?"),
        ("large", "What is on it?"),
        ("olives", "What else?"),
        ("ham", "What else?"),
        ("done", "A large pizza with olives and ham."),
        ("again", "What size?"),
    ];
    for (said, heard) in script {
        assert_eq!(talk.say(first_bot(), said).await, heard, "to {said}");
    }
    assert_eq!(talk.stored, r#"{"Order":{"$version":1,"value":"Size"}}"#);
}

#[tokio::test]
async fn events_and_failures_do_not_change_the_state() {
    let mut talk = Talk::default();
    for said in ["hi", "large", "olives"] {
        drop(talk.say(first_bot(), said).await);
    }
    let before = talk.stored.clone();
    let toppings = r#"{"Toppings":{"size":"large","so_far":["olives"]}}"#;
    assert_eq!(before, format!(r#"{{"Order":{{"$version":1,"value":{toppings}}}}}"#));
    assert_eq!(talk.hear(first_bot(), Activity::event("late")).await.unwrap(), "Still there?");
    assert_eq!(talk.stored, before);
    assert!(talk.hear(first_bot(), Activity::message("burn")).await.is_err());
    // One that catches the error itself is where it was, too.
    let calm = Bot::new().on(Kind::Message, async |mut turn: Turn| {
        if first::Order::run(&mut turn).await.is_err() {
            turn.say("Sorry.");
        }
        Ok(())
    });
    assert_eq!(talk.say(calm, "burn").await, "Sorry.");
    assert_eq!(talk.stored, before);
    assert_eq!(talk.say(first_bot(), "done").await, "A large pizza with olives.");
}

#[tokio::test]
async fn an_order_goes_on_after_a_deployment_that_adds_a_step() {
    let mut talk = Talk::default();
    for said in ["hi", "large", "olives"] {
        drop(talk.say(first_bot(), said).await);
    }
    assert_eq!(talk.say(second_bot(), "done").await, "Where to?");
    assert_eq!(talk.stored, r#"{"Order":{"$version":2,"value":{"Address":["large",["olives"]]}}}"#);
    // An instance of the build before leaves it to those who know the new step.
    let before = talk.stored.clone();
    let refused = talk.hear(first_bot(), Activity::message("home")).await.unwrap_err();
    assert!(matches!(refused, Error::Newer(_)) && refused.is_retryable(), "{refused}");
    assert_eq!(talk.stored, before);
    assert_eq!(talk.say(second_bot(), "home").await, "A large pizza with olives to home.");
}

/// Without versions: serde's own derives.
#[derive(Default, Serialize, Deserialize, States)]
enum Plain {
    #[default]
    #[handler(Plain::up)]
    Zero,
    #[handler(Self::up_from)]
    Number(u32),
    /// One that keeps a word of its own, called like what the derive could call it.
    #[handler(turn)]
    Word { turn: String, next: u8, self_: () },
}

impl Plain {
    async fn up(turn: &mut Turn) -> Result<Self> {
        turn.say("1");
        Ok(Self::Number(1))
    }

    async fn up_from(turn: &mut Turn, number: u32) -> Result<Self> {
        turn.say((number + 1).to_string());
        Ok(Self::Word { turn: "end".into(), next: 0, self_: () })
    }
}

async fn turn(turn: &mut Turn, word: String, _next: u8, (): ()) -> Result<Plain> {
    turn.say(word);
    Ok(Plain::Zero)
}

#[tokio::test]
async fn an_enum_without_versions_works() {
    let bot = Bot::new().on_message(states::<Plain>());
    let mut talk = Talk::default();
    for heard in ["1", "2", "end", "1"] {
        assert_eq!(talk.say(bot.clone(), "more").await, heard);
    }
    assert_eq!(talk.stored, r#"{"Plain":{"Number":1}}"#);
}

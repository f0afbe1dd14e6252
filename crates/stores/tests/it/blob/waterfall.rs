//! Dialogs in the middle of a conversation change hands between the official SDKs and ours.
//!
//! Both dialogues are the same in `tests/sdk/waterfall.js`, `tests/sdk/waterfall.py` and here. Whoever has
//! the turn, the conversation goes on.

use std::sync::Arc;

use sayso_dialog::{
    Check, ChoicePrompt, ComponentDialog, Dialogs, NumberPrompt, PromptOptions, Shape, Step,
    StepResult, TextPrompt, WaterfallDialog,
    choice::{FoundChoice, ListStyle},
};
use sayso_stores::{BlobStore, blob::BlobConfig};
use sayso_turn::{Key, store::Store};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    account, new_container, open,
    sdk::{Sdk, USER, say_to},
};

/// What is said in a turn, and what the bot says to it.
type Turns = [(&'static str, &'static str)];

/// The root dialog of the published scale-out sample.
mod numbers {
    use super::*;

    pub(super) const NAME: &str = "numbers";

    pub(super) const TURNS: &Turns = &[
        ("hi", "Enter a number."),
        ("žádné číslo", "Enter a number."),
        ("10", "I have 10 now enter another number"),
        ("🍕", "I have 10 now enter another number"),
        ("four", "The result of the first minus the second is 6."),
        ("again", "Enter a number."),
        ("3", "I have 3 now enter another number"),
        ("5", "The result of the first minus the second is -2."),
    ];

    async fn first(step: Step<'_>) -> StepResult {
        step.prompt("number", "Enter a number.").await
    }

    async fn second(mut step: Step<'_>) -> StepResult {
        let first: i64 = step.result()?;
        step.keep("first", first)?;
        step.prompt("number", format!("I have {first} now enter another number")).await
    }

    async fn difference(mut step: Step<'_>) -> StepResult {
        let (first, second): (i64, i64) = (step.value("first")?, step.result()?);
        step.say(format!("The result of the first minus the second is {}.", first - second));
        step.end(Value::Null).await
    }

    pub(super) fn dialogs() -> Dialogs {
        let waterfall = WaterfallDialog::new("waterfall").step(first).step(second).step(difference);
        let root = ComponentDialog::new("root").with(waterfall);
        Dialogs::new(root.with(NumberPrompt::<i64>::new("number")))
    }
}

/// A choice, and a text with a validator that counts attempts.
mod order {
    use super::*;

    pub(super) const NAME: &str = "order";

    pub(super) const TURNS: &Turns = &[
        ("hi", "What size?\n\n   1. small\n   2. large"),
        ("obří", "Small or large, please.\n\n   1. small\n   2. large"),
        ("large", "Which name?"),
        ("é", "A longer one, please: ž?"),
        ("🍕", "A longer one, please: ž?"),
        ("žé", "A longer one, please: ž?"),
        ("ř", "large #1 for ř (4): příliš žluťoučký 🍕 3"),
        ("again", "What size?\n\n   1. small\n   2. large"),
        ("1", "Which name?"),
        ("Zoë", "small #0 for Zoë (1): příliš žluťoučký 🍕 3"),
    ];

    #[derive(Serialize, Deserialize)]
    struct Note {
        text: String,
        tags: Vec<Value>,
    }

    async fn size(mut step: Step<'_>) -> StepResult {
        let tags = vec!["é".into(), 1.into(), Value::Null];
        step.keep("note", Note { text: "příliš žluťoučký 🍕".to_owned(), tags })?;
        let options = PromptOptions::ask("What size?").retry("Small or large, please.");
        step.prompt("size", options.choices(["small", "large"]).style(ListStyle::List)).await
    }

    async fn name(mut step: Step<'_>) -> StepResult {
        let size: FoundChoice = step.result()?;
        step.keep("size", size)?;
        let options = PromptOptions::ask("Which name?").retry("A longer one, please: ž?");
        step.prompt("name", options).await
    }

    async fn done(mut step: Step<'_>) -> StepResult {
        let (note, size): (Note, FoundChoice) = (step.value("note")?, step.value("size")?);
        let name: String = step.result()?;
        let (size, index) = (size.value, size.index);
        step.say(format!("{size} #{index} for {name}: {} {}", note.text, note.tags.len()));
        step.end(Value::Null).await
    }

    pub(super) fn dialogs() -> Dialogs {
        let is_name = |check: &mut Check<'_, String>| {
            // The attempt at which an answer was good enough becomes a part of it.
            let named = check.value.as_ref().map(|name| format!("{name} ({})", check.attempt));
            let is_long = named.as_ref().is_some_and(|name| name.chars().count() >= 7);
            check.value = named;
            is_long || check.attempt >= 4
        };
        let waterfall = WaterfallDialog::new("waterfall").step(size).step(name).step(done);
        let root = ComponentDialog::new("root").with(waterfall).with(ChoicePrompt::new("size"));
        Dialogs::new(root.with(TextPrompt::new("name").validate(is_name)))
    }
}

/// A dialogue of both sides, in a container of its own.
struct Talk {
    sdk: Sdk,
    name: &'static str,
    dialogs: fn() -> Dialogs,
    turns: &'static Turns,
    container: String,
    store: Arc<BlobStore>,
}

const CONVERSATION: &str = "c1;messageid=1/é 😀";

impl Talk {
    async fn of_numbers(sdk: Sdk) -> Self {
        Self::new(sdk, numbers::NAME, numbers::dialogs, numbers::TURNS).await
    }

    async fn of_order(sdk: Sdk) -> Self {
        Self::new(sdk, order::NAME, order::dialogs, order::TURNS).await
    }

    async fn new(
        sdk: Sdk,
        name: &'static str,
        dialogs: fn() -> Dialogs,
        turns: &'static Turns,
    ) -> Self {
        let container = new_container();
        let config = BlobConfig::from_connection_string(&account(), container.clone()).unwrap();
        let store = open(config.with_layout(sdk.layout())).await;
        Self { sdk, name, dialogs, turns, container, store }
    }

    /// Some turns of the SDK.
    fn theirs(&self, turns: &Turns) {
        let mut arguments = vec![self.name];
        arguments.extend(turns.iter().map(|(said, _)| *said));
        let replies = self.sdk.run("waterfall", USER, &self.container, CONVERSATION, &arguments);
        assert_eq!(replies, expected(turns), "{:?} to {turns:?}", self.sdk);
    }

    /// Some turns of ours, on an engine that starts for them.
    async fn ours(&self, turns: &Turns) {
        let shape = match self.sdk {
            Sdk::Js => Shape::JavaScript,
            Sdk::Python => Shape::Python,
        };
        let ids: Vec<String> = turns.iter().map(|_| format!("{:x}", fastrand::u64(..))).collect();
        let texts: Vec<(&str, &str)> =
            ids.iter().zip(turns).map(|(id, (said, _))| (id.as_str(), *said)).collect();
        let bot = (self.dialogs)().shape(shape).bot();
        let replies = say_to(bot, &self.store, CONVERSATION, &texts).await;
        assert_eq!(replies, expected(turns), "ours to {turns:?} for {:?}", self.sdk);
    }

    /// The document as it is read here.
    async fn state(&self) -> Value {
        let key = Key::conversation("test", CONVERSATION).unwrap();
        let stored = self.store.load(&key).await.unwrap().expect("the document is there");
        serde_json::from_str(&stored.body).unwrap()
    }
}

fn expected(turns: &Turns) -> Vec<&'static str> {
    turns.iter().map(|(_, reply)| *reply).collect()
}

/// The SDK has the first turns and we have the rest, for every place in between.
async fn is_taken_over(sdk: Sdk) {
    for at in 1..numbers::TURNS.len() {
        let talk = Talk::of_numbers(sdk).await;
        talk.theirs(&talk.turns[..at]);
        talk.ours(&talk.turns[at..]).await;
    }
    for at in 1..order::TURNS.len() {
        let talk = Talk::of_order(sdk).await;
        talk.theirs(&talk.turns[..at]);
        talk.ours(&talk.turns[at..]).await;
    }
}

/// We have the first turns and the SDK has the rest, for every place in between.
async fn is_handed_over(sdk: Sdk) {
    for at in 1..numbers::TURNS.len() {
        let talk = Talk::of_numbers(sdk).await;
        talk.ours(&talk.turns[..at]).await;
        talk.theirs(&talk.turns[at..]);
    }
    for at in 1..order::TURNS.len() {
        let talk = Talk::of_order(sdk).await;
        talk.ours(&talk.turns[..at]).await;
        talk.theirs(&talk.turns[at..]);
    }
}

/// Every message goes to the other one: the SDK begins, or we do.
async fn goes_to_and_fro(sdk: Sdk) {
    for begins in [0, 1] {
        for talk in [Talk::of_numbers(sdk).await, Talk::of_order(sdk).await] {
            for (index, turn) in talk.turns.iter().enumerate() {
                match index % 2 == begins {
                    true => talk.theirs(std::slice::from_ref(turn)),
                    false => talk.ours(std::slice::from_ref(turn)).await,
                }
            }
        }
    }
}

#[tokio::test]
async fn a_waterfall_of_the_javascript_sdk_is_taken_over_anywhere() {
    is_taken_over(Sdk::Js).await;
}

#[tokio::test]
async fn a_waterfall_of_the_python_sdk_is_taken_over_anywhere() {
    is_taken_over(Sdk::Python).await;
}

#[tokio::test]
async fn a_waterfall_of_ours_is_taken_over_by_the_javascript_sdk() {
    is_handed_over(Sdk::Js).await;
}

#[tokio::test]
async fn a_waterfall_of_ours_is_taken_over_by_the_python_sdk() {
    is_handed_over(Sdk::Python).await;
}

#[tokio::test]
async fn a_waterfall_goes_to_the_javascript_sdk_and_back_with_every_message() {
    goes_to_and_fro(Sdk::Js).await;
}

#[tokio::test]
async fn a_waterfall_goes_to_the_python_sdk_and_back_with_every_message() {
    goes_to_and_fro(Sdk::Python).await;
}

/// What is in between is what the SDK keeps, and not what only we can read.
#[tokio::test]
async fn the_stack_is_kept_as_the_sdks_have_it() {
    let talk = Talk::of_order(Sdk::Js).await;
    talk.ours(&talk.turns[..5]).await;
    let state = talk.state().await;
    let root = &state["DialogState"]["dialogStack"][0];
    let stack = root["state"]["dialogs"]["dialogStack"].as_array().unwrap();
    let ids: Vec<&str> = stack.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["waterfall", "name"], "the top is last");
    assert_eq!(stack[0]["state"]["options"], serde_json::json!({}));
    assert!(stack[0]["state"]["values"]["instanceId"].is_string());
    assert_eq!(stack[1]["state"]["state"]["attemptCount"], 2);

    let talk = Talk::of_order(Sdk::Python).await;
    talk.ours(&talk.turns[..5]).await;
    let state = talk.state().await;
    let root = &state["DialogState"]["_dialog_stack"][0];
    let stack = root["state"]["dialogs"]["_dialog_stack"].as_array().unwrap();
    let ids: Vec<&str> = stack.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["name", "waterfall"], "the top is first");
    assert_eq!(stack[0]["state"]["options"]["number_of_attempts"], 2);
    assert_eq!(stack[0]["state"]["state"], serde_json::json!({}));
    assert!(stack[1]["state"]["instanceId"].is_string());
}

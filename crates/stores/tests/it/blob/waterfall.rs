//! Dialogs in the middle of a conversation change hands between the official SDKs and ours.
//!
//! Both dialogues are the same in `tests/sdk/waterfall.js`, `tests/sdk/waterfall.py` and here.
//! Whoever has the turn, the conversation goes on.

mod dialogues;
mod dotnet;

use std::sync::Arc;

use sayso_dialog::{ComponentDialog, Dialogs, Shape, Step, TextPrompt, WaterfallDialog};
use sayso_stores::{BlobStore, blob::BlobConfig};
use sayso_turn::{Bot, Key, Turn, store::Store};
use serde_json::{Value, json};

use self::dialogues::{Turns, numbers, order};
use super::{
    account, new_container, open,
    sdk::{Sdk, USER, say_to, try_say},
};

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
        let store = open(config(sdk, &container)).await;
        Self { sdk, name, dialogs, turns, container, store }
    }

    /// Some turns of the SDK.
    async fn theirs(&self, turns: &Turns) {
        let mut arguments = vec![self.name];
        arguments.extend(turns.iter().map(|(said, _)| *said));
        let replies =
            self.sdk.run("waterfall", USER, &self.container, CONVERSATION, &arguments).await;
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

    /// The document as it is stored.
    async fn text(&self) -> String {
        let name = match self.sdk {
            Sdk::Js => panic!("only the names of Python are the keys"),
            Sdk::Python => format!("test/conversations/{CONVERSATION}"),
        };
        let blob = self.store.client().blob_client(&name).download(None).await.unwrap();
        String::from_utf8(blob.body.collect().await.unwrap().into()).unwrap()
    }

    /// The document as it is read here.
    async fn state(&self) -> Value {
        let key = Key::conversation("test", CONVERSATION).unwrap();
        let stored = self.store.load(&key).await.unwrap().expect("the document is there");
        serde_json::from_str(&stored.body).unwrap()
    }
}

fn config(sdk: Sdk, container: &str) -> BlobConfig {
    let config = BlobConfig::from_connection_string(&account(), container).unwrap();
    config.with_layout(sdk.layout())
}

fn expected(turns: &Turns) -> Vec<&'static str> {
    turns.iter().map(|(_, reply)| *reply).collect()
}

/// Both dialogues, each cut in two at some places.
async fn cut(sdk: Sdk) -> Vec<(Talk, usize)> {
    let mut cut = Vec::new();
    for at in [1, 3, 4] {
        cut.push((Talk::of_numbers(sdk).await, at));
    }
    for at in [1, 3, 5] {
        cut.push((Talk::of_order(sdk).await, at));
    }
    cut
}

/// The SDK has the first turns and we have the rest.
async fn is_taken_over(sdk: Sdk) {
    for (talk, at) in cut(sdk).await {
        talk.theirs(&talk.turns[..at]).await;
        talk.ours(&talk.turns[at..]).await;
    }
}

/// We have the first turns and the SDK has the rest.
async fn is_handed_over(sdk: Sdk) {
    for (talk, at) in cut(sdk).await {
        talk.ours(&talk.turns[..at]).await;
        talk.theirs(&talk.turns[at..]).await;
    }
}

/// The two bots take turns, message by message.
async fn goes_to_and_fro(talk: Talk, we_begin: bool) {
    for (index, turn) in talk.turns.iter().enumerate() {
        match (index % 2 == 0) == we_begin {
            true => talk.ours(std::slice::from_ref(turn)).await,
            false => talk.theirs(std::slice::from_ref(turn)).await,
        }
    }
}

#[tokio::test]
async fn a_waterfall_of_the_javascript_sdk_is_taken_over() {
    is_taken_over(Sdk::Js).await;
}

#[tokio::test]
async fn a_waterfall_of_the_python_sdk_is_taken_over() {
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
    goes_to_and_fro(Talk::of_numbers(Sdk::Js).await, false).await;
    goes_to_and_fro(Talk::of_order(Sdk::Js).await, false).await;
}

#[tokio::test]
async fn a_waterfall_goes_to_the_python_sdk_and_back_with_every_message() {
    goes_to_and_fro(Talk::of_numbers(Sdk::Python).await, false).await;
    goes_to_and_fro(Talk::of_order(Sdk::Python).await, false).await;
}

#[tokio::test]
async fn a_waterfall_of_ours_goes_to_the_javascript_sdk_and_back_with_every_message() {
    goes_to_and_fro(Talk::of_numbers(Sdk::Js).await, true).await;
    goes_to_and_fro(Talk::of_order(Sdk::Js).await, true).await;
}

#[tokio::test]
async fn a_waterfall_of_ours_goes_to_the_python_sdk_and_back_with_every_message() {
    goes_to_and_fro(Talk::of_numbers(Sdk::Python).await, true).await;
    goes_to_and_fro(Talk::of_order(Sdk::Python).await, true).await;
}

/// Python's number prompt gives decimals, which Python does not mix with other fractions.
#[tokio::test]
async fn a_decimal_of_python_stays_a_decimal() {
    let talk = Talk::of_numbers(Sdk::Python).await;
    let asked = "I have 3.5 now enter another number";
    talk.theirs(&[("hi", "Enter a number."), ("3.5", asked)]).await;
    let state = talk.state().await.to_string();
    assert!(state.contains("decimal.Decimal") && state.contains(r#""3.5""#), "{state}");
    talk.ours(&[("žádné číslo", asked)]).await;
    talk.theirs(&[("0.25", "The result of the first minus the second is 3.25.")]).await;
}

/// The stack in the middle of a dialogue has the SDK's form, and not one that only we can read.
#[tokio::test]
async fn the_stack_is_kept_as_the_sdks_have_it() {
    let talk = Talk::of_order(Sdk::Js).await;
    talk.ours(&talk.turns[..5]).await;
    let state = talk.state().await;
    let root = &state["DialogState"]["dialogStack"][0];
    let stack = root["state"]["dialogs"]["dialogStack"].as_array().unwrap();
    let ids: Vec<&str> = stack.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["waterfall", "name"], "the top is last");
    assert_eq!(stack[0]["state"]["options"], json!({}));
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
    assert_eq!(stack[0]["state"]["state"], json!({}));
    assert!(stack[1]["state"]["instanceId"].is_string());
}

/// Of two names for one list Python writes one as the number of the other. A stack with such
/// numbers cannot be changed here; nothing happens then, and whoever leaves it alone may change the
/// rest.
#[tokio::test]
async fn one_object_by_two_names_stays_one_or_the_turn_is_refused() {
    let talk = Talk::new(Sdk::Python, "shared", numbers::dialogs, &[]).await;
    talk.theirs(&[("hi", "Which word?")]).await;
    let before = talk.text().await;
    assert!(before.contains(r#""other": {"py/id": "#), "{before}");

    let waterfall = WaterfallDialog::new("waterfall").step(async |step: Step<'_>| step.wait());
    let root = ComponentDialog::new("root").with(waterfall).with(TextPrompt::new("text"));
    let bot = Dialogs::new(root).shape(Shape::Python).bot();
    let error = try_say(bot, &talk.store, CONVERSATION, "ahoj").await.unwrap_err();
    assert!(error.contains("py/id"), "{error}");
    assert_eq!(talk.text().await, before);

    let bot = Bot::new().on_message(async |mut turn: Turn| {
        *turn.state().named::<u32>("Count")? += 1;
        turn.say("counted");
        Ok(())
    });
    let replies = say_to(bot, &talk.store, CONVERSATION, &[("1", "x")]).await;
    assert_eq!(replies, ["counted"]);
    assert_ne!(talk.text().await, before);
    talk.theirs(&[("ahoj", "příliš žluťoučký 🍕, ahoj")]).await;
}

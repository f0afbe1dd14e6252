//! Conversations begun with the official SDKs, continued here, and handed back.
//!
//! The SDKs are the real ones, each running a bot of a few lines (`tests/sdk`) on the same
//! container.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use sayso_stores::{BlobStore, Layout, blob::BlobConfig};
use sayso_turn::{
    Bot, BotError, Engine, Key, Turn,
    activity::Activity,
    channel::{Channel, Delivery, Parcel},
    document::Document,
    store::Store,
};
use serde::{Deserialize, Serialize};

use super::{account, new_container, open};

/// The bot of an SDK.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sdk {
    Js,
    Python,
}

impl Sdk {
    pub(super) fn layout(self) -> Layout {
        match self {
            Self::Js => Layout::Js,
            Self::Python => Layout::Python,
        }
    }

    /// Lets the SDK's bot have some turns; returns its replies.
    async fn say(self, container: &str, conversation: &str, texts: &[&str]) -> Vec<String> {
        self.say_as(USER, container, conversation, texts).await
    }

    async fn say_as(
        self,
        user: &str,
        container: &str,
        conversation: &str,
        texts: &[&str],
    ) -> Vec<String> {
        self.run("bot", user, container, conversation, texts).await
    }

    /// Runs one of the scripts in `tests/sdk`; returns its bot's replies.
    pub(super) async fn run(
        self,
        script: &str,
        user: &str,
        container: &str,
        conversation: &str,
        arguments: &[&str],
    ) -> Vec<String> {
        let (scripts, installed) = (scripts(), installed());
        let mut command = match self {
            Self::Js => {
                let mut command = Command::new("node");
                command.env("NODE_PATH", installed.join("node_modules"));
                command.arg(scripts.join(format!("{script}.js")));
                command
            }
            Self::Python => {
                let mut command = Command::new(installed.join("python/bin/python"));
                command.arg(scripts.join(format!("{script}.py")));
                command
            }
        };
        command.env("CONNECTION", account()).env("CONTAINER", container);
        command.env("CONVERSATION", conversation).env("USER_ID", user).args(arguments);
        // Meanwhile our side must see which of its connections the server closes.
        let output = tokio::task::spawn_blocking(move || command.output());
        let output = output.await.unwrap().expect("the SDK's bot starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{self:?}: {errors}");
        serde_json::from_slice(&output.stdout).expect("the SDK's bot prints its replies")
    }
}

pub(super) const USER: &str = "u:1 é";

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk")
}

/// The folder where the SDKs are installed.
fn installed() -> PathBuf {
    let home =
        || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache/sayso-servers"));
    let cache = std::env::var_os("SAYSO_SERVERS_CACHE").map(PathBuf::from).or_else(home);
    let folder = cache.expect("there is a HOME").join("sdk");
    let wanted = ["package-lock.json", "requirements.lock"]
        .map(|name| fs::read_to_string(scripts().join(name)).unwrap());
    let is_there =
        fs::read_to_string(folder.join("installed")).is_ok_and(|had| had == wanted.concat());
    assert!(is_there, "the SDKs are not installed: run scripts/setup");
    folder
}

/// As the SDKs' bots have it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Order {
    toppings: Vec<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Profile {
    name: String,
    visits: u32,
}

/// The same bot as those of the SDKs.
async fn order(mut turn: Turn) -> Result<(), BotError> {
    let text = turn.text().to_owned();
    let profile: &mut Profile = turn.user_state().await?.named("profile")?;
    profile.visits += 1;
    let who = format!("{} ({})", profile.name, profile.visits);
    let order: &mut Order = turn.state().named("order")?;
    order.toppings.push(text);
    let line = format!("{who}: {}", order.toppings.join(", "));
    turn.say(line);
    Ok(())
}

#[derive(Debug, Default)]
struct Collecting(Mutex<Vec<String>>);

#[async_trait]
impl Channel for Collecting {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        self.0.lock().unwrap().push(parcel.activity.text().to_owned());
        Delivery::Delivered { id: None }
    }
}

/// Lets our bot have a turn for each text; returns its replies.
async fn say(store: &Arc<BlobStore>, conversation: &str, texts: &[(&str, &str)]) -> Vec<String> {
    say_to(Bot::new().on_message(order), store, conversation, texts).await
}

/// Lets a bot of ours have a turn for each message, by its id and its text; returns its replies.
pub(super) async fn say_to(
    bot: Bot,
    store: &Arc<BlobStore>,
    conversation: &str,
    texts: &[(&str, &str)],
) -> Vec<String> {
    let channel = Arc::new(Collecting::default());
    let store: Arc<dyn Store> = Arc::<BlobStore>::clone(store);
    let shared: Arc<dyn Channel> = Arc::<Collecting>::clone(&channel);
    let engine = Engine::builder(bot, store, shared).start();
    for (id, text) in texts {
        let activity = message(conversation, id, text);
        let _answer = engine.receive(activity).await.expect("the turn commits");
    }
    assert_eq!(engine.close(Duration::from_secs(20)).await, 0, "nothing is left to do");
    std::mem::take(&mut channel.0.lock().unwrap())
}

/// Lets a bot of ours try to have a turn; returns the error with all its causes.
pub(super) async fn try_say(
    bot: Bot,
    store: &Arc<BlobStore>,
    conversation: &str,
    text: &str,
) -> Result<(), String> {
    let store: Arc<dyn Store> = Arc::<BlobStore>::clone(store);
    let engine = Engine::builder(bot, store, Arc::new(Collecting::default())).start();
    let answer = engine.receive(message(conversation, "0", text)).await;
    let _left = engine.close(Duration::from_secs(20)).await;
    answer.map(drop).map_err(|error| format!("{error:?}"))
}

fn message(conversation: &str, id: &str, text: &str) -> Activity {
    let activity = serde_json::json!({
        "type": "message", "id": id, "channelId": "test", "text": text,
        "serviceUrl": "https://example.org", "conversation": {"id": conversation},
        "from": {"id": USER}, "recipient": {"id": "bot"},
    });
    Activity::from_json(activity.to_string().as_bytes()).unwrap()
}

async fn ledger(store: &BlobStore, key: &Key) -> sayso_turn::document::Ledger {
    let stored = store.load(key).await.unwrap().expect("the document is there");
    Document::parse(key, &stored.body).unwrap().ledger
}

/// A conversation that changes hands four times.
async fn changes_hands(sdk: Sdk, conversation: &str) {
    let container = new_container();
    let replies = sdk.say(&container, conversation, &["mushrooms", "žampiony 🍄"]).await;
    assert_eq!(replies, ["Zoë (1): mushrooms", "Zoë (2): mushrooms, žampiony 🍄"]);

    let config = BlobConfig::from_connection_string(&account(), container.clone()).unwrap();
    let store = open(config.with_layout(sdk.layout()).with_create_container(false)).await;
    let replies = say(&store, conversation, &[("1", "šunka"), ("2", "🧀")]).await;
    assert_eq!(
        replies,
        ["Zoë (3): mushrooms, žampiony 🍄, šunka", "Zoë (4): mushrooms, žampiony 🍄, šunka, 🧀"]
    );

    let replies = sdk.say(&container, conversation, &["olives"]).await;
    assert_eq!(replies, ["Zoë (5): mushrooms, žampiony 🍄, šunka, 🧀, olives"]);

    // What we keep in the document has survived the SDK's turn: a message that comes again is
    // known.
    let key = Key::conversation("test", conversation).unwrap();
    assert_eq!(ledger(&store, &key).await.turn, 2);
    let replies = say(&store, conversation, &[("2", "🧀"), ("3", "basil")]).await;
    assert_eq!(replies, ["Zoë (6): mushrooms, žampiony 🍄, šunka, 🧀, olives, basil"]);
    assert_eq!(ledger(&store, &key).await.turn, 3);
    let replies = sdk.say(&container, conversation, &["."]).await;
    assert_eq!(replies, ["Zoë (7): mushrooms, žampiony 🍄, šunka, 🧀, olives, basil, ."]);
}

#[tokio::test]
async fn a_conversation_of_the_javascript_sdk_is_continued_and_handed_back() {
    changes_hands(Sdk::Js, "c1;messageid=1/é 😀").await;
}

#[tokio::test]
async fn a_conversation_of_the_python_sdk_is_continued_and_handed_back() {
    changes_hands(Sdk::Python, "c1;messageid=1/é 😀").await;
}

#[tokio::test]
async fn a_conversation_id_of_600_characters_changes_hands() {
    let long: String = (0..60).map(|number| format!("a:{number:02}-Teams")).collect();
    assert_eq!(long.len(), 600);
    changes_hands(Sdk::Js, &long).await;
    changes_hands(Sdk::Python, &long).await;
}

#[tokio::test]
async fn a_name_that_the_javascript_sdk_cuts_changes_hands() {
    changes_hands(Sdk::Js, &"é".repeat(600)).await;
}

#[tokio::test]
async fn a_document_that_begins_here_is_read_by_the_sdks() {
    for sdk in [Sdk::Js, Sdk::Python] {
        let container = new_container();
        let config = BlobConfig::from_connection_string(&account(), container.clone()).unwrap();
        let store = open(config.with_layout(sdk.layout())).await;
        assert_eq!(say(&store, "new", &[("1", "ham")]).await, [" (1): ham"]);
        // Somebody else goes on: of whatever class the SDK's bot has its users' profiles, it makes
        // one.
        let replies = sdk.say_as("u2", &container, "new", &["olives"]).await;
        assert_eq!(replies, ["Zoë (1): ham, olives"], "{sdk:?}");
        let key = Key::conversation("test", "new").unwrap();
        assert_eq!(ledger(&store, &key).await.turn, 1);
    }
}

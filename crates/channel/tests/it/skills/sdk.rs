//! A parent on the JavaScript SDK (`botbuilder`) calls this bot as its skill, over real sockets:
//! what it was sent is recorded.

use std::{path::PathBuf, process::Stdio};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::{Instant, timeout},
};

use super::{
    login::Login,
    world::{CHANNELS, Instance, PARENT, World, bot},
};
use crate::{auth::world::APP, client::sdk::installed, support::PATIENCE, support::with};

/// The parent, in a process of its own.
struct Parent {
    url: String,
    http: reqwest::Client,
    _process: Child,
}

impl Parent {
    /// Starts it, before the bot: the bot must know where it is.
    async fn start(login: &Login, skill: &str) -> Self {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sdk/parent.js");
        let mut process = Command::new("node")
            .env("NODE_PATH", installed().join("node_modules"))
            .arg(script)
            .args([&login.url(""), PARENT, APP, skill])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node is installed: crates/stores/tests/sdk/install does it");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = timeout(PATIENCE * 3, lines.next_line()).await.expect("it starts");
        let url = line.unwrap().expect("it says where it listens");
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE * 3).build().unwrap();
        Self { url, http, _process: process }
    }

    /// Makes it call its skill in a turn with its user; returns what the SDK made of the answer.
    async fn call(&self, activity: Value) -> Value {
        self.post("/call", &activity).await
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.http.post(format!("{}{path}", self.url)).body(body.to_string());
        serde_json::from_slice(&answer.send().await.unwrap().bytes().await.unwrap()).unwrap()
    }

    /// Returns all that it was told, once that is enough.
    async fn told(&self, is_enough: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let told = self.post("/told", &json!({})).await;
            if is_enough(&told) {
                return told;
            }
            assert!(began.elapsed() < PATIENCE, "{told:#}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}

/// The port of the skill is chosen before the parent starts; the bot gets the parent's address.
async fn start(world: &World) -> (Parent, Instance) {
    let relay = super::relay::Relay::start().await;
    let parent = Parent::start(&world.login, &relay.url("/api/messages")).await;
    let mut callers = world.callers();
    let own = format!("{}/api/skills", parent.url);
    callers[0].service_urls = sayso_channel::ServiceUrls::Only(vec![own]);
    let instance = world.instance(bot(), callers).await;
    relay.lead_to(instance.address);
    (parent, instance)
}

fn len(told: &Value, name: &str) -> usize {
    told[name].as_array().unwrap().len()
}

#[tokio::test]
async fn a_parent_on_the_javascript_sdk_never_sees_a_token_for_the_channels() {
    let world = World::start().await;
    let (parent, instance) = start(&world).await;

    // A message: its reply comes to the skill endpoint, and goes on to the user.
    let called = parent.call(json!({"text": "hello"})).await;
    assert_eq!(called["status"], 200, "{called}");
    let conversation = called["conversation"].as_str().unwrap().to_owned();
    let told = parent.told(|told| len(told, "seen") == 1).await;
    let seen = &told["seen"][0];
    assert_eq!(seen["body"]["text"], format!("hello on webchat for {PARENT}"), "{told:#}");
    assert_eq!(seen["claims"]["aud"], CHANNELS, "the parent speaks to its channel as itself");

    // Replies in the answer, and the answer of an invoke.
    let called = parent.call(json!({"text": "again", "deliveryMode": "expectReplies"})).await;
    let replies = &called["body"]["activities"];
    assert_eq!(replies[0]["text"], format!("again on webchat for {PARENT}"), "{called}");
    assert_eq!(replies[0]["channelId"], "webchat", "{called}");
    let called = parent.call(json!({"type": "invoke", "name": "add", "text": null})).await;
    assert_eq!((&called["status"], &called["body"]), (&json!(200), &json!({"sum": 7})));

    // A timer, a message to the conversation, and the end of it from this side.
    parent.call(json!({"text": "ring 100"})).await;
    parent.told(|told| len(told, "seen") == 3).await;
    parent.call(json!({"text": "end"})).await;
    let told = parent.told(|told| len(told, "heard") == 1).await;
    let end = json!({
        "type": "endOfConversation", "code": "completedSuccessfully",
        "value": {"answer": 42}, "channelId": "webchat",
    });
    assert_eq!(told["heard"], json!([end]));
    let texts: Vec<_> =
        told["seen"].as_array().unwrap().iter().map(|one| &one["body"]["text"]).collect();
    assert_eq!(texts[1..], ["later", "ring"]);

    // And from the other side, in another conversation: what is kept of it goes.
    for (text, reply) in [("remember me", "noted"), ("recall", "[me] [me] [me]")] {
        let more = json!({"talk": "d", "text": text, "deliveryMode": "expectReplies"});
        let called = parent.call(more).await;
        assert_eq!(called["body"]["activities"][0]["text"], reply, "{called}");
    }
    let end = json!({"talk": "d", "type": "endOfConversation", "text": null});
    assert_eq!(parent.call(end).await["status"], 200);
    let recall = json!({"talk": "d", "text": "recall", "deliveryMode": "expectReplies"});
    let called = parent.call(recall).await;
    assert_eq!(called["body"]["activities"][0]["text"], "[] [me] [me]", "{called}");

    // The record: every request to the parent, and who its token was for and from.
    let told = parent.told(|_| true).await;
    assert_eq!(told["errors"], json!([]), "{told:#}");
    let requests = told["requests"].as_array().unwrap();
    assert_eq!(requests.len(), 4, "{told:#}");
    for request in requests {
        assert_eq!(request["status"], 200, "{request:#}");
        assert_eq!(
            (&request["claims"]["aud"], &request["claims"]["appid"]),
            (&json!(PARENT), &json!(APP))
        );
        let path = format!("/api/skills/v3/conversations/{conversation}/activities");
        assert!(request["url"].as_str().unwrap().starts_with(&path), "{request:#}");
    }
    assert!(!told.to_string().contains("skill:"), "{told:#}");
    assert_eq!(
        world.login.scopes(APP),
        [format!("{PARENT}/.default")],
        "nothing else was asked for"
    );
    let keys = world.keys().await;
    let own = format!("skill:{PARENT}:webchat/");
    assert!(!keys.is_empty() && keys.iter().all(|key| key.starts_with(&own)), "{keys:?}");

    // The same ids by a channel, which has none of it.
    let ids = json!({
        "deliveryMode": "expectReplies", "channelId": "webchat", "from": {"id": "ann"},
        "conversation": {"id": conversation},
    });
    let answer = instance.from_channel(&world, with(world.message("recall"), ids)).await;
    assert_eq!(super::world::texts(&answer), ["[] [] []"]);
}

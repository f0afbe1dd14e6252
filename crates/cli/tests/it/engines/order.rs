//! Two processes that serve one store, and users who order from them until they are answered.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{sync::RwLock, time::sleep};

use super::target::Target;
use crate::process::Served;

/// Time limit for the confirmation of a topping, retries included.
const PATIENCE: Duration = Duration::from_secs(90);
/// Timeout of a request: that of a channel.
const ANSWER_MAX: Duration = Duration::from_secs(15);

pub(super) struct Counter {
    folder: TempDir,
    target: Target,
    servers: Vec<RwLock<Served>>,
    client: reqwest::Client,
}

impl Counter {
    /// Starts the processes.
    pub(super) async fn open(target: &Target, count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let client = reqwest::Client::builder().no_proxy().timeout(ANSWER_MAX).build().unwrap();
        let mut servers = Vec::new();
        for _ in 0..count {
            servers.push(RwLock::new(serve(&folder, target).await));
        }
        Self { folder, target: target.clone(), servers, client }
    }

    /// Ends a process as a crash does, and starts another in its place.
    pub(super) async fn kill(&self, place: usize) {
        let mut server = self.servers[place].write().await;
        server.child.kill().await.unwrap();
        *server = serve(&self.folder, &self.target).await;
    }

    /// Orders a pizza: all toppings at once, to all processes. Each must be confirmed and, in the
    /// end, be on it once.
    pub(super) async fn order(&self, conversation: &str, toppings: usize) {
        let names: Vec<String> = (0..toppings).map(|n| format!("t{n}")).collect();
        let confirmed =
            join_all(names.iter().enumerate().map(|(n, name)| self.say(conversation, n, name)))
                .await;
        for (name, text) in names.iter().zip(&confirmed) {
            // Who asks again may be told only that it is done: a conversation keeps the last 32
            // answers.
            let Some(text) = text else { continue };
            assert!(on_pizza(text).contains(name), "{conversation}: {name} in {text:?}");
        }
        let last = self.say(conversation, toppings, "last").await.expect("the last answer is kept");
        let all = on_pizza(&last);
        let unique: BTreeSet<&String> = all.iter().collect();
        assert_eq!(all.len(), unique.len(), "{conversation}: twice on the pizza: {last}");
        assert_eq!(all.len(), toppings + 1, "{conversation}: lost: {last}");
    }

    /// Says something until it is answered, to one process after the other, under the same id.
    async fn say(&self, conversation: &str, n: usize, text: &str) -> Option<String> {
        let activity = json!({
            "type": "message", "id": format!("{conversation}-{n}"), "text": text,
            "deliveryMode": "expectReplies", "channelId": "test",
            "conversation": {"id": conversation},
            "from": {"id": "ann"}, "recipient": {"id": "bot"},
        });
        let until = Instant::now() + PATIENCE;
        let mut refusal = String::new();
        for attempt in 0.. {
            assert!(Instant::now() < until, "{conversation}: {text} is not confirmed: {refusal}");
            let place = (n + attempt) % self.servers.len();
            let url = self.servers[place].read().await.url.clone();
            let sent = self.client.post(format!("{url}/api/messages")).json(&activity).send();
            refusal = match sent.await {
                Ok(answer) if answer.status().is_success() => {
                    if let Ok(answer) = answer.json::<Value>().await {
                        return answer["activities"][0]["text"].as_str().map(str::to_owned);
                    }
                    "the answer was cut".to_owned()
                }
                Ok(answer) => format!("{} {:?}", answer.status(), answer.text().await),
                Err(error) => error.to_string(),
            };
            sleep(Duration::from_millis(50)).await;
        }
        unreachable!("the loop ends by an answer or by the clock")
    }
}

/// Starts a process, again and again where the engine cannot be reached: as an orchestrator does.
async fn serve(folder: &TempDir, target: &Target) -> Served {
    let environment: Vec<(&str, &str)> =
        target.environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let arguments = ["--store", &target.url];
    let mut last = String::new();
    for _ in 0..30 {
        match Served::try_start(folder.path(), &arguments, &environment).await {
            Ok(served) => return served,
            Err(why) => last = why,
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("{last}");
}

/// The toppings that a sentence of the bot names.
fn on_pizza(sentence: &str) -> Vec<String> {
    let list = sentence.strip_prefix("A pizza with ").and_then(|rest| rest.strip_suffix('.'));
    list.unwrap_or_default().split(" and ").map(str::to_owned).collect()
}

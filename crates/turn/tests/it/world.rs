//! A small world for tests: several instances on one store, a channel that remembers, a paused
//! clock.

mod channel;
mod clock;
mod store;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use sayso_turn::{
    Bot, BotError, Engine, Limits, Logic, Turn,
    activity::{Activity, ConversationAccount, DeliveryMode},
    channel::Channel,
    clock::{Clock, Tasks},
    document::{Document, Ledger},
    store::Store,
};

use self::clock::KillableTasks;
pub(crate) use self::{
    channel::{Step, TestChannel},
    clock::{MachineClock, PausedClock},
    store::{Call, Fault, TestStore},
};

pub(crate) const CONVERSATION: &str = "test/conversations/c";

/// One store, one channel, any number of instances.
pub(crate) struct World {
    pub(crate) store: Arc<TestStore>,
    pub(crate) channel: Arc<TestChannel>,
    pub(crate) limits: Limits,
    seed: AtomicU64,
}

/// One instance, which can be killed.
pub(crate) struct Instance {
    pub(crate) engine: Engine,
    tasks: Arc<KillableTasks>,
}

impl World {
    pub(crate) fn new() -> Self {
        let store = Arc::new(TestStore::default());
        let channel = Arc::new(TestChannel::new(Arc::clone(&store)));
        Self { store, channel, limits: Limits::default(), seed: AtomicU64::new(1) }
    }

    pub(crate) fn start(&self, logic: impl Logic) -> Instance {
        self.start_on(Arc::new(PausedClock), logic)
    }

    /// An instance on a machine with a clock of its own.
    pub(crate) fn start_on(&self, clock: Arc<dyn Clock>, logic: impl Logic) -> Instance {
        let tasks = Arc::new(KillableTasks::default());
        let engine = Engine::builder(
            logic,
            Arc::clone(&self.store) as Arc<dyn Store>,
            Arc::clone(&self.channel) as Arc<dyn Channel>,
        )
        .clock(clock)
        .tasks(Arc::clone(&tasks) as Arc<dyn Tasks>)
        .seed(self.seed.fetch_add(1, Ordering::Relaxed))
        .limits(self.limits.clone())
        .start();
        Instance { engine, tasks }
    }

    /// The conversation's document as it is stored.
    pub(crate) async fn document(&self) -> Option<Document> {
        self.store.document(CONVERSATION).await
    }

    pub(crate) async fn ledger(&self) -> Ledger {
        self.document().await.map(|document| document.ledger).unwrap_or_default()
    }

    pub(crate) async fn log(&self) -> Vec<String> {
        let bag = self.document().await.map(|document| document.bag).unwrap_or_default();
        bag.get("log").unwrap().unwrap_or_default()
    }

    /// Waits until the stored outbox of the conversation is empty.
    pub(crate) async fn until_delivered(&self) {
        for _ in 0..5000 {
            if self.document().await.is_some() && self.ledger().await.outbox.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("not delivered: {:?}", self.ledger().await.outbox);
    }
}

impl Instance {
    /// Ends every task of the instance at the await where it is, as a crash does.
    pub(crate) fn kill(&self) {
        self.tasks.kill();
    }

    /// Stops running any task of the instance, as SIGSTOP does. Its time goes on.
    pub(crate) fn freeze(&self) {
        self.tasks.freeze();
    }

    pub(crate) fn thaw(&self) {
        self.tasks.thaw();
    }

    pub(crate) async fn say(
        &self,
        id: &str,
        text: &str,
    ) -> Result<sayso_turn::Answer, sayso_turn::Error> {
        self.engine.receive(message(id, text)).await
    }
}

/// Appends every message to `log` and says what the log is now.
pub(crate) fn log_bot() -> Bot {
    Bot::new().on_message(append)
}

pub(crate) async fn append(mut turn: Turn) -> Result<(), BotError> {
    let text = turn.text().to_owned();
    let log = turn.state().named::<Vec<String>>("log")?;
    log.push(text);
    let line = log.join(" ");
    turn.say(line);
    Ok(())
}

pub(crate) fn message(id: &str, text: &str) -> Activity {
    let json = format!(
        r#"{{"type":"message","id":"{id}","channelId":"test","serviceUrl":"http://127.0.0.1/",
            "conversation":{{"id":"c"}},"from":{{"id":"u"}},"recipient":{{"id":"bot"}},"text":"{text}"}}"#
    );
    Activity::from_json(json.as_bytes()).unwrap()
}

/// A message of a conversation of its own.
pub(crate) fn message_in(conversation: &str, id: &str, text: &str) -> Activity {
    let conversation = Some(ConversationAccount::new(conversation));
    Activity { conversation, ..message(id, text) }
}

/// An `invoke` of the conversation, by name.
pub(crate) fn invoke(id: &str, name: &str) -> Activity {
    let json = format!(
        r#"{{"type":"invoke","name":"{name}","id":"{id}","channelId":"test",
            "serviceUrl":"http://127.0.0.1/","conversation":{{"id":"c"}},"from":{{"id":"u"}},
            "recipient":{{"id":"bot"}}}}"#
    );
    Activity::from_json(json.as_bytes()).unwrap()
}

pub(crate) fn asking(id: &str, text: &str) -> Activity {
    let mut activity = message(id, text);
    activity.delivery_mode = Some(DeliveryMode::ExpectReplies);
    activity
}

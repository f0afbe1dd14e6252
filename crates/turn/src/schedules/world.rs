//! Test world: a slow store, a recording channel, a counting bot, and the checks.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use sayso_activity::Activity;
use shuttle::future::yield_now;

use super::time::{ShuttleTasks, Time};
use crate::{
    Bot, BotError, Engine, Error, Key, Limits, Turn,
    channel::{Channel, Delivery, Parcel},
    clock::{Clock, Timestamp},
    ledger::{Document, Ledger},
    store::{self, Cursor, DuePage, ETag, MemoryStore, Saved, Store, Stored, Transactions, Write},
};

/// Maximum polls while waiting for a condition.
const LOOKS_MAX: u32 = 500;

/// World of a scenario: one store, one channel, some conversations.
#[derive(Clone)]
pub(super) struct World {
    pub(super) time: Time,
    store: Arc<SlowStore>,
    channel: Arc<Memory>,
    rng: Arc<Mutex<fastrand::Rng>>,
    /// Number of times that each call of `once` was made, by its key.
    calls: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl World {
    pub(super) fn new(time: Time, number: u64) -> Self {
        let rng = || Arc::new(Mutex::new(fastrand::Rng::with_seed(number)));
        let (inside, fails) = (MemoryStore::default(), AtomicBool::new(false));
        let store = Arc::new(SlowStore { inside, rng: rng(), fails });
        let channel = Arc::new(Memory { replies: Mutex::default(), rng: rng() });
        Self { time, store, channel, rng: rng(), calls: Arc::default() }
    }

    /// From now on one in eight saves fails, before or after the write.
    pub(super) fn fail_saves(&self, fails: bool) {
        self.store.fails.store(fails, Ordering::Relaxed);
    }

    pub(super) fn start(&self, seed: u64) -> Engine {
        let limits = Limits {
            sweep_every: Duration::from_millis(60),
            burst_max: 2,
            batch_max: 2,
            ..Limits::default()
        };
        let store = Arc::clone(&self.store) as Arc<dyn Store>;
        Engine::builder(self.bot(), store, Arc::clone(&self.channel) as Arc<dyn Channel>)
            .clock(Arc::new(self.time.clone()))
            .tasks(Arc::new(ShuttleTasks))
            .seed(seed)
            .limits(limits)
            .start()
    }

    /// Bot that counts its turns and says the count; `timer` sets a timer that counts one more.
    fn bot(&self) -> Bot {
        let calls = Arc::clone(&self.calls);
        Bot::new()
            .on_message(move |mut turn: Turn| {
                let calls = Arc::clone(&calls);
                async move {
                    let call = |key: crate::IdempotencyKey| async move {
                        *calls.lock().unwrap().entry(key.as_str().to_owned()).or_default() += 1;
                        yield_now().await;
                        Ok::<_, BotError>(())
                    };
                    turn.once("call", call).await?;
                    if turn.text() == "timer" {
                        turn.after(Duration::from_millis(20), Activity::event("tick"));
                    }
                    count(turn)
                }
            })
            .on_event("tick", async |turn: Turn| count(turn))
    }

    pub(super) fn chance(&self, one_in: u32) -> bool {
        self.rng.lock().unwrap().u32(..one_in) == 0
    }

    /// Sometimes sleeps for a moment.
    pub(super) async fn linger(&self) {
        let millis = self.rng.lock().unwrap().u64(..60);
        if millis < 30 {
            self.time.sleep(Duration::from_millis(millis)).await;
        }
    }

    /// Waits until so many replies of a conversation were delivered and recorded.
    pub(super) async fn until_delivered(&self, conversation: &str, count: usize) {
        for look in 0..LOOKS_MAX {
            let ledger = self.ledger(conversation).await;
            if self.replies(conversation).len() >= count && ledger.outbox.is_empty() {
                return;
            }
            self.time.sleep(Duration::from_millis(10 + 10 * u64::from(look))).await;
        }
        panic!("{conversation}: {:?} of {count}", self.replies(conversation));
    }

    /// Waits until an instance is idle.
    pub(super) async fn until_at_rest(&self, engine: &Engine) {
        for look in 0..LOOKS_MAX {
            if engine.busy() == 0 {
                return;
            }
            self.time.sleep(Duration::from_millis(10 + 10 * u64::from(look))).await;
        }
        panic!("busy for ever: {}", engine.busy());
    }

    pub(super) async fn ledger(&self, conversation: &str) -> Ledger {
        let key = Key::new(format!("test/conversations/{conversation}")).unwrap();
        let stored = self.store.inside.load(&key).await.unwrap();
        stored.map(|s| Document::parse(&key, &s.body).unwrap().ledger).unwrap_or_default()
    }

    fn replies(&self, conversation: &str) -> Vec<String> {
        let replies = self.channel.replies.lock().unwrap();
        let key = format!("test/conversations/{conversation}");
        replies.get(&key).into_iter().flatten().map(|(text, _)| text.clone()).collect()
    }

    /// Checks that so many turns ran in a conversation, each applied once, its reply delivered once
    /// and in order.
    pub(super) async fn check(&self, conversation: &str, count: usize) {
        let expected: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
        assert_eq!(self.replies(conversation), expected, "replies of {conversation}");
        let ledger = self.ledger(conversation).await;
        assert!(ledger.outbox.is_empty(), "not recorded: {:?}", ledger.outbox);
        assert!(ledger.claim.is_none(), "still claimed: {:?}", ledger.claim);
    }

    /// Checks that every call of `once` was made once.
    pub(super) fn check_calls(&self) {
        let calls = self.calls.lock().unwrap();
        assert!(calls.values().all(|count| *count == 1), "calls: {calls:?}");
    }
}

fn count(mut turn: Turn) -> Result<(), BotError> {
    let count = turn.state().named::<u32>("count")?;
    *count += 1;
    let text = count.to_string();
    turn.say(text);
    Ok(())
}

/// Sends a message to the instances in turn until one accepts it.
pub(super) async fn send(
    world: &World,
    engines: &[&Engine],
    (conversation, id, text): (&str, &str, &str),
) {
    for attempt in 0..20 {
        let engine = engines[attempt % engines.len()];
        match engine.receive(message(conversation, id, text)).await {
            Ok(_) => return,
            Err(error) => assert!(error.is_retryable(), "{error}"),
        }
        world.time.sleep(Duration::from_millis(5)).await;
    }
    panic!("{id} was refused again and again");
}

/// Sends a message once. Returns false if the instance was closing.
pub(super) async fn offer(engine: &Engine, conversation: &str, id: &str) -> bool {
    match engine.receive(message(conversation, id, "")).await {
        Ok(_) => true,
        Err(Error::Closing) => false,
        Err(error) => panic!("{error}"),
    }
}

pub(super) fn message(conversation: &str, id: &str, text: &str) -> Activity {
    let json = format!(
        r#"{{"type":"message","id":"{id}","channelId":"test","serviceUrl":"http://127.0.0.1/",
            "conversation":{{"id":"{conversation}"}},"from":{{"id":"u"}},
            "recipient":{{"id":"bot"}},"text":"{text}"}}"#
    );
    Activity::from_json(json.as_bytes()).unwrap()
}

/// Memory store with delays and failures.
#[derive(Debug)]
struct SlowStore {
    inside: MemoryStore,
    fails: AtomicBool,
    rng: Arc<Mutex<fastrand::Rng>>,
}

async fn wait(rng: &Mutex<fastrand::Rng>) {
    let times = rng.lock().unwrap().u32(..3);
    for _ in 0..times {
        yield_now().await;
    }
}

#[async_trait]
impl Store for SlowStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, store::Error> {
        wait(&self.rng).await;
        self.inside.load(key).await
    }

    async fn save(&self, write: Write) -> Result<Saved, store::Error> {
        wait(&self.rng).await;
        let fate = self.rng.lock().unwrap().u32(..16);
        let fate = if self.fails.load(Ordering::Relaxed) { fate } else { 2 };
        let (store, reason) = (Cow::Borrowed("a slow store"), "cut".to_owned());
        if fate == 0 {
            return Err(store::Error::Unavailable { store, reason, source: None });
        }
        let saved = self.inside.save(write).await;
        wait(&self.rng).await;
        if fate == 1 {
            return Err(store::Error::Unknown { store, reason, source: None });
        }
        saved
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, store::Error> {
        self.inside.delete(key, etag).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, store::Error> {
        wait(&self.rng).await;
        self.inside.due(now, from, limit).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, store::Error>> {
        self.inside.list(prefix)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        self.inside.transactions()
    }
}

impl fmt::Display for SlowStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a slow store")
    }
}

/// Channel that records deliveries by conversation, and checks repeats. Now and then it answers
/// `Later` first.
#[derive(Debug)]
struct Memory {
    replies: Mutex<BTreeMap<String, Vec<(String, bool)>>>,
    rng: Arc<Mutex<fastrand::Rng>>,
}

impl Memory {
    fn take(&self, parcel: &Parcel) {
        let (text, key) = (parcel.activity.text().to_owned(), parcel.key.as_str().to_owned());
        let mut replies = self.replies.lock().unwrap();
        let replies = replies.entry(key).or_default();
        // The instance that takes over may be quicker: one of the two deliveries is marked as a
        // repeat.
        match replies.iter_mut().find(|(known, _)| *known == text) {
            Some((_, is_repeat)) if *is_repeat || parcel.is_repeat => *is_repeat = false,
            Some(_) => panic!("handed over twice: {text}"),
            None => replies.push((text, parcel.is_repeat)),
        }
    }
}

#[async_trait]
impl Channel for Memory {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        wait(&self.rng).await;
        if self.rng.lock().unwrap().u32(..16) == 0 {
            return Delivery::Later { after: None, reason: "not now".to_owned() };
        }
        self.take(parcel);
        wait(&self.rng).await;
        Delivery::Delivered { id: None }
    }
}

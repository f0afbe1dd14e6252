//! Real threads: three instances on four workers, hot and cold conversations, one shut-down in the
//! middle.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_util::future::join_all;
use sayso_turn::{
    Bot, BotError, Engine, Limits, Turn,
    activity::Activity,
    channel::{Channel, Delivery, Parcel},
    document::Document,
    store::{MemoryStore, Store},
};
use tokio::time::{sleep, timeout};

use crate::world::message_in;

const CONVERSATIONS: u64 = 16;
const MESSAGES: u64 = 6000;
/// Every so many messages one sets a timer.
const TIMER_EVERY: u64 = 20;
/// Senders at work at once.
const SENDERS: u64 = 64;
const TIME_MAX: Duration = Duration::from_secs(60);

/// Replies of each conversation in order of arrival: reply id and text.
type Told = BTreeMap<String, Vec<(String, String)>>;

/// Channel with delays that records deliveries.
#[derive(Debug, Default)]
struct Listener {
    told: Mutex<Told>,
    count: AtomicU64,
}

#[async_trait]
impl Channel for Listener {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        match self.count.fetch_add(1, Ordering::Relaxed) % 200 {
            0 => sleep(Duration::from_millis(1)).await,
            1 => return Delivery::Later { after: None, reason: "not now".to_owned() },
            _ => tokio::task::yield_now().await,
        }
        let reply = (parcel.id.to_string(), parcel.activity.text().to_owned());
        let mut told = self.told.lock().unwrap();
        let told = told.entry(parcel.key.as_str().to_owned()).or_default();
        let is_known = told.contains(&reply);
        assert!(parcel.is_repeat || !is_known, "handed over twice: {reply:?}");
        if !is_known {
            told.push(reply);
        }
        Delivery::Delivered { id: None }
    }
}

/// Number of times that each call of `once` was made in each process, by its key.
type Calls = Arc<Mutex<BTreeMap<String, u32>>>;

/// Counts its turns and says the count.
fn counting(calls: Calls) -> Bot {
    Bot::new()
        .on_message(move |mut turn: Turn| {
            let calls = Arc::clone(&calls);
            async move {
                let number: u64 = turn.text().parse()?;
                if number.is_multiple_of(7) {
                    let call = |key: sayso_turn::IdempotencyKey| async move {
                        *calls.lock().unwrap().entry(key.to_string()).or_default() += 1;
                        Ok::<_, BotError>(())
                    };
                    turn.once("call", call).await?;
                }
                if number.is_multiple_of(97) {
                    sleep(Duration::from_millis(number % 5)).await;
                }
                if number.is_multiple_of(TIMER_EVERY) {
                    turn.after(Duration::from_millis(number % 200), Activity::event("tick"));
                }
                count(turn)
            }
        })
        .on_event("tick", async |turn: Turn| count(turn))
}

fn count(mut turn: Turn) -> Result<(), BotError> {
    let count = turn.state().named::<u64>("count")?;
    *count += 1;
    let text = count.to_string();
    turn.say(text);
    Ok(())
}

/// The conversation of a message: a third of them go to one.
fn conversation(number: u64) -> u64 {
    if number.is_multiple_of(3) { 0 } else { number % CONVERSATIONS }
}

/// Sends a message until an instance takes it; every fifth is sent once more, to another one.
async fn send(engines: &[Engine], number: u64) {
    let at = usize::try_from(number).unwrap();
    let times = if number.is_multiple_of(5) { 2 } else { 1 };
    let sendings = (0..times).map(async |time| {
        for attempt in 0.. {
            let engine = &engines[(at + time + attempt) % engines.len()];
            let conversation = format!("c{}", conversation(number));
            let activity = message_in(&conversation, &format!("m{number}"), &number.to_string());
            match engine.receive(activity).await {
                Ok(_) => return,
                Err(error) => assert!(error.is_retryable(), "{error}"),
            }
            sleep(Duration::from_millis(1)).await;
        }
    });
    join_all(sendings).await;
}

/// Expected number of turns of each conversation.
fn expected() -> BTreeMap<String, u64> {
    let mut turns = BTreeMap::new();
    for number in 1..=MESSAGES {
        let key = format!("test/conversations/c{}", conversation(number));
        *turns.entry(key).or_default() += 1 + u64::from(number.is_multiple_of(TIMER_EVERY));
    }
    turns
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn real_threads_apply_once_and_deliver_in_order() {
    let (store, listener) = (Arc::new(MemoryStore::default()), Arc::new(Listener::default()));
    let calls: [Calls; 3] = Default::default();
    let limits = Limits {
        sweep_every: Duration::from_millis(200),
        outbox_max: 10_000,
        // A sender that lost many races comes back after more turns than are remembered otherwise.
        seen_max: 10_000,
        document_bytes_max: 16 << 20,
        ..Limits::default()
    };
    let engines: Vec<Engine> = calls
        .iter()
        .map(|calls| {
            let bot = counting(Arc::clone(calls));
            let channel = Arc::clone(&listener) as Arc<dyn Channel>;
            Engine::builder(bot, Arc::clone(&store) as Arc<dyn Store>, channel)
                .limits(limits.clone())
                .start()
        })
        .collect();
    let senders = (0..SENDERS).map(|sender| {
        let engines = engines.clone();
        tokio::spawn(async move {
            for number in (1..=MESSAGES).filter(|number| number % SENDERS == sender) {
                send(&engines, number).await;
            }
        })
    });
    let senders: Vec<_> = senders.collect();
    sleep(Duration::from_millis(300)).await;
    let left = engines[0].close(TIME_MAX).await;
    assert_eq!((left, engines[0].busy()), (0, 0), "left behind by the first instance");
    let all = timeout(TIME_MAX, join_all(senders)).await.expect("somebody waits for ever");
    all.into_iter().for_each(|sender| sender.unwrap());
    let total: u64 = expected().values().sum();
    let told = || listener.told.lock().unwrap().values().map(Vec::len).sum::<usize>() as u64;
    let is_told = async {
        while told() < total {
            sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(timeout(TIME_MAX, is_told).await.is_ok(), "{} replies of {total} arrived", told());
    for engine in &engines[1..] {
        assert_eq!((engine.close(TIME_MAX).await, engine.busy()), (0, 0), "left behind");
    }
    check(&store, &listener, &calls).await;
    let conflicts: u64 = engines.iter().map(|engine| engine.stats().conflicts).sum();
    println!("stress: {MESSAGES} messages, {total} turns, {conflicts} conflicts, 0 broken");
}

async fn check(store: &MemoryStore, listener: &Listener, calls: &[Calls]) {
    for (key, count) in expected() {
        let told = listener.told.lock().unwrap().remove(&key).unwrap_or_default();
        let told: Vec<String> = told.into_iter().map(|(_, text)| text).collect();
        let counted: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
        let differ = told.iter().zip(&counted).position(|(told, counted)| told != counted);
        let around = differ.map(|at| &told[at.saturating_sub(3)..told.len().min(at + 5)]);
        assert!(
            told == counted,
            "{key}: {} of {count}, differ at {differ:?}: {around:?}",
            told.len()
        );
        let key = sayso_turn::Key::new(key).unwrap();
        let body = store.load(&key).await.unwrap().unwrap().body;
        let Document { bag, ledger } = Document::parse(&key, &body).unwrap();
        assert_eq!(bag.get::<u64>("count").unwrap(), Some(count), "turns of {key}");
        let left = (ledger.outbox.len(), &ledger.claim, ledger.timers.len());
        assert_eq!(left, (0, &None, 0), "left in {key}");
    }
    for calls in calls {
        let calls = calls.lock().unwrap();
        assert!(calls.values().all(|count| *count == 1), "a call was made again in one process");
    }
}

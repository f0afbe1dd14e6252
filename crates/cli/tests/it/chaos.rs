//! Chaos test: three real processes on one store, killed, frozen and restarted under load, with a
//! network that loses answers on both sides of them: every topping once, every reply, in order.

mod check;
mod trouble;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Client;
use tokio::time::{sleep, timeout};

use self::{
    check::{Story, Verdict},
    trouble::Trouble,
};
use crate::{
    proxy::{Fault, Proxy, Schedule},
    recorder::{Recorder, client, message, sent_by},
};

const PROCESSES: usize = 3;
const CONVERSATIONS: usize = 60;
/// Two users of one conversation speak at the same time, mostly to different processes.
const USERS: [char; 2] = ['a', 'b'];
const SEED: u64 = 7;
/// First request timeout of a user: shorter than a process is frozen.
const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum request timeout, reached after failures: that of real channels.
const PATIENCE_MAX: Duration = Duration::from_secs(15);

/// Time limit for an answer, retries included: a user without one is stuck.
const STUCK: Duration = Duration::from_secs(120);

/// Minimum number of faults, without which the run proves nothing.
const KILLS_MIN: usize = 20;
const FREEZES_MIN: usize = 4;
const CUTS_MIN: u64 = 50;
/// Maximum extension of a run that has not reached these minimums.
const EXTRA: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_killed_and_frozen_under_load_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chaos.sqlite");
    chaos(&format!("sqlite:{}", file.display())).await;
}

/// Duration of the load in seconds.
fn seconds() -> u64 {
    let seconds = std::env::var("SAYSO_CHAOS_SECONDS").unwrap_or_else(|_| "120".to_owned());
    seconds.parse().expect("SAYSO_CHAOS_SECONDS is a number of seconds")
}

/// Tests the processes on a store, and prints one line of figures.
#[expect(clippy::print_stdout, reason = "the figures of the run")]
async fn chaos(store_url: &str) {
    let began = Instant::now();
    // The channel itself gives an error for some of what it takes.
    let recorder = Recorder::start(30).await;
    let channel = Proxy::start(recorder.address, deliveries()).await;
    let mut trouble = Trouble::start(store_url).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let http = client();
    let users: Vec<_> = (0..CONVERSATIONS)
        .flat_map(|conversation| USERS.map(|name| (conversation, name)))
        .map(|(conversation, name)| {
            let user = User {
                name,
                conversation: format!("c{conversation}"),
                places: trouble.places(),
                channel: channel.clone(),
                http: http.clone(),
                is_over: Arc::clone(&is_over),
            };
            tokio::spawn(user.talk(SEED + conversation as u64))
        })
        .collect();
    let time = Duration::from_secs(seconds());
    trouble.make(time, || channel.done().cut >= CUTS_MIN).await;
    is_over.store(true, Ordering::SeqCst);
    let mut story = Story::default();
    for user in users {
        let said = timeout(STUCK + PATIENCE_MAX, user).await.expect("a user is stuck").unwrap();
        story.said(said);
    }
    recorder.wait(story.turns()).await;
    let store = sayso::open_store(store_url).await.unwrap();
    let verdict = story.check(store.as_ref(), || (recorder.arrived(), channel.done())).await;
    let scheme = store_url.split(':').next().unwrap();
    println!(
        "real processes: {PROCESSES} on {scheme} for {} s, {} turns in {CONVERSATIONS} conversations, {}, {}",
        began.elapsed().as_secs(),
        story.turns(),
        trouble.figures(),
        verdict.figures(&channel.done()),
    );
    judge(&trouble, &channel, &verdict);
}

fn judge(trouble: &Trouble, channel: &Proxy, verdict: &Verdict) {
    assert!(verdict.violations.is_empty(), "{:#?}", verdict.violations);
    assert!(trouble.kills >= KILLS_MIN, "only {} kills", trouble.kills);
    assert!(trouble.freezes >= FREEZES_MIN, "only {} freezes", trouble.freezes);
    let (posts, deliveries) = (trouble.cuts(), channel.done().cut);
    assert!(posts >= CUTS_MIN, "only {posts} answers to posts were cut");
    assert!(deliveries >= CUTS_MIN, "only {deliveries} answers to deliveries were cut");
    assert!(verdict.repeats > 0, "answers were lost, and no reply came again");
}

/// Faults between users and servers.
fn posts(place: usize) -> Schedule {
    Schedule::new(SEED + place as u64)
        .one_in(12, Fault::Cut { after: 0 })
        .one_in(30, Fault::Cut { after: 20 })
        .one_in(60, Fault::Reset)
        .one_in(60, Fault::Delay(Duration::from_millis(500)))
        .one_in(120, Fault::BlackHole(Duration::from_millis(1500)))
}

/// Faults between servers and the channel. The longer times exceed a sender's timeout.
fn deliveries() -> Schedule {
    Schedule::new(SEED)
        .one_in(12, Fault::Cut { after: 0 })
        .one_in(30, Fault::Cut { after: 20 })
        .one_in(60, Fault::Reset)
        .one_in(60, Fault::Delay(Duration::from_millis(1500)))
        .one_in(120, Fault::BlackHole(Duration::from_millis(1500)))
}

/// One of a conversation's users.
struct User {
    name: char,
    conversation: String,
    places: Vec<Proxy>,
    channel: Proxy,
    http: Client,
    is_over: Arc<AtomicBool>,
}

/// Toppings that a user said in a conversation, with the time of the first try; all acknowledged.
struct Said {
    name: char,
    conversation: String,
    toppings: Vec<(String, Instant)>,
}

impl User {
    /// Says one topping after the other, each again until it is answered.
    async fn talk(self, seed: u64) -> Said {
        let Self { name, conversation, .. } = &self;
        let mut dice = fastrand::Rng::with_seed(seed.rotate_left(8) ^ u64::from(u32::from(*name)));
        let mut toppings = Vec::new();
        let mut pause = dice.u64(..1_500);
        while !self.is_over.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(pause)).await;
            let topping = format!("{name}{}", toppings.len());
            let (began, mut patience) = (Instant::now(), PATIENCE);
            loop {
                let place = &self.places[dice.usize(..PROCESSES)];
                let url = format!("http://{}", place.address);
                let body = message(self.channel.address, conversation, &topping);
                if sent_by(&self.http, &url, body, patience).await {
                    break;
                }
                assert!(began.elapsed() < STUCK, "{conversation}: {topping} is never answered");
                // A machine that is too busy needs time more than it needs further requests.
                sleep(patience / 50).await;
                patience = PATIENCE_MAX.min(patience * 5 / 4);
            }
            toppings.push((topping, began));
            pause = dice.u64(1_500..3_000);
        }
        Said { name: self.name, conversation: self.conversation, toppings }
    }
}

//! Three real processes on one file, killed, frozen and restarted under load: every topping once, every
//! reply, in order.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use sayso::pizza::Order;

use crate::{
    process::{STEP_MAX, Served, signal},
    recorder::{LIMITS, Recorder, sent, toppings},
};

const PROCESSES: usize = 3;
const CONVERSATIONS: usize = 20;
const KILLS: usize = 20;
const FREEZES: usize = 4;
const TOPPINGS: usize = 25;

/// Where the processes listen now.
type Urls = Arc<Mutex<Vec<String>>>;

/// A small dice of our own: the order of kills replays from a seed.
#[derive(Debug)]
struct Dice(AtomicU64);

impl Dice {
    fn below(&self, most: usize) -> usize {
        let next = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::SeqCst);
        let mixed = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        usize::try_from((mixed >> 33) % most as u64).unwrap()
    }
}

#[expect(clippy::print_stdout, reason = "the figures of the run")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_killed_and_frozen_under_load_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Every tenth answer of the channel is lost, too.
    let recorder = Recorder::start(10).await;
    let dice = Arc::new(Dice(AtomicU64::new(7)));
    let mut processes = Vec::new();
    for _ in 0..PROCESSES {
        processes.push(Served::start(folder.path(), &LIMITS).await);
    }
    let urls: Urls = Arc::new(Mutex::new(processes.iter().map(|one| one.url.clone()).collect()));
    let clients: Vec<_> = (0..CONVERSATIONS)
        .map(|n| tokio::spawn(client(n, Arc::clone(&urls), recorder.clone(), Arc::clone(&dice))))
        .collect();
    disturb(folder.path(), &mut processes, &urls, &dice).await;
    for client in clients {
        tokio::time::timeout(2 * STEP_MAX, client).await.expect("a client is stuck").unwrap();
    }
    recorder.until(CONVERSATIONS * TOPPINGS).await;
    let repeats = check(folder.path(), &recorder).await;
    println!(
        "real processes: {} turns, {KILLS} kills, {FREEZES} freezes, {repeats} repeated replies, \
         0 violations",
        CONVERSATIONS * TOPPINGS,
    );
}

/// One conversation's user: says one topping after the other, each again until it is answered.
async fn client(n: usize, urls: Urls, recorder: Recorder, dice: Arc<Dice>) {
    let conversation = format!("c{n}");
    for topping in 0..TOPPINGS {
        let began = Instant::now();
        loop {
            let url = urls.lock().unwrap()[dice.below(PROCESSES)].clone();
            let body = recorder.message(&conversation, &format!("t{topping}"));
            if sent(&url, body, Duration::from_secs(5)).await {
                break;
            }
            assert!(began.elapsed() < STEP_MAX, "{conversation}: t{topping} is never answered");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // A pace that keeps the load on for as long as processes die.
        tokio::time::sleep(Duration::from_millis(700 + 10 * dice.below(50) as u64)).await;
    }
}

/// Kills and freezes one process after the other.
async fn disturb(folder: &Path, processes: &mut [Served], urls: &Urls, dice: &Dice) {
    for round in 0..KILLS + FREEZES {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let place = dice.below(PROCESSES);
        let victim = &mut processes[place];
        if round % 6 == 5 {
            let id = victim.child.id().unwrap();
            signal(id, "STOP").await;
            // Longer than a claim lives.
            tokio::time::sleep(Duration::from_secs(3)).await;
            signal(id, "CONT").await;
            continue;
        }
        victim.child.kill().await.unwrap();
        *victim = Served::start(folder, &LIMITS).await;
        urls.lock().unwrap()[place].clone_from(&victim.url);
    }
}

/// Every topping once and in the order it was said, every reply once at least and in that order. Gives
/// the number of repeated replies.
async fn check(folder: &Path, recorder: &Recorder) -> usize {
    let said: Vec<String> = (0..TOPPINGS).map(|topping| format!("t{topping}")).collect();
    let sentences: Vec<String> =
        (1..=TOPPINGS).map(|count| Order { toppings: said[..count].to_vec() }.sentence()).collect();
    let arrived = recorder.arrived();
    for n in 0..CONVERSATIONS {
        let conversation = format!("c{n}");
        assert_eq!(toppings(folder, &conversation).await, said, "{conversation}");
        let mut ids = BTreeSet::new();
        let firsts: Vec<&String> = arrived
            .iter()
            .filter(|one| one.conversation == conversation && ids.insert(&one.id))
            .map(|one| &one.text)
            .collect();
        assert_eq!(firsts, sentences.iter().collect::<Vec<_>>(), "{conversation}");
    }
    arrived.len() - CONVERSATIONS * TOPPINGS
}

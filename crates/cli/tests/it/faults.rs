//! Crash test: `kill -9` at every named point of a turn, on real processes. Nothing is lost, and
//! nothing doubled beyond the one reply that was on its way.

use std::{
    collections::BTreeSet,
    path::Path,
    time::{Duration, Instant},
};

use sayso::pizza::Order;

use crate::{
    process::{STEP_MAX, Served},
    recorder::{Arrival, LIMITS, Recorder, document, sent, toppings},
};

const TOPPINGS: [&str; 5] = ["ham", "olives", "basil", "onion", "garlic"];

async fn start(folder: &Path, fault: Option<&str>) -> Served {
    let faults: Vec<(&str, &str)> = fault.map(|fault| ("SAYSO_FAULT", fault)).into_iter().collect();
    Served::start_with(folder, &LIMITS, &faults).await
}

/// Instance that goes on after the crash.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Heir {
    /// The same machine starts the bot again.
    Restart,
    /// Another instance has been running all the time.
    Other,
}

/// Waits until what was handed over is recorded, or the process is dead.
async fn until_at_rest(folder: &Path, doomed: &mut Served) {
    let began = Instant::now();
    while doomed.child.try_wait().unwrap().is_none() {
        if document(folder, "c").await["$sayso"].get("outbox").is_none() {
            return;
        }
        assert!(began.elapsed() < STEP_MAX, "the hand-over is never recorded");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Kills at a passing of a point, redelivers what was not answered, and checks everything.
///
/// Returns the number of repeated replies.
async fn die_at(point: &str, heir: Heir) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(0).await;
    let mut doomed = start(folder.path(), Some(point)).await;
    let other = match heir {
        Heir::Other => Some(start(folder.path(), None).await),
        Heir::Restart => None,
    };
    let mut told = 0;
    for (count, text) in TOPPINGS.iter().enumerate() {
        if !sent(&doomed.url, recorder.message("c", text), STEP_MAX).await {
            break;
        }
        told = count + 1;
        // Some points are passed only when the conversation comes to rest.
        recorder.until(told).await;
        until_at_rest(folder.path(), &mut doomed).await;
    }
    let died = tokio::time::timeout(STEP_MAX, doomed.child.wait()).await;
    assert!(!died.expect("the fault point was never passed").unwrap().success(), "{point}");
    let heir = match other {
        Some(other) => other,
        None => start(folder.path(), None).await,
    };
    // The channel sends again what was not answered, and what it thinks was not.
    for text in &TOPPINGS[told.saturating_sub(1)..] {
        assert!(sent(&heir.url, recorder.message("c", text), STEP_MAX).await, "{point}: {text}");
    }
    recorder.until(TOPPINGS.len()).await;
    // Long enough for a claim to lapse and for anything superfluous to be sent.
    tokio::time::sleep(Duration::from_millis(3000)).await;
    assert_eq!(toppings(folder.path(), "c").await, TOPPINGS, "{point}: each once, in order");
    check_replies(point, &recorder.arrived())
}

fn check_replies(point: &str, arrived: &[Arrival]) -> usize {
    let mut ids = BTreeSet::new();
    let firsts: Vec<&str> = arrived
        .iter()
        .filter(|one| ids.insert(one.id.clone()))
        .map(|one| one.text.as_str())
        .collect();
    let expected: Vec<String> = (1..=TOPPINGS.len())
        .map(|count| {
            Order { toppings: TOPPINGS[..count].iter().map(|&t| t.into()).collect() }.sentence()
        })
        .collect();
    assert_eq!(firsts, expected, "{point}: every reply, in commit order");
    arrived.len() - firsts.len()
}

/// Dies at the n-th passing of a point for each heir, and says how many replies were repeated.
///
/// The first passing is the first turn of a new conversation, the second the record of its reply,
/// the third the second turn. Only a death between a hand-over and its record may repeat that one
/// reply.
async fn check(point: &str, repeats: [usize; 3]) {
    for (nth, expected) in (1..).zip(repeats) {
        for heir in [Heir::Restart, Heir::Other] {
            let at = format!("{point}:{nth}");
            assert_eq!(die_at(&at, heir).await, expected, "{at}, {heir:?}: repeated replies");
        }
    }
}

#[tokio::test]
async fn killed_after_load_nothing_is_lost_or_doubled() {
    check("after_load", [0, 1, 0]).await;
}

#[tokio::test]
async fn killed_before_commit_nothing_is_lost_or_doubled() {
    check("before_commit", [0, 1, 0]).await;
}

#[tokio::test]
async fn killed_after_commit_nothing_is_lost_or_doubled() {
    check("after_commit", [0, 0, 0]).await;
}

/// The instant between hand-over and record: that one reply comes again, under the same id.
#[tokio::test]
async fn killed_after_hand_over_one_reply_is_repeated_under_its_id() {
    check("after_hand_over", [1, 1, 1]).await;
}

#[tokio::test]
async fn killed_after_record_nothing_is_lost_or_doubled() {
    check("after_record", [0, 0, 0]).await;
}

/// The same activity three times at once and three times later, to either process.
#[tokio::test]
async fn an_activity_posted_again_and_again_to_two_processes_is_one_turn() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start(0).await;
    let processes = [start(folder.path(), None).await, start(folder.path(), None).await];
    let one = |n: usize| sent(&processes[n % 2].url, recorder.message("c", "ham"), STEP_MAX);
    assert_eq!(tokio::join!(one(0), one(1), one(0)), (true, true, true));
    recorder.until(1).await;
    for n in 0..3 {
        assert!(one(n).await);
        let answer = processes[n % 2].ask("asked", "olives").await;
        assert_eq!(answer, ["A pizza with ham and olives."], "the same answer every time");
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(recorder.arrived().len(), 1);
    assert_eq!(toppings(folder.path(), "c").await, ["ham", "olives"]);
}

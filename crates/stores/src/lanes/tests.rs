//! Group commit, on an engine that is driven by hand.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use tokio::sync::{Semaphore, mpsc};

use super::*;

const LONG: Duration = Duration::from_secs(20);

#[derive(Debug)]
struct Parcel(Key, usize);

impl Freight for Parcel {
    fn key(&self) -> &Key {
        &self.0
    }

    fn bytes(&self) -> usize {
        self.1
    }
}

fn parcel(name: &str) -> Parcel {
    Parcel(Key::new(name).unwrap(), 1)
}

/// A group commit that reports every batch, and answers it when there is a permit.
struct Yard {
    lanes: Lanes<Parcel, String>,
    departures: mpsc::UnboundedReceiver<Vec<String>>,
    arrivals: Arc<Semaphore>,
}

fn yard(lanes_max: usize) -> Yard {
    let (depart, departures) = mpsc::unbounded_channel();
    let arrivals = Arc::new(Semaphore::new(0));
    let gate = Arc::clone(&arrivals);
    let lanes = Lanes::new(lanes_max, move |parcels: Vec<Parcel>| {
        let (depart, gate) = (depart.clone(), Arc::clone(&gate));
        async move {
            let names: Vec<_> = parcels.iter().map(|parcel| parcel.0.to_string()).collect();
            depart.send(names.clone()).unwrap();
            gate.acquire().await.unwrap().forget();
            assert!(!names.contains(&"panics".to_owned()), "as told");
            names
        }
        .boxed()
    });
    Yard { lanes, departures, arrivals }
}

#[tokio::test]
async fn what_waits_while_a_lane_is_on_its_way_travels_together() {
    let mut yard = yard(1);
    let names: Vec<_> = (0..=BATCH_MAX + 9).map(|number| number.to_string()).collect();
    yard.arrivals.add_permits(3);
    let sent = names.iter().map(|name| yard.lanes.send(parcel(name), LONG));
    let answers = join_all(sent).await;
    // The lane starts when the callers have all come, so the first batch is full.
    assert_eq!(yard.departures.recv().await.unwrap(), names[..BATCH_MAX]);
    assert_eq!(yard.departures.recv().await.unwrap(), names[BATCH_MAX..]);
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers, names, "each caller has its own answer");
    for _ in 0..LOOKS_MAX {
        tokio::task::yield_now().await;
    }
    assert_eq!(yard.lanes.shared.state().lanes, 0);
}

/// Without that, a batch would leave with the one that waits, and the others would need one more.
#[tokio::test]
async fn who_was_just_answered_and_calls_again_travels_with_who_waits() {
    let mut yard = yard(1);
    let lanes = Arc::new(yard.lanes);
    let send = |names: &'static [&'static str]| {
        let lanes = Arc::clone(&lanes);
        tokio::spawn(async move {
            for name in names {
                assert!(lanes.send(parcel(name), LONG).await.is_ok());
            }
        })
    };
    let mut sent = vec![send(&["a", "d"]), send(&["b", "e"])];
    assert_eq!(yard.departures.recv().await.unwrap(), ["a", "b"]);
    sent.push(send(&["c"]));
    while lanes.shared.state().queue.is_empty() {
        tokio::task::yield_now().await;
    }
    yard.arrivals.add_permits(1);
    assert_eq!(yard.departures.recv().await.unwrap(), ["c", "d", "e"]);
    yard.arrivals.add_permits(1);
    for sent in sent {
        sent.await.unwrap();
    }
}

#[tokio::test]
async fn calls_about_one_document_never_travel_together_and_keep_their_order() {
    let mut yard = yard(1);
    yard.arrivals.add_permits(3);
    let sent = ["a", "b", "a", "c", "a"].map(|name| yard.lanes.send(parcel(name), LONG));
    assert!(join_all(sent).await.iter().all(Result::is_ok));
    let mut departed = Vec::new();
    while let Ok(names) = yard.departures.try_recv() {
        departed.push(names.concat());
    }
    assert_eq!(departed, ["abc", "a", "a"]);
}

#[tokio::test]
async fn a_batch_is_no_larger_than_it_must_be() {
    let mut yard = yard(1);
    yard.arrivals.add_permits(9);
    let sent = [("a", 3 << 20), ("b", 9 << 20), ("c", 1 << 20), ("d", 3 << 20), ("e", 1)]
        .map(|(name, bytes)| yard.lanes.send(Parcel(Key::new(name).unwrap(), bytes), LONG));
    assert!(join_all(sent).await.iter().all(Result::is_ok));
    let mut departed = Vec::new();
    while let Ok(names) = yard.departures.try_recv() {
        departed.push(names.concat());
    }
    assert_eq!(departed, ["a", "b", "cd", "e"]);
}

#[tokio::test]
async fn there_are_no_more_lanes_than_allowed() {
    let mut yard = yard(2);
    let lanes = Arc::new(yard.lanes);
    let send = |name: &str| {
        let (lanes, parcel) = (Arc::clone(&lanes), parcel(name));
        tokio::spawn(async move { lanes.send(parcel, LONG).await })
    };
    let mut sent = vec![send("a")];
    assert_eq!(yard.departures.recv().await.unwrap(), ["a"]);
    sent.push(send("b"));
    assert_eq!(yard.departures.recv().await.unwrap(), ["b"]);
    sent.extend(["c", "d"].map(send));
    while lanes.shared.state().queue.len() < 2 {
        tokio::task::yield_now().await;
    }
    assert!(yard.departures.try_recv().is_err(), "both lanes are on their way");
    yard.arrivals.add_permits(1);
    assert_eq!(yard.departures.recv().await.unwrap(), ["c", "d"]);
    yard.arrivals.add_permits(2);
    for sent in sent {
        assert!(sent.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn a_third_lane_leaves_only_when_it_is_full() {
    let mut yard = yard(3);
    let lanes = Arc::new(yard.lanes);
    let send = |name: String| {
        let lanes = Arc::clone(&lanes);
        tokio::spawn(async move { lanes.send(parcel(&name), LONG).await })
    };
    let mut sent = vec![send("a".into())];
    assert_eq!(yard.departures.recv().await.unwrap(), ["a"]);
    sent.push(send("b".into()));
    assert_eq!(yard.departures.recv().await.unwrap(), ["b"]);
    let names: Vec<_> = (0..BATCH_MAX).map(|number| number.to_string()).collect();
    let (last, names) = names.split_last().unwrap();
    sent.extend(names.iter().cloned().map(send));
    while lanes.shared.state().queue.len() < names.len() {
        tokio::task::yield_now().await;
    }
    assert_eq!(lanes.shared.state().lanes, 2);
    assert!(yard.departures.try_recv().is_err(), "two are on their way");
    sent.push(send(last.clone()));
    let third = yard.departures.recv().await.unwrap();
    assert_eq!((third.len(), &third[..names.len()]), (BATCH_MAX, names));
    // With two at work again, one that is not full stays.
    sent.push(send("c".into()));
    yard.arrivals.add_permits(1);
    assert!(sent.remove(0).await.unwrap().is_ok());
    while lanes.shared.state().lanes > 2 {
        tokio::task::yield_now().await;
    }
    assert!(yard.departures.try_recv().is_err(), "and no third one");
    yard.arrivals.add_permits(3);
    assert_eq!(yard.departures.recv().await.unwrap(), ["c"]);
    for sent in sent {
        assert!(sent.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn a_caller_that_comes_too_late_knows_whether_it_was_under_way() {
    let mut yard = yard(1);
    let mut first = Box::pin(yard.lanes.send(parcel("first"), Duration::from_millis(1)));
    assert!(first.as_mut().now_or_never().is_none());
    assert_eq!(yard.departures.recv().await.unwrap(), ["first"]);
    assert_eq!(yard.lanes.send(parcel("second"), Duration::ZERO).await, Err(Late::Waiting));
    assert_eq!(first.await, Err(Late::UnderWay));
    yard.arrivals.add_permits(2);
    assert_eq!(yard.lanes.send(parcel("third"), LONG).await.unwrap(), "third");
    assert_eq!(yard.departures.recv().await.unwrap(), ["third"], "the second never travelled");
}

#[tokio::test]
async fn a_dropped_call_leaves_the_queue_or_travels_alone() {
    let mut yard = yard(1);
    assert!(yard.lanes.send(parcel("waits"), LONG).now_or_never().is_none());
    let mut under_way = Box::pin(yard.lanes.send(parcel("travels"), LONG));
    assert!(under_way.as_mut().now_or_never().is_none());
    assert_eq!(yard.departures.recv().await.unwrap(), ["travels"]);
    drop(under_way);
    yard.arrivals.add_permits(2);
    assert_eq!(yard.lanes.send(parcel("next"), LONG).await.unwrap(), "next");
}

#[tokio::test]
async fn a_lane_that_breaks_down_answers_unknown_and_goes_on() {
    let mut yard = yard(1);
    yard.arrivals.add_permits(2);
    let broken = yard.lanes.send(parcel("panics"), LONG).await;
    assert_eq!(broken, Err(Late::UnderWay));
    assert_eq!(yard.lanes.send(parcel("next"), LONG).await.unwrap(), "next");
    assert_eq!(yard.departures.recv().await.unwrap(), ["panics"]);
}

/// The last caller of a burst must never be left behind by a worker that is just ending.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_is_left_behind() {
    let travels = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&travels);
    let lanes = Arc::new(Lanes::new(2, move |parcels: Vec<Parcel>| {
        let _before = counted.fetch_add(1, Ordering::Relaxed);
        async move { parcels.into_iter().map(|parcel| parcel.0.to_string()).collect() }.boxed()
    }));
    let callers = (0..8).map(|caller| {
        let lanes = Arc::clone(&lanes);
        tokio::spawn(async move {
            for number in 0..2_000 {
                let name = format!("{caller}/{number}");
                assert_eq!(lanes.send(parcel(&name), LONG).await.unwrap(), name);
            }
        })
    });
    for caller in join_all(callers).await {
        caller.unwrap();
    }
    let travels = travels.load(Ordering::Relaxed);
    assert!((1..=16_000).contains(&travels), "{travels}");
    assert_eq!(lanes.shared.state().queue.len(), 0);
}

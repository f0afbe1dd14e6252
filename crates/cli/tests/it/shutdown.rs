//! Graceful shutdown: everything accepted is finished and delivered, unless a second signal comes.

use std::time::{Duration, Instant};

use tokio::time::timeout;

use crate::{
    process::{STEP_MAX, Served, post},
    sink::Sink,
};

#[tokio::test]
async fn sigterm_drains_and_exits_with_zero() {
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = Sink::start(Duration::from_millis(300)).await;
        let served = Served::start(folder.path(), &[]).await;
        for (id, topping) in [("1", "ham"), ("2", "corn"), ("3", "kale")] {
            assert!(post(&served.url, &sink.message(id, topping)).await.status().is_success());
        }
        served.signal(signal).await;
        assert_eq!(served.end().await, Some(0), "{signal}");
        // Nobody else was there to say it: all of it was said before the end, once, in order.
        for expected in ["ham", "ham and corn", "ham and corn and kale"] {
            let text = sink.texts.try_recv().unwrap();
            assert_eq!(text, format!("A pizza with {expected}."), "{signal}");
        }
        assert!(sink.texts.try_recv().is_err(), "{signal}");
    }
}

#[tokio::test]
async fn a_second_signal_stops_at_once_and_the_next_start_says_what_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut stuck = Sink::start(STEP_MAX).await;
    let limits = ["--claim-ms", "400", "--send-timeout-ms", "200", "--sweep-ms", "100"];
    let served = Served::start(folder.path(), &[]).await;
    assert!(post(&served.url, &stuck.message("1", "ham")).await.status().is_success());
    assert!(timeout(STEP_MAX, stuck.texts.recv()).await.unwrap().is_some());

    let began = Instant::now();
    served.signal("TERM").await;
    // The first one must be seen first; from then on nobody is let in.
    while reqwest::get(format!("{}/healthz", served.url)).await.is_ok() {
        assert!(began.elapsed() < STEP_MAX);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(1));
    assert!(began.elapsed() < Duration::from_secs(7), "it waited: {:?}", began.elapsed());

    let served = Served::start(folder.path(), &limits).await;
    let again = timeout(STEP_MAX, stuck.texts.recv()).await.unwrap();
    assert_eq!(again.as_deref(), Some("A pizza with ham."));
    drop(served);
}

#[tokio::test]
async fn a_server_may_end_with_the_one_who_started_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &["--until-stdin-ends"]).await;
    assert_eq!(served.ask("1", "ham").await, ["A pizza with ham."]);
    drop(served.child.stdin.take());
    assert_eq!(served.end().await, Some(0));
}

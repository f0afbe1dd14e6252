//! Rate limit per host: `Retry-After` is honoured by all conversations of the host.

use std::{sync::Arc, time::Duration};

use sayso_channel::{
    Connector, ConnectorOptions,
    client::{Client, Error},
};
use sayso_turn::{
    Key,
    channel::{Channel, Delivery},
    clock::Clock,
};
use serde_json::json;

use super::{activity, delivered, parcel};
use crate::{
    auth::world::HandClock,
    support::{
        PATIENCE, message,
        sink::{Act, Sink},
        with,
    },
};

fn connector(clock: &Arc<HandClock>) -> Connector {
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    Connector::new(ConnectorOptions { timeout: PATIENCE, clock, ..Default::default() }).unwrap()
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Delay of a reply of a conversation at a channel; zero if it was accepted or refused.
async fn wait(connector: &Connector, conversation: &str, sink: &Sink) -> Duration {
    let reply =
        with(message("1", "hi", &sink.url()), json!({"conversation": {"id": conversation}}));
    match connector.deliver(&parcel(&reply)).await {
        Delivery::Later { after, .. } => after.unwrap_or_default(),
        _ => Duration::ZERO,
    }
}

#[tokio::test]
async fn one_that_is_told_to_wait_speaks_for_all_of_its_host() {
    let clock = Arc::new(HandClock::default());
    let connector = connector(&clock);
    let mut other = Sink::accepting().await;
    for (status, headers, told) in [
        ("429 X", "retry-after: 30", 30),
        ("503 X", "retry-after: 7", 7),
        ("503 X", "retry-after: 99999", 3600),
        ("429 X", "retry-after: Fri, 15 Jan 2027 08:00:09 GMT", 9),
    ] {
        let clock = Arc::new(HandClock::default());
        let connector = self::connector(&clock);
        let mut sink = Sink::start(Act::answer(status, &[headers], "")).await;
        assert_eq!(wait(&connector, "a", &sink).await, seconds(told), "{headers}");
        sink.next().await;
        clock.advance(seconds(1));
        assert_eq!(wait(&connector, "b", &sink).await, seconds(told - 1), "{headers}");
        let sign = activity(&with(message("1", "", &sink.url()), json!({"type": "typing"})));
        assert_eq!(connector.show(&Key::new("k").unwrap(), &sign).await, None);
        let error = Client::from(&connector).at(&sink.url()).unwrap().members("b").await;
        assert!(matches!(error, Err(Error::Throttled { after: Some(_), .. })), "{error:?}");
        assert!(sink.came().is_none(), "nothing is sent");
        clock.advance(seconds(told - 1));
        wait(&connector, "b", &sink).await;
        sink.next().await;
    }
    assert_eq!(wait(&connector, "a", &other).await, Duration::ZERO);
    other.next().await;
}

#[tokio::test]
async fn what_is_no_request_for_quiet_makes_only_its_own_conversation_wait() {
    for (status, headers) in [
        ("429 X", vec![]),
        ("503 X", vec!["retry-after: soon"]),
        ("429 X", vec!["retry-after: 0"]),
        ("412 X", vec!["retry-after: 30"]),
        ("500 X", vec!["retry-after: 30"]),
        ("404 X", vec!["retry-after: 30"]),
    ] {
        let connector = connector(&Arc::default());
        let mut sink = Sink::start(Act::answer(status, &headers, "")).await;
        for conversation in ["a", "b"] {
            assert_eq!(wait(&connector, conversation, &sink).await, Duration::ZERO, "{status}");
            sink.next().await;
        }
    }
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures are for people to read")]
async fn ten_thousand_conversations_do_not_shout_at_a_channel_that_asked_for_quiet() {
    let clock = Arc::new(HandClock::default());
    let connector = connector(&clock);
    let mut busy = Sink::start(Act::answer("429 X", &["retry-after: 60"], "")).await;
    let mut free = Sink::accepting().await;
    let mut waits = Vec::new();
    for number in 0..10_000 {
        waits.push(wait(&connector, &format!("c{number}"), &busy).await);
    }
    busy.next().await;
    assert!(busy.came().is_none(), "one was told, and told all");
    assert_eq!(
        connector.deliver(&parcel(&message("1", "hi", &free.url()))).await,
        delivered(Some("given"))
    );
    free.next().await;
    // They are not released all at once, either.
    waits.sort_unstable();
    let most = waits.windows(51).map(|few| few[50] - few[0]).min().unwrap();
    let (first, last) = (waits[0], waits[9_999]);
    println!("10000 conversations, 1 request; they come back after {first:?} to {last:?}");
    assert!(first == seconds(60) && last < seconds(300), "{first:?} {last:?}");
    assert!(most >= Duration::from_millis(980), "more than 50 within {most:?}");
}

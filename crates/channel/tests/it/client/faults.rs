//! Result of each call for each answer of a channel, and for none.

use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use sayso_channel::{
    Connector, ConnectorOptions,
    client::{Client, Error, Service, file},
};
use sayso_turn::{
    Key,
    activity::{Activities, Activity, ConversationParameters},
    channel::{Channel, Delivery, Parcel},
};
use serde_json::json;

use super::channel;
use crate::support::{
    PATIENCE, message,
    sink::{Act, Sink},
};

/// The part of a success that a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// A body, which a repeated read can bring.
    Read,
    /// A body, which only this call can bring.
    Given,
    File,
}

pub(super) type Made<'a> = (Needs, BoxFuture<'a, Result<(), Error>>);

/// All calls of the client.
pub(super) fn calls(channel: &Service) -> Vec<Made<'_>> {
    let say = || Activity::message("canary");
    vec![
        (Needs::Nothing, Box::pin(async move { channel.send("c4n", &say()).await.map(drop) })),
        (
            Needs::Nothing,
            Box::pin(async move { channel.reply("c4n", "1", &say()).await.map(drop) }),
        ),
        (
            Needs::Nothing,
            Box::pin(async move { channel.update("c4n", "1", &say()).await.map(drop) }),
        ),
        (Needs::Nothing, Box::pin(channel.delete("c4n", "1"))),
        (Needs::Nothing, Box::pin(channel.delete_member("c4n", "1"))),
        (
            Needs::Nothing,
            Box::pin(
                async move { channel.send_history("c4n", &Activities::default()).await.map(drop) },
            ),
        ),
        (
            Needs::Given,
            Box::pin(async move {
                channel.create_conversation(&ConversationParameters::default()).await.map(drop)
            }),
        ),
        (
            Needs::Given,
            Box::pin(async move {
                channel.upload("c4n", &file("text/plain", "canary", b"canary")).await.map(drop)
            }),
        ),
        (Needs::Read, Box::pin(async move { channel.paged_conversations(None).await.map(drop) })),
        (Needs::Read, Box::pin(async move { channel.members("c4n").await.map(drop) })),
        (Needs::Read, Box::pin(async move { channel.member("c4n", "1").await.map(drop) })),
        (
            Needs::Read,
            Box::pin(async move { channel.paged_members("c4n", None, None).await.map(drop) }),
        ),
        (
            Needs::Read,
            Box::pin(async move { channel.activity_members("c4n", "1").await.map(drop) }),
        ),
        (Needs::Read, Box::pin(async move { channel.attachment("c4n").await.map(drop) })),
        (
            Needs::File,
            Box::pin(async move {
                channel.attachment_content("c4n", "original", 1 << 20).await.map(drop)
            }),
        ),
    ]
}

/// Makes every call against a channel that acts in this way: one request each.
async fn outcomes(service: &Service, sink: &mut Sink) -> Vec<(Needs, Result<(), Error>)> {
    let (needs, calls): (Vec<_>, Vec<_>) = calls(service).into_iter().unzip();
    let outcomes = join_all(calls).await;
    let mut requests = 0;
    while sink.came().is_some() {
        requests += 1;
    }
    assert_eq!(requests, needs.len(), "one call is one request");
    for error in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        let text = format!("{error} {error:?}");
        let is_quiet =
            ["canary", "c4n", "http://", "127.0.0.1"].iter().all(|it| !text.contains(it));
        assert!(is_quiet, "{text}");
        assert!(text.contains(" failed: "), "{text}");
    }
    needs.into_iter().zip(outcomes).collect()
}

/// Checks the result of all calls to a channel that acts in this way; returns their number.
pub(super) async fn check(act: Act, is_right: impl Fn(Needs, &Result<(), Error>) -> bool) -> usize {
    let hangs = matches!(act, Act::WriteAndHang(_));
    let mut sink = Sink::start(act.clone()).await;
    let time = if hangs { Duration::from_millis(1500) } else { PATIENCE };
    let outcomes = outcomes(&channel(&sink.url(), time), &mut sink).await;
    for (needs, outcome) in &outcomes {
        assert!(is_right(*needs, outcome), "{act:?}: {needs:?}: {outcome:?}");
    }
    outcomes.len()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    NotSent,
    Throttled,
    Refused,
    Gone,
    Unknown,
}

fn remedy(error: &Error) -> Remedy {
    match error {
        Error::NotSent { .. } => Remedy::NotSent,
        Error::Throttled { .. } => Remedy::Throttled,
        Error::Refused { .. } => Remedy::Refused,
        Error::Gone { .. } => Remedy::Gone,
        Error::Unknown { .. } => Remedy::Unknown,
        _ => panic!("{error:?} has a test"),
    }
}

pub(super) fn is(outcome: &Result<(), Error>, wanted: Remedy) -> bool {
    outcome.as_ref().is_err_and(|error| remedy(error) == wanted)
}

const STATUSES: &[(Remedy, &[u16])] = &[
    (Remedy::Refused, &[300, 301, 302, 303, 304, 305, 307, 308, 399]),
    (Remedy::Refused, &[400, 401, 402, 403, 405, 406, 407, 409, 411, 413, 414, 415, 416, 417]),
    (Remedy::Refused, &[418, 421, 422, 423, 424, 425, 426, 428, 431, 451, 499, 501]),
    (Remedy::Gone, &[404, 410]),
    (Remedy::Throttled, &[412, 429, 503]),
    (Remedy::Unknown, &[408, 500, 502, 504, 505, 506, 507, 508, 510, 511, 520, 599, 600, 999]),
];

pub(super) const BODIES: &[(&str, &str)] = &[
    ("application/json", r#"{"error":{"code":"BadArgument","message":"canary"}}"#),
    ("text/html", "<html><h1>canary</h1></html>"),
    ("application/octet-stream", "\u{0}\u{1}{{{"),
    ("application/xml", ""),
];

#[tokio::test]
async fn every_status_has_its_remedy_whatever_the_body_and_the_same_as_for_replies() {
    let client = Client::new(ConnectorOptions { timeout: PATIENCE, ..Default::default() }).unwrap();
    let connector = Connector::new(ConnectorOptions::default()).unwrap();
    let mut count = 0;
    for (wanted, statuses) in STATUSES {
        for status in *statuses {
            for (kind, body) in BODIES {
                let act =
                    Act::answer(&format!("{status} X"), &[&format!("content-type: {kind}")], body);
                let mut sink = Sink::start(act).await;
                let service = client.at(&sink.url()).unwrap();
                let outcomes = outcomes(&service, &mut sink).await;
                let reply = connector.deliver(&parcel(&sink.url())).await;
                for (_, outcome) in outcomes {
                    count += 1;
                    let error = outcome.unwrap_err();
                    assert_eq!(remedy(&error), *wanted, "{status} {kind}: {error}");
                    assert!(error.to_string().contains(&status.to_string()), "{error}");
                    let has_code = body.starts_with('{')
                        && matches!(wanted, Remedy::Refused | Remedy::Gone)
                        && !matches!(status, 300..=399 | 401);
                    assert_eq!(error.code(), has_code.then_some("BadArgument"), "{status} {kind}");
                    check_same_as_reply(error, &reply);
                }
            }
        }
    }
    assert!(count > 3000, "{count}");
}

fn check_same_as_reply(error: Error, reply: &Delivery) {
    let ours = Delivery::from(error);
    let is_same = match (&ours, reply) {
        (Delivery::Later { after, .. }, Delivery::Later { after: other, .. }) => after == other,
        (ours, reply) => std::mem::discriminant(ours) == std::mem::discriminant(reply),
    };
    assert!(is_same, "{ours:?} but {reply:?}");
}

fn parcel(url: &str) -> Parcel {
    Parcel {
        id: serde_json::from_value(json!("turn.0")).unwrap(),
        key: Key::new("k").unwrap(),
        activity: Activity::from_json(message("1", "hi", url).to_string().as_bytes())
            .unwrap()
            .into(),
        is_repeat: false,
    }
}

#[tokio::test]
async fn a_channel_that_asks_for_patience_says_for_how_long() {
    for (status, header, seconds) in [
        ("429 X", "retry-after: 3", Some(3)),
        ("503 X", "Retry-After: 0", Some(0)),
        ("429 X", "retry-after: 99999", Some(3600)),
        ("503 X", "retry-after: Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
        ("503 X", "retry-after: soon", None),
        ("429 X", "x: y", None),
    ] {
        let wanted = seconds.map(Duration::from_secs);
        let act = Act::answer(status, &[header], "");
        check(act, |_, outcome| match outcome {
            Err(Error::Throttled { after, .. }) => *after == wanted,
            _ => false,
        })
        .await;
    }
}

#[tokio::test]
async fn no_answer_leaves_open_what_was_done() {
    for (act, contains) in [
        (Act::Reset, "the connection to the channel was lost"),
        (Act::Write(vec![]), "the connection to the channel was lost"),
        (Act::Write(b"SSH-2.0-x\r\n\r\n".to_vec()), "the connection to the channel was lost"),
        (Act::WriteAndHang(vec![]), "the channel did not answer in time"),
        (Act::WriteAndHang(b"HTTP/1.1 200".to_vec()), "the channel did not answer in time"),
    ] {
        let is_right = |_: Needs, outcome: &Result<(), Error>| match outcome {
            Err(Error::Unknown { reason }) => reason.contains(contains),
            _ => false,
        };
        assert_eq!(check(act, is_right).await, 15);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut target = Sink::accepting().await;
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let location = format!("location: {}", target.url());
        check(Act::answer(status, &[&location], ""), |_, outcome| match outcome {
            Err(Error::Refused { reason, .. }) => reason.ends_with("redirects are not followed"),
            _ => false,
        })
        .await;
    }
    assert!(target.came().is_none());
}

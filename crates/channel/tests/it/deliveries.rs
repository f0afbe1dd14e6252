//! Outcome of a delivery for each answer of a channel, and for none.

use std::time::Duration;

use sayso_channel::{Connector, ConnectorError, ConnectorOptions, ServiceUrls};
use sayso_turn::{
    Key,
    activity::Activity,
    channel::{Channel, Delivery, Parcel},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::{
    PATIENCE, message,
    sink::{Act, Sink},
    with,
};

fn connector(service_urls: ServiceUrls, timeout: Duration) -> Connector {
    Connector::new(ConnectorOptions { service_urls, timeout, ..Default::default() }).unwrap()
}

pub(crate) fn parcel(activity: &Value) -> Parcel {
    Parcel {
        id: serde_json::from_value(json!("turn.0")).unwrap(),
        key: Key::new("k").unwrap(),
        activity: Activity::from_json(activity.to_string().as_bytes()).unwrap().into(),
        is_repeat: false,
    }
}

/// Delivers a reply to a connector that acts in this way. It gets exactly one request.
async fn deliver(act: Act) -> Delivery {
    let hangs = matches!(act, Act::WriteAndHang(_));
    let timeout = if hangs { Duration::from_secs(1) } else { PATIENCE };
    let mut sink = Sink::start(act).await;
    let parcel = parcel(&message("1", "hi", &sink.url()));
    let delivery = connector(ServiceUrls::Loopback, timeout).deliver(&parcel).await;
    sink.next().await;
    assert!(sink.came().is_none(), "one try is one request");
    delivery
}

fn delivered(id: Option<&str>) -> Delivery {
    Delivery::Delivered { id: id.map(str::to_owned) }
}

#[tokio::test]
async fn a_success_is_a_delivery_whatever_its_body() {
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(1 << 20));
    for (status, body, id) in [
        ("200 OK", r#"{"id":"7"}"#, Some("7")),
        ("201 Created", r#"{"id":"7","more":[1]}"#, Some("7")),
        ("202 Accepted", "", None),
        ("204 No Content", "", None),
        ("200 OK", "{}", None),
        ("200 OK", r#"{"id":7}"#, None),
        ("200 OK", r#"{"id":""}"#, None),
        ("200 OK", "<html>thanks</html>", None),
        ("200 OK", "\u{feff}{", None),
        ("200 OK", &long, None),
    ] {
        assert_eq!(deliver(Act::answer(status, &[], body)).await, delivered(id), "{status} {body}");
    }
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"id\"".to_vec();
    assert_eq!(deliver(Act::Write(cut.clone())).await, delivered(None));
    assert_eq!(deliver(Act::WriteAndHang(cut)).await, delivered(None));
}

#[tokio::test]
async fn a_channel_that_asks_for_patience_is_asked_later() {
    let seconds = |count| Some(Duration::from_secs(count));
    for (status, headers, expected) in [
        ("429 Too Many Requests", vec![], None),
        ("429 Too Many Requests", vec!["retry-after: 3"], seconds(3)),
        ("503 Service Unavailable", vec!["Retry-After: 0"], seconds(0)),
        ("503 Service Unavailable", vec!["retry-after: 99999"], seconds(3600)),
        ("503 Service Unavailable", vec!["retry-after: later"], None),
        ("503 Service Unavailable", vec!["retry-after: Sun, 06 Nov 1994 08:49:37 GMT"], seconds(0)),
        ("429 Slow", vec!["retry-after: Fri, 31 Dec 9999 23:59:59 GMT"], seconds(3600)),
    ] {
        let delivery = deliver(Act::answer(status, &headers, "<html>")).await;
        let Delivery::Later { after, reason } = &delivery else { panic!("{status}: {delivery:?}") };
        assert_eq!(*after, expected, "{status} {headers:?}");
        assert!(reason.contains(&status[..3]), "{reason}");
    }
}

#[tokio::test]
async fn an_answer_that_may_come_after_the_reply_was_taken_is_unknown() {
    for status in [
        "408 Request Timeout",
        "500 Oops",
        "502 Bad Gateway",
        "504 Gateway Timeout",
        "507 Full",
        "999 Odd",
    ] {
        for body in ["", r#"{"error":{"code":"ServiceError"}}"#] {
            let delivery = deliver(Act::answer(status, &[], body)).await;
            let Delivery::Unknown { reason } = &delivery else { panic!("{status}: {delivery:?}") };
            assert!(reason.contains(&status[..3]), "{reason}");
        }
    }
}

#[tokio::test]
async fn no_answer_is_unknown() {
    for (act, contains) in [
        (Act::Reset, "the connection to the channel was lost"),
        (Act::Write(vec![]), "the connection to the channel was lost"),
        (Act::Write(b"SSH-2.0-x\r\n".to_vec()), "the connection to the channel was lost"),
        (Act::WriteAndHang(vec![]), "the channel did not answer in time"),
        (Act::WriteAndHang(b"HTTP/1.1 200".to_vec()), "the channel did not answer in time"),
    ] {
        let delivery = deliver(act.clone()).await;
        let Delivery::Unknown { reason } = &delivery else { panic!("{act:?}: {delivery:?}") };
        assert!(reason.contains(contains), "{act:?}: {reason}");
        assert!(!reason.contains("http://"), "{reason}");
    }
}

#[tokio::test]
async fn a_refusal_is_final_and_has_the_channels_code() {
    let coded = r#"{"error":{"code":"BadArgument","message":"words of a user"}}"#;
    let wordy = r#"{"error":{"code":"words of a user"}}"#;
    for (status, body, expected) in [
        ("400 Bad Request", coded, "400 Bad Request (BadArgument)"),
        ("400 Bad Request", wordy, "400 Bad Request"),
        ("403 Forbidden", "<html>", "403 Forbidden"),
        ("404 Not Found", "", "404 Not Found"),
        (
            "405 No",
            coded,
            "405 Method Not Allowed (BadArgument), which means that it does not support this call",
        ),
        ("413 Big", "", "413 Payload Too Large"),
        (
            "501 No",
            coded,
            "501 Not Implemented (BadArgument), which means that it does not support this call",
        ),
        ("401 Unauthorized", coded, "401 Unauthorized, and no credentials are set"),
    ] {
        let delivery = deliver(Act::answer(status, &[], body)).await;
        let reason = format!("sending the reply failed: the channel answered {expected}");
        assert_eq!(delivery, Delivery::Refused { reason });
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut target = Sink::accepting().await;
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let location = format!("location: {}", target.url());
        let delivery = deliver(Act::answer(status, &[&location], "")).await;
        let Delivery::Refused { reason } = &delivery else { panic!("{status}: {delivery:?}") };
        assert!(reason.ends_with("redirects are not followed"), "{reason}");
    }
    assert!(target.came().is_none());
}

#[tokio::test]
async fn a_channel_that_cannot_be_connected_has_certainly_not_got_it() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    // It does not speak TLS, so the reply is never sent.
    let plain = Sink::start(Act::Write(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())).await;
    let urls = [
        format!("http://{address}/"),
        format!("http://localhost:{}/", address.port()),
        format!("https://{}/", plain.address),
        "https://nothing.invalid/".to_owned(),
    ];
    for url in &urls {
        let service_urls = ServiceUrls::Only(vec![url.clone()]);
        let connect_timeout = Duration::from_secs(1);
        let timeout = PATIENCE;
        let options =
            ConnectorOptions { service_urls, timeout, connect_timeout, ..Default::default() };
        let connector = Connector::new(options).unwrap();
        let delivery = connector.deliver(&parcel(&message("1", "hi", url))).await;
        let Delivery::Later { after: None, reason } = &delivery else { panic!("{delivery:?}") };
        assert!(reason.contains(" failed: could not connect to the channel: "), "{reason}");
        assert!(!reason.contains("http"), "{reason}");
    }
}

#[tokio::test]
async fn a_reply_goes_nowhere_but_where_it_may() {
    let mut sink = Sink::accepting().await;
    let good = message("1", "hi", &sink.url());
    let elsewhere = ServiceUrls::Only(vec!["https://channel.example".to_owned()]);
    let delivery = connector(elsewhere, PATIENCE).deliver(&parcel(&good)).await;
    let reason =
        "the service URL is not allowed; expected a URL that starts with https://channel.example";
    assert_eq!(delivery, Delivery::Refused { reason: reason.to_owned() });

    for (changes, contains) in [
        (json!({"serviceUrl": "https://evil.example"}), "the service URL is not allowed"),
        (json!({"serviceUrl": null}), "the reply has no serviceUrl"),
        (json!({"conversation": null}), "cannot be part of a URL"),
        (json!({"conversation": {"id": ".."}}), "cannot be part of a URL"),
        (json!({"replyToId": "."}), "cannot be part of a URL"),
    ] {
        let parcel = parcel(&with(good.clone(), changes));
        let delivery = connector(ServiceUrls::Loopback, PATIENCE).deliver(&parcel).await;
        let Delivery::Refused { reason } = &delivery else { panic!("{delivery:?}") };
        assert!(reason.contains(contains), "{reason}");
    }
    assert!(sink.came().is_none());
}

#[tokio::test]
async fn the_path_on_the_wire_is_escaped_and_joined() {
    for (base, conversation, reply_to, path) in [
        ("", "c", None, "/v3/conversations/c/activities"),
        ("/", "c", Some(""), "/v3/conversations/c/activities"),
        ("/_connector", "c", Some("7"), "/_connector/v3/conversations/c/activities/7"),
        ("/_connector/", "a/b", None, "/_connector/v3/conversations/a%2Fb/activities"),
        (
            "/emea/",
            "19:x@thread.tacv2;messageid=1",
            Some("f|1"),
            "/emea/v3/conversations/19%3Ax%40thread.tacv2%3Bmessageid%3D1/activities/f%7C1",
        ),
        ("", "a b", Some("é"), "/v3/conversations/a%20b/activities/%C3%A9"),
        // With this id it would be an upload of history.
        ("", "c", Some("History"), "/v3/conversations/c/activities"),
    ] {
        let mut sink = Sink::accepting().await;
        let url = format!("http://localhost:{}{base}", sink.address.port());
        let changes = json!({"conversation": {"id": conversation}, "replyToId": reply_to});
        let parcel = parcel(&with(message("own", "hi", &url), changes));
        let delivery = connector(ServiceUrls::Loopback, PATIENCE).deliver(&parcel).await;
        assert_eq!(delivery, delivered(Some("given")));
        let posted = sink.next().await;
        assert_eq!(posted.line(), format!("POST {path}"));
        assert_eq!(posted.header("idempotency-key"), Some("turn.0"));
        assert!(posted.json().get("id").is_none());
    }
}

#[test]
fn a_service_url_that_can_never_match_is_refused_at_the_start() {
    let service_urls = ServiceUrls::Only(vec!["http://channel.example".to_owned()]);
    let refused = Connector::new(ConnectorOptions { service_urls, ..Default::default() });
    let Err(ConnectorError::ServiceUrl(url)) = refused else { panic!("{refused:?}") };
    assert_eq!(url, "http://channel.example");
}

//! Updates and deletions of messages: `PUT` and `DELETE`.

use sayso_channel::{Connector, ConnectorOptions};
use sayso_turn::channel::{Channel, Delivery};
use serde_json::{Value, json};

use super::{delivered, parcel};
use crate::support::{
    PATIENCE, message,
    sink::{Act, Sink},
    with,
};

fn connector() -> Connector {
    Connector::new(ConnectorOptions { timeout: PATIENCE, ..Default::default() }).unwrap()
}

fn change(kind: &str, id: &str, sink: &Sink) -> Value {
    with(message(id, "new words", &sink.url()), json!({"type": kind, "replyToId": "7"}))
}

#[tokio::test]
async fn an_update_is_put_as_a_message_under_the_channels_id() {
    for (answer, id) in [(r#"{"id":"m/2"}"#, Some("m/2")), ("", None), ("<html>", None)] {
        let mut sink = Sink::start(Act::answer("200 OK", &[], answer)).await;
        let update = change("messageUpdate", "m/1", &sink);
        assert_eq!(connector().deliver(&parcel(&update)).await, delivered(id));
        let put = sink.next().await;
        assert_eq!(put.line(), "PUT /_connector/v3/conversations/c1/activities/m%2F1");
        assert_eq!(put.json(), with(update, json!({"type": "message"})));
        assert_eq!(put.header("content-type"), Some("application/json"));
        assert_eq!(put.header("idempotency-key"), Some("turn.0"));
        assert!(sink.came().is_none());
    }
}

#[tokio::test]
async fn a_deletion_has_no_body_and_gives_no_id() {
    for answer in [r#"{"id":"m/1"}"#, "", "{"] {
        let mut sink = Sink::start(Act::answer("200 OK", &[], answer)).await;
        let deletion = change("messageDelete", "m/1", &sink);
        assert_eq!(connector().deliver(&parcel(&deletion)).await, delivered(None));
        let deleted = sink.next().await;
        assert_eq!(deleted.line(), "DELETE /_connector/v3/conversations/c1/activities/m%2F1");
        assert!(deleted.body.is_empty());
        assert!(sink.came().is_none());
    }
}

#[tokio::test]
async fn what_is_gone_is_deleted_and_cannot_be_updated() {
    for status in ["404 Not Found", "410 Gone"] {
        let sink = Sink::start(Act::answer(status, &[], "")).await;
        let deletion = parcel(&change("messageDelete", "1", &sink));
        assert_eq!(connector().deliver(&deletion).await, delivered(None));
        for kind in ["messageUpdate", "message"] {
            let delivery = connector().deliver(&parcel(&change(kind, "1", &sink))).await;
            let Delivery::Refused { reason } = delivery else { panic!("{status}: {delivery:?}") };
            assert!(reason.contains(&status[..3]), "{reason}");
        }
    }
}

#[tokio::test]
async fn a_channel_that_has_no_changes_says_so() {
    for (kind, what) in
        [("messageUpdate", "updating the message"), ("messageDelete", "deleting the message")]
    {
        for (status, text) in [(405, "405 Method Not Allowed"), (501, "501 Not Implemented")] {
            let sink = Sink::start(Act::answer(&format!("{status} X"), &[], "")).await;
            let delivery = connector().deliver(&parcel(&change(kind, "1", &sink))).await;
            let reason = format!(
                "{what} failed: the channel answered {text}, which means that it does not support this call"
            );
            assert_eq!(delivery, Delivery::Refused { reason });
        }
    }
}

#[tokio::test]
async fn a_change_without_a_message_or_an_allowed_channel_goes_nowhere() {
    let mut sink = Sink::accepting().await;
    for kind in ["messageUpdate", "messageDelete"] {
        let good = change(kind, "1", &sink);
        for (changes, contains) in [
            (json!({"id": null}), "cannot be part of a URL"),
            (json!({"id": ".."}), "cannot be part of a URL"),
            (json!({"conversation": {"id": "."}}), "cannot be part of a URL"),
            (json!({"serviceUrl": "https://evil.example"}), "the service URL is not allowed"),
            (json!({"serviceUrl": null}), "no serviceUrl"),
        ] {
            let parcel = parcel(&with(good.clone(), changes));
            let delivery = connector().deliver(&parcel).await;
            let Delivery::Refused { reason } = &delivery else { panic!("{delivery:?}") };
            assert!(reason.contains(contains), "{reason}");
        }
    }
    assert!(sink.came().is_none());
}

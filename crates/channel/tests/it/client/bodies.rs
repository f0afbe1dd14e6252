//! Result of each call for the body of a success.

use sayso_turn::activity::Activity;

use super::{
    faults::{BODIES, Needs, Remedy, check, is},
    patient,
};
use crate::support::sink::{Act, Sink};

const OTHERS: &[(&str, &str)] = &[
    ("application/json", "7"),
    ("text/plain", "null"),
    ("application/json", "{}"),
    ("application/json", r#"{"id":""}"#),
    ("application/json", r#"{"id":null}"#),
];

#[tokio::test]
async fn a_success_needs_no_body_unless_the_body_was_asked_for() {
    for status in ["200 OK", "201 Created", "202 Accepted", "204 No Content"] {
        check(Act::answer(status, &[], ""), |needs, outcome| match needs {
            Needs::Nothing | Needs::File => outcome.is_ok(),
            Needs::Read | Needs::Given => is(outcome, Remedy::Unknown),
        })
        .await;
    }
    for (kind, body) in BODIES.iter().chain(OTHERS) {
        let is_object = body.starts_with('{');
        let act = Act::answer("200 OK", &[&format!("content-type: {kind}")], body);
        check(act, |needs, outcome| match needs {
            Needs::Nothing | Needs::File => outcome.is_ok(),
            // An object without the expected members is still an object.
            Needs::Read => is(outcome, Remedy::Unknown) || is_object && outcome.is_ok(),
            Needs::Given => is(outcome, Remedy::Unknown),
        })
        .await;
    }
}

#[tokio::test]
async fn a_body_is_read_whatever_its_content_type_says() {
    for kind in ["text/html", "text/json; charset=utf-8", "application/xml", "nonsense"] {
        let act = Act::answer("200 OK", &[&format!("content-type: {kind}")], r#" [{"id":"a"}]"#);
        let sink = Sink::start(act).await;
        assert_eq!(patient(&sink.url()).members("c").await.unwrap().len(), 1, "{kind}");
    }
}

#[tokio::test]
async fn a_body_that_is_too_long_is_not_read_to_its_end() {
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(1 << 20));
    let chunked = {
        let mut text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
        for _ in 0..40 {
            text.push_str(&format!("8000\r\n{}\r\n", " ".repeat(0x8000)));
        }
        Act::WriteAndHang(text.into_bytes())
    };
    for act in [Act::answer("200 OK", &[], &long), chunked] {
        check(act, |needs, outcome| match needs {
            Needs::Nothing => outcome.is_ok(),
            Needs::Given => is(outcome, Remedy::Unknown),
            Needs::Read | Needs::File => is(outcome, Remedy::Refused),
        })
        .await;
    }
    let code = format!(r#"{{"error":{{"code":"X"}},"y":"{}"}}"#, "x".repeat(1 << 20));
    check(Act::answer("400 X", &[], &code), |_, outcome| {
        is(outcome, Remedy::Refused) && outcome.as_ref().is_err_and(|it| it.code().is_none())
    })
    .await;
}

#[tokio::test]
async fn a_file_has_the_limit_that_the_caller_sets() {
    let sink = Sink::start(Act::answer("200 OK", &["content-type: image/png"], "12345678")).await;
    let service = patient(&sink.url());
    for (limit, fits) in [(0, false), (7, false), (8, true), (usize::MAX, true)] {
        let content = service.attachment_content("a", "original", limit).await;
        assert_eq!(content.is_ok(), fits, "{limit}: {content:?}");
        match content {
            Ok(content) => assert_eq!(content.bytes, b"12345678"),
            Err(error) => assert!(error.to_string().contains(&format!("limit of {limit} bytes"))),
        }
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_leaves_open_what_was_asked_for() {
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"id\"".to_vec();
    for act in [Act::Write(cut.clone()), Act::WriteAndHang(cut)] {
        check(act, |needs, outcome| match needs {
            Needs::Nothing => outcome.is_ok(),
            Needs::Read | Needs::Given | Needs::File => is(outcome, Remedy::Unknown),
        })
        .await;
    }
}

#[tokio::test]
async fn the_id_that_the_channel_gave_is_told() {
    let say = Activity::message("hi");
    for (body, id) in [
        (r#"{"id":"7"}"#, Some("7")),
        (r#"{"id":"7","more":[1]}"#, Some("7")),
        (r#"{"id":""}"#, None),
        (r#"{"id":7}"#, None),
        (r#"["7"]"#, None),
        ("", None),
    ] {
        let sink = Sink::start(Act::answer("201 Created", &[], body)).await;
        let service = patient(&sink.url());
        assert_eq!(service.send("c", &say).await.unwrap().as_deref(), id, "{body}");
        assert_eq!(service.reply("c", "1", &say).await.unwrap().as_deref(), id, "{body}");
        assert_eq!(service.update("c", "1", &say).await.unwrap().as_deref(), id, "{body}");
    }
}

#[tokio::test]
async fn an_activity_is_sent_without_its_id_and_updated_with_the_one_it_has() {
    let mut sink = Sink::accepting().await;
    let service = patient(&sink.url());
    let say = Activity { id: Some("own".to_owned()), ..Activity::message("hi") };
    service.send("c", &say).await.unwrap();
    assert_eq!(sink.next().await.json().get("id"), None);
    service.reply("c", "1", &say).await.unwrap();
    assert_eq!(sink.next().await.json().get("id"), None);
    service.update("c", "1", &say).await.unwrap();
    assert_eq!(sink.next().await.json()["id"], "1");
}

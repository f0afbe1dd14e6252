//! Logs contain no user text, even at level trace.

use serde_json::json;

use crate::support::{
    PATIENCE, Server, client, echo,
    log_capture::LogCapture,
    message,
    sink::{Act, Sink},
    with,
};

/// User text, which must not appear in logs.
const SECRET: &str = "c4n4ry";

// One thread, so that the subscriber of this thread receives everything.
#[tokio::test(flavor = "current_thread")]
async fn no_word_of_a_user_is_logged() {
    let (log, _guard) = LogCapture::start();

    let refusing =
        Act::answer("400 Bad Request", &[], &format!(r#"{{"error":{{"code":"{SECRET} x"}}}}"#));
    let mut sink = Sink::start(refusing).await;
    let server = Server::start(echo()).await;
    let good = message("1", SECRET, &sink.url());
    assert_eq!(server.post(&good).await.status, 200);
    sink.next().await;
    let evil = json!({"serviceUrl": format!("http://{SECRET}.example")});
    assert_eq!(server.post(&with(good, evil)).await.status, 400);
    let broken = format!(r#"{{"type":"message","text":"{SECRET}"#);
    assert_eq!(client::post(server.address, &broken).await.status, 400);
    assert_eq!(server.get(&format!("/{SECRET}?{SECRET}")).await.status, 404);
    assert_eq!(server.engine.close(PATIENCE).await, 0);

    let text = log.text();
    assert!(text.contains("a reply was parked"), "{text}");
    assert_eq!(text.matches("request refused").count(), 3, "{text}");
    assert!(!text.contains(SECRET), "{text}");
}

//! Logs contain no user text, even at level trace.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use crate::support::{
    PATIENCE, Server, client, echo, message,
    sink::{Act, Sink},
    with,
};

/// User text, which must not appear in logs.
const SECRET: &str = "c4n4ry";

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

// One thread, so that the subscriber of this thread receives everything.
#[tokio::test(flavor = "current_thread")]
async fn no_word_of_a_user_is_logged() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(lines.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

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

    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("a reply was parked"), "{text}");
    assert_eq!(text.matches("request refused").count(), 3, "{text}");
    assert!(!text.contains(SECRET), "{text}");
}

//! A turn that takes a minute: the bot asks a slow service and answers when it knows.
//!
//! Channels wait 15 seconds. After 8 the message is saved and acknowledged, people see that the bot
//! is typing, and the turn goes on; what they write meanwhile waits in line. If this process dies,
//! another one (or this one, started again) runs the turn from its beginning. Run it with
//! `SAYSO_AUTH=none cargo run --example long` and talk to it with the Agents Playground or the
//! Emulator. Or try the `curl` below: it is answered after 8 seconds, and `sayso state ls` shows
//! that a turn has not ended.
//!
//! ```sh
//! curl -i http://127.0.0.1:3978/api/messages -H 'content-type: application/json' -d '{"type":"message",
//!   "id":"1","text":"why?","channelId":"test","conversation":{"id":"c"},"serviceUrl":"http://localhost"}'
//! ```

use std::time::Duration;

use sayso::{prelude::*, turn::IdempotencyKey};

/// Response time of the service.
const SLOW: Duration = Duration::from_secs(60);

/// Stands for a service that is slow. It gets the same key again after a crash, so that a service
/// that honours it works once.
async fn ask(_key: IdempotencyKey, question: String, takes: Duration) -> Result<String> {
    tokio::time::sleep(takes).await;
    Ok(format!("I thought about \"{question}\": the answer is 42."))
}

async fn think(mut turn: Turn, takes: Duration) -> Result {
    let question = turn.text().to_owned();
    // Should another turn commit first, then this one runs again and finds the answer here.
    let answer = turn.once("ask", |key| ask(key, question, takes)).await?;
    turn.say(answer);
    Ok(())
}

fn bot(takes: Duration) -> Bot {
    Bot::new().on_message(move |turn| think(turn, takes))
}

#[tokio::main]
async fn main() -> Result {
    serve(bot(SLOW)).await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sayso::{
        Engine,
        activity::Kind,
        turn::{
            channel::{Channel, Delivery, Parcel},
            store::MemoryStore,
        },
    };
    use tokio::{sync::mpsc, time::timeout};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    #[derive(Debug)]
    struct Collect(mpsc::UnboundedSender<Activity>);

    #[async_trait::async_trait]
    impl Channel for Collect {
        async fn deliver(&self, parcel: &Parcel) -> Delivery {
            drop(self.0.send((*parcel.activity).clone()));
            Delivery::Delivered { id: None }
        }

        async fn show(&self, _: &Key, sign: &Activity) -> Option<String> {
            drop(self.0.send(sign.clone()));
            None
        }
    }

    fn message(text: &str) -> Activity {
        let text = format!(
            r#"{{"type":"message","id":"{text}","text":"{text}","channelId":"test","conversation":{{"id":"c"}}}}"#
        );
        Activity::from_json(text.as_bytes()).unwrap()
    }

    #[tokio::test]
    async fn a_long_turn_is_acknowledged_shown_and_answered_in_its_place() {
        let (sender, mut seen) = mpsc::unbounded_channel();
        let limits = Limits {
            acknowledge_after: Duration::from_millis(20),
            typing_every: Duration::from_millis(50),
            ..Limits::default()
        };
        let store = Arc::new(MemoryStore::default());
        let engine =
            Engine::builder(bot(Duration::from_millis(500)), store, Arc::new(Collect(sender)))
                .limits(limits)
                .start();
        // Both are answered before their turns end; the same message again does not count twice.
        for (text, is_repeat) in [("why?", false), ("how?", false), ("why?", true)] {
            let answer = timeout(PATIENCE, engine.receive(message(text))).await.unwrap().unwrap();
            assert!(answer.is_pending && answer.is_repeat == is_repeat, "{answer:?}");
        }
        let (mut typing, mut said) = (0, Vec::new());
        while said.len() < 2 {
            let activity = timeout(PATIENCE, seen.recv()).await.unwrap().unwrap();
            match activity.kind {
                Kind::Typing => typing += 1,
                _ => said.push(activity.text().to_owned()),
            }
        }
        assert!(typing >= 2, "{typing}");
        assert!(said[0].contains("why?") && said[1].contains("how?"), "{said:?}");
        assert_eq!((engine.stats().turns, engine.close(PATIENCE).await), (2, 0));
        assert!(seen.try_recv().is_err(), "nothing is said twice");
    }
}

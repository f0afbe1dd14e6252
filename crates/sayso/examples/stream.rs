//! A reply that is shown while it is being made, word by word, as from a language model.
//!
//! Teams (in personal chats), Web Chat and Direct Line show it growing; other channels show that
//! the bot is typing. Only the whole message is part of the turn: it leaves when the turn is saved,
//! and takes the place of what was shown. Run it with `SAYSO_AUTH=none cargo run --example stream`;
//! the `curl` that it prints gets the whole message.

use std::time::Duration;

use sayso::prelude::*;

const TALE: &str = "Once upon a time a pizza was ordered by two hungry people at the same moment, \
                    and both of their toppings were on it.";

/// Stands for a model: words with pauses between them.
async fn next_word(words: &mut std::str::SplitInclusive<'static, char>) -> Option<&'static str> {
    tokio::time::sleep(Duration::from_millis(80)).await;
    words.next()
}

async fn tell(mut turn: Turn) -> Result {
    let stream = turn.stream();
    stream.inform("Let me think…");
    let mut words = TALE.split_inclusive(' ');
    while let Some(word) = next_word(&mut words).await {
        stream.push(word); // neither waits nor fails: what is new is shown at the channel's pace
    }
    turn.finish(stream).await;
    Ok(())
}

fn bot() -> Bot {
    Bot::new().on_message(tell)
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use sayso::{
        Engine,
        testing::chat,
        turn::{
            channel::{Channel, Delivery, Parcel},
            store::MemoryStore,
        },
    };
    use tokio::sync::mpsc;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    #[derive(Debug)]
    struct Collect {
        shown: Arc<Mutex<Vec<String>>>,
        said: mpsc::UnboundedSender<String>,
    }

    #[async_trait::async_trait]
    impl Channel for Collect {
        async fn deliver(&self, parcel: &Parcel) -> Delivery {
            drop(self.said.send(parcel.activity.text().to_owned()));
            Delivery::Delivered { id: None }
        }

        async fn show(&self, _: &Key, sign: &Activity) -> Option<String> {
            self.shown.lock().unwrap().push(sign.text().to_owned());
            Some("stream".to_owned())
        }
    }

    #[tokio::test]
    async fn it_grows_and_ends_as_one_message() {
        let (said, mut heard) = mpsc::unbounded_channel();
        let shown = Arc::<Mutex<Vec<String>>>::default();
        let channel = Arc::new(Collect { shown: Arc::clone(&shown), said });
        let engine = Engine::builder(bot(), Arc::new(MemoryStore::default()), channel).start();
        let ask = br#"{"type":"message","id":"1","text":"a tale","channelId":"webchat",
            "conversation":{"id":"c"}}"#;
        engine.receive(Activity::from_json(ask).unwrap()).await.unwrap();
        let whole = tokio::time::timeout(PATIENCE, heard.recv()).await.unwrap();
        assert_eq!(whole.as_deref(), Some(TALE));
        let shown = shown.lock().unwrap().clone();
        assert_eq!(shown[0], "Let me think…");
        assert!(shown.len() >= 3, "{shown:?}");
        for pair in shown[1..].windows(2) {
            assert!(pair[1].starts_with(&pair[0]) && TALE.starts_with(&pair[1]), "{pair:?}");
        }
        assert_eq!(engine.close(PATIENCE).await, 0);
        assert!(heard.try_recv().is_err(), "there is one message");
    }

    #[tokio::test]
    async fn where_nothing_is_shown_the_whole_message_comes() {
        chat(bot()).user("a tale").expects(TALE).expects_nothing().await;
    }
}

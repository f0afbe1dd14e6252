//! Timers: `remind me in 5 s to stretch` says `Time to stretch.` five seconds later; `cancel`
//! cancels it.
//!
//! A timer is durable with the turn that asked for it and fires once, on whatever instance is alive
//! then. Run it with `SAYSO_AUTH=none cargo run --example reminder`. A reminder comes on the bot's
//! own account, so it goes to the `serviceUrl` of the message; a `curl` without one sees only the
//! first answer.

use std::time::Duration;

use sayso::prelude::*;

/// The reminder that is still to come. A new one takes the place of the old.
#[derive(Default, Serialize, Deserialize)]
struct Reminder {
    timer: Option<TimerId>,
}

fn bot() -> Bot {
    Bot::new().on_message(listen).on_event("reminder", remind)
}

async fn listen(mut turn: Turn) -> Result {
    let text = turn.text().trim().to_owned();
    let wanted = parse(&text);
    if text != "cancel" && wanted.is_none() {
        turn.say("Try: remind me in 5 s to stretch");
        return Ok(());
    }
    let old = turn.conversation::<Reminder>()?.timer.take();
    if let Some(timer) = &old {
        turn.cancel(timer);
    }
    let Some((wait, what)) = wanted else {
        turn.say(if old.is_some() { "Okay, cancelled." } else { "There is nothing to cancel." });
        return Ok(());
    };
    let timer = turn.after(wait, Activity::event("reminder").with_value(&what)?);
    turn.conversation::<Reminder>()?.timer = Some(timer);
    turn.say(format!("In {} s: {what}.", wait.as_secs()));
    Ok(())
}

async fn remind(mut turn: Turn) -> Result {
    turn.conversation::<Reminder>()?.timer = None;
    let what: String = turn.activity().value.as_ref().ok_or("a reminder of nothing")?.get()?;
    turn.say(format!("Time to {what}."));
    Ok(())
}

/// Takes `remind me in 5 s to stretch` apart.
fn parse(text: &str) -> Option<(Duration, String)> {
    let (seconds, what) = text.strip_prefix("remind me in ")?.split_once(" s to ")?;
    Some((Duration::from_secs(seconds.parse().ok()?), what.to_owned()))
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sayso::{
        Documents, Engine, Outcome, run,
        turn::{
            channel::{Channel, Delivery, Parcel},
            clock::Timestamp,
            store::MemoryStore,
        },
    };
    use tokio::sync::mpsc;

    use super::*;

    fn message(text: &str) -> Activity {
        let mut activity = Activity::from_json(
            br#"{"type":"message","channelId":"test","conversation":{"id":"c"},"from":{"id":"u"}}"#,
        )
        .unwrap();
        activity.id = Some(text.to_owned());
        activity.with_text(text)
    }

    async fn after(activity: Activity, documents: Documents) -> (String, Outcome) {
        let outcome = run(&bot(), activity, documents).await.unwrap();
        (outcome.replies[0].text().to_owned(), outcome)
    }

    #[tokio::test]
    async fn a_reminder_is_asked_for_and_comes_as_an_event() {
        let asked = message("remind me in 5 s to stretch");
        let (said, outcome) = after(asked, Documents::new()).await;
        assert_eq!(said, "In 5 s: stretch.");
        let (at, event) = outcome.timers[0].clone();
        assert_eq!(at.since(Timestamp::START), Duration::from_secs(5));

        let (said, outcome) = after(event, outcome.documents).await;
        assert_eq!(said, "Time to stretch.");
        let (said, _) = after(message("cancel"), outcome.documents).await;
        assert_eq!(said, "There is nothing to cancel.");
    }

    #[tokio::test]
    async fn what_is_not_understood_changes_nothing() {
        let (said, outcome) = after(message("remind me"), Documents::new()).await;
        assert!(said.starts_with("Try: ") && outcome.timers.is_empty());
    }

    #[derive(Debug)]
    struct Collect(mpsc::UnboundedSender<String>);

    #[async_trait::async_trait]
    impl Channel for Collect {
        async fn deliver(&self, parcel: &Parcel) -> Delivery {
            drop(self.0.send(parcel.activity.text().to_owned()));
            Delivery::Delivered { id: None }
        }
    }

    #[tokio::test]
    async fn the_engine_fires_it_unless_it_was_called_off() {
        let (sender, mut said) = mpsc::unbounded_channel();
        let store = Arc::new(MemoryStore::default());
        let engine = Engine::builder(bot(), store, Arc::new(Collect(sender))).start();
        for text in ["remind me in 3600 s to sleep", "cancel", "remind me in 0 s to stretch"] {
            assert!(!engine.receive(message(text)).await.unwrap().is_repeat);
        }
        let within = Duration::from_secs(20);
        for expected in
            ["In 3600 s: sleep.", "Okay, cancelled.", "In 0 s: stretch.", "Time to stretch."]
        {
            let next = tokio::time::timeout(within, said.recv()).await;
            assert_eq!(next.unwrap().as_deref(), Some(expected));
        }
        assert_eq!((engine.stats().fired, engine.close(within).await), (1, 0));
    }
}

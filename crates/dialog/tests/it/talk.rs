//! A dialogue with a bot that is made anew for every turn: what it knows is in its documents.

use std::time::Duration;

use sayso_activity::Activity;
use sayso_turn::{Bot, Documents, Key, run};

/// A conversation on channel `test`.
pub(crate) struct Talk<F> {
    bot: F,
    pub(crate) documents: Documents,
    number: usize,
    timers: Vec<Activity>,
    /// The answer to the last invoke.
    pub(crate) response: Option<sayso_turn::document::Response>,
}

impl<F: Fn() -> Bot> Talk<F> {
    pub(crate) fn new(bot: F) -> Self {
        Self { bot, documents: Documents::new(), number: 0, timers: Vec::new(), response: None }
    }

    /// Changes the bot, as a deployment does.
    pub(crate) fn deploy<G: Fn() -> Bot>(self, bot: G) -> Talk<G> {
        let Self { documents, number, timers, response, .. } = self;
        Talk { bot, documents, number, timers, response }
    }

    /// Says something; gives the texts of the replies.
    pub(crate) async fn say(&mut self, text: &str) -> Vec<String> {
        let message = Activity::message(text);
        self.send(message).await
    }

    /// Sends any activity.
    pub(crate) async fn send(&mut self, activity: Activity) -> Vec<String> {
        let replies = self.activities(activity).await;
        replies.iter().map(|reply| reply.text().to_owned()).collect()
    }

    /// Sends any activity; gives the replies.
    pub(crate) async fn activities(&mut self, mut activity: Activity) -> Vec<Activity> {
        self.number += 1;
        activity.id.get_or_insert_with(|| self.number.to_string());
        activity.channel_id = Some("test".to_owned());
        activity.conversation = Some(sayso_activity::ConversationAccount::new("c"));
        activity.from = Some(sayso_activity::Account::new("user"));
        activity.recipient = Some(sayso_activity::Account::new("bot"));
        let documents = self.documents.clone();
        let outcome = run(&(self.bot)(), activity, documents).await.expect("the turn succeeds");
        self.documents = outcome.documents;
        self.response = outcome.response;
        self.timers.extend(outcome.timers.into_iter().map(|(_, event)| event));
        outcome.replies
    }

    /// Lets the oldest timer that was set run out.
    pub(crate) async fn late(&mut self) -> Vec<String> {
        let event = self.timers.remove(0);
        self.send(event).await
    }

    /// A property of the conversation, as JSON.
    pub(crate) fn state(&self, name: &str) -> serde_json::Value {
        let key = Key::conversation("test", "c").unwrap();
        let bag = self.documents.get(&key);
        bag.and_then(|bag| bag.get(name).unwrap()).unwrap_or_default()
    }

    /// Replaces a property of the conversation.
    pub(crate) fn set_state(&mut self, name: &str, value: &serde_json::Value) {
        let key = Key::conversation("test", "c").unwrap();
        self.documents.entry(key).or_default().set(name, value).unwrap();
    }
}

/// A minute, for deadlines.
pub(crate) const MINUTE: Duration = Duration::from_secs(60);

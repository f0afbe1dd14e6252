//! A reply that is shown while it is being made, as the words of a language model come in.
//!
//! What is shown on the way is fleeting; only the final message is part of the turn, and leaves
//! when the turn is saved.

use std::{fmt, sync::Arc, time::Duration};

use sayso_activity::{Activity, Raw};
use serde::Serialize;
use tokio::sync::Notify;

use super::Turn;
use crate::{
    Key,
    attempt::{Origin, STREAM, Source},
    message::MessageId,
    sync::{Mutex, MutexGuard, lock},
};

/// A reply in the making: [`Turn::stream`] begins it, [`Turn::finish`] makes it a message.
///
/// On Teams (in personal chats), Web Chat and Direct Line people see it grow, as fast as the
/// channel allows; on other channels they see that the bot is typing. A second attempt of the turn
/// goes on with the same bubble.
///
/// # Example
/// ```
/// use sayso_turn::{Bot, BotError, Turn};
///
/// async fn answer(mut turn: Turn) -> Result<(), BotError> {
///     let stream = turn.stream();
///     stream.inform("Looking it up…");
///     for word in ["The answer", " is", " 42."] { // as they come from the model
///         stream.push(word);
///     }
///     turn.finish(stream).await;
///     Ok(())
/// }
/// let bot = Bot::new().on_message(answer);
/// ```
#[derive(Clone)]
pub struct Stream(Arc<Inside>);

struct Inside {
    key: Key,
    origin: Origin,
    source: Arc<dyn Source>,
    /// How often the channel may be told, if it shows messages in the making at all.
    pace: Option<Duration>,
    draft: Mutex<Draft>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Draft {
    informed: Option<String>,
    text: String,
    /// How much of the text was shown.
    shown: usize,
    sequence: u32,
    /// What the channel calls the message in the making.
    id: Option<String>,
    is_showing: bool,
    is_done: bool,
}

/// What a channel is told of a message in the making, in the words of Teams and Web Chat.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StreamInfo<'a> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_id: Option<&'a str>,
    stream_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_sequence: Option<u32>,
}

impl Stream {
    /// Says what is being done, until the first words come.
    pub fn inform(&self, text: impl Into<String>) {
        self.0.draft().informed = Some(text.into());
        self.show();
    }

    /// Adds words.
    pub fn push(&self, text: &str) {
        self.0.draft().text.push_str(text);
        self.show();
    }

    /// The words so far.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.draft().text.clone()
    }

    /// Sees to it that somebody shows what is new.
    fn show(&self) {
        let mut draft = self.0.draft();
        if draft.is_done || std::mem::replace(&mut draft.is_showing, true) {
            return;
        }
        drop(draft);
        let inside = Arc::clone(&self.0);
        self.0.source.spawn(Box::pin(async move { inside.keep_showing().await }));
    }
}

impl Inside {
    fn draft(&self) -> MutexGuard<'_, Draft> {
        lock(&self.draft)
    }

    /// Shows what is new, again and again, until nothing is.
    async fn keep_showing(self: Arc<Self>) {
        while let Some(sign) = self.next_sign() {
            let id = self.source.show(&self.key, &sign).await;
            self.named(id);
            self.changed.notify_waiters();
            let Some(pace) = self.pace else { break };
            self.source.sleep(pace).await;
        }
        self.draft().is_showing = false;
        self.changed.notify_waiters();
    }

    fn named(&self, id: Option<String>) {
        let mut draft = self.draft();
        draft.id = draft.id.take().or(id);
    }

    fn next_sign(&self) -> Option<Activity> {
        let mut draft = self.draft();
        // A channel that shows nothing in the making is told once that something is.
        if draft.is_done || (self.pace.is_none() && draft.sequence > 0) {
            return None;
        }
        let (stream_type, text) = if draft.text.len() > draft.shown {
            draft.shown = draft.text.len();
            ("streaming", draft.text.clone())
        } else {
            ("informative", draft.informed.take()?)
        };
        let mut sign = Activity::typing();
        draft.sequence += 1;
        if self.pace.is_some() {
            sign.text = Some(text);
            let (id, sequence) = (draft.id.clone(), Some(draft.sequence));
            sign = described(sign, id.as_deref(), stream_type, sequence);
        }
        self.origin.address(&mut sign);
        Some(sign)
    }

    /// Ends it: nothing more is shown. Gives the text and the channel's name of what was.
    async fn end(&self) -> (String, Option<String>) {
        self.draft().is_done = true;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(ended) = self.ended() {
                return ended;
            }
            changed.await;
        }
    }

    fn ended(&self) -> Option<(String, Option<String>)> {
        let draft = self.draft();
        // The first sign tells the channel's name of all; it does not take long.
        let is_known = draft.id.is_some() || draft.sequence == 0 || !draft.is_showing;
        is_known.then(|| (draft.text.clone(), draft.id.clone()))
    }
}

fn described(
    activity: Activity,
    stream_id: Option<&str>,
    stream_type: &'static str,
    stream_sequence: Option<u32>,
) -> Activity {
    let mut info = StreamInfo { kind: Some("streaminfo"), stream_id, stream_type, stream_sequence };
    let raw = |info: &StreamInfo<'_>| Raw::of(info).expect("these members are always JSON");
    let activity = activity.with_entity(raw(&info));
    info.kind = None;
    // Web Chat looks for it here.
    Activity { channel_data: Some(raw(&info)), ..activity }
}

impl super::Inner {
    fn pace(&self) -> Option<Duration> {
        match self.activity().delivery_mode.as_deref() {
            Some("expectReplies") => None,
            // Whoever asked for it listens.
            Some("stream") => Some(Duration::from_millis(100)),
            _ => pace(&self.attempt.origin),
        }
    }
}

/// How often a channel may be told of a message in the making, if it shows any.
fn pace(origin: &Origin) -> Option<Duration> {
    match origin.channel_id() {
        Some("msteams") if origin.conversation_type() == Some("personal") => {
            Some(Duration::from_secs(1))
        }
        Some("webchat" | "directline") => Some(Duration::from_millis(500)),
        _ => None,
    }
}

impl Turn {
    /// Begins a reply that is shown while it is being made. See [`Stream`].
    pub fn stream(&mut self) -> Stream {
        let inner = self.inner();
        let attempt = &inner.attempt;
        // A receipt like that of a call: numbered in the turn, kept over its attempts.
        let mut pending = attempt.effects.begin(STREAM);
        if let Some(stream) = pending.receipt::<Stream>() {
            // An attempt before this one has begun it: the same bubble, from the beginning.
            let mut draft = stream.0.draft();
            (draft.text, draft.shown, draft.is_done) = (String::new(), 0, false);
            drop(draft);
            return stream;
        }
        let stream = Stream(Arc::new(Inside {
            key: inner.conversation.key().clone(),
            origin: attempt.origin.clone(),
            source: Arc::clone(&attempt.source),
            pace: inner.pace(),
            draft: Mutex::default(),
            changed: Notify::new(),
        }));
        attempt.source.keep(attempt.id, pending.succeed(&stream));
        stream
    }

    /// Makes a message of a stream: it leaves when, and only when, the turn is saved, and takes the
    /// place of what was shown.
    ///
    /// # Cancellation
    /// Dropping the future ends the stream without a message.
    pub async fn finish(&mut self, stream: Stream) -> MessageId {
        let (text, id) = stream.0.end().await;
        let mut message = Activity::message(text);
        if let Some(id) = id.as_deref().filter(|_| stream.0.pace.is_some()) {
            message = described(message, Some(id), "final", None);
        }
        self.send(message)
    }

    /// Shows a fleeting sign at once, before the turn is saved: that the bot is typing, for
    /// example. It is not stored and not repeated. Never say anything this way that has to be so:
    /// for that there is [`say`](Self::say).
    ///
    /// Nothing is shown when the sender wants all replies in its answer (`expectReplies`).
    pub fn show(&mut self, mut sign: Activity) {
        let inner = self.inner_mut();
        if inner.is_silent() || inner.shown >= inner.attempt.source.limits().replies_max {
            return;
        }
        inner.shown += 1;
        inner.attempt.origin.address(&mut sign);
        let (source, key) = (Arc::clone(&inner.attempt.source), inner.conversation.key().clone());
        let show = async move { drop(source.show(&key, &sign).await) };
        inner.attempt.source.spawn(Box::pin(show));
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("pace", &self.0.pace).finish_non_exhaustive()
    }
}

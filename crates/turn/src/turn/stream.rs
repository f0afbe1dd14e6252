//! Streaming replies: a reply that is shown while it is produced, token by token from a language
//! model.
//!
//! Partial texts are ephemeral; only the final message is part of the turn, and is sent when the
//! turn commits.

use std::{fmt, sync::Arc, time::Duration};

use sayso_activity::{Activity, DeliveryMode, Raw};
use serde::Serialize;
use tokio::sync::Notify;

use super::Turn;
use crate::{
    Key,
    attempt::{CallState, Origin, STREAM, Source},
    message_id::MessageId,
    sync::{Mutex, MutexGuard, lock},
};

/// Streaming reply: [`Turn::stream`] begins it, [`Turn::finish`] makes it a message.
///
/// On Teams (in personal chats), Web Chat and Direct Line people see it grow, as fast as the
/// channel allows; on other channels they see a typing indicator. A second attempt of the turn
/// continues the same message.
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
    /// Minimum interval between updates, if the channel shows partial messages at all.
    pace: Option<Duration>,
    draft: Mutex<Draft>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Draft {
    informed: Option<String>,
    text: String,
    /// Length of the text that was shown, in bytes.
    shown: usize,
    sequence: u32,
    /// The channel's id of the streaming message.
    id: Option<String>,
    is_showing: bool,
    is_done: bool,
}

/// Entity that describes a streaming message, in the format of Teams and Web Chat.
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
    /// Shows a status text until the first words arrive.
    pub fn inform(&self, text: impl Into<String>) {
        self.0.draft().informed = Some(text.into());
        self.show();
    }

    /// Appends text.
    pub fn push(&self, text: &str) {
        self.0.draft().text.push_str(text);
        self.show();
    }

    /// Returns the text so far.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.draft().text.clone()
    }

    /// Starts the task that shows new text, unless it is running.
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

    /// Shows new text repeatedly, until there is none.
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
        // A channel without partial messages gets one typing indicator.
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

    /// Ends the stream: nothing more is shown. Returns the text and the channel's id of the
    /// message.
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
        // The channel's id comes with the first event, which does not take long.
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
    // Web Chat reads it from here.
    Activity { channel_data: Some(raw(&info)), ..activity }
}

impl super::Inner {
    fn pace(&self) -> Option<Duration> {
        match self.activity().delivery_mode {
            Some(DeliveryMode::ExpectReplies) => None,
            // The sender receives the events itself.
            Some(DeliveryMode::Stream) => Some(Duration::from_millis(100)),
            _ => pace(&self.attempt.origin),
        }
    }
}

/// Returns the minimum interval between updates, if the channel shows partial messages.
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
    /// Begins a streaming reply. See [`Stream`].
    pub fn stream(&mut self) -> Stream {
        let inner = self.inner();
        let attempt = &inner.attempt;
        // Kept like the receipt of a call: numbered in the turn, shared by its attempts.
        let mut pending = attempt.effects.begin(STREAM);
        if let CallState::Made(stream) = pending.look_up::<Stream>() {
            // An earlier attempt has begun it: continue the same message, with empty text.
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
        attempt.source.keep(attempt.id, pending.receipts());
        pending.succeed(&stream);
        stream
    }

    /// Turns a stream into a message: it is sent if, and only if, the turn commits, and replaces
    /// the partial message.
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

    /// Shows an ephemeral event at once, before the turn commits: a typing indicator, for example.
    /// It is not stored and not retried. Use it only for what may get lost or turn out wrong;
    /// otherwise use [`say`](Self::say).
    ///
    /// Nothing is shown if the sender wants all replies in its answer (`expectReplies`).
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

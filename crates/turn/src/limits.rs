//! All limits of the engine.
//!
//! Nothing in the engine grows, waits or retries without one of these. An error caused by a limit
//! names it.

use std::time::Duration;

pub use crate::key::KEY_BYTES_MAX;
use crate::{Key, KeyKind};

/// The bounds of the engine. Start from [`Limits::default`] and change what you must.
///
/// # Example
/// ```
/// use sayso_turn::Limits;
/// use std::time::Duration;
///
/// let limits = Limits { deadline: Duration::from_secs(5), ..Limits::default() };
/// assert_eq!(limits.rounds_max, 8);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest time of a turn from arrival to commit. Channels give up after 15 s.
    pub deadline: Duration,
    /// The number of attempts at a turn when others commit first or the store fails.
    pub rounds_max: u32,
    /// The time after which a turn is made durable, acknowledged and continued: from then on its
    /// sender need not wait, and another instance takes it up if this one dies. Not shorter than
    /// `deadline` means never. The answer to an `invoke` and replies to `expectReplies` cannot
    /// follow later, so their turns have until `deadline`.
    pub acknowledge_after: Duration,
    /// The longest time of the logic of an acknowledged turn.
    pub long_deadline: Duration,
    /// The most acknowledged activities of one conversation that may wait for their turns.
    pub inbox_max: usize,
    /// The number of instances that may be lost while they run an acknowledged turn, before it is
    /// given up.
    pub lost_max: u32,
    /// The interval of the typing indicator while a long turn is at work.
    pub typing_every: Duration,
    /// The back-off before the n-th further round is a random time up to this, doubled n times.
    pub backoff_first: Duration,
    /// The longest back-off between rounds.
    pub backoff_max: Duration,
    /// The most waiting activities of one conversation that run under one load and one commit.
    pub batch_max: usize,
    /// The most activities of one conversation that may wait.
    pub queue_max: usize,
    /// The most inbound ids that a conversation remembers: the deduplication window for
    /// redeliveries.
    pub seen_max: usize,
    /// The most recorded answers (`expectReplies`, `invoke`) that a conversation keeps for
    /// redeliveries.
    pub answers_max: usize,
    /// The most replies of one turn.
    pub replies_max: usize,
    /// The most sent messages that a conversation remembers the channel's ids of, the newest: of
    /// those whose [`MessageId`](crate::MessageId) was kept.
    pub sent_max: usize,
    /// The most replies of a conversation that may wait for delivery.
    pub outbox_max: usize,
    /// The most timers of a conversation.
    pub timers_max: usize,
    /// The most accounts that a conversation lists as its participants, for erasure; of one with
    /// more it is known only that there were more.
    pub participants_max: usize,
    /// The most undeliverable replies (dead letters) that a conversation keeps, the newest.
    pub parked_max: usize,
    /// The most bytes of undeliverable replies that a conversation keeps; the oldest go first, but
    /// the last one stays while there is room.
    pub parked_bytes_max: usize,
    /// The most bytes of recorded answers that a conversation keeps for redeliveries; the oldest go
    /// first, but the last one stays.
    pub answers_bytes_max: usize,
    /// The number of attempts at a timer whose turn fails, before it is parked.
    pub timer_attempts_max: u32,
    /// The longest wait between two tries of a timer.
    pub timer_backoff_max: Duration,
    /// The most commits of one conversation that a runner makes in a row before it rests for a
    /// moment, so that another instance gets its turn; four times as many where nothing waits
    /// between them.
    pub burst_max: u32,
    /// The most waiting conversations that this instance takes up at once: after an outage, or of
    /// another instance that is gone.
    pub recoveries_max: usize,
    /// The most turns whose receipts of [`once`](crate::Turn::once) are kept in this process; the
    /// least recently used go first.
    pub effects_max: usize,
    /// The most [steps](crate::Turn::step) of one turn.
    pub steps_max: usize,
    /// The most bytes of JSON that the result of one step may have.
    pub step_bytes_max: usize,
    /// The most bytes of JSON that the results of the steps of one turn may have together.
    pub steps_bytes_max: usize,
    /// The largest document, in bytes of JSON.
    pub document_bytes_max: usize,
    /// The size of the cache: bytes of documents that this instance keeps in memory.
    pub cache_bytes_max: usize,
    /// The lease on an outbox: seen unchanged for this long, another instance takes over.
    pub claim: Duration,
    /// The longest time of one hand-over. Must be well below `claim`.
    pub send_timeout: Duration,
    /// The number of attempts at a hand-over before the reply is parked. Not counted are those at
    /// which the channel asked for half a minute or more (`Retry-After`); a reply that expires is
    /// tried until then.
    pub send_attempts_max: u32,
    /// The longest wait between two tries of a hand-over, unless the channel asks for more.
    pub send_backoff_max: Duration,
    /// The longest time that the courier waits for a commit to record hand-overs with, before it
    /// records by itself: four times as long as the last commit took, a tenth of this at least.
    pub record_after: Duration,
    /// The interval at which this instance looks for abandoned work.
    pub sweep_every: Duration,
    /// The most waiting documents that one look takes.
    pub sweep_max: usize,
    /// The retention of documents.
    pub ttl: Ttl,
}

/// An excess over a limit.
#[derive(Clone, Debug)]
pub(crate) struct Exceeded {
    pub(crate) what: String,
    /// The name of the limit.
    pub(crate) limit: &'static str,
}

/// Retention (TTL): the time a document is kept after its last turn, by the kind of its key; for
/// ever without a time.
///
/// It counts for documents without a TTL of their own. The type of a property can declare one
/// (`#[state(ttl = "30d")]`, see [`BotState`](crate::BotState)), and a turn can set one
/// ([`State::expire_after`](crate::State::expire_after)).
///
/// An expired document counts as absent at once, on every engine, and is removed soon after. One in
/// which replies or timers wait does not expire.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sayso_turn::{Limits, Ttl};
///
/// let day = Duration::from_secs(24 * 60 * 60);
/// let ttl = Ttl { conversation: Some(30 * day), ..Ttl::default() };
/// let limits = Limits { ttl, ..Limits::default() };
/// assert_eq!(limits.ttl.user, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ttl {
    /// State of a conversation, with its outbox, timers and ids seen.
    pub conversation: Option<Duration>,
    /// State of a user.
    pub user: Option<Duration>,
    /// State of a user in a conversation.
    pub private: Option<Duration>,
    /// Everything else.
    pub other: Option<Duration>,
}

impl Ttl {
    /// The retention of the document of a key.
    #[must_use]
    pub fn of(&self, key: &Key) -> Option<Duration> {
        match key.kind() {
            KeyKind::Conversation => self.conversation,
            KeyKind::User => self.user,
            KeyKind::Private => self.private,
            KeyKind::Other => self.other,
        }
    }

    /// Tells whether anything expires at all.
    pub(crate) fn is_set(&self) -> bool {
        *self != Self::default()
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(12),
            rounds_max: 8,
            acknowledge_after: Duration::from_secs(8),
            long_deadline: Duration::from_secs(600),
            inbox_max: 100,
            lost_max: 5,
            typing_every: Duration::from_secs(4),
            backoff_first: Duration::from_millis(10),
            backoff_max: Duration::from_secs(2),
            batch_max: 64,
            queue_max: 1024,
            seen_max: 256,
            answers_max: 32,
            replies_max: 100,
            sent_max: 64,
            outbox_max: 1000,
            timers_max: 100,
            participants_max: 32,
            parked_max: 50,
            parked_bytes_max: 128 << 10,
            answers_bytes_max: 256 << 10,
            timer_attempts_max: 8,
            timer_backoff_max: Duration::from_secs(300),
            burst_max: 32,
            recoveries_max: 256,
            effects_max: 10_000,
            steps_max: 100,
            step_bytes_max: 64 << 10,
            steps_bytes_max: 256 << 10,
            document_bytes_max: 1 << 20,
            cache_bytes_max: 64 << 20,
            claim: Duration::from_secs(15),
            send_timeout: Duration::from_secs(8),
            send_attempts_max: 50,
            send_backoff_max: Duration::from_secs(30),
            record_after: Duration::from_millis(50),
            sweep_every: Duration::from_secs(3),
            sweep_max: 500,
            ttl: Ttl::default(),
        }
    }
}

//! Every limit, with a name, in one place.
//!
//! Nothing in the engine grows, waits or repeats without one of these. An error that comes from a
//! limit names it.

use std::time::Duration;

use crate::{Key, KeyKind};

/// The longest key that every store must accept, in bytes.
pub const KEY_BYTES_MAX: usize = 2048;

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
    /// How long a turn may take from arrival to commit. Channels give up after 15 s.
    pub deadline: Duration,
    /// How often a turn is tried when others commit first or the store fails.
    pub rounds_max: u32,
    /// How long a turn may take before it is made durable, acknowledged and continued: from then on its
    /// sender need not wait, and another instance takes it up if this one dies. Not shorter than
    /// `deadline` means never. The answer to an `invoke` and replies to `expectReplies` cannot follow
    /// later, so their turns have until `deadline`.
    pub acknowledge_after: Duration,
    /// How long the logic of an acknowledged turn may take.
    pub long_deadline: Duration,
    /// How many acknowledged activities of one conversation may wait for their turns.
    pub inbox_max: usize,
    /// How many instances may be gone while they run an acknowledged turn, before it is given up.
    pub lost_max: u32,
    /// How often the user is shown that a long turn is still at work.
    pub typing_every: Duration,
    /// The back-off before the n-th further round is a random time up to this, doubled n times.
    pub backoff_first: Duration,
    /// No back-off between rounds is longer than this.
    pub backoff_max: Duration,
    /// How many waiting activities of one conversation run under one load and one commit.
    pub batch_max: usize,
    /// How many activities of one conversation may wait.
    pub queue_max: usize,
    /// How many inbound ids a conversation remembers: the window in which a redelivery is recognised.
    pub seen_max: usize,
    /// How many recorded answers (`expectReplies`, `invoke`) a conversation keeps for redeliveries.
    pub answers_max: usize,
    /// How many replies one turn may make.
    pub replies_max: usize,
    /// How many sent messages a conversation remembers the channel's ids of, the newest: of those whose
    /// [`MessageId`](crate::MessageId) was kept.
    pub sent_max: usize,
    /// How many replies of a conversation may wait for delivery.
    pub outbox_max: usize,
    /// How many timers a conversation may have.
    pub timers_max: usize,
    /// How many undeliverable replies a conversation keeps, the newest.
    pub parked_max: usize,
    /// How large a document may be, in bytes of JSON.
    pub document_bytes_max: usize,
    /// How many bytes of documents this instance keeps in memory.
    pub cache_bytes_max: usize,
    /// How long a claim on an outbox must be seen unchanged before another instance takes over.
    pub claim: Duration,
    /// How long one hand-over may take. Must be well below `claim`.
    pub send_timeout: Duration,
    /// How often a hand-over is tried before the reply is parked.
    pub send_attempts_max: u32,
    /// The longest wait between two tries of a hand-over, unless the channel asks for more.
    pub send_backoff_max: Duration,
    /// How long the courier waits at most for a commit to record hand-overs with, before it records by
    /// itself: four times as long as the last commit took, a tenth of this at least.
    pub record_after: Duration,
    /// How often this instance looks for what others left behind.
    pub sweep_every: Duration,
    /// How many waiting documents one look takes.
    pub sweep_max: usize,
    /// How long documents are kept.
    pub ttl: Ttl,
}

/// How long a document is kept after its last turn, by the kind of its key; for ever without a time.
///
/// An expired document counts as absent at once, on every engine, and is removed soon after. One in which
/// replies or timers wait does not expire.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sayso_turn::{Limits, Ttl};
///
/// let day = Duration::from_secs(24 * 60 * 60);
/// let limits = Limits { ttl: Ttl { conversation: Some(30 * day), ..Ttl::default() }, ..Limits::default() };
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
    /// How long the document of a key is kept.
    #[must_use]
    pub fn of(&self, key: &Key) -> Option<Duration> {
        match key.kind() {
            KeyKind::Conversation => self.conversation,
            KeyKind::User => self.user,
            KeyKind::Private => self.private,
            KeyKind::Other => self.other,
        }
    }

    /// Whether anything expires at all.
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
            parked_max: 50,
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

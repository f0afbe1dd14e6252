//! Items: turns waiting in a mailbox.

use std::{fmt, sync::Arc, time::Duration};

use sayso_activity::{Activity, Kind};
use smallvec::{SmallVec, smallvec};
use tokio::sync::oneshot;
use tracing::Span;

use super::answer::{Answer, Verdict};
use crate::{
    Key,
    attempt::Origin,
    clock::Timestamp,
    error::Error,
    id::{ReplyId, TurnId},
    ledger::{Chore, Timer},
    sync::{AtomicUsize, Ordering},
    turn::Logic,
};

/// A waiting turn: one activity, or several that were coalesced.
#[derive(Debug)]
pub(crate) struct Item {
    pub(super) parts: SmallVec<[Part; 1]>,
    pub(super) now: Timestamp,
    pub(crate) since: Duration,
    pub(super) span: Span,
    pub(super) cause: Cause,
    /// True if it must run in a batch of its own, because the store permanently refused a batch
    /// with it.
    pub(super) is_alone: bool,
    /// True if its turn has been put into the inbox, while its sender waits for the answer.
    pub(super) has_begun: bool,
    /// Callback for ephemeral events, if the sender asked for them.
    pub(super) listener: Option<Listener>,
}

/// Cause of a turn.
#[derive(Debug)]
pub(crate) enum Cause {
    /// An inbound activity.
    Activity,
    /// A proactive message: a handler of its own runs instead of the bot's logic.
    Proactive(Arc<dyn Logic>),
    /// A timer of the conversation, by its id.
    Timer(String),
    /// An operator's change of the document; no logic runs.
    Operator(Arc<Operation>),
}

/// Operator's change of a document.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) what: OperationKind,
    /// One reply, or all of them.
    pub(crate) which: Option<ReplyId>,
    /// Number of replies changed.
    pub(crate) count: AtomicUsize,
}

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    RetryParked,
    DropParked,
}

impl Operation {
    pub(super) fn done(&self, count: usize) {
        self.count.store(count, Ordering::SeqCst);
    }
}

/// Callback of a sender that receives the turn's ephemeral events (`deliveryMode: stream`).
#[derive(Clone)]
pub(crate) struct Listener(pub(super) Arc<dyn Fn(Activity) + Send + Sync>);

impl Listener {
    pub(crate) fn new(listener: impl Fn(Activity) + Send + Sync + 'static) -> Self {
        Self(Arc::new(listener))
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// One inbound activity and the channel for its answer.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) id: TurnId,
    pub(super) activity: Arc<Activity>,
    pub(super) sender: Option<oneshot::Sender<Result<Answer, Error>>>,
}

/// Receiver of an item's answer.
pub(crate) type Receiver = oneshot::Receiver<Result<Answer, Error>>;

impl Item {
    /// Makes an item and the receiver of its answer.
    pub(crate) fn new(
        id: TurnId,
        activity: Arc<Activity>,
        (now, since): (Timestamp, Duration),
    ) -> (Self, Receiver) {
        // An unknown kind is text from outside: not for logs.
        let kind = match &activity.kind {
            Kind::Other(_) => "other",
            known => known.as_str(),
        };
        let span = tracing::info_span!("turn", %id, kind);
        let (sender, receiver) = oneshot::channel();
        let parts = smallvec![Part { id, activity, sender: Some(sender) }];
        let (cause, is_alone, has_begun, listener) = (Cause::Activity, false, false, None);
        (Self { parts, now, since, span, cause, is_alone, has_begun, listener }, receiver)
    }

    /// Sets another cause.
    pub(crate) fn caused_by(self, cause: Cause) -> Self {
        Self { cause, ..self }
    }

    /// Sets the callback for ephemeral events.
    pub(crate) fn with_listener(self, listener: Option<Listener>) -> Self {
        Self { listener, ..self }
    }

    /// Makes the turn of a timer: nobody waits for its answer.
    pub(super) fn of_timer(key: &Key, timer: &Timer, (now, since): (Timestamp, Duration)) -> Self {
        let id = TurnId::new(key, &timer.id);
        // An unreadable event is handled when its turn runs.
        let activity = Arc::new(timer.activity.get().unwrap_or_else(|_| Activity::event("")));
        let span = tracing::info_span!("turn", %id, kind = "timer");
        let parts = smallvec![Part { id, activity, sender: None }];
        let cause = Cause::Timer(timer.id.clone());
        let (is_alone, has_begun, listener) = (false, false, None);
        Self { parts, now, since, span, cause, is_alone, has_begun, listener }
    }

    /// Reports whether it can be acknowledged before its turn has ended, because no result of the
    /// turn goes into the answer.
    pub(crate) fn can_wait(&self) -> bool {
        let waits =
            |part: &Part| part.activity.kind == Kind::Invoke || part.activity.expects_replies();
        match self.cause {
            Cause::Activity => !self.parts.iter().any(waits),
            Cause::Timer(_) => true,
            // A handler cannot be stored.
            Cause::Proactive(_) | Cause::Operator(_) => false,
        }
    }

    /// Reports whether it can be processed while a long turn runs: what can join the inbox, and
    /// what runs no logic.
    pub(super) fn can_interleave(&self) -> bool {
        self.can_wait() || matches!(self.cause, Cause::Operator(_))
    }

    /// Reports whether it is the turn of an id.
    pub(super) fn is_of(&self, id: TurnId) -> bool {
        self.parts.iter().any(|part| part.id == id)
    }

    /// Returns the origin, which addresses the replies.
    pub(super) fn origin(&self, activity: &Arc<Activity>) -> Origin {
        match self.cause {
            Cause::Activity => Origin::of(activity),
            _ => Origin::of_ours(activity),
        }
    }

    /// Sends the same answer to all senders.
    pub(super) fn answer(self, result: &Result<Answer, Error>) {
        for part in self.parts {
            part.answer(result.clone());
        }
    }

    /// Sends each sender the answer of its part.
    pub(super) fn answer_each(self, verdict: Verdict) {
        for (part, verdict) in self.parts.into_iter().zip(verdict) {
            part.answer(verdict);
        }
    }

    /// Reports whether another message can be coalesced into this turn.
    pub(super) fn can_absorb(&self, other: &Self) -> bool {
        let plain = |item: &Self| {
            let activity = item.parts.first().map(|part| &part.activity);
            let is_plain = matches!(item.cause, Cause::Activity) && !item.is_alone;
            let activity = activity.filter(|a| is_plain && a.kind == Kind::Message);
            activity.filter(|a| a.delivery_mode.is_none()).cloned()
        };
        let from = |activity: &Activity| activity.from.as_ref().and_then(|from| from.id.clone());
        match (plain(self), plain(other)) {
            (Some(mine), Some(theirs)) => from(&mine) == from(&theirs),
            _ => false,
        }
    }
}

impl Part {
    fn answer(self, result: Result<Answer, Error>) {
        if let Some(sender) = self.sender {
            // The sender may have stopped waiting.
            drop(sender.send(result));
        }
    }
}

/// Batch: turns and chores that share one load and one commit.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(super) items: Vec<Item>,
    pub(super) chores: Vec<Chore>,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.chores.is_empty()
    }

    /// Reports whether the batch contains an operation of an operator.
    pub(super) fn is_operated(&self) -> bool {
        self.items.iter().any(|item| matches!(item.cause, Cause::Operator(_)))
    }

    /// Reports whether one of the chores releases the claim.
    pub(super) fn releases_claim(&self) -> bool {
        self.chores.iter().any(Chore::releases_claim)
    }

    /// Fails all items with the same error.
    pub(super) fn fail(self, error: &Error) {
        for item in self.items {
            item.answer(&Err(error.clone()));
        }
    }
}

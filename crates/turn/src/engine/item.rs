//! Items: turns to be, waiting in a mailbox.

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

/// One turn to be: an activity, or several that became one.
#[derive(Debug)]
pub(crate) struct Item {
    pub(super) parts: SmallVec<[Part; 1]>,
    pub(super) now: Timestamp,
    pub(crate) since: Duration,
    pub(super) span: Span,
    pub(super) cause: Cause,
    /// Whether it runs in a batch of its own: the store refused one that it was in.
    pub(super) is_alone: bool,
    /// The sender's ear for its signs.
    pub(super) listener: Option<Listener>,
}

/// The cause of a turn.
#[derive(Debug)]
pub(crate) enum Cause {
    /// An inbound activity.
    Activity,
    /// Nobody asked for it: a handler of its own runs instead of the bot's logic.
    Proactive(Arc<dyn Logic>),
    /// A timer of the conversation, by its id.
    Timer(String),
    /// An operator changes the document; no logic runs.
    Operator(Arc<Operation>),
}

/// A change of a document that an operator asks for.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) what: OperationKind,
    /// One reply, or all of them.
    pub(crate) which: Option<ReplyId>,
    /// How many replies it was done to.
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

/// The ear of a sender that listens to the signs of its turn (`deliveryMode: stream`).
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

/// One inbound activity and who waits for its answer.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) id: TurnId,
    pub(super) activity: Arc<Activity>,
    pub(super) sender: Option<oneshot::Sender<Result<Answer, Error>>>,
}

/// The answer to come of an item.
pub(crate) type Receiver = oneshot::Receiver<Result<Answer, Error>>;

impl Item {
    /// An item and the answer to come.
    pub(crate) fn new(
        id: TurnId,
        activity: Arc<Activity>,
        (now, since): (Timestamp, Duration),
    ) -> (Self, Receiver) {
        // A kind we do not know is somebody else's text: not for logs.
        let kind = match &activity.kind {
            Kind::Other(_) => "other",
            known => known.as_str(),
        };
        let span = tracing::info_span!("turn", %id, kind);
        let (sender, receiver) = oneshot::channel();
        let parts = smallvec![Part { id, activity, sender: Some(sender) }];
        let (cause, is_alone, listener) = (Cause::Activity, false, None);
        (Self { parts, now, since, span, cause, is_alone, listener }, receiver)
    }

    /// The same for another cause.
    pub(crate) fn caused_by(self, cause: Cause) -> Self {
        Self { cause, ..self }
    }

    /// The same for a sender that listens.
    pub(crate) fn heard_by(self, listener: Option<Listener>) -> Self {
        Self { listener, ..self }
    }

    /// The turn of a timer: nobody waits for its answer.
    pub(super) fn of_timer(key: &Key, timer: &Timer, (now, since): (Timestamp, Duration)) -> Self {
        let id = TurnId::new(key, &timer.id);
        // What cannot be read is told apart when its turn comes.
        let activity = Arc::new(timer.activity.get().unwrap_or_else(|_| Activity::event("")));
        let span = tracing::info_span!("turn", %id, kind = "timer");
        let parts = smallvec![Part { id, activity, sender: None }];
        let cause = Cause::Timer(timer.id.clone());
        Self { parts, now, since, span, cause, is_alone: false, listener: None }
    }

    /// Whether it can be acknowledged before its turn has ended: nobody waits for what the turn
    /// makes.
    pub(crate) fn can_wait(&self) -> bool {
        let waits =
            |part: &Part| part.activity.kind == Kind::Invoke || expects_replies(&part.activity);
        match self.cause {
            Cause::Activity => !self.parts.iter().any(waits),
            Cause::Timer(_) => true,
            // A handler of its own cannot be stored.
            Cause::Proactive(_) | Cause::Operator(_) => false,
        }
    }

    /// Whether it is the turn of an id.
    pub(super) fn is_of(&self, id: TurnId) -> bool {
        self.parts.iter().any(|part| part.id == id)
    }

    /// Where the replies go.
    pub(super) fn origin(&self, activity: &Arc<Activity>) -> Origin {
        match self.cause {
            Cause::Activity => Origin::of(activity),
            _ => Origin::of_ours(activity),
        }
    }

    /// Tells everybody who waits the same.
    pub(super) fn answer(self, result: &Result<Answer, Error>) {
        for part in self.parts {
            part.answer(result.clone());
        }
    }

    /// Tells each part its own.
    pub(super) fn answer_each(self, verdict: Verdict) {
        for (part, verdict) in self.parts.into_iter().zip(verdict) {
            part.answer(verdict);
        }
    }

    /// Whether another message can become part of this turn.
    pub(super) fn takes(&self, other: &Self) -> bool {
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
            // Nobody has to wait for an answer: the sender may have hung up.
            drop(sender.send(result));
        }
    }
}

/// Whether the replies of an activity's turn go into the answer.
pub(super) fn expects_replies(activity: &Activity) -> bool {
    matches!(activity.delivery_mode.as_deref(), Some("expectReplies" | "stream"))
}

/// What the runner takes at once: turns that share one load and one commit, and chores.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(super) items: Vec<Item>,
    pub(super) chores: Vec<Chore>,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.chores.is_empty()
    }

    /// Whether an operator is among those who wait.
    pub(super) fn is_operated(&self) -> bool {
        self.items.iter().any(|item| matches!(item.cause, Cause::Operator(_)))
    }

    /// Tells all of them the same error.
    pub(super) fn fail(self, error: &Error) {
        for item in self.items {
            item.answer(&Err(error.clone()));
        }
    }
}

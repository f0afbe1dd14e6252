//! The mailbox: everything this process knows of one conversation while it is busy with it.
//!
//! Activities wait here in one line. One runner at a time takes them from the line and is the only
//! writer of the conversation's document in this process; one courier at a time delivers its outbox.
//! A mailbox exists only while there is something to do.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use sayso_activity::{Activity, Kind};
use smallvec::{SmallVec, smallvec};
use tokio::sync::{Notify, oneshot};
use tracing::Span;

use super::{Answer, Shared, live::Listener};
use crate::{
    Error, Key, Limits, Logic, Overlap,
    clock::Timestamp,
    document::{Claim, Entry, Ledger},
    effects::Effects,
    id::{ReplyId, TurnId},
    origin::Origin,
    store::ETag,
};

/// One conversation in this process.
#[derive(Debug)]
pub(super) struct Mailbox {
    pub(super) key: Key,
    desk: Mutex<Desk>,
    /// The runner finished something; the courier waits for this.
    pub(super) changed: Notify,
    /// Something was put onto the desk that a runner in a long turn looks at, or that cannot wait.
    pub(super) called: Notify,
}

/// What runner and courier share.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) waiting: VecDeque<Item>,
    pub(super) chores: Vec<Chore>,
    pub(super) is_running: bool,
    pub(super) is_delivering: bool,
    /// Whether the document has an inbox that is ours to work off.
    pub(super) has_inbox: bool,
    /// Whether the runner is in a long turn, and looks here from time to time.
    pub(super) is_long: bool,
    /// Whether the runner has activities in hand, not only chores.
    pub(super) has_turns: bool,
    /// What is ours to deliver, as of the last document seen.
    pub(super) outbox: Vec<Arc<Entry>>,
    /// What the channel calls messages that were sent, as of the last document seen.
    pub(super) sent: Arc<Vec<(ReplyId, String)>>,
    /// When we began the last commit that carried our claim; only a commit of ours proves it.
    pub(super) claimed_at: Option<Duration>,
    /// Somebody else's claim, and since when we have seen it unchanged.
    pub(super) foreign: Option<(Claim, Duration)>,
    /// What the courier did and no commit has recorded yet.
    pub(super) handed: Vec<Handed>,
    pub(super) handed_at: Duration,
    /// How long that waits for a commit to be recorded with.
    pub(super) patience: Duration,
    /// Whether it is among what waits to be recorded.
    pub(super) is_waiting: bool,
    /// The claim is being given up: nothing more is handed over, or the heir would not know of it.
    pub(super) is_releasing: bool,
    /// The reply that is being handed over.
    pub(super) in_hand: Option<ReplyId>,
    /// Replies that an earlier try may have delivered.
    pub(super) doubtful: BTreeSet<ReplyId>,
    /// The revision of the last document seen: an older one is a stale read.
    pub(super) rev: u64,
    /// Whether another instance has written here lately: then it waits for our records.
    pub(super) is_shared: bool,
    /// Tries of the first reply in the outbox, and when the next one may be made.
    pub(super) tries: u32,
    pub(super) not_before: Duration,
}

/// A write that no activity causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chore {
    /// Record what was handed over.
    Record,
    /// Show that the claim is alive.
    Renew,
    /// Give the claim up for others to take.
    Release,
    /// Fire the timers that are due.
    Fire,
    /// Finish what a commit decided about other documents.
    Finish,
    /// Take the outbox over if the document still has this version.
    TakeIfAt(ETag),
    /// Take the outbox over if it is still claimed like this.
    TakeFrom(Claim),
}

impl Chore {
    /// Whether a claim hangs on it: then a turn that takes a while must not hold it up.
    pub(super) fn is_urgent(&self) -> bool {
        matches!(self, Self::Renew | Self::Release)
    }
}

/// A reply that left the outbox, and how.
#[derive(Clone, Debug)]
pub(super) struct Handed {
    pub(super) entry: Arc<Entry>,
    /// Why it was given up, if it was.
    pub(super) parked: Option<(String, Timestamp)>,
    /// What the channel calls it.
    pub(super) name: Option<String>,
}

/// One turn to be: an activity, or several that became one.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) parts: SmallVec<[Part; 1]>,
    pub(super) now: Timestamp,
    pub(super) since: Duration,
    /// Those of the attempts so far.
    pub(super) effects: Effects,
    pub(super) span: Span,
    /// What runs instead of the bot's logic, where the turn is a proactive one.
    pub(super) logic: Option<Arc<dyn Logic>>,
    /// Who listens to its signs.
    pub(super) listener: Option<Listener>,
}

/// One inbound activity and who waits for its answer.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) id: TurnId,
    pub(super) activity: Arc<Activity>,
    pub(super) sender: oneshot::Sender<Result<Answer, Error>>,
}

/// What the runner does next.
#[derive(Debug)]
pub(super) enum Work {
    /// Activities and chores.
    Batch(Batch),
    /// What was acknowledged and has not ended.
    Inbox,
    /// Nothing.
    Done(Rest),
}

/// How a runner leaves a mailbox.
#[derive(Debug)]
pub(super) enum Rest {
    /// Nothing is left to do.
    Whole,
    /// Somebody sees to what is left.
    Watched,
    /// Something was handed over and not recorded, and nobody sees to that.
    Unrecorded,
}

/// What the runner takes at once.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) items: Vec<Item>,
    pub(super) chores: Vec<Chore>,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.chores.is_empty()
    }

    /// Whether all that is in it waits for an answer.
    pub(super) fn waits_only(&self) -> bool {
        !self.items.is_empty() && !self.items.iter().any(Item::can_wait)
    }
}

impl Item {
    pub(super) fn new(
        id: TurnId,
        activity: Arc<Activity>,
        sender: oneshot::Sender<Result<Answer, Error>>,
        shared: &Shared,
    ) -> Self {
        // A kind we do not know is somebody else's text: not for logs.
        let kind = match &activity.kind {
            Kind::Other(_) => "other",
            known => known.as_str(),
        };
        let span = tracing::info_span!("turn", %id, kind);
        Self {
            parts: smallvec![Part { id, activity, sender }],
            now: shared.clock.now(),
            since: shared.uptime(),
            effects: Effects::default(),
            span,
            logic: None,
            listener: None,
        }
    }

    /// Whether it can be acknowledged before its turn has ended: nobody waits for what the turn makes.
    pub(super) fn can_wait(&self) -> bool {
        let waits =
            |part: &Part| part.activity.kind == Kind::Invoke || expects_replies(&part.activity);
        // A handler of its own cannot be stored.
        self.logic.is_none() && !self.parts.iter().any(waits)
    }

    /// Where the replies go.
    pub(super) fn origin(&self, activity: &Arc<Activity>) -> Origin {
        match self.logic {
            None => Origin::of(activity),
            Some(_) => Origin::of_ours(activity),
        }
    }

    pub(super) fn answer(self, result: &Result<Answer, Error>) {
        for part in self.parts {
            part.answer(result.clone());
        }
    }

    /// Whether another message can become part of this turn.
    fn takes(&self, other: &Self) -> bool {
        let plain = |item: &Self| {
            let activity = item.parts.first().map(|part| &part.activity);
            activity.filter(|a| a.kind == Kind::Message && a.delivery_mode.is_none()).cloned()
        };
        let from = |activity: &Activity| activity.from.as_ref().and_then(|from| from.id.clone());
        match (plain(self), plain(other)) {
            (Some(mine), Some(theirs)) => from(&mine) == from(&theirs),
            _ => false,
        }
    }
}

impl Part {
    pub(super) fn answer(self, result: Result<Answer, Error>) {
        // Nobody has to wait for an answer: the sender may have hung up.
        drop(self.sender.send(result));
    }
}

/// Whether the replies of an activity's turn go into the answer.
pub(super) fn expects_replies(activity: &Activity) -> bool {
    matches!(activity.delivery_mode.as_deref(), Some("expectReplies" | "stream"))
}

impl Mailbox {
    pub(super) fn new(key: &Key) -> Arc<Self> {
        Arc::new(Self {
            key: key.clone(),
            desk: Mutex::default(),
            changed: Notify::new(),
            called: Notify::new(),
        })
    }

    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to do next. The runner counts as gone when there is nothing. A courier that waits hears of
    /// what it has done.
    pub(super) fn take(&self, limits: &Limits, overlap: Overlap, has_worked: bool) -> Work {
        let mut desk = self.desk();
        if has_worked && desk.is_delivering {
            self.changed.notify_one();
        }
        if desk.has_inbox {
            return Work::Inbox;
        }
        let chores = std::mem::take(&mut desk.chores);
        if chores.iter().any(Chore::is_urgent) {
            // It is heard.
            self.called.notified().now_or_never();
        }
        let mut items: Vec<Item> = Vec::with_capacity(desk.waiting.len().min(limits.batch_max));
        while items.len() < limits.batch_max
            && let Some(item) = desk.waiting.pop_front()
        {
            match items.last_mut() {
                Some(last) if overlap == Overlap::Coalesce && last.takes(&item) => {
                    last.parts.extend(item.parts);
                }
                _ => items.push(item),
            }
        }
        desk.has_turns = !items.is_empty();
        if items.is_empty() && chores.is_empty() {
            desk.is_running = false;
            return Work::Done(desk.rest());
        }
        Work::Batch(Batch { items, chores })
    }

    /// Puts items back to where they were, first.
    pub(super) fn put_back(&self, items: Vec<Item>) {
        let mut desk = self.desk();
        for item in items.into_iter().rev() {
            desk.waiting.push_front(item);
        }
    }

    /// What can be seen to while a turn goes on: chores, and what takes its place in line. Whoever waits
    /// for an answer waits on, until it is too late.
    pub(super) fn take_aside(&self, is_late: impl Fn(&Item) -> bool) -> Batch {
        let mut desk = self.desk();
        let chores = std::mem::take(&mut desk.chores);
        let takes = |item: &mut Item| item.can_wait() || is_late(item);
        let (mut items, mut left) = (Vec::new(), VecDeque::new());
        for mut item in desk.waiting.drain(..) {
            if takes(&mut item) { items.push(item) } else { left.push_back(item) }
        }
        desk.waiting = left;
        Batch { items, chores }
    }
}

impl Desk {
    /// Whether something waits that a turn must not hold up.
    pub(super) fn is_called(&self) -> bool {
        self.chores.iter().any(Chore::is_urgent)
    }

    /// Whether a turn runs or waits here.
    pub(super) fn is_turning(&self) -> bool {
        self.has_turns || self.has_inbox || !self.waiting.is_empty()
    }

    pub(super) fn is_idle(&self) -> bool {
        let is_working = self.is_running || self.is_delivering;
        !is_working && self.waiting.is_empty() && self.chores.is_empty() && self.handed.is_empty()
    }

    /// What a runner leaves that has nothing to do.
    fn rest(&self) -> Rest {
        let is_seen_to = self.is_delivering || self.is_waiting || self.handed.is_empty();
        match (self.is_idle(), is_seen_to) {
            (true, _) => Rest::Whole,
            (false, true) => Rest::Watched,
            (false, false) => Rest::Unrecorded,
        }
    }

    /// Whether a reply may have arrived already.
    pub(super) fn is_doubtful(&self, id: &ReplyId) -> bool {
        self.doubtful.contains(id) || self.in_hand.as_ref() == Some(id)
    }

    /// What the channel calls a message of ours, once it has it.
    pub(super) fn name_of(&self, id: &ReplyId) -> Option<String> {
        let handed = self.handed.iter().find(|handed| handed.entry.id == *id);
        let recorded = || self.sent.iter().rfind(|(known, _)| known == id).map(|(_, name)| name);
        handed.and_then(|handed| handed.name.as_ref()).or_else(recorded).cloned()
    }

    /// Whether the courier has anything to do or to wait for.
    pub(super) fn has_errands(&self) -> bool {
        !self.outbox.is_empty() || !self.handed.is_empty() || self.foreign.is_some()
    }

    /// Takes note of the document as it is stored now, for the courier.
    pub(super) fn note(&mut self, ledger: &Ledger, me: &str, now: impl FnOnce() -> Duration) {
        self.rev = ledger.rev;
        let mine = ledger.claim.as_ref().is_some_and(|claim| claim.by == me);
        match mine {
            true => self.outbox.clone_from(&ledger.outbox),
            false => self.outbox.clear(),
        }
        if !Arc::ptr_eq(&self.sent, &ledger.sent) {
            self.sent = Arc::clone(&ledger.sent);
        }
        self.has_inbox = mine && !ledger.inbox.is_empty();
        self.foreign = match &ledger.claim {
            Some(claim) if !mine => match self.foreign.take() {
                // The same claim as before: it has been silent since then.
                Some((known, since)) if known == *claim => Some((known, since)),
                _ => Some((claim.clone(), now())),
            },
            _ => None,
        };
        let waiting = |id: &ReplyId| ledger.outbox.iter().any(|entry| entry.id == *id);
        self.handed.retain(|handed| waiting(&handed.entry.id));
        self.doubtful.retain(waiting);
    }
}

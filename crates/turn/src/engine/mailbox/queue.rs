//! The queue of a mailbox: what waits for the runner, and what the runner is at.

use std::{collections::VecDeque, time::Duration};

use crate::{
    Limits,
    engine::item::{Batch, Item},
    ledger::Chore,
    turn::Overlap,
};

/// What waits for the runner of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    pub(crate) waiting: VecDeque<Item>,
    pub(crate) chores: Vec<Chore>,
    pub(crate) runner: Runner,
    /// Whether the document has an inbox that is ours to work off.
    pub(crate) has_inbox: bool,
    /// The back-off of chores that the store failed.
    pub(crate) pause: Pause,
    /// The mean time of a commit, after a streak of them: the runner is to rest, for others.
    pub(crate) rest_after: Option<Duration>,
}

/// The runner's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Runner {
    /// Nobody runs.
    #[default]
    Off,
    /// It has chores in hand, or nothing yet.
    Chores,
    /// It has turns in hand.
    Turns,
    /// It works the inbox off, and looks at the queue from time to time.
    Long,
}

/// A pause of everything that asks the store again for this conversation without being asked to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pause {
    /// How often it failed in a row.
    pub(crate) tries: u32,
    /// Until when nothing is asked.
    pub(crate) until: Duration,
}

/// The runner's next work.
#[derive(Debug)]
pub(crate) enum Work {
    /// Activities and chores.
    Batch(Batch),
    /// What was acknowledged and has not ended.
    Inbox,
    /// Nothing for a moment, after a streak of commits that took so long: others get their turn.
    Rest(Duration),
    /// Nothing.
    Done(RunnerExit),
}

/// How a runner leaves a mailbox.
#[derive(Debug)]
pub(crate) enum RunnerExit {
    /// Nothing is left to do.
    Idle,
    /// Somebody sees to what is left.
    Watched,
    /// Something was handed over and not recorded, or a claim is held, and nobody sees to that.
    Unsettled,
}

impl Queue {
    /// Whether something waits that a turn must not hold up.
    pub(crate) fn is_called(&self) -> bool {
        self.chores.iter().any(Chore::is_urgent)
    }

    /// Whether a turn runs or waits here.
    pub(crate) fn is_turning(&self) -> bool {
        self.runner == Runner::Turns || self.has_inbox || !self.waiting.is_empty()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.runner == Runner::Off && self.waiting.is_empty() && self.chores.is_empty()
    }

    /// Takes what waits, as much as runs together.
    pub(super) fn take(&mut self, limits: &Limits, overlap: Overlap) -> Option<Batch> {
        let chores = std::mem::take(&mut self.chores);
        let mut items: Vec<Item> = Vec::with_capacity(self.waiting.len().min(limits.batch_max));
        while items.len() < limits.batch_max
            && let Some(item) = self.waiting.pop_front_if(|item| items.is_empty() || !item.is_alone)
        {
            if item.is_alone {
                items.push(item);
                break;
            }
            match items.last_mut() {
                Some(last) if overlap == Overlap::Coalesce && last.takes(&item) => {
                    last.parts.extend(item.parts);
                }
                _ => items.push(item),
            }
        }
        self.runner = if items.is_empty() { Runner::Chores } else { Runner::Turns };
        let batch = Batch { items, chores };
        (!batch.is_empty()).then_some(batch)
    }

    /// Puts items back to where they were, first.
    pub(super) fn put_back(&mut self, items: Vec<Item>) {
        for item in items.into_iter().rev() {
            self.waiting.push_front(item);
        }
    }

    /// Takes some items out; the others keep their order.
    pub(super) fn extract(&mut self, is_wanted: impl Fn(&Item) -> bool) -> Vec<Item> {
        if !self.waiting.iter().any(&is_wanted) {
            return Vec::new();
        }
        let (taken, left): (Vec<_>, VecDeque<_>) = {
            let (mut taken, mut left) = (Vec::new(), VecDeque::new());
            for item in self.waiting.drain(..) {
                if is_wanted(&item) { taken.push(item) } else { left.push_back(item) }
            }
            (taken, left)
        };
        self.waiting = left;
        taken
    }
}

//! Queue of a mailbox: waiting items and chores, and the state of the runner.

use std::{collections::VecDeque, time::Duration};

use crate::{
    Limits,
    engine::item::{Batch, Item},
    ledger::Chore,
    turn::Overlap,
};

/// Items and chores that wait for the runner.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    pub(crate) waiting: VecDeque<Item>,
    pub(crate) chores: Vec<Chore>,
    pub(crate) runner: Runner,
    /// True if the document has an inbox for this instance to work off.
    pub(crate) has_inbox: bool,
    /// Back-off of chores that the store failed.
    pub(crate) pause: Pause,
    /// Mean duration of a commit after a streak: the runner is to pause for other instances.
    pub(crate) rest_after: Option<Duration>,
}

/// State of the runner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Runner {
    /// No runner.
    #[default]
    Off,
    /// It processes chores, or nothing yet.
    Chores,
    /// It processes turns.
    Turns,
    /// It works the inbox off and handles the queue in between.
    Long,
}

/// Back-off state of the chores of a conversation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pause {
    /// Number of failures in a row.
    pub(crate) tries: u32,
    /// End of the current wait.
    pub(crate) until: Duration,
}

/// Next work of the runner.
#[derive(Debug)]
pub(crate) enum Work {
    /// Activities and chores.
    Batch(Batch),
    /// Long turns in the inbox.
    Inbox,
    /// A pause for other instances, after a streak of commits with this mean duration.
    Rest(Duration),
    /// Nothing.
    Done(RunnerExit),
}

/// State in which a runner leaves a mailbox.
#[derive(Debug)]
pub(crate) enum RunnerExit {
    /// Nothing is left to do.
    Idle,
    /// A courier or the queue of acknowledgements handles what is left.
    Watched,
    /// An unrecorded hand-over or a held claim is left, and no courier runs.
    Unsettled,
}

impl Queue {
    /// Reports whether an urgent chore waits, which a turn must not delay.
    pub(crate) fn has_urgent_chore(&self) -> bool {
        self.chores.iter().any(Chore::is_urgent)
    }

    /// Reports whether a turn runs or waits here.
    pub(crate) fn has_turn(&self) -> bool {
        self.runner == Runner::Turns || self.has_inbox || !self.waiting.is_empty()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.runner == Runner::Off && self.waiting.is_empty() && self.chores.is_empty()
    }

    /// Takes the next batch.
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
                Some(last) if overlap == Overlap::Coalesce && last.can_absorb(&item) => {
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

    /// Removes and returns the items that match; the others keep their order.
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

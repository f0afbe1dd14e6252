//! State of a rung of the ladder: the stored document, and the phase of each instance.

use crate::{
    seq::Seq,
    world::{ACTIVITIES_MAX, World},
};

/// Delivery status of a stored reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mark {
    /// There is no such reply.
    #[default]
    None,
    /// It waits to be sent.
    Pending,
    /// An instance is sending it.
    Claimed(u8),
    /// It was sent.
    Sent,
}

/// The stored document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Doc {
    /// The turns in it, in commit order. Where ids are stored they are the same list.
    pub applied: Seq,
    /// The replies in it, by activity; their order is that of the turns.
    pub marks: [Mark; ACTIVITIES_MAX],
}

/// Phase of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing.
    Idle,
    /// It has an activity and is about to load.
    Load(u8),
    /// It has run the turn and is about to save.
    Save {
        /// The activity.
        activity: u8,
        /// The document to be saved.
        draft: Doc,
        /// True if nobody has written since it loaded.
        is_current: bool,
        /// True if it saves without a condition.
        is_blind: bool,
    },
    /// The outcome of the save is unknown.
    Unknown(u8),
    /// It has saved.
    Committed(u8),
    /// All that is left is to acknowledge.
    Replied(u8),
    /// It looks for a reply to send.
    Claim,
    /// It is sending a reply.
    Send(u8),
    /// It is about to record that a reply was sent.
    Note(u8),
}

/// State of the whole system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The stored document.
    pub doc: Doc,
    /// Saves on the wire that can still take effect: the draft, and whether it has no condition.
    pub late: Vec<(Doc, bool)>,
    /// Phase of each instance.
    pub phases: Vec<Phase>,
    /// The outside.
    pub world: World,
}

impl Doc {
    /// Delivery status of the reply to an activity.
    #[must_use]
    pub fn mark(&self, reply: u8) -> Mark {
        self.marks.get(usize::from(reply)).copied().unwrap_or_default()
    }

    /// Sets the delivery status of the reply to an activity.
    pub fn set(&mut self, reply: u8, mark: Mark) {
        if let Some(known) = self.marks.get_mut(usize::from(reply)) {
            *known = mark;
        }
    }

    /// The first reply that waits, in commit order.
    #[must_use]
    pub fn pending(&self) -> Option<u8> {
        self.applied.iter().find(|reply| self.mark(*reply) == Mark::Pending)
    }
}

impl State {
    /// Phase of an instance, `Idle` if there is no such instance.
    #[must_use]
    pub fn phase(&self, instance: u8) -> Phase {
        self.phases.get(usize::from(instance)).copied().unwrap_or(Phase::Idle)
    }

    /// Moves an instance to a phase.
    pub fn enter(&mut self, instance: u8, phase: Phase) {
        if let Some(known) = self.phases.get_mut(usize::from(instance)) {
            *known = phase;
        }
    }

    /// Stores a document: what others have loaded or sent off with a condition cannot win any more.
    pub fn write(&mut self, doc: Doc) {
        self.doc = doc;
        self.late.retain(|(_, is_blind)| *is_blind);
        for phase in &mut self.phases {
            if let Phase::Save { draft, is_current, is_blind, .. } = phase {
                *is_current = false;
                if !*is_blind {
                    // It can never be stored: two states that differ only in it are the same.
                    *draft = Doc::default();
                }
            }
        }
    }

    /// The replies that are claimed, and whether the holder is busy. The claim of one that is not
    /// lapses by itself: it died or gave up.
    pub fn claimed(&self) -> impl Iterator<Item = (u8, bool)> {
        self.doc.applied.iter().filter_map(|reply| match self.doc.mark(reply) {
            Mark::Claimed(by) => Some((reply, self.phase(by) != Phase::Idle)),
            Mark::None | Mark::Pending | Mark::Sent => None,
        })
    }
}

//! Environment of a protocol: the bound of the search, and everything that the outside has seen.

use crate::seq::{Seq, Set};

/// The most activities that a bound may have.
pub const ACTIVITIES_MAX: usize = 3;

/// Bound of the search. Within it the search is exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Instances that share one conversation.
    pub instances: u8,
    /// Activities, each with one reply.
    pub activities: u8,
    /// Maximum deliveries of each activity by the channel.
    pub deliveries: u8,
    /// Maximum number of crashes: a process dies, with whatever it has in hand or on the wire.
    pub crashes: u8,
    /// Maximum number of faults: a save or a send is lost, loses its answer, or lands late.
    pub faults: u8,
    /// Maximum number of early expiries: a claim is taken for lapsed while its holder lives.
    pub expiries: u8,
}

impl Bound {
    /// The bound that every change is checked against.
    pub const CI: Self =
        Self { instances: 2, activities: 2, deliveries: 2, crashes: 1, faults: 1, expiries: 1 };

    /// The same with nothing going wrong: no crash, no fault, no early expiry.
    #[must_use]
    pub const fn calm(self) -> Self {
        Self { crashes: 0, faults: 0, expiries: 0, ..self }
    }
}

/// Outcome of a save or a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// As it should.
    Fine,
    /// It took effect and the answer was lost.
    AnswerLost,
    /// It was lost.
    Lost,
    /// It takes effect later; until then it looks lost.
    Late,
}

/// Everything that the outside has seen, and the budget of what may still happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    /// Deliveries left, by activity.
    pub left: [u8; ACTIVITIES_MAX],
    /// Activities that the channel was told are done.
    pub acked: Set,
    /// True if the last step told it so before the turn was stored.
    pub is_acked_early: bool,
    /// Replies that users saw, by first appearance.
    pub visible: Seq,
    /// True if the last step made a user see one again.
    pub is_repeated: bool,
    /// Replies handed over without the mark that says: an earlier try may have arrived.
    pub unmarked: Set,
    /// True if the last step handed one over again without it.
    pub is_unmarked_twice: bool,
    /// True if in the last step an instance asked itself for a write, made none, and will ask
    /// again.
    pub is_spinning: bool,
    /// Crashes left.
    pub crashes: u8,
    /// Faults left.
    pub faults: u8,
    /// Early expiries left.
    pub expiries: u8,
}

impl World {
    /// The world before anything happened.
    #[must_use]
    pub fn new(bound: &Bound) -> Self {
        let mut left = [0; ACTIVITIES_MAX];
        left.iter_mut().take(bound.activities.into()).for_each(|left| *left = bound.deliveries);
        Self {
            left,
            acked: Set::default(),
            is_acked_early: false,
            visible: Seq::default(),
            is_repeated: false,
            unmarked: Set::default(),
            is_unmarked_twice: false,
            is_spinning: false,
            crashes: bound.crashes,
            faults: bound.faults,
            expiries: bound.expiries,
        }
    }

    /// Begins another step: resets what is known of the last one.
    pub fn move_on(&mut self) {
        self.is_acked_early = false;
        self.is_repeated = false;
        self.is_unmarked_twice = false;
        self.is_spinning = false;
    }

    /// The activities that can come to an instance next. Activities and instances are alike, so
    /// that the very first delivery may as well be of the first activity to the first instance.
    pub fn deliveries(&self, bound: &Bound, instance: u8) -> impl Iterator<Item = u8> + use<> {
        let left = self.left;
        let is_first = left.iter().take(bound.activities.into()).all(|n| *n == bound.deliveries);
        let activities = match (is_first, instance) {
            (false, _) => bound.activities,
            (true, 0) => 1,
            (true, _) => 0,
        };
        left.into_iter()
            .zip(0..activities)
            .filter(|(left, _)| *left > 0)
            .map(|(_, activity)| activity)
    }

    /// The lists of different activities that can have come to an instance since its last turn. The
    /// very first list may as well begin with the first activity.
    #[must_use]
    pub fn batches(&self, bound: &Bound, instance: u8) -> Vec<Seq> {
        let first = self.deliveries(bound, instance);
        let mut batches: Vec<Seq> =
            first.map(|activity| [activity].into_iter().collect()).collect();
        let mut at = 0;
        while let Some(batch) = batches.get(at).copied() {
            let more = self.left.iter().zip(0..).filter(|(left, _)| **left > 0);
            for (_, activity) in more.filter(|(_, activity)| !batch.contains(*activity)) {
                batches.push(batch.iter().chain([activity]).collect());
            }
            at += 1;
        }
        batches
    }

    /// Delivers an activity once more.
    pub fn take(&mut self, activity: u8) {
        if let Some(left) = self.left.get_mut(usize::from(activity)) {
            *left -= 1;
        }
    }

    /// Acknowledges an activity to the channel.
    pub fn ack(&mut self, activity: u8, applied: Seq) {
        self.is_acked_early |= !applied.contains(activity);
        self.acked.insert(activity);
    }

    /// Shows a reply to the user. A receiver with idempotency keys drops one that it has had
    /// before.
    pub fn arrive(&mut self, reply: u8, is_marked: bool, is_keyed: bool) {
        self.is_unmarked_twice |= !is_marked && !self.unmarked.insert(reply);
        if !self.visible.contains(reply) {
            self.visible.push(reply);
        } else if !is_keyed {
            self.is_repeated = true;
        }
    }

    /// Reports whether the channel may still deliver an activity and has a reason to.
    #[must_use]
    pub fn is_owed(&self, activity: u8) -> bool {
        let left = self.left.get(usize::from(activity)).is_some_and(|left| *left > 0);
        left && !self.acked.contains(activity)
    }
}

/// The name of an activity, and of its reply.
pub(crate) fn name(activity: u8) -> char {
    char::from(b'a' + activity)
}

/// The names of several.
pub(crate) fn names(activities: impl IntoIterator<Item = u8>) -> String {
    let names: Vec<_> = activities.into_iter().map(|activity| name(activity).to_string()).collect();
    names.join(" and ")
}

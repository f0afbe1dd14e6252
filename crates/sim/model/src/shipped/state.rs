//! State of the shipped protocol: the stored document, and the memory of each instance.

use crate::{
    seq::{Seq, Set},
    world::World,
};

/// Claim (lease) on the outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The name of a process; one that starts again has a new name.
    pub by: u8,
    /// Counts the holder's commits where a claim can look like an earlier one; else always zero,
    /// and [`Foreign::is_superseded`] tells claims apart.
    pub beat: u8,
}

/// The stored document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Doc {
    /// The turns in it, in commit order; also the ids seen.
    pub applied: Seq,
    /// Replies decided and not recorded as handed over, in commit order.
    pub outbox: Seq,
    /// Claim of the instance that delivers them.
    pub claim: Option<Claim>,
    /// Those that the holder took over, which an earlier holder may have delivered.
    pub taken: Set,
}

/// Claim of another instance, as this one last saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Foreign {
    /// The claim as it was seen.
    pub claim: Claim,
    /// True if its holder has written since, or it is gone.
    pub is_superseded: bool,
}

/// A request to take the outbox over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Take {
    /// If the document still has the version that was seen; forgotten when it has another.
    IfAt,
    /// If it is still claimed like this.
    From(Foreign),
}

/// A version of the document on its way into the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Draft {
    /// The next document.
    pub doc: Doc,
    /// Replies taken over from another instance, where only memory knows them.
    pub taken: Set,
}

/// Stage of the runner's round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// About to save, from the stored version. Once somebody else has written, the save can only
    /// fail.
    Save(Draft),
    /// About to load again: its save fails or has failed.
    Reload,
    /// About to load again or to give up: it does not know whether its save happened.
    Unsure,
}

/// Work that the runner has in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Work {
    /// Activities, each with somebody who waits for the answer.
    pub batch: Seq,
    /// True if the courier waits for a write.
    pub is_errand: bool,
    /// True if to renew the claim.
    pub is_renewal: bool,
    /// True if to take the outbox over.
    pub take: Option<Take>,
    /// Stage of its round.
    pub stage: Stage,
}

/// One process. Everything in it is lost when it dies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instance {
    /// Its name in claims.
    pub name: u8,
    /// Work that the runner has in hand.
    pub work: Option<Work>,
    /// The document as this instance wrote it last, with `true` if that is still the stored one.
    pub cache: Option<(Doc, bool)>,
    /// Replies that this instance must deliver, as of the last document seen.
    pub outbox: Seq,
    /// Replies handed over, not yet recorded.
    pub handed: Set,
    /// Replies that an earlier try may have delivered.
    pub doubtful: Set,
    /// Claim of another instance.
    pub foreign: Option<Foreign>,
    /// The reply on the wire, with `true` if it is marked as a repeat.
    pub sending: Option<(u8, bool)>,
    /// True if a commit of its own has proved its claim.
    pub is_proven: bool,
    /// True if its claim is so old that it must be renewed before the next hand-over. A process
    /// whose clock stood still may not know, so that it may also go on.
    pub is_lapsed: bool,
}

/// State of the whole system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The stored document.
    pub doc: Doc,
    /// Saves on the wire that can still take effect, each with the name of its sender.
    pub late: Vec<(Doc, u8)>,
    /// Replies on the wire whose sender does not wait any more: unmarked ones, marked ones.
    pub strays: [Set; 2],
    /// The processes.
    pub instances: Vec<Instance>,
    /// The outside.
    pub world: World,
}

impl Doc {
    /// Reports whether an instance holds the claim.
    #[must_use]
    pub fn is_claimed_by(&self, name: u8) -> bool {
        self.claim.is_some_and(|claim| claim.by == name)
    }
}

impl Instance {
    /// The reply to hand over next.
    #[must_use]
    pub fn next_reply(&self) -> Option<u8> {
        self.outbox.iter().find(|reply| !self.handed.contains(*reply))
    }

    /// Reports whether there is anything to do or to wait for in the conversation.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.work.is_some()
            || !self.outbox.is_empty()
            || !self.handed.is_empty()
            || self.foreign.is_some()
            || self.sending.is_some()
    }

    /// Reports whether the courier, left as it is, asks for the same write again.
    #[must_use]
    pub fn still_asks(&self) -> bool {
        match self.next_reply() {
            Some(_) => self.is_lapsed || !self.is_proven,
            None => !self.handed.is_empty(),
        }
    }

    /// Updates the instance's knowledge from the document as it is stored now.
    pub fn note(&mut self, doc: &Doc, is_claim_reused: bool) {
        let is_mine = doc.is_claimed_by(self.name);
        self.outbox = if is_mine { doc.outbox } else { Seq::default() };
        self.foreign = doc.claim.filter(|_| !is_mine).map(|claim| match self.foreign {
            Some(known) if known.is(claim, is_claim_reused) => known,
            _ => Foreign { claim, is_superseded: false },
        });
        let waiting: Set = doc.outbox.iter().collect();
        self.handed = self.handed.both(waiting);
        let taken = if is_mine { doc.taken } else { Set::default() };
        self.doubtful = self.doubtful.both(waiting).either(taken);
    }
}

impl Foreign {
    /// Reports whether a stored claim looks like the one that was seen.
    #[must_use]
    pub fn is(&self, stored: Claim, is_claim_reused: bool) -> bool {
        self.claim == stored && (is_claim_reused || !self.is_superseded)
    }
}

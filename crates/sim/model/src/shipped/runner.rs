//! The runner: rounds of load, run and commit. The only writer of the document in its process.

use super::{Claim, Doc, Draft, Instance, Shipped, Stage, State, Take, Work};
use crate::{
    seq::{Seq, Set},
    world::Fate,
};

/// Reason for which the runner starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Errand {
    /// Activities wait.
    Turns,
    /// The courier wants its hand-overs recorded.
    Record,
    /// The courier wants the claim renewed.
    Renew,
    /// The courier takes a claim for lapsed.
    TakeOver,
    /// Recovery takes the document for left behind.
    Sweep,
}

impl Shipped {
    /// The runner takes everything that waits and begins its first round.
    pub(super) fn begin(&self, state: &mut State, at: u8, errand: Errand, batch: Seq) {
        let instance = state.instance_mut(at);
        let take = match errand {
            Errand::TakeOver => instance.foreign.map(Take::From),
            Errand::Sweep => Some(Take::IfAt),
            Errand::Turns | Errand::Record | Errand::Renew => None,
        };
        let work = Work {
            batch,
            is_errand: errand != Errand::Turns,
            is_renewal: errand == Errand::Renew,
            take,
            stage: Stage::Reload,
        };
        let cached = instance.cache.filter(|_| take.is_none());
        self.round(state, at, work, cached);
    }

    /// The runner begins another round, always from the store.
    pub(super) fn again(&self, state: &mut State, at: u8) {
        if let Some(work) = state.instance_mut(at).work.take() {
            self.round(state, at, work, None);
        }
    }

    /// Runs a round: loads and runs, then prepares a save unless there is nothing to write.
    fn round(&self, state: &mut State, at: u8, work: Work, cached: Option<(Doc, bool)>) {
        let stored = state.doc;
        let (base, is_current) = cached.unwrap_or((stored, true));
        let instance = state.instance_mut(at);
        let (draft, is_changed) = self.draft(instance, &work, base);
        if is_changed {
            let stage = if is_current { Stage::Save(draft) } else { Stage::Reload };
            instance.work = Some(Work { stage, is_errand: false, ..work });
            return;
        }
        if cached.is_none() {
            instance.note(&stored, self.rules.is_claim_reused);
        } else if work.is_errand && !self.rules.is_cache_trusted {
            // Memory knows nothing of what was asked for; the store may.
            instance.cache = None;
            instance.work = Some(Work { stage: Stage::Reload, is_errand: false, ..work });
            return;
        } else if work.is_errand {
            state.world.is_spinning |= instance.still_asks();
        }
        answer(state, work.batch);
    }

    /// The next document, and whether it differs from the one before.
    fn draft(&self, instance: &Instance, work: &Work, base: Doc) -> (Draft, bool) {
        let me = instance.name;
        let waiting: Set = base.outbox.iter().collect();
        let recorded = instance.handed.both(waiting);
        let mut doc = Doc { outbox: base.outbox.without(recorded), ..base };
        recorded.iter().for_each(|reply| doc.taken.remove(reply));
        let mut is_changed = !recorded.is_empty() || work.is_renewal && doc.is_claimed_by(me);
        let is_taken = match work.take {
            Some(Take::IfAt) => !doc.is_claimed_by(me),
            Some(Take::From(foreign)) => {
                doc.claim.is_some_and(|claim| foreign.is(claim, self.rules.is_claim_reused))
            }
            None => false,
        };
        let mut taken = Set::default();
        if is_taken && doc.claim.take().is_some() {
            taken = doc.outbox.iter().collect();
        }
        if !taken.is_empty() && !self.rules.is_taking_forgotten {
            doc.taken = std::mem::take(&mut taken);
        }
        for activity in work.batch.iter() {
            if !doc.applied.contains(activity) {
                doc.applied.push(activity);
                doc.outbox.push(activity);
                is_changed = true;
            }
        }
        is_changed |= self.settle_claim(&mut doc, me);
        (Draft { doc, taken }, is_changed)
    }

    /// Settles who delivers. A commit that decides replies claims them too.
    fn settle_claim(&self, doc: &mut Doc, me: u8) -> bool {
        if doc.outbox.is_empty() {
            doc.taken = Set::default();
            return doc.claim.take().is_some();
        }
        let beats = self.rules.is_claim_reused;
        match &mut doc.claim {
            Some(claim) if claim.by == me => claim.beat += u8::from(beats),
            Some(_) => {}
            claim @ None => {
                *claim = Some(Claim { by: me, beat: u8::from(beats) });
                return true;
            }
        }
        false
    }

    /// The save ends.
    pub(super) fn save(&self, state: &mut State, at: u8, fate: Fate) {
        let Some(Work { stage: Stage::Save(draft), .. }) = state.instance(at).work else { return };
        state.world.faults -= u8::from(fate != Fate::Fine);
        let name = state.instance(at).name;
        match fate {
            Fate::Fine | Fate::AnswerLost => state.write(draft.doc, name),
            Fate::Late => state.late.push((draft.doc, name)),
            Fate::Lost => {}
        }
        let instance = state.instance_mut(at);
        if fate != Fate::Fine {
            instance.cache = None;
            instance.work.iter_mut().for_each(|work| work.stage = Stage::Unsure);
            return;
        }
        let batch = instance.work.take().map(|work| work.batch).unwrap_or_default();
        instance.doubtful = instance.doubtful.either(draft.taken);
        (instance.is_proven, instance.is_lapsed) = (true, false);
        instance.note(&draft.doc, self.rules.is_claim_reused);
        instance.cache = Some((draft.doc, true));
        answer(state, batch);
    }

    /// Gives up: the senders get an error.
    pub(super) fn give_up(state: &mut State, at: u8) {
        state.instance_mut(at).work = None;
    }
}

/// Answers all senders of the batch: their turns are stored.
fn answer(state: &mut State, batch: Seq) {
    for activity in batch.iter() {
        state.world.ack(activity, state.doc.applied);
    }
}

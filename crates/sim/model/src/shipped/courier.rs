//! The courier and recovery: hand-over of replies, and take-over of abandoned outboxes.

use super::{Foreign, Instance, Shipped, State, runner::Errand};
use crate::world::Fate;

impl Shipped {
    /// Chores that the courier and recovery of an instance may ask the runner for, each with `true`
    /// if it needs an early expiry.
    pub(super) fn errands(state: &State, at: u8) -> Vec<(Errand, bool)> {
        let instance = state.instance(at);
        if instance.work.is_some() {
            return Vec::new();
        }
        let mut errands = Vec::new();
        if instance.sending.is_none() {
            errands.extend(Self::courier_errand(state, instance));
        }
        if !instance.is_busy() && !state.doc.outbox.is_empty() {
            let is_early = state.doc.claim.is_some_and(|claim| state.minder(claim.by).is_some());
            errands.push((Errand::Sweep, is_early));
        }
        errands
    }

    fn courier_errand(state: &State, instance: &Instance) -> Option<(Errand, bool)> {
        if instance.next_reply().is_some() {
            return instance.still_asks().then_some((Errand::Renew, false));
        }
        if !instance.handed.is_empty() {
            return Some((Errand::Record, false));
        }
        let foreign = instance.foreign?;
        Some((Errand::TakeOver, Self::is_minded(state, &foreign)))
    }

    /// Reports whether the claim that was seen is the stored one and its holder lives and minds it.
    fn is_minded(state: &State, foreign: &Foreign) -> bool {
        !foreign.is_superseded && state.minder(foreign.claim.by).is_some()
    }

    /// Expires a claim early, although its holder lives: so much time has passed for the holder,
    /// too.
    pub(super) fn expire(state: &mut State) {
        state.world.expiries -= 1;
        if let Some(holder) = state.doc.claim.and_then(|claim| state.minder(claim.by)) {
            state.instance_mut(holder).is_lapsed = true;
        }
    }

    /// Begins a hand-over: the courier puts a reply on the wire.
    pub(super) fn hand_over(state: &mut State, at: u8) {
        let instance = state.instance_mut(at);
        let reply = instance.next_reply();
        instance.sending = reply.map(|reply| (reply, instance.doubtful.contains(reply)));
    }

    /// Ends a hand-over.
    pub(super) fn settle(&self, state: &mut State, at: u8, fate: Fate) {
        let instance = state.instance_mut(at);
        let Some((reply, is_marked)) = instance.sending.take() else { return };
        if fate == Fate::Fine {
            instance.handed.insert(reply);
        } else {
            instance.doubtful.insert(reply);
        }
        state.world.faults -= u8::from(fate != Fate::Fine);
        match fate {
            Fate::Fine | Fate::AnswerLost => {
                state.world.arrive(reply, is_marked, self.rules.is_keyed);
            }
            Fate::Late => Self::stray(state, reply, is_marked),
            Fate::Lost => {}
        }
    }

    /// Leaves a reply on the wire without anybody waiting for it.
    fn stray(state: &mut State, reply: u8, is_marked: bool) {
        let [unmarked, marked] = &mut state.strays;
        if is_marked { marked } else { unmarked }.insert(reply);
    }

    /// Crashes a process. What it had on the wire may still arrive.
    pub(super) fn crash(&self, state: &mut State, at: u8, is_send_out: bool) {
        let name = self.bound.instances + self.bound.crashes - state.world.crashes;
        state.world.crashes -= 1;
        let fresh = Instance { name, ..Instance::default() };
        let dead = std::mem::replace(state.instance_mut(at), fresh);
        if let Some(draft) = dead.draft() {
            state.late.push((draft.doc, dead.name));
        }
        if let (Some((reply, is_marked)), true) = (dead.sending, is_send_out) {
            Self::stray(state, reply, is_marked);
        }
    }
}

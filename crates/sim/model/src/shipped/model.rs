//! The transitions of the protocol: steps of its own, and those of the outside.

use stateright::Model;

use super::{Doc, Draft, Instance, Shipped, Stage, State, runner::Errand};
use crate::{
    seq::{Seq, Set},
    world::{Fate, World},
};

/// One step. The first number is the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The runner starts, with the activities that wait: loads and runs.
    Begin(u8, Errand, Seq),
    /// The runner loads again and runs again.
    Again(u8),
    /// A save ends.
    Save(u8, Fate),
    /// The runner gives up.
    GiveUp(u8),
    /// The courier sends a reply.
    HandOver(u8),
    /// The channel has it, or not.
    Settle(u8, Fate),
    /// The process dies. Its save stays on the wire, and with `true` its reply does, too.
    Crash(u8, bool),
    /// A save takes effect whose sender does not wait any more.
    LateLands(usize),
    /// A reply arrives whose sender does not wait any more; `true` if it is marked as a repeat.
    StrayLands(u8, bool),
}

impl Instance {
    /// The draft that its runner is about to save, if no write has overtaken it.
    pub(super) fn draft(&self) -> Option<&Draft> {
        match &self.work.as_ref()?.stage {
            Stage::Save(draft) => Some(draft),
            Stage::Reload | Stage::Unsure => None,
        }
    }
}

impl Shipped {
    /// Steps that instances take by themselves, sooner or later.
    pub(super) fn own_steps(&self, state: &State, steps: &mut Vec<Step>) {
        for at in 0..self.bound.instances {
            let errands = Self::errands(state, at).into_iter();
            let errands = errands.filter(|(_, is_early)| !is_early);
            steps.extend(errands.map(|(errand, _)| Step::Begin(at, errand, Seq::default())));
            let instance = state.instance(at);
            match instance.work.map(|work| work.stage) {
                Some(Stage::Reload | Stage::Unsure) => steps.push(Step::Again(at)),
                Some(Stage::Save(_)) => steps.push(Step::Save(at, Fate::Fine)),
                None => {}
            }
            if instance.sending.is_some() {
                steps.push(Step::Settle(at, Fate::Fine));
            } else if instance.is_proven && instance.next_reply().is_some() {
                steps.push(Step::HandOver(at));
            }
        }
    }

    /// The ways in which the runner of an instance starts with activities or too early. What waits
    /// while it is busy may as well come when it starts again.
    fn starts(&self, state: &State, at: u8, steps: &mut Vec<Step>) {
        let batches = state.world.batches(&self.bound, at);
        steps.extend(batches.iter().map(|batch| Step::Begin(at, Errand::Turns, *batch)));
        for (errand, is_early) in Self::errands(state, at) {
            if is_early && state.world.expiries > 0 {
                steps.push(Step::Begin(at, errand, Seq::default()));
            }
            if matches!(errand, Errand::TakeOver | Errand::Sweep)
                && (!is_early || state.world.expiries > 0)
            {
                steps.extend(batches.iter().map(|batch| Step::Begin(at, errand, *batch)));
            }
        }
    }

    /// Steps that come from outside, within the bound: activities, faults, crashes, late arrivals.
    fn outside_steps(&self, state: &State, steps: &mut Vec<Step>) {
        let world = &state.world;
        for at in 0..self.bound.instances {
            let instance = state.instance(at);
            if instance.work.is_none() {
                self.starts(state, at, steps);
            }
            if instance.work.is_some_and(|work| work.stage == Stage::Unsure) {
                steps.push(Step::GiveUp(at));
            }
            // A save that lands late may land at once or never: that is an answer or a save lost.
            // So may a reply, but one that never lands is another thing for a receiver that takes
            // repeats.
            let fates = if self.rules.is_keyed { &[true][..] } else { &[true, false] };
            let is_sending = instance.sending.is_some();
            if world.faults > 0 {
                let late = |is_late: &bool| if *is_late { Fate::Late } else { Fate::Lost };
                steps.extend(instance.draft().map(|_| Step::Save(at, Fate::Late)));
                let fates = fates.iter().filter(|_| is_sending).map(late);
                steps.extend(fates.map(|fate| Step::Settle(at, fate)));
            }
            if world.crashes > 0 && instance.is_busy() {
                let fates = if is_sending { fates } else { &[false] };
                steps.extend(fates.iter().map(|is_out| Step::Crash(at, *is_out)));
            }
        }
        steps.extend((0..state.late.len()).map(Step::LateLands));
        for (strays, is_marked) in state.strays.into_iter().zip([false, true]) {
            steps.extend(strays.iter().map(|reply| Step::StrayLands(reply, is_marked)));
        }
    }
}

impl Model for Shipped {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        let instances =
            (0..self.bound.instances).map(|name| Instance { name, ..Instance::default() });
        vec![State {
            doc: Doc::default(),
            late: Vec::new(),
            strays: [Set::default(); 2],
            instances: instances.collect(),
            world: World::new(&self.bound),
        }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        self.own_steps(state, steps);
        self.outside_steps(state, steps);
    }

    fn next_state(&self, before: &State, step: Step) -> Option<State> {
        let mut state = before.clone();
        state.world.move_on();
        match step {
            Step::Begin(at, errand, batch) => {
                if Self::errands(&state, at).contains(&(errand, true)) {
                    Self::expire(&mut state);
                }
                batch.iter().for_each(|activity| state.world.take(activity));
                self.begin(&mut state, at, errand, batch);
            }
            Step::Again(at) => self.again(&mut state, at),
            Step::Save(at, fate) => self.save(&mut state, at, fate),
            Step::GiveUp(at) => Self::give_up(&mut state, at),
            Step::HandOver(at) => Self::hand_over(&mut state, at),
            Step::Settle(at, fate) => self.settle(&mut state, at, fate),
            Step::Crash(at, is_send_out) => self.crash(&mut state, at, is_send_out),
            Step::LateLands(which) => {
                let (doc, by) = state.late.remove(which);
                state.write(doc, by);
            }
            Step::StrayLands(reply, is_marked) => {
                let [unmarked, marked] = &mut state.strays;
                if is_marked { marked } else { unmarked }.remove(reply);
                state.world.arrive(reply, is_marked, self.rules.is_keyed);
            }
        }
        state.tidy(self.rules);
        Some(state)
    }
}

//! The steps of the ladder's protocols.

use stateright::Model;

use super::{Doc, Ladder, Mark, Phase, State};
use crate::world::{Fate, World};

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the story of each step says what it is")]
pub enum Step {
    Receive(u8, u8),
    Load(u8),
    Save(u8, Fate),
    LateLands(usize),
    Resolve(u8),
    Reply(u8, Fate),
    Ack(u8),
    Look(u8),
    Claim(u8),
    Send(u8, Fate),
    Note(u8),
    Crash(u8),
    Lapse(u8),
}

impl Ladder {
    fn own_steps(&self, state: &State, steps: &mut Vec<Step>) {
        let rules = self.rules;
        for instance in 0..self.bound.instances {
            steps.extend(match state.phase(instance) {
                Phase::Idle if state.doc.pending().is_some() => Some(Step::Look(instance)),
                Phase::Idle => None,
                Phase::Load(_) => Some(Step::Load(instance)),
                Phase::Save { .. } => Some(Step::Save(instance, Fate::Fine)),
                Phase::Unknown(_) => Some(Step::Resolve(instance)),
                Phase::Committed(_) if !rules.has_outbox => Some(Step::Reply(instance, Fate::Fine)),
                Phase::Committed(_) | Phase::Replied(_) => Some(Step::Ack(instance)),
                Phase::Claim => Some(Step::Claim(instance)),
                Phase::Send(_) => Some(Step::Send(instance, Fate::Fine)),
                Phase::Note(_) => Some(Step::Note(instance)),
            });
        }
        let lapsed = state.claimed().filter(|(_, is_busy)| !is_busy && !rules.is_at_most_once);
        steps.extend(lapsed.map(|(reply, _)| Step::Lapse(reply)));
    }

    fn outside_steps(&self, state: &State, steps: &mut Vec<Step>) {
        let world = &state.world;
        for instance in 0..self.bound.instances {
            let phase = state.phase(instance);
            if phase == Phase::Idle {
                let new = world.deliveries(&self.bound, instance);
                steps.extend(new.map(|activity| Step::Receive(instance, activity)));
            }
            let lost = [Fate::AnswerLost, Fate::Lost].into_iter();
            match phase {
                _ if world.faults == 0 => {}
                Phase::Save { .. } => {
                    steps.extend(lost.chain([Fate::Late]).map(|fate| Step::Save(instance, fate)));
                }
                Phase::Committed(_) if !self.rules.has_outbox => {
                    steps.extend(lost.map(|fate| Step::Reply(instance, fate)));
                }
                Phase::Send(_) => steps.extend(lost.map(|fate| Step::Send(instance, fate))),
                _ => {}
            }
            if phase != Phase::Idle && world.crashes > 0 {
                steps.push(Step::Crash(instance));
            }
        }
        steps.extend((0..state.late.len()).map(Step::LateLands));
        let early = state.claimed().filter(|(_, is_busy)| *is_busy && world.expiries > 0);
        steps.extend(early.map(|(reply, _)| Step::Lapse(reply)));
    }

    /// The document after a turn.
    fn draft(&self, activity: u8, base: Doc) -> Doc {
        let mut doc = base;
        doc.applied.push(activity);
        if self.rules.has_outbox {
            doc.set(activity, Mark::Pending);
        }
        doc
    }

    fn save(state: &mut State, instance: u8, fate: Fate) {
        let Phase::Save { activity, draft, is_current, is_blind } = state.phase(instance) else {
            return;
        };
        let is_winner = is_current || is_blind;
        if is_winner && matches!(fate, Fate::Fine | Fate::AnswerLost) {
            state.write(draft);
        }
        if is_winner && fate == Fate::Late {
            state.late.push((draft, is_blind));
        }
        let next = match fate {
            Fate::Fine if is_winner => Phase::Committed(activity),
            Fate::Fine => Phase::Load(activity),
            Fate::AnswerLost | Fate::Lost | Fate::Late => Phase::Unknown(activity),
        };
        state.enter(instance, next);
        state.world.faults -= u8::from(fate != Fate::Fine);
    }

    /// Sends a reply, from the outbox or from memory.
    fn send(&self, state: &mut State, instance: u8, fate: Fate) {
        let (reply, next) = match state.phase(instance) {
            Phase::Send(reply) => (reply, Phase::Note(reply)),
            Phase::Committed(reply) => (reply, Phase::Replied(reply)),
            _ => return,
        };
        if fate != Fate::Lost {
            state.world.arrive(reply, false, self.rules.is_keyed);
        }
        state.world.faults -= u8::from(fate != Fate::Fine);
        state.enter(instance, if fate == Fate::Fine { next } else { Phase::Idle });
    }

    fn load(&self, state: &mut State, instance: u8, activity: u8) {
        let doc = state.doc;
        let is_blind = self.rules.is_blind_first && doc.applied.is_empty();
        let next = if self.rules.has_seen && doc.applied.contains(activity) {
            Phase::Replied(activity)
        } else {
            let draft = self.draft(activity, doc);
            Phase::Save { activity, draft, is_current: true, is_blind }
        };
        state.enter(instance, next);
    }

    /// Sets a mark in the store, in one step.
    fn mark(state: &mut State, reply: u8, mark: Mark) {
        let mut doc = state.doc;
        doc.set(reply, mark);
        state.write(doc);
    }
}

impl Model for Ladder {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            doc: Doc::default(),
            late: Vec::new(),
            phases: vec![Phase::Idle; self.bound.instances.into()],
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
            Step::Receive(instance, activity) => {
                state.world.take(activity);
                state.enter(instance, Phase::Load(activity));
            }
            Step::Load(instance) => {
                let Phase::Load(activity) = state.phase(instance) else { return None };
                self.load(&mut state, instance, activity);
            }
            Step::Save(instance, fate) => Self::save(&mut state, instance, fate),
            Step::LateLands(at) => {
                let (draft, _) = state.late.remove(at);
                state.write(draft);
            }
            // Where ids are stored a look tells; else the turn fails and the channel may try again.
            Step::Resolve(instance) => {
                let Phase::Unknown(activity) = state.phase(instance) else { return None };
                let next = if self.rules.has_seen { Phase::Load(activity) } else { Phase::Idle };
                state.enter(instance, next);
            }
            Step::Reply(instance, fate) | Step::Send(instance, fate) => {
                self.send(&mut state, instance, fate);
            }
            Step::Ack(instance) => {
                let (Phase::Committed(activity) | Phase::Replied(activity)) = state.phase(instance)
                else {
                    return None;
                };
                state.world.ack(activity, state.doc.applied);
                let next = if self.rules.has_outbox { Phase::Claim } else { Phase::Idle };
                state.enter(instance, next);
            }
            Step::Look(instance) => state.enter(instance, Phase::Claim),
            Step::Claim(instance) => {
                let reply = state.doc.pending();
                if let (Some(reply), true) = (reply, self.rules.has_claims) {
                    Self::mark(&mut state, reply, Mark::Claimed(instance));
                }
                state.enter(instance, reply.map_or(Phase::Idle, Phase::Send));
            }
            Step::Note(instance) => {
                let Phase::Note(reply) = state.phase(instance) else { return None };
                Self::mark(&mut state, reply, Mark::Sent);
                state.enter(instance, Phase::Idle);
            }
            Step::Crash(instance) => {
                state.world.crashes -= 1;
                state.enter(instance, Phase::Idle);
            }
            Step::Lapse(reply) => {
                let is_early = state.claimed().any(|claimed| claimed == (reply, true));
                state.world.expiries -= u8::from(is_early);
                Self::mark(&mut state, reply, Mark::Pending);
            }
        }
        Some(state)
    }
}

impl Ladder {
    /// Reports whether no instance has anything to do.
    pub(super) fn is_idle(&self, state: &State) -> bool {
        let mut steps = Vec::new();
        self.own_steps(state, &mut steps);
        steps.is_empty()
    }
}

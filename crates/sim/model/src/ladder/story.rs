//! Steps of the ladder in words, and the state that its promises are judged by.

use stateright::{Model, Property};

use super::{Doc, Ladder, Phase, State, Step};
use crate::{
    promise::Protocol,
    seq::Seq,
    world::{Bound, Fate, World, name, names},
};

impl Protocol for Ladder {
    fn bound(&self) -> &Bound {
        &self.bound
    }

    fn world(state: &State) -> &World {
        &state.world
    }

    fn applied(state: &State) -> Seq {
        state.doc.applied
    }

    fn is_at_rest(&self, state: &State) -> bool {
        self.is_idle(state)
    }

    fn has_errands(&self) -> bool {
        false
    }

    fn situations<M: Model<State = State>>(&self) -> Vec<Property<M>> {
        vec![Property::sometimes("a save was overtaken", |_, state: &State| {
            let is_stale = |phase: &Phase| matches!(phase, Phase::Save { is_current: false, .. });
            state.phases.iter().any(is_stale)
        })]
    }

    fn tell(&self, before: &State, step: &Step, after: &State) -> String {
        match *step {
            Step::Receive(by, activity) => format!("{} receives {}", who(by), name(activity)),
            Step::Load(by) => match after.phase(by) {
                Phase::Save { activity, is_blind, .. } => {
                    let blind = if is_blind { ", will save without a condition" } else { "" };
                    let (state, turn) = (content(&before.doc), name(activity));
                    format!("{} loads {state}, runs {turn}{blind}", who(by))
                }
                _ => format!("{} loads and finds its activity done", who(by)),
            },
            Step::Save(by, fate) => save(by, fate, before, after),
            Step::LateLands(_) => format!("the late save lands: {}", content(&after.doc)),
            Step::Resolve(by) => match after.phase(by) {
                Phase::Idle => format!("{} gives up with an error", who(by)),
                _ => format!("{} is about to look again", who(by)),
            },
            Step::Reply(by, fate) | Step::Send(by, fate) => {
                let (Phase::Send(reply) | Phase::Committed(reply)) = before.phase(by) else {
                    return String::new();
                };
                let end = match fate {
                    Fate::Fine => "",
                    Fate::AnswerLost => "; the answer is lost",
                    Fate::Lost | Fate::Late => "; it is lost",
                };
                format!("{} sends the reply to {}{end}", who(by), name(reply))
            }
            Step::Ack(by) => match before.phase(by) {
                Phase::Committed(activity) | Phase::Replied(activity) => {
                    format!("{} acknowledges {}", who(by), name(activity))
                }
                _ => String::new(),
            },
            Step::Look(by) => format!("{} looks for replies that wait", who(by)),
            Step::Claim(by) => match after.phase(by) {
                Phase::Send(reply) if self.rules.has_claims => {
                    format!("{} claims the reply to {}", who(by), name(reply))
                }
                Phase::Send(reply) => format!("{} finds the reply to {}", who(by), name(reply)),
                _ => format!("{} finds no reply that waits", who(by)),
            },
            Step::Note(by) => format!("{} notes that it was sent", who(by)),
            Step::Crash(by) => format!("{} crashes and starts again", who(by)),
            Step::Lapse(reply) => format!("the claim on the reply to {} lapses", name(reply)),
        }
    }
}

fn save(by: u8, fate: Fate, before: &State, after: &State) -> String {
    let Phase::Save { draft, is_current, is_blind, .. } = before.phase(by) else {
        return String::new();
    };
    let end = match fate {
        Fate::Fine if is_current => content(&after.doc),
        Fate::Fine if is_blind => format!("{}, over {}", content(&draft), content(&before.doc)),
        Fate::Fine => "another write came first".to_owned(),
        Fate::AnswerLost => format!("{}; the answer is lost", content(&after.doc)),
        Fate::Lost => "the save is lost".to_owned(),
        Fate::Late => "the save is under way for long".to_owned(),
    };
    format!("{} saves: {end}", who(by))
}

fn who(instance: u8) -> String {
    format!("instance {}", instance + 1)
}

fn content(doc: &Doc) -> String {
    if doc.applied.is_empty() {
        return "nothing".to_owned();
    }
    format!("[{}]", names(doc.applied.iter()))
}

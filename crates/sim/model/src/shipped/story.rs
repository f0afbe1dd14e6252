//! Steps of the shipped protocol in words, and the state that its promises are judged by.

use stateright::{Model, Property};

use super::{Doc, Instance, Shipped, Stage, State, Step, Work, runner::Errand};
use crate::{
    promise::Protocol,
    seq::{Seq, Set},
    world::{Bound, Fate, World, name, names},
};

impl Protocol for Shipped {
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
        let mut steps = Vec::new();
        self.own_steps(state, &mut steps);
        steps.is_empty()
    }

    fn has_errands(&self) -> bool {
        true
    }

    fn situations<M: Model<State = State>>(&self) -> Vec<Property<M>> {
        let mut list: Vec<Property<M>> = vec![
            Property::sometimes("a save was overtaken", |_, state: &State| {
                let is_stale = |work: Work| work.stage == Stage::Reload;
                state.instances.iter().any(|known| known.work.is_some_and(is_stale))
            }),
            Property::sometimes("a record went with a turn", |_, state: &State| {
                let mut drafts = state.instances.iter().filter_map(Instance::draft);
                let old: Set = state.doc.outbox.iter().collect();
                drafts.any(|draft| {
                    let new: Set = draft.doc.outbox.iter().collect();
                    old.both(new) != old && draft.doc.applied != state.doc.applied
                })
            }),
            Property::sometimes("two turns in one commit", |_, state: &State| {
                let turns = |doc: &Doc| doc.applied.iter().count();
                let mut drafts = state.instances.iter().filter_map(Instance::draft);
                drafts.any(|draft| turns(&draft.doc) > turns(&state.doc) + 1)
            }),
        ];
        if self.bound.expiries > 0 {
            list.push(Property::sometimes(
                "a holder was robbed while sending",
                |_, state: &State| {
                    let is_robbed = |known: &Instance| {
                        let claim = state.doc.claim.filter(|claim| claim.by != known.name);
                        known.sending.is_some() && !known.outbox.is_empty() && claim.is_some()
                    };
                    state.instances.iter().any(is_robbed)
                },
            ));
            list.push(Property::sometimes("one reply, two couriers", |_, state: &State| {
                let mut sending = state.instances.iter().filter_map(|known| known.sending);
                let first = sending.next().map(|(reply, _)| reply);
                sending.any(|(reply, _)| Some(reply) == first)
            }));
        }
        list
    }

    fn tell(&self, before: &State, step: &Step, after: &State) -> String {
        match *step {
            Step::Begin(at, errand, batch) => {
                let why = reason(before, at, errand, batch);
                format!("{}{why}{}", who(at), round(batch, before, at, after))
            }
            Step::Again(at) => {
                let why = match before.instance(at).work.map(|work| work.stage) {
                    Some(Stage::Reload) => "cannot save, another write came first; loads again",
                    _ => "does not know whether it saved; loads again",
                };
                let batch = before.instance(at).work.map(|work| work.batch).unwrap_or_default();
                format!("{} {why}{}", who(at), round(batch, before, at, after))
            }
            Step::Save(at, fate) => {
                let end = match fate {
                    Fate::Fine => content(after, &after.doc),
                    Fate::AnswerLost => {
                        format!("{}; the answer is lost", content(after, &after.doc))
                    }
                    Fate::Lost => "the save is lost".to_owned(),
                    Fate::Late => "the save is under way for long".to_owned(),
                };
                format!("{} saves: {end}", who(at))
            }
            Step::GiveUp(at) => format!("{} gives up with an error", who(at)),
            Step::HandOver(at) => {
                let Some((reply, is_marked)) = after.instance(at).sending else {
                    return String::new();
                };
                let mark = if is_marked { ", marked as a repeat" } else { "" };
                format!("{} sends the reply to {}{mark}", who(at), name(reply))
            }
            Step::Settle(at, fate) => {
                let Some((reply, _)) = before.instance(at).sending else { return String::new() };
                let end = match fate {
                    Fate::Fine => "arrives",
                    Fate::AnswerLost => "arrives, but the answer is lost",
                    Fate::Lost => "is lost",
                    Fate::Late => "is under way for long",
                };
                format!("{}'s reply to {} {end}", who(at), name(reply))
            }
            Step::Crash(at, is_send_out) => {
                let is_save_out = before.instance(at).draft().is_some();
                let save = if is_save_out { "; its save is still under way" } else { "" };
                let send = if is_send_out { "; its reply is still under way" } else { "" };
                format!("{} crashes and starts again{save}{send}", who(at))
            }
            Step::LateLands(_) => format!("the late save lands: {}", content(after, &after.doc)),
            Step::StrayLands(reply, _) => format!("the late reply to {} arrives", name(reply)),
        }
    }
}

fn who(at: u8) -> String {
    format!("instance {}", at + 1)
}

/// Reason for which a runner starts, in words.
fn reason(before: &State, at: u8, errand: Errand, batch: Seq) -> String {
    let is_early = Shipped::errands(before, at).contains(&(errand, true));
    let early = if is_early { ", early," } else { "" };
    let from = if before.instance(at).cache.is_some() { "its cache" } else { "the store" };
    let got = match batch.is_empty() {
        true => String::new(),
        false => format!(" receives {};", names(batch.iter())),
    };
    match errand {
        Errand::Turns => format!("{got} loads from {from}"),
        Errand::Record => format!(" wants to record; loads from {from}"),
        Errand::Renew => format!(" wants to renew its claim; loads from {from}"),
        Errand::TakeOver => format!("{got}{early} takes the claim that it saw for lapsed; loads"),
        Errand::Sweep => format!("{got}{early} finds an outbox that seems left behind; loads"),
    }
}

/// Result of a round, in words.
fn round(batch: Seq, before: &State, at: u8, after: &State) -> String {
    let (old, new) = (before.instance(at), after.instance(at));
    if new.work.is_some() {
        return match new.draft() {
            None => ", which is old".to_owned(),
            Some(draft) => format!("; will save {}", content(after, &draft.doc)),
        };
    }
    let done = if batch.is_empty() {
        "; nothing to write".to_owned()
    } else {
        format!("; {} is done already, acknowledges", names(batch.iter()))
    };
    let sees = match new.foreign {
        Some(_) if old.foreign.is_none() => ", sees another's claim",
        _ => "",
    };
    let again = if after.world.is_spinning { ", will ask again" } else { "" };
    format!("{done}{sees}{again}")
}

/// A document in words.
fn content(state: &State, doc: &Doc) -> String {
    let list = |items: Seq| match items.is_empty() {
        true => "nothing".to_owned(),
        false => names(items.iter()),
    };
    let outbox = match doc.claim {
        Some(claim) => {
            let holder = (0..).zip(&state.instances).find(|(_, known)| known.name == claim.by);
            let holder = holder.map_or_else(|| "one that died".to_owned(), |(at, _)| who(at));
            format!("{} to send, claimed by {holder}", list(doc.outbox))
        }
        None => format!("{} to send", list(doc.outbox)),
    };
    format!("[{} done; {outbox}]", list(doc.applied))
}

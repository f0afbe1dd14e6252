//! The invariants I1 to I10, checked on what was stored and what was seen. Exact, not statistical.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use sayso_turn::{Key, document::Document};

use crate::{
    Fault,
    clients::Said,
    node::Nodes,
    world::{DELETION, World},
};

/// Checks a world that has come to rest.
pub(crate) fn check(world: &Arc<World>, nodes: &Nodes, all: &[Said]) {
    let mut broken = Vec::new();
    let keys: BTreeSet<&Key> = all.iter().map(|said| &said.key).collect();
    for key in keys {
        let said: Vec<&Said> = all.iter().filter(|said| said.key == *key).collect();
        conversation(world, key, &said, &mut broken);
    }
    users(world, all, &mut broken);
    duplicates(world, nodes, &mut broken);
    for what in broken {
        world.violation(what);
    }
}

fn conversation(world: &World, key: &Key, said: &[&Said], broken: &mut Vec<String>) {
    let document = world.document(key);
    let log = world.log(key);
    let mut once = BTreeSet::new();
    for id in &log {
        if !once.insert(id.as_str()) {
            broken.push(format!("I2: {id} is applied twice in {key}"));
        }
    }
    for said in said {
        let is_in = once.contains(said.id.as_str());
        if said.wish.is_refused() && is_in {
            broken.push(format!("{} was refused and changed the state", said.id));
        }
        if !said.wish.is_refused() && !is_in {
            broken.push(format!("I1: {} was answered and is lost", said.id));
        }
    }
    let timers: Vec<String> = document.bag.get("timers").ok().flatten().unwrap_or_default();
    for timer in &timers {
        if !once.contains(timer.as_str()) {
            broken.push(format!("timer {timer} never fired in {key}"));
        }
    }
    let known: BTreeSet<&str> =
        said.iter().map(|said| said.id.as_str()).chain(timers.iter().map(String::as_str)).collect();
    for id in once.difference(&known) {
        broken.push(format!("{id} is in the log of {key} and nobody said it"));
    }
    replies(world, key, said, &log, &document, broken);
}

/// I6 and I7: every reply is visible or parked, and the first appearances are in commit order.
fn replies(
    world: &World,
    key: &Key,
    said: &[&Said],
    log: &[String],
    document: &Document,
    broken: &mut Vec<String>,
) {
    let seen = world.seen();
    let mut shown = BTreeSet::new();
    let visible = seen.visible.get(key).map(Vec::as_slice).unwrap_or_default();
    let firsts: Vec<&str> = visible
        .iter()
        .filter(|(id, _)| shown.insert(id.as_str()))
        .map(|(_, text)| text.as_str())
        .collect();
    let by_id: BTreeMap<&str, &&Said> = said.iter().map(|said| (said.id.as_str(), said)).collect();
    let parked: BTreeSet<String> = document
        .ledger
        .parked
        .iter()
        .filter_map(|parked| parked.activity.get::<sayso_activity::Activity>().ok()?.text)
        .collect();
    let mut expected = Vec::new();
    let mut has_kept = false;
    for (place, id) in log.iter().enumerate() {
        let (count, is_answer) =
            by_id.get(id.as_str()).map_or((1, false), |said| (said.wish.replies, said.is_answer));
        if !is_answer {
            expected.extend((0..count).map(|index| format!("{id}/{place}/{index}")));
        }
        if by_id.get(id.as_str()).is_some_and(|said| said.wish.change) {
            if has_kept && !said_delete(&by_id, id) {
                expected.push(format!("{id}/{place}/change"));
            }
            has_kept |= !is_answer && count > 0;
        }
    }
    let sorry = said.iter().filter(|said| said.wish.panic && !said.is_answer);
    let sorry: Vec<String> = sorry.map(|said| format!("{}/sorry/0", said.id)).collect();
    for text in expected.iter().chain(&sorry) {
        if !firsts.contains(&text.as_str()) && !parked.contains(text) {
            broken.push(format!("I6: reply {text} of {key} is neither visible nor parked"));
        }
    }
    let is_ordered = |text: &&str| !text.contains("sorry") && !text.starts_with(DELETION);
    let order: Vec<&str> = firsts.iter().copied().filter(is_ordered).collect();
    let wanted: Vec<&str> =
        expected.iter().map(String::as_str).filter(|text| order.contains(text)).collect();
    if order != wanted {
        broken.push(format!("I7: replies of {key} came as {order:?} instead of {wanted:?}"));
    }
}

/// Whether an activity asked for a deletion, which has no words of its own.
fn said_delete(by_id: &BTreeMap<&str, &&Said>, id: &str) -> bool {
    by_id.get(id).is_some_and(|said| said.wish.delete)
}

/// P7: a turn is in all of its documents or in none.
fn users(world: &World, all: &[Said], broken: &mut Vec<String>) {
    let key = Key::user("sim", "u").expect("a short key");
    let log = world.log(&key);
    let unique: BTreeSet<&str> = log.iter().map(String::as_str).collect();
    let wanted: BTreeSet<&str> = all
        .iter()
        .filter(|said| said.wish.user && !said.wish.is_refused())
        .map(|said| said.id.as_str())
        .collect();
    if unique.len() != log.len() || unique != wanted {
        broken.push(format!("P7: the user's log is {log:?} instead of {wanted:?}"));
    }
}

/// I5: repeated replies only where the sender could not know, and each of them counted.
fn duplicates(world: &World, nodes: &Nodes, broken: &mut Vec<String>) {
    let doubled: usize = {
        let seen = world.seen();
        let extra = |list: &Vec<(String, String)>| {
            list.len() - list.iter().map(|(id, _)| id).collect::<BTreeSet<_>>().len()
        };
        seen.visible.values().map(extra).sum()
    };
    let counted = nodes.total(|stats| stats.repeats);
    if doubled as u64 > counted {
        broken.push(format!("I5: {doubled} replies came twice, only {counted} were counted"));
    }
    // A holder that cannot reach the store can neither record nor renew: its claim lapses.
    let causes = [
        Fault::Crash,
        Fault::Freeze,
        Fault::Shutdown,
        Fault::FailedTaken,
        Fault::SilentTaken,
        Fault::Stalled,
        Fault::Slow,
        Fault::Throttled,
        Fault::ThrottledFor,
        Fault::LoadError,
        Fault::Conflict,
        Fault::SaveLost,
        Fault::SaveLate,
        Fault::SaveAnswerLost,
        Fault::StaleRead,
    ];
    let counts = world.chance.tally.counts();
    if doubled > 0 && !causes.iter().any(|fault| counts.contains_key(fault)) {
        broken.push(format!("I5: {doubled} replies came twice without any cause"));
    }
    if world.plan.is_keyed && doubled > 0 {
        broken.push("I5: a channel that knows ids showed a reply twice".to_owned());
    }
}

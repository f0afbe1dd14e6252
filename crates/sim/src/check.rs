//! Checks of the invariants I1 to I11, on what was stored and what was seen. Exact, not
//! statistical.

mod case;
pub(crate) mod costs;
mod dead_letters;
mod outbound;
mod participants;
mod replies;
mod steps;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures_util::{FutureExt, TryStreamExt};
use sayso_turn::{Key, KeyScope};

use self::case::Case;
use crate::{
    Fault,
    bot::{self, Note, Pair, Sight},
    clients::{self, Said, channel},
    node::Nodes,
    world::World,
};

/// Checks a world that has come to rest.
pub(crate) fn check(world: &Arc<World>, nodes: &Nodes, all: &[Said]) {
    let mut broken = Vec::new();
    let keys: BTreeSet<&Key> = all.iter().map(|said| &said.key).collect();
    dead_letters::check(world, &keys, &mut broken);
    let mut scopes: BTreeMap<&KeyScope<'static>, Wanted<'_>> = BTreeMap::new();
    for key in keys {
        let said = all.iter().filter(|said| said.key == *key);
        let Some(scope) = said.clone().map(|said| &said.scope).next() else { continue };
        let wishes = said.flat_map(|said| {
            said.wish.flat().into_iter().map(move |wish| (wish.id.as_str(), (wish, said)))
        });
        let logs = logs_of(world, key);
        let wishes = wishes.collect();
        let case = Case { world, key, document: world.document(key), logs, wishes };
        conversation(&case, &mut broken);
        resets(&case, &mut broken);
        timers(&case, &mut broken);
        documents(&case, scopes.entry(scope).or_default(), &mut broken);
        replies::check(&case, &mut broken);
        replies::given_up(&case, &mut broken);
        outbound::check(&case, &mut broken);
        steps::check(&case, &mut broken);
        participants::check(&case, &mut broken);
    }
    for (scope, wanted) in &scopes {
        wanted.check(world, scope, &mut broken);
    }
    strangers(world, all, &mut broken);
    duplicates(world, nodes, &mut broken);
    for what in broken {
        world.violation(what);
    }
}

/// The log of a document, or all it ever had where it may be forgotten.
fn logs_of(world: &World, key: &Key) -> Vec<Vec<String>> {
    match world.plan.has(Fault::ShortLived) {
        true => world.history().logs_of(key).to_vec(),
        false => vec![world.log(key)],
    }
}

/// I1 and I2: what was answered is applied, and once.
fn conversation(case: &Case<'_>, broken: &mut Vec<String>) {
    let key = case.key;
    for log in &case.logs {
        let mut once = BTreeSet::new();
        for id in log {
            if !once.insert(id.as_str()) {
                broken.push(format!("I2: {id} is applied twice in {key}"));
            }
            if !case.wishes.contains_key(id.as_str()) {
                broken.push(format!("{id} is in the log of {key} and nobody said it"));
            }
        }
    }
    for (id, (wish, said)) in &case.wishes {
        if *id != said.id {
            continue;
        }
        let is_in = case.is_applied(id);
        if wish.is_refused() && is_in {
            broken.push(format!("{id} was refused and changed the state"));
        }
        if !wish.is_refused() && !is_in && !replies::is_excused(case, id) {
            broken.push(format!("I1: {id} was answered and is lost"));
        }
    }
}

/// The second log is the end of the first: all of it, unless somebody has reset it.
fn resets(case: &Case<'_>, broken: &mut Vec<String>) {
    let (since, key) = (bot::since_reset(&case.document.bag), case.key);
    let log: Vec<String> = case.document.bag.get("log").ok().flatten().unwrap_or_default();
    let is_tracked = case.world.plan.has(Fault::Panic);
    let is_whole = case.wishes.values().all(|(wish, _)| !wish.reset);
    if is_tracked && (!log.ends_with(&since) || is_whole && log.len() != since.len()) {
        broken.push(format!("P1: since its last reset {key} has {since:?} of {log:?}"));
    }
}

/// Timers fire once, unless they were cancelled before.
fn timers(case: &Case<'_>, broken: &mut Vec<String>) {
    let key = case.key;
    let notes: Vec<Note> = case.document.bag.get("timers").ok().flatten().unwrap_or_default();
    for note in &notes {
        let place = case.logs.last().and_then(|log| log.iter().position(|id| *id == note.wish));
        match (place, note.cancelled_at) {
            (None, None) if !replies::is_excused(case, &note.wish) => {
                broken.push(format!("timer {} never fired in {key}", note.wish));
            }
            (Some(place), Some(at)) if place > at => {
                broken.push(format!("timer {} fired in {key} after it was cancelled", note.wish));
            }
            _ => {}
        }
    }
}

/// Expected contents of the documents beside the conversations.
#[derive(Default)]
struct Wanted<'a> {
    users: BTreeSet<&'a str>,
    visits: BTreeSet<&'a str>,
    pairs: u64,
}

/// Checks what a conversation's turns saw of further documents, and collects what they did to them.
fn documents<'a>(case: &Case<'a>, wanted: &mut Wanted<'a>, broken: &mut Vec<String>) {
    let key = case.key;
    let applied = case.wishes.iter().filter(|(id, _)| case.is_applied(id));
    let mut orders = BTreeSet::new();
    for (id, (wish, _)) in applied {
        wanted.pairs += u64::from(wish.pair == Some(Pair::Write));
        if wish.user {
            wanted.users.insert(id);
        }
        if wish.visit {
            wanted.visits.insert(id);
        }
        if wish.order {
            orders.insert((*id).to_owned());
        }
    }
    let sights: Vec<Sight> = case.document.bag.get("sights").ok().flatten().unwrap_or_default();
    // A store that shows old versions shows them to whoever validates a read, too.
    let is_fresh = !case.world.plan.has(Fault::StaleRead);
    for Sight { wish, first, second } in sights {
        if is_fresh && first != second {
            broken.push(format!("P7: {wish} saw half of a commit: {first} and {second}"));
        }
    }
    let items = bot::items(&case.document.bag);
    let unique: BTreeSet<String> = items.iter().cloned().collect();
    let is_kept = !case.world.plan.has(Fault::ShortLived);
    if is_kept && (unique != orders || unique.len() != items.len()) {
        broken.push(format!("P1: the order of {key} is {items:?} instead of {orders:?}"));
    }
}

impl Wanted<'_> {
    /// P7: a turn is in all of its documents or in none.
    fn check(&self, world: &World, scope: &KeyScope<'_>, broken: &mut Vec<String>) {
        let key = scope.user(channel(world), "u").expect("a short key");
        let logs = logs_of(world, &key);
        let log: Vec<&str> = logs.iter().flatten().map(String::as_str).collect();
        let unique: BTreeSet<&str> = log.iter().copied().collect();
        let is_kept = !world.plan.has(Fault::ShortLived);
        if unique != self.users || (is_kept && unique.len() != log.len()) {
            let wanted = &self.users;
            broken.push(format!("P7: the log of {key} is {log:?} instead of {wanted:?}"));
        }
        let visits_key = scope.place(bot::visits_key()).expect("a short key");
        let visits = bot::visits(&world.document(&visits_key).bag);
        let unique: BTreeSet<&str> = visits.iter().map(String::as_str).collect();
        if is_kept && (unique != self.visits || unique.len() != visits.len()) {
            let wanted = &self.visits;
            broken.push(format!("P7: the visits are {visits:?} instead of {wanted:?}"));
        }
        for key in bot::pair_keys() {
            let key = scope.place(key).expect("a short key");
            let count: u64 = world.document(&key).bag.get("count").ok().flatten().unwrap_or(0);
            if count != self.pairs {
                broken.push(format!("P7: {key} counts {count} instead of {}", self.pairs));
            }
        }
    }
}

/// Nothing is stored but what the turns may touch, each in its own scope.
fn strangers(world: &World, all: &[Said], broken: &mut Vec<String>) {
    let known = clients::keys(all);
    let stored = world.store.list("").try_collect::<Vec<Key>>().now_or_never();
    for key in stored.and_then(Result::ok).unwrap_or_default() {
        if key.without_scope() != bot::SLOW_KEY && known.binary_search(&key).is_err() {
            broken.push(format!("{key} is stored, and no turn is to touch it"));
        }
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
    // Who is interrupted in the middle of a hand-over and overtaken cannot count it.
    let interrupted = world.seen().interrupted.len();
    // What was forgotten is not known to have been said.
    let is_kept = !world.plan.has(Fault::ShortLived);
    if is_kept && doubled as u64 > counted + interrupted as u64 {
        broken.push(format!("I5: {doubled} replies came twice, only {counted} were counted"));
    }
    // A holder that cannot reach the store can neither record nor renew: its claim lapses.
    let causes = [
        Fault::Crash,
        Fault::Freeze,
        Fault::Shutdown,
        Fault::Suspend,
        Fault::StoreRefuses,
        Fault::Builds,
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
    if doubled > 0
        && !world.plan.has(Fault::ShortLived)
        && !causes.iter().any(|fault| counts.contains_key(fault))
    {
        broken.push(format!("I5: {doubled} replies came twice without any cause"));
    }
    if world.plan.is_keyed && doubled > 0 {
        broken.push("I5: a channel that knows ids showed a reply twice".to_owned());
    }
}

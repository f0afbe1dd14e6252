//! Cost checks (P8): bounds of the writes per turn and until rest; no calls at rest.

use std::{collections::BTreeMap, time::Duration};

use sayso_turn::Key;

use crate::{
    Fault,
    bot::{Pair, Wish},
    clients::Said,
    world::World,
};

/// Writes of a conversation from the last answer to rest, however long a channel asked to wait: a
/// claim is taken, given up, taken over.
const QUIET_WRITES_MAX: usize = 12;
/// The same for each reply that waits: its record, and that of what it brings about.
const QUIET_WRITES_PER_REPLY_MAX: usize = 3;
/// The same for each turn that is still to run, long or of a timer: acknowledged, renewed,
/// committed, with replies of its own.
const QUIET_WRITES_PER_TURN_MAX: usize = 16;

/// Writes of a turn where nothing goes wrong: its commit, its acknowledgement before or a record
/// after.
const WRITES_PER_TURN_MAX: u64 = 3;
/// The same for each further document where they are written one at a time: prepared, finished,
/// fenced, and that the conversation forgets it; and once more for an attempt that prepared it and
/// then lost a race.
const WRITES_PER_DOCUMENT_MAX: u64 = 5;
/// The same for each reply: its record.
const WRITES_PER_REPLY_MAX: u64 = 1;
/// The same where a turn takes steps: its activity goes into the inbox.
const WRITES_OF_STEPS_MAX: u64 = 2;
/// The same for each step: its save, and renewals of the claim while its service is slow.
const WRITES_PER_STEP_MAX: u64 = 6;
/// Interval at which a long turn renews its claim: a third of the claim's duration.
const RENEWED_EVERY_MS: u64 = 5000;

/// Minimum interval at which an instance of the older build takes up work that only the newer one
/// can go on with.
const TAKEN_UP_EVERY: Duration = Duration::from_secs(30);
/// Writes of each time: the claim is taken, and given up.
const WRITES_PER_TAKE_UP: u64 = 2;

/// Settling time: maximum duration of a slow store call that began before the faults ended.
const SETTLE: Duration = Duration::from_secs(40);
/// Time for which a world at rest is watched.
const IDLE: Duration = Duration::from_secs(60);
/// Maximum calls of each instance in that time per timer that was ever set: it may come due only
/// now at an instance whose clock was wrong, though another one has fired it.
const IDLE_CALLS_PER_TIMER_MAX: usize = 1;
/// Maximum sweeps of each instance in that time: one in 1.5 seconds.
const IDLE_LOOKS_MAX: u64 = 41;

/// Maximum writes of each conversation until rest, by what waits in it now.
pub(crate) fn left(world: &World, all: &[Said]) -> BTreeMap<Key, usize> {
    world.costs().reset();
    let keys: BTreeMap<&Key, ()> = all.iter().map(|said| (&said.key, ())).collect();
    let budget = |key: &Key| {
        let ledger = world.document(key).ledger;
        QUIET_WRITES_MAX
            + QUIET_WRITES_PER_REPLY_MAX * ledger.outbox.len()
            + QUIET_WRITES_PER_TURN_MAX * (ledger.inbox.len() + ledger.timers.len())
    };
    keys.into_keys().map(|key| (key.clone(), budget(key))).collect()
}

/// Checks that the conversations had no more writes than that.
pub(crate) fn quiet(world: &World, left: &BTreeMap<Key, usize>) {
    for (key, most) in left {
        let writes = world.costs().writes_of(key) as usize;
        if writes > *most {
            world.violation(format!(
                "P8: {key} is written {writes} times until rest, at most {most}"
            ));
        }
    }
}

/// Maximum writes of a turn.
fn budget(wish: &Wish) -> u64 {
    let documents = u64::from(wish.user)
        + u64::from(wish.visit)
        + 2 * u64::from(wish.pair == Some(Pair::Write));
    let changes = u64::from(wish.change);
    let steps = u64::from(wish.steps);
    WRITES_PER_TURN_MAX
        + WRITES_OF_STEPS_MAX * steps.min(1)
        + WRITES_PER_STEP_MAX * steps
        + WRITES_PER_DOCUMENT_MAX * documents
        + WRITES_PER_REPLY_MAX * (wish.replies as u64 + changes)
        + wish.slow_ms.unwrap_or_default() / RENEWED_EVERY_MS
}

/// Checks that the turns of a world in which nothing went wrong wrote no more than they may.
/// Attempts that lost a race wrote nothing.
pub(crate) fn per_turn(world: &World, all: &[Said]) {
    let wishes = || all.iter().flat_map(|said| said.wish.flat());
    let most = wishes().map(budget).sum::<u64>() + by_older_builds(world, wishes());
    let writes = world.costs().committed;
    let fired = world.chance.tally.counts();
    let is_gentle = fired.keys().all(|fault| fault.is_wish());
    if is_gentle && writes > most {
        world.violation(format!("P8: {writes} writes, at most {most} for these turns"));
    }
}

/// The most writes of instances of the older build, which take up a long turn that only the newer
/// one can end, renew their claim while they run it, and give it up.
fn by_older_builds<'a>(world: &World, wishes: impl Iterator<Item = &'a Wish>) -> u64 {
    if !world.chance.tally.counts().contains_key(&Fault::Builds) {
        return 0;
    }
    let slow_ms = wishes.filter_map(|wish| wish.slow_ms).max().unwrap_or_default();
    let times = 1 + world.executor.now().as_secs() / TAKEN_UP_EVERY.as_secs();
    world.plan.instances as u64 * times * (WRITES_PER_TAKE_UP + slow_ms / RENEWED_EVERY_MS)
}

/// Watches a world at rest: no instance asks about any document.
pub(crate) fn idle(world: &World, all: &[Said]) {
    world.executor.run_until(world.executor.now() + SETTLE, || false);
    world.costs().reset();
    world.costs().is_watched = true;
    world.executor.run_until(world.executor.now() + IDLE, || false);
    let costs = world.costs();
    let (calls, looks) = (costs.calls, costs.looks);
    drop(costs);
    let timers: usize = all.iter().map(|said| said.wish.flat().len() - 1).sum();
    // An alarm whose outbox somebody else has delivered costs a look.
    let alarms = world.plan.instances * world.plan.conversations;
    let most = (IDLE_CALLS_PER_TIMER_MAX * timers * world.plan.instances + alarms) as u64;
    if calls > most {
        world.violation(format!("P8: {calls} calls about documents in a minute of rest"));
    }
    let most = IDLE_LOOKS_MAX * world.plan.instances as u64;
    if looks > most {
        world.violation(format!("P8: {looks} looks in a minute of rest, at most {most}"));
    }
}

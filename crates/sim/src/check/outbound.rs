//! Checks of outbound calls: each call of a committed turn was made, and no more often than
//! necessary.

use super::case::Case;
use crate::Fault;

pub(super) fn check(case: &Case<'_>, broken: &mut Vec<String>) {
    let fired = case.world.chance.tally.counts();
    // An old build that is replaced by a new one dies.
    let is_gentle = fired.keys().all(|fault| fault.is_wish() && *fault != Fault::Builds);
    let counts = case.world.outbound.counts();
    for (id, (wish, said)) in &case.wishes {
        if wish.calls == 0 || !case.is_applied(id) {
            continue;
        }
        let keys = counts.keys.get(*id);
        let called = keys.map_or(0, |keys| keys.len());
        if called < wish.calls as usize {
            broken.push(format!("once: {id} called {called} times, asked for {}", wish.calls));
        }
        // Where nothing goes wrong a timer runs at one instance, and there once. One that fails may
        // be tried again by another.
        let is_timer = *id != said.id;
        if is_timer && is_gentle && wish.fails == 0 {
            for key in keys.into_iter().flatten() {
                let calls = counts.calls_of(key);
                // Two that commit in the same moment may both think that they are the last.
                if calls > 2 {
                    broken.push(format!("once: timer {id} called {calls} times, without a fault"));
                }
            }
        }
    }
}

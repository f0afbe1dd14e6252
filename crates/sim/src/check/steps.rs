//! Checks of durable steps: what a committed turn asked for was called and saved.

use super::case::Case;

pub(super) fn check(case: &Case<'_>, broken: &mut Vec<String>) {
    let counts = case.world.outbound.counts();
    for (id, (wish, _)) in &case.wishes {
        if wish.steps == 0 || !case.is_applied(id) {
            continue;
        }
        let keys = counts.step_keys.get(*id);
        let is_saved = |key: &&String| counts.saved_steps.contains_key(*key);
        let saved = keys.into_iter().flatten().filter(is_saved).count();
        if saved < wish.steps as usize {
            let wanted = wish.steps;
            broken.push(format!("steps: {id} is committed with {saved} of {wanted} steps saved"));
        }
    }
}

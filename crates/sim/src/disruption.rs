//! Disruption of instances: they crash at an await, freeze, are suspended, shut down under load,
//! and their clocks jump.

use std::{sync::Arc, time::Duration};

use sayso_turn::Key;

use crate::{
    Fault,
    executor::Owner,
    node::{Node, Nodes},
    world::World,
};

/// Number and interval of the checks on conversations that are recovered at once.
const RECOVERY_LOOKS: u32 = 2000;
const RECOVERY_LOOK_EVERY: Duration = Duration::from_millis(20);

/// Disturbs the instance at one place for as long as the run lasts.
pub(crate) async fn disturb(world: Arc<World>, nodes: Arc<Nodes>, place: usize, keys: Vec<Key>) {
    let chance = &world.chance;
    let executor = &world.executor;
    let nap = |most: u64| executor.sleep(chance.up_to(Duration::from_millis(most)));
    while !chance.is_calm() {
        nap(3000).await;
        let Some(node) = nodes.get(place) else { return };
        let life = node.life;
        if chance.fires(Fault::Jump) {
            // Timers go by the wall clock: a jump of a day would only make the run a day longer.
            let most = if chance.has(Fault::Timer) { 600_000 } else { 86_400_000 };
            node.clock.set_skew(chance.around(most));
            world.tell(|| format!("instance {life}: its clock jumps"));
        }
        if chance.fires(Fault::Crash) {
            executor.doom(node.owner(), chance.below(40) as u64);
            nap(10_000).await;
            executor.pardon(node.owner());
            if executor.is_dead(node.owner()) {
                nodes.restart(place, life);
            }
        } else if chance.fires(Fault::Freeze) {
            world.tell(|| format!("instance {life}: frozen"));
            world.disturbed(life, true);
            executor.freeze(node.owner());
            nap(40_000).await;
            nodes.resume(&node);
        } else if chance.fires(Fault::Suspend) {
            world.tell(|| format!("instance {life}: suspended"));
            world.disturbed(life, true);
            node.clock.suspend();
            executor.freeze(node.owner());
            nap(40_000).await;
            nodes.resume(&node);
        } else if chance.fires(Fault::Shutdown) {
            world.tell(|| format!("instance {life}: shuts down"));
            world.disturbed(life, true);
            let (engine, within) = (node.engine.clone(), chance.up_to(Duration::from_secs(3)));
            let close = async move {
                engine.close(within).await;
            };
            executor.spawn(Owner::Instance(life), Box::pin(close));
            executor.sleep(within).await;
            // Claims are given up now: what is in hand is marked.
            world.disturbed(life, true);
            executor.sleep(Duration::from_secs(5).saturating_sub(within)).await;
            has_let_go(&world, &node, &keys);
            nodes.restart(place, life);
        }
    }
}

/// Checks that an instance that has shut down holds no claim: its heirs need not wait (I9).
fn has_let_go(world: &World, node: &Node, keys: &[Key]) {
    let fired = world.chance.tally.counts();
    if !fired.keys().all(|fault| fault.is_harmless()) {
        return;
    }
    for key in keys {
        let claim = world.document(key).ledger.claim;
        if claim.is_some_and(|claim| claim.by == node.engine.instance()) {
            let life = node.life;
            world.violation(format!("I9: instance {life} has shut down and holds {key}"));
        }
    }
}

/// Lets the instance die that a crowd has spoken to, when all of them are answered and none has a
/// reply.
pub(crate) async fn leave_a_crowd(world: Arc<World>, nodes: Arc<Nodes>) {
    world.executor.sleep(Duration::from_secs(3)).await;
    world.tell(|| "instance 0: dies, and leaves a crowd behind".to_owned());
    nodes.restart(0, 0);
    let most = world.plan.limits().recoveries_max;
    for _ in 0..RECOVERY_LOOKS {
        world.executor.sleep(RECOVERY_LOOK_EVERY).await;
        for place in 0..nodes.count() {
            let busy = nodes.get(place).map_or(0, |node| node.engine.busy());
            if busy > most {
                return world.violation(format!("P8: {busy} taken up at once, at most {most}"));
            }
        }
    }
}

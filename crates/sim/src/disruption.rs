//! What happens to instances: they crash at an await, freeze, are suspended, shut down under load, and their
//! clocks jump.

use std::{sync::Arc, time::Duration};

use crate::{Fault, executor::Owner, node::Nodes, world::World};

/// Disturbs the instance at one place for as long as the run lasts.
pub(crate) async fn disturb(world: Arc<World>, nodes: Arc<Nodes>, place: usize) {
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
            nodes.restart(place, life);
        }
    }
}

/// Lets the instance die that a crowd has spoken to, when all of them are answered and none has a reply.
pub(crate) async fn leave_a_crowd(world: Arc<World>, nodes: Arc<Nodes>) {
    world.executor.sleep(Duration::from_secs(3)).await;
    for _ in 0..world.plan.conversations {
        world.chance.tally.add(Fault::Crowd);
    }
    world.tell(|| "instance 0: dies, and leaves a crowd behind".to_owned());
    nodes.restart(0, 0);
}

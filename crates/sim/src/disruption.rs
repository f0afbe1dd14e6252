//! What happens to instances: they crash at an await, freeze, shut down under load, and their clocks jump.

use std::{sync::Arc, time::Duration};

use crate::{Fault, executor::Owner, node::Nodes, world::World};

/// Disturbs the instance at one place for as long as the run lasts.
pub(crate) async fn disturb(world: Arc<World>, nodes: Arc<Nodes>, place: usize) {
    let chance = &world.chance;
    let executor = &world.executor;
    let nap = |most: u64| executor.sleep(chance.up_to(Duration::from_millis(most)));
    loop {
        nap(3000).await;
        let Some(node) = nodes.get(place) else { return };
        let life = node.life;
        if chance.fires(Fault::Jump) {
            // Timers go by the wall clock: a jump of a day would only make the run a day longer.
            let most = if chance.has(Fault::Timer) { 600_000 } else { 86_400_000 };
            node.set_clock(chance.around(most));
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
            executor.freeze(node.owner());
            nap(40_000).await;
            executor.thaw(node.owner());
            world.tell(|| format!("instance {life}: resumed"));
        } else if chance.fires(Fault::Shutdown) {
            world.tell(|| format!("instance {life}: shuts down"));
            let (engine, within) = (node.engine.clone(), chance.up_to(Duration::from_secs(3)));
            let close = async move {
                engine.close(within).await;
            };
            executor.spawn(Owner::Instance(life), Box::pin(close));
            executor.sleep(Duration::from_secs(5)).await;
            nodes.restart(place, life);
        }
    }
}

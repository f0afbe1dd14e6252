//! Tests of guarantees beyond a single message: timers, effects, history, shutdown, outages,
//! clocks. Each test states a guarantee, with its figures.

mod circumstances;
mod clocks;
mod costs;
mod deadline;
mod delivery;
mod delivery_by_heirs;
mod fairness;
mod from_further_sides;
mod history;
mod history_and_timers;
mod line;
mod once;
mod outage;
mod permanent_errors;
mod reads;
mod shutdown;
mod timers;
mod timers_that_fail;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use sayso_turn::{BotError, Turn};

use crate::world::World;

fn secs(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The outside world: remembers under which keys it was called, whatever became of the turns.
#[derive(Clone, Debug, Default)]
struct Outside(Arc<Mutex<Vec<String>>>);

impl Outside {
    fn calls(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn note(&self, call: impl Into<String>) {
        self.0.lock().unwrap().push(call.into());
    }

    /// A call that the turn makes once.
    async fn pay(&self, turn: &Turn) -> Result<(), BotError> {
        let outside = self.clone();
        let call = |key: sayso_turn::IdempotencyKey| async move {
            outside.note(key.as_str());
            Ok::<_, BotError>(())
        };
        turn.once("pay", call).await
    }
}

/// Waits until so many replies have arrived, for so long at most, and gives their texts.
async fn arrived(world: &World, count: usize, within: Duration) -> Vec<String> {
    let until = tokio::time::Instant::now() + within;
    while world.channel.texts().len() < count && tokio::time::Instant::now() < until {
        tokio::time::sleep(millis(100)).await;
    }
    world.channel.texts()
}

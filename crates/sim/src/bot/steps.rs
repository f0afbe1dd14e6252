//! Durable steps of the bot: calls whose results are saved before the turn goes on.

use std::time::Duration;

use sayso_turn::{BotError, IdempotencyKey, Turn};

use super::Wish;
use crate::outside::{CALL_MAX, Outside, STEP_FAILURES_MAX};

/// Tries of a step: as many as the service fails, and one more.
const ATTEMPTS: u32 = STEP_FAILURES_MAX + 1;
/// Back-off of a step.
const BACKOFF: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// Takes the steps of a wish, one after the other. Each must be saved when it returns.
pub(super) async fn take(turn: &Turn, outside: &Outside, wish: &Wish) -> Result<(), BotError> {
    let name = format!("{}/step", wish.id);
    for number in 1..=wish.steps {
        let call = |key: IdempotencyKey| async move { outside.step(key.as_str(), &wish.id).await };
        let [first, max] = BACKOFF;
        let step = turn.step(&name, call).attempts(ATTEMPTS).backoff(first, max);
        let result: u64 = step.time_out(2 * CALL_MAX).await?;
        outside.stepped(&key_of(turn.id().as_str(), &name, number), &wish.id, result);
    }
    Ok(())
}

/// The idempotency key of a step, as text.
pub(crate) fn key_of(turn: &str, name: &str, number: u32) -> String {
    match number {
        1 => format!("{turn}.{name}"),
        _ => format!("{turn}#{number}.{name}"),
    }
}

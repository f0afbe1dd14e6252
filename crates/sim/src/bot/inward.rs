//! Mistakes of authors: a handler that abandons a read, and one that waits for a turn of its own
//! conversation (a deadlock).

use std::pin::pin;

use futures_util::future::select;
use sayso_turn::{BotError, Error, Key, Turn};

use crate::outside::Outside;

/// A document that takes longer to load than the bot waits.
pub(crate) const SLOW_KEY: &str = "slow/one";
/// Time-out of the read, in milliseconds.
const PATIENCE_MS: u64 = 30;

/// Asks for a document and stops waiting for it.
pub(super) async fn give_up(turn: &mut Turn, outside: &Outside) {
    let key = Key::new(SLOW_KEY).expect("a short key");
    let (read, patience) = (pin!(turn.custom(key)), pin!(outside.sleep(PATIENCE_MS)));
    drop(select(read, patience).await);
}

/// Waits for a turn of the same conversation: that must be refused, and at once.
pub(super) async fn wait_for_itself(turn: &Turn, outside: &Outside) {
    let world = &outside.world;
    let Some(engine) = world.engine(outside.life) else { return };
    let began = world.executor.now();
    let turn_of_its_own = async |_: Turn| Ok::<_, BotError>(());
    let heard = engine.resume(&turn.reference(), "inward", turn_of_its_own).await;
    let is_refused = matches!(heard, Err(Error::OwnConversation | Error::Closing));
    let took = world.executor.now().saturating_sub(began);
    if !is_refused || !took.is_zero() {
        let life = outside.life;
        world.violation(format!(
            "P8: instance {life} waits {took:?} for itself, and hears {heard:?}"
        ));
    }
}

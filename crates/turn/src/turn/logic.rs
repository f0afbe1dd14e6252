//! The logic seam: what runs a turn.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::Turn;
use crate::{bot_error::BotError, delivery_policy::DeliveryPolicy, error::Failure};

/// The logic of a bot. [`Bot`](crate::Bot) implements it; so can anything else.
pub trait Logic: std::fmt::Debug + Send + Sync + 'static {
    /// Whether there is anything to do for this activity. If not it is accepted and ignored, and
    /// nothing is loaded or stored.
    fn handles(&self, activity: &Activity) -> bool;

    /// Runs the logic. It may run several times for one activity; only one run counts.
    fn run(&self, turn: Turn) -> BoxFuture<'static, Result<(), BotError>>;

    /// Speaks when the logic failed: gets a fresh turn whose replies are sent and whose state
    /// changes are dropped. `None` when nobody minds: the sender then gets an error and nothing is
    /// stored.
    fn on_error(
        &self,
        turn: Turn,
        failure: Arc<Failure>,
    ) -> Option<BoxFuture<'static, Result<(), BotError>>>;

    /// Says what happens to messages that arrive while a turn of their conversation runs.
    fn overlap(&self) -> Overlap;

    /// Says what a reply may cost that has no policy of its own.
    fn delivery(&self) -> DeliveryPolicy {
        DeliveryPolicy::default()
    }
}

/// The policy for messages that arrive while a turn of their conversation runs on this instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// They wait and run in the order of their arrival.
    #[default]
    Queue,
    /// Messages of one user that wait together become one turn, their texts joined by newlines.
    Coalesce,
    /// They are refused with a retryable error.
    Reject,
}

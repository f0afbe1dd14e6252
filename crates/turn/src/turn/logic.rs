//! The logic seam: the code that handles a turn.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::Turn;
use crate::{KeyScheme, bot_error::BotError, delivery_policy::DeliveryPolicy, error::Failure};

/// Logic of a bot. [`Bot`](crate::Bot) implements it; so can anything else.
pub trait Logic: std::fmt::Debug + Send + Sync + 'static {
    /// Reports whether the bot handles this activity. If not it is accepted and ignored, and
    /// nothing is loaded or stored. A timer for it is put off, for a newer build, and parked in the
    /// end.
    fn handles(&self, activity: &Activity) -> bool;

    /// Runs the logic. It may run several times for one activity; only one run commits.
    fn run(&self, turn: Turn) -> BoxFuture<'static, Result<(), BotError>>;

    /// Error handler, called when the logic failed: gets a fresh turn whose replies are sent and
    /// whose state changes are dropped. `None` if there is no handler: the sender gets an error and
    /// nothing is stored.
    fn on_error(
        &self,
        turn: Turn,
        failure: Arc<Failure>,
    ) -> Option<BoxFuture<'static, Result<(), BotError>>>;

    /// Returns the policy for messages that arrive while a turn of their conversation runs.
    fn overlap(&self) -> Overlap;

    /// Returns the delivery policy of replies without a policy of their own.
    fn delivery(&self) -> DeliveryPolicy {
        DeliveryPolicy::default()
    }

    /// Returns the scheme of the keys, unless the instance is given another one.
    fn keys(&self) -> KeyScheme {
        KeyScheme::default()
    }

    /// Returns mistakes in how the bot is put together, a sentence each, with which nobody should
    /// start it: a handler that would never run, for example. A server refuses to, and so does a
    /// script.
    fn mistakes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Policy for messages that arrive while a turn of their conversation runs on this instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// They are queued and run in order of arrival.
    #[default]
    Queue,
    /// Messages of one user that wait together become one turn, their texts joined by newlines.
    Coalesce,
    /// They are refused with a retryable error.
    Reject,
}

//! Delivery policy: at least once or at most once, and expiry.

use std::time::Duration;

/// Delivery policy of a reply: at least once or at most once after an ambiguous attempt, and an
/// expiry. The default is at least once, without expiry.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sayso_turn::{Bot, DeliveryPolicy, Turn};
///
/// let bot = Bot::new()
///     // Nobody wants yesterday's answer.
///     .delivery(DeliveryPolicy::repeat().expires(Duration::from_secs(3600)))
///     .on_message(async |mut turn: Turn| {
///         let code = turn.say("Your code is 4711.");
///         // Better never than twice.
///         turn.set_delivery(&code, DeliveryPolicy::once());
///         Ok(())
///     });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryPolicy {
    /// Policy for a reply that may have arrived already.
    pub on_doubt: OnDoubt,
    /// The age after which the reply is parked instead of sent.
    pub expires: Option<Duration>,
}

/// Choice between at-least-once and at-most-once delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDoubt {
    /// At least once: it is sent again, under the same id, and counted as a repeat.
    #[default]
    Repeat,
    /// At most once: it is not sent again; it is parked, and counted as withheld.
    Once,
}

impl DeliveryPolicy {
    /// At least once, without expiry.
    #[must_use]
    pub fn repeat() -> Self {
        Self::default()
    }

    /// At most once.
    #[must_use]
    pub fn once() -> Self {
        Self { on_doubt: OnDoubt::Once, expires: None }
    }

    /// Adds an expiry: an older reply is parked instead of sent.
    #[must_use]
    pub fn expires(self, after: Duration) -> Self {
        Self { expires: Some(after), ..self }
    }
}

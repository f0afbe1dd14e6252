//! Delivery policy: what a reply may cost, and how long it is worth sending.

use std::time::Duration;

/// The policy for a reply whose hand-over was ambiguous, and its age limit. The default repeats for
/// ever.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sayso_turn::{Bot, DeliveryPolicy, Turn};
///
/// let bot = Bot::new()
///     // Nobody wants an answer of yesterday.
///     .delivery(DeliveryPolicy::repeat().expires(Duration::from_secs(3600)))
///     .on_message(async |mut turn: Turn| {
///         let code = turn.say("Your code is 4711.");
///         // Rather never than twice.
///         turn.set_delivery(&code, DeliveryPolicy::once());
///         Ok(())
///     });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryPolicy {
    /// What happens when an earlier try may have arrived.
    pub on_doubt: OnDoubt,
    /// The age after which the reply is parked instead of sent.
    pub expires: Option<Duration>,
}

/// The choice between a reply that may come twice and one that may not come at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDoubt {
    /// At least once: it is sent again, under the same id, and counted as a repeat.
    #[default]
    Repeat,
    /// At most once: it is not sent again; it is parked, and counted as withheld.
    Once,
}

impl DeliveryPolicy {
    /// At least once, whenever.
    #[must_use]
    pub fn repeat() -> Self {
        Self::default()
    }

    /// At most once.
    #[must_use]
    pub fn once() -> Self {
        Self { on_doubt: OnDoubt::Once, expires: None }
    }

    /// The same with an age after which the reply is parked instead of sent.
    #[must_use]
    pub fn expires(self, after: Duration) -> Self {
        Self { expires: Some(after), ..self }
    }
}

//! Fake services outside: what authors' bots call, as slow and unreliable as the real ones.

use std::{fmt, time::Duration};

use crate::outside::Outside;

/// Longest answer of a service that is well.
const QUICK_MS: u64 = 50;

/// Longest answer of one that is not: longer than a turn is waited for.
const SLOW_MS: u64 = 10_000;

/// Fake services outside a simulated bot: a payment, an order, a mail.
///
/// A call takes simulated time, now and then as long as ten seconds. With
/// [`Simulation::failing_services`](crate::Simulation::failing_services) it may fail before it was
/// made, or be made and its answer lost. A service honours idempotency keys: a call that is
/// repeated under the same key has no second effect, and gets the same result.
///
/// # Example
/// ```
/// use sayso_sim::{Services, simulate_with};
/// use sayso_turn::{Bot, Turn};
///
/// let bot = |services: Services| Bot::new().on_message(move |mut turn: Turn| {
///     let services = services.clone();
///     async move {
///         let call = async move |key| services.call("payment", key).await;
///         let receipt = turn.once("pay", call).await?;
///         turn.say(format!("Paid: receipt {receipt}."));
///         Ok(())
///     }
/// });
/// simulate_with(bot).users(2).conversation(["pay"]).seeds(50).check(|world| {
///     assert_eq!(world.effects("payment"), 2, "one for each user");
/// });
/// ```
#[derive(Clone)]
pub struct Services {
    outside: Outside,
}

/// Error of a call to a fake service: it was not made, or its answer was lost. Nobody can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallError {
    service: String,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no answer from the service {}; it may have done what it was asked", self.service)
    }
}

impl std::error::Error for CallError {}

impl Services {
    pub(crate) fn new(outside: &Outside) -> Self {
        Self { outside: outside.clone() }
    }

    /// Calls a service under an idempotency key. Returns the number of the effect: 1 for the first
    /// of a service, and the same for the same key each time.
    ///
    /// # Errors
    /// When there is no answer, in a world where services fail.
    ///
    /// # Cancellation
    /// Dropping the future loses the answer; the call may have been made.
    pub async fn call(&self, service: &str, key: impl fmt::Display) -> Result<u64, CallError> {
        let (world, life) = (&self.outside.world, self.outside.life);
        let key = key.to_string();
        let goes_wrong = |one_in: usize| !world.chance.is_calm() && world.chance.one_in(one_in);
        let fails = || world.services_fail() && goes_wrong(4);
        self.outside.sleep(if goes_wrong(16) { SLOW_MS } else { QUICK_MS }).await;
        if fails() {
            world.tell(|| format!("instance {life}: cannot reach the service {service}"));
            return Err(CallError { service: service.to_owned() });
        }
        let number = {
            let mut services = world.services();
            let record = services.entry(service.to_owned()).or_default();
            record.calls += 1;
            let next = record.effects.len() as u64 + 1;
            *record.effects.entry(key).or_insert(next)
        };
        world.tell(|| format!("instance {life}: the service {service} has effect {number}"));
        self.outside.sleep(if goes_wrong(16) { SLOW_MS } else { QUICK_MS }).await;
        if fails() {
            world.tell(|| format!("the answer of the service {service} is lost"));
            return Err(CallError { service: service.to_owned() });
        }
        Ok(number)
    }

    /// Waits on simulated time. `tokio::time::sleep` does the same.
    pub async fn sleep(&self, wait: Duration) {
        self.outside.world.executor.sleep(wait).await;
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Services")
    }
}

//! Rate limits of peers and of conversations (GCRA, a leaky bucket that stores one time per key).

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hash, RandomState},
    net::IpAddr,
    sync::Mutex,
    time::{Duration, Instant},
};

use crate::sync::lock;

/// Most keys that a limit keeps in memory. While there are more, new ones are let in uncounted: a
/// limit protects the bot from few who send much; many who send little it cannot tell from users.
const KEYS_MAX: usize = 65_536;

/// Shortest time between two sweeps of a full table.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// Rate limits of the endpoint: HTTP 429 with `Retry-After` beyond them. Both are off by default.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sayso_channel::{Rate, RateLimits};
///
/// let rate = Rate { requests: 600, per: Duration::from_secs(60) };
/// let limits = RateLimits { conversation: Some(rate), ..RateLimits::default() };
/// assert!(limits.peer.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests of one IP address (of a /64 network with IPv6), counted before their token is
    /// looked at. Behind a proxy all requests have the proxy's address: leave it off there.
    pub peer: Option<Rate>,
    /// Activities of one conversation, counted after authentication.
    pub conversation: Option<Rate>,
}

/// Number of requests in a time. As many may come at once; then they are let in evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Number of requests.
    pub requests: u32,
    /// The time in which so many are let in.
    pub per: Duration,
}

/// Rate limiter with one bucket for each key.
#[derive(Debug)]
pub(super) struct Limiter {
    rate: Rate,
    hasher: RandomState,
    buckets: Mutex<Buckets>,
}

/// The time at which each bucket is empty again.
#[derive(Debug, Default)]
struct Buckets {
    empty_at: HashMap<u64, Instant>,
    swept_at: Option<Instant>,
}

impl Limiter {
    pub(super) fn new(rate: Rate) -> Self {
        Self { rate, hasher: RandomState::new(), buckets: Mutex::default() }
    }

    /// Counts a request of this key, or returns how long to wait until one is let in.
    pub(super) fn take(&self, key: impl Hash) -> Result<(), Duration> {
        self.take_at(self.hasher.hash_one(key), Instant::now())
    }

    fn take_at(&self, key: u64, now: Instant) -> Result<(), Duration> {
        let Rate { requests, per } = self.rate;
        let interval = per / requests.max(1);
        let mut buckets = lock(&self.buckets);
        let empty_at = buckets.empty_at.get(&key).map_or(now, |at| (*at).max(now));
        let level = empty_at.saturating_duration_since(now);
        // A bucket holds `per`, and each request fills it by `interval`.
        if let Some(wait) = (level + interval).checked_sub(per).filter(|wait| !wait.is_zero()) {
            return Err(wait);
        }
        if buckets.has_room_for(key, now) {
            buckets.empty_at.insert(key, empty_at + interval);
        }
        Ok(())
    }
}

impl Buckets {
    fn has_room_for(&mut self, key: u64, now: Instant) -> bool {
        if self.empty_at.len() < KEYS_MAX || self.empty_at.contains_key(&key) {
            return true;
        }
        let is_swept =
            self.swept_at.is_some_and(|at| now.saturating_duration_since(at) < SWEEP_EVERY);
        if !is_swept {
            self.swept_at = Some(now);
            self.empty_at.retain(|_, empty_at| *empty_at > now);
        }
        self.empty_at.len() < KEYS_MAX
    }
}

/// The part of an address that counts as one peer: IPv6 hosts have a network to themselves.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn as_many_as_the_limit_come_at_once_and_then_they_come_evenly() {
        let limiter = Limiter::new(Rate { requests: 10, per: 10 * SECOND });
        let start = Instant::now();
        for _ in 0..10 {
            assert_eq!(limiter.take_at(1, start), Ok(()));
        }
        assert_eq!(limiter.take_at(1, start), Err(SECOND));
        assert_eq!(limiter.take_at(2, start), Ok(()), "another key");
        assert_eq!(limiter.take_at(1, start + SECOND), Ok(()));
        assert_eq!(limiter.take_at(1, start + SECOND), Err(SECOND));
        for _ in 0..10 {
            assert_eq!(limiter.take_at(1, start + 20 * SECOND), Ok(()));
        }
    }

    #[test]
    fn memory_is_bounded_and_quiet_keys_make_room() {
        let limiter = Limiter::new(Rate { requests: 1, per: SECOND });
        let start = Instant::now();
        for key in 0..2 * KEYS_MAX as u64 {
            assert_eq!(limiter.take_at(key, start), Ok(()));
        }
        assert_eq!(lock(&limiter.buckets).empty_at.len(), KEYS_MAX);
        assert!(limiter.take_at(0, start).is_err(), "whoever is known stays limited");
        assert_eq!(limiter.take_at(u64::MAX, start + 2 * SECOND), Ok(()));
        assert_eq!(lock(&limiter.buckets).empty_at.len(), 1);
    }

    #[test]
    fn a_peer_is_an_address_or_a_network() {
        let same = |a: &str, b: &str| network(a.parse().unwrap()) == network(b.parse().unwrap());
        assert!(same("2001:db8::1", "2001:db8::ffff:1") && same("::ffff:10.0.0.1", "10.0.0.1"));
        assert!(!same("2001:db8::1", "2001:db8:0:1::1") && !same("10.0.0.1", "10.0.0.2"));
    }
}

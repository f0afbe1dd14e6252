//! Per-host rate limiter: honours `Retry-After` for every conversation of a host.
//!
//! A `Retry-After` that one conversation gets counts for all others of that host. Otherwise each of
//! ten thousand would have to be told by itself, and their requests would be the very load that the
//! channel complains about.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use crate::sync::lock;

/// Upper limit of a `Retry-After`; longer ones are cut to this.
pub(crate) const RETRY_AFTER_MAX: Duration = Duration::from_secs(60 * 60);
/// Interval between calls that are released after a block, so that they do not come back all at
/// once (thundering herd).
const RELEASE_INTERVAL: Duration = Duration::from_millis(20);
/// Limit on remembered hosts. Beyond it the block that ends first is forgotten.
const HOSTS_MAX: usize = 1000;

/// The blocked hosts, each with its port; times are the clock's uptime.
#[derive(Debug, Default)]
pub(crate) struct HostRateLimiter(Mutex<BTreeMap<String, Block>>);

/// The block of one host.
#[derive(Clone, Copy, Debug)]
struct Block {
    until: Duration,
    /// Time at which the next call that has to wait may be made.
    next_release: Duration,
}

impl HostRateLimiter {
    /// Blocks a host for a while, or extends its block.
    pub(crate) fn block(&self, host: &str, now: Duration, wait: Duration) {
        if wait.is_zero() {
            return;
        }
        let until = now + wait.min(RETRY_AFTER_MAX);
        let mut hosts = self.hosts();
        if let Some(block) = hosts.get_mut(host) {
            block.until = block.until.max(until);
            block.next_release = block.next_release.max(until);
            return;
        }
        hosts.retain(|_, block| now < block.next_release);
        if hosts.len() >= HOSTS_MAX {
            let first = hosts.iter().min_by_key(|(_, block)| block.until);
            let first = first.map(|(host, _)| host.clone());
            first.and_then(|host| hosts.remove(&host));
        }
        hosts.insert(host.to_owned(), Block { until, next_release: until });
    }

    /// Returns how long a call has to wait, or `None` if it may be made now. Reserves the time for
    /// the call, which is expected to come back then.
    pub(crate) fn delay(&self, host: &str, now: Duration) -> Option<Duration> {
        let mut hosts = self.hosts();
        let block = hosts.get_mut(host).filter(|block| now < block.until)?;
        let release_at = block.next_release;
        block.next_release += RELEASE_INTERVAL;
        Some(release_at.saturating_sub(now).min(RETRY_AFTER_MAX))
    }

    /// Reports whether a host is blocked, for a call that is dropped rather than retried.
    pub(crate) fn is_blocked(&self, host: &str, now: Duration) -> bool {
        self.hosts().get(host).is_some_and(|block| now < block.until)
    }

    /// Reports whether no host is blocked, as is nearly always so.
    pub(crate) fn is_empty(&self) -> bool {
        self.hosts().is_empty()
    }

    fn hosts(&self) -> MutexGuard<'_, BTreeMap<String, Block>> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_block_is_for_the_whole_host_and_ends() {
        let limiter = HostRateLimiter::default();
        let (here, there) = ("a.example", "a.example:444");
        limiter.block(here, seconds(10), seconds(5));
        assert_eq!(limiter.delay(here, seconds(12)), Some(seconds(3)));
        assert_eq!(limiter.delay(there, seconds(12)), None, "another port is another server");
        assert!(limiter.is_blocked(here, seconds(14)) && !limiter.is_blocked(here, seconds(15)));
        assert_eq!(limiter.delay(here, seconds(15)), None);
    }

    #[test]
    fn blocked_calls_are_released_one_after_the_other() {
        let (limiter, host) = (HostRateLimiter::default(), "a.example");
        limiter.block(host, seconds(0), seconds(5));
        for count in 0..100 {
            assert_eq!(
                limiter.delay(host, seconds(1)),
                Some(seconds(4) + RELEASE_INTERVAL * count)
            );
        }
        // A second `Retry-After` does not overtake the calls that already have a release time.
        limiter.block(host, seconds(5), seconds(1));
        assert_eq!(limiter.delay(host, seconds(5)), Some(RELEASE_INTERVAL * 100));
        limiter.block(host, seconds(5), seconds(9));
        assert_eq!(limiter.delay(host, seconds(5)), Some(seconds(9)));
    }

    #[test]
    fn the_delay_and_the_number_of_hosts_are_limited() {
        let (limiter, host) = (HostRateLimiter::default(), "a.example");
        limiter.block(host, seconds(0), seconds(0));
        assert!(!limiter.is_blocked(host, seconds(0)));
        limiter.block(host, seconds(0), seconds(1_000_000));
        for _ in 0..10 {
            assert_eq!(limiter.delay(host, seconds(0)), Some(RETRY_AFTER_MAX));
        }
        assert!(!limiter.is_blocked(host, RETRY_AFTER_MAX));
        for number in 0..2 * HOSTS_MAX {
            limiter.block(&format!("{number}.example"), seconds(0), seconds(5));
        }
        assert_eq!(limiter.hosts().len(), HOSTS_MAX);
        limiter.block("b.example", RETRY_AFTER_MAX + seconds(1), seconds(5));
        assert_eq!(limiter.hosts().len(), 1, "expired blocks are forgotten");
    }
}

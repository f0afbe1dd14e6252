//! Channels that asked for quiet: nothing goes to their host before the time is over.
//!
//! One conversation that is told to wait speaks for all others of that host. Otherwise each of ten
//! thousand would have to be told by itself, and their asking would be the very noise that the
//! channel complains of.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// No channel makes a call wait longer than this.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(60 * 60);
/// Those who waited do not come back all at once but so far apart.
const APART: Duration = Duration::from_millis(20);
/// How many hosts are remembered.
const HOSTS_MAX: usize = 1000;

/// Which hosts want quiet, and for how long; times are the clock's uptime.
#[derive(Debug, Default)]
pub(crate) struct Pauses(Mutex<BTreeMap<String, Pause>>);

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Duration,
    /// When the next one who has to wait may come.
    next: Duration,
}

impl Pauses {
    /// The host of a channel, with its port, wants to be left alone for a while.
    pub(crate) fn begin(&self, host: &str, now: Duration, wait: Duration) {
        if wait.is_zero() {
            return;
        }
        let until = now + wait.min(WAIT_MAX);
        let mut hosts = self.hosts();
        if let Some(pause) = hosts.get_mut(host) {
            pause.until = pause.until.max(until);
            pause.next = pause.next.max(until);
            return;
        }
        hosts.retain(|_, pause| now < pause.next);
        if hosts.len() >= HOSTS_MAX {
            let first = hosts.iter().min_by_key(|(_, pause)| pause.until);
            let first = first.map(|(host, _)| host.clone());
            first.and_then(|host| hosts.remove(&host));
        }
        hosts.insert(host.to_owned(), Pause { until, next: until });
    }

    /// How long a call that will come back has to wait; none if it may be made now.
    pub(crate) fn wait(&self, host: &str, now: Duration) -> Option<Duration> {
        let mut hosts = self.hosts();
        let pause = hosts.get_mut(host).filter(|pause| now < pause.until)?;
        let place = pause.next;
        pause.next += APART;
        Some(place.saturating_sub(now).min(WAIT_MAX))
    }

    /// Whether a call that will not come back must not be made.
    pub(crate) fn is_quiet(&self, host: &str, now: Duration) -> bool {
        self.hosts().get(host).is_some_and(|pause| now < pause.until)
    }

    /// Whether nobody wants quiet, as nearly always.
    pub(crate) fn are_none(&self) -> bool {
        self.hosts().is_empty()
    }

    fn hosts(&self) -> MutexGuard<'_, BTreeMap<String, Pause>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_pause_is_for_the_whole_host_and_ends() {
        let pauses = Pauses::default();
        let (here, there) = ("a.example", "a.example:444");
        pauses.begin(here, seconds(10), seconds(5));
        assert_eq!(pauses.wait(here, seconds(12)), Some(seconds(3)));
        assert_eq!(pauses.wait(there, seconds(12)), None, "another port is another server");
        assert!(pauses.is_quiet(here, seconds(14)) && !pauses.is_quiet(here, seconds(15)));
        assert_eq!(pauses.wait(here, seconds(15)), None);
    }

    #[test]
    fn those_who_wait_come_back_one_after_the_other() {
        let (pauses, host) = (Pauses::default(), "a.example");
        pauses.begin(host, seconds(0), seconds(5));
        for place in 0..100 {
            assert_eq!(pauses.wait(host, seconds(1)), Some(seconds(4) + APART * place));
        }
        // Told again, the line goes on behind those who are in it.
        pauses.begin(host, seconds(5), seconds(1));
        assert_eq!(pauses.wait(host, seconds(5)), Some(APART * 100));
        pauses.begin(host, seconds(5), seconds(9));
        assert_eq!(pauses.wait(host, seconds(5)), Some(seconds(9)));
    }

    #[test]
    fn a_wait_and_the_hosts_have_a_limit() {
        let (pauses, host) = (Pauses::default(), "a.example");
        pauses.begin(host, seconds(0), seconds(0));
        assert!(!pauses.is_quiet(host, seconds(0)));
        pauses.begin(host, seconds(0), seconds(1_000_000));
        for _ in 0..10 {
            assert_eq!(pauses.wait(host, seconds(0)), Some(WAIT_MAX));
        }
        assert!(!pauses.is_quiet(host, WAIT_MAX));
        for number in 0..2 * HOSTS_MAX {
            pauses.begin(&format!("{number}.example"), seconds(0), seconds(5));
        }
        assert_eq!(pauses.hosts().len(), HOSTS_MAX);
        pauses.begin("b.example", WAIT_MAX + seconds(1), seconds(5));
        assert_eq!(pauses.hosts().len(), 1, "those that are over are forgotten");
    }
}

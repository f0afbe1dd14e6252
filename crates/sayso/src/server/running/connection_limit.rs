//! Connection limit with idle eviction.
//!
//! Each connection holds a permit. When none is free, the connection that has been idle longest (no
//! request in flight) is told to close, so idle sockets cannot keep people out. Busy connections
//! are never evicted.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Permits for open connections, and the idle ones in least-recently-used order.
#[derive(Debug)]
pub(super) struct ConnectionLimit {
    permits: Arc<Semaphore>,
    idle: Mutex<IdleQueue>,
}

/// Idle connections by position, the longest idle first. The value tells a connection to close.
#[derive(Debug, Default)]
struct IdleQueue {
    last_position: u64,
    connections: BTreeMap<u64, Arc<Notify>>,
}

impl ConnectionLimit {
    pub(super) fn new(count: usize) -> Arc<Self> {
        let count = count.min(Semaphore::MAX_PERMITS);
        Arc::new(Self { permits: Arc::new(Semaphore::new(count)), idle: Mutex::default() })
    }

    /// Acquires a permit, evicting the longest-idle connection if needed. Returns `None` when every
    /// connection is busy. Waits only for the evicted one to close, so that there are never more
    /// connections than permits.
    pub(super) async fn acquire(self: &Arc<Self>) -> Option<Permit> {
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) if self.evict() => Arc::clone(&self.permits).acquire_owned().await.ok()?,
            Err(_) => return None,
        };
        Some(Permit::new(Arc::clone(self), permit))
    }

    /// Tells the longest-idle connection to close. Returns false if none is idle.
    pub(super) fn evict(&self) -> bool {
        let longest = self.idle().connections.pop_first();
        longest.inspect(|(_, evicted)| evicted.notify_one()).is_some()
    }

    fn idle(&self) -> MutexGuard<'_, IdleQueue> {
        // Nothing panics half-way through a change, so a poisoned queue is whole.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right of one connection to be open. Dropping it frees the place.
#[derive(Debug)]
pub(super) struct Permit {
    limit: Arc<ConnectionLimit>,
    evicted: Arc<Notify>,
    /// Its position in the queue while it is idle. Changes only while the queue is locked.
    position: AtomicU64,
    _permit: OwnedSemaphorePermit,
}

impl Permit {
    fn new(limit: Arc<ConnectionLimit>, permit: OwnedSemaphorePermit) -> Self {
        let permit = Self {
            limit,
            evicted: Arc::default(),
            position: AtomicU64::default(),
            _permit: permit,
        };
        permit.mark_idle();
        permit
    }

    /// Completes when the connection must close.
    pub(super) async fn evicted(&self) {
        self.evicted.notified().await;
    }

    /// Protects the connection from eviction until the guard is dropped: a request is in flight.
    /// Returns `None` if it has been evicted: then another one waits for its place.
    pub(super) fn busy(self: &Arc<Self>) -> Option<Busy> {
        self.unmark_idle().then(|| Busy(Arc::clone(self)))
    }

    fn mark_idle(&self) {
        let mut idle = self.limit.idle();
        idle.last_position += 1;
        let position = idle.last_position;
        idle.connections.insert(position, Arc::clone(&self.evicted));
        self.position.store(position, Ordering::Relaxed);
    }

    /// Takes it off the queue. Returns false if it was not there.
    fn unmark_idle(&self) -> bool {
        let mut idle = self.limit.idle();
        idle.connections.remove(&self.position.load(Ordering::Relaxed)).is_some()
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.unmark_idle();
    }
}

/// Guard of a request in flight.
#[derive(Debug)]
pub(super) struct Busy(Arc<Permit>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.mark_idle();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn acquire(limit: &Arc<ConnectionLimit>) -> Option<Arc<Permit>> {
        limit.acquire().now_or_never().expect("no eviction is needed").map(Arc::new)
    }

    fn is_evicted(permit: &Permit) -> bool {
        permit.evicted().now_or_never().is_some()
    }

    #[tokio::test]
    async fn whoever_waits_longest_makes_room_and_the_busy_do_not() {
        let limit = ConnectionLimit::new(3);
        let [first, second, third] = [(); 3].map(|()| acquire(&limit).unwrap());
        let busy = first.busy().unwrap();
        let mut fourth = Box::pin(limit.acquire());
        assert!(fourth.as_mut().now_or_never().is_none(), "it waits for a permit");
        assert!(is_evicted(&second) && !is_evicted(&first) && !is_evicted(&third));
        assert!(second.busy().is_none(), "its request came too late");
        drop(second);
        let fourth = Arc::new(fourth.await.unwrap());
        // After its request it is the most recently used.
        drop(busy);
        assert!(limit.evict() && is_evicted(&third) && !is_evicted(&fourth));
        assert!(limit.evict() && is_evicted(&fourth) && !is_evicted(&first));
        assert!(limit.evict() && is_evicted(&first));
        assert!(!limit.evict(), "no connection is evicted twice");
    }

    #[tokio::test]
    async fn when_all_are_busy_there_is_no_seat() {
        let limit = ConnectionLimit::new(2);
        let [first, second] = [(); 2].map(|()| acquire(&limit).unwrap());
        let (busy, _second) = (first.busy().unwrap(), second.busy().unwrap());
        assert!(acquire(&limit).is_none());
        drop((busy, first));
        assert!(acquire(&limit).is_some(), "one has closed");
        assert!(limit.idle().connections.is_empty(), "closed connections are not idle ones");
    }
}

//! Who may stay when it gets crowded.
//!
//! Every connection has a seat. While it waits for a request it is also in a line, and when there
//! is no seat left the head of that line, which has waited longest, gives up its own. A connection
//! with a request under way is not in the line.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// All seats.
#[derive(Debug)]
pub(super) struct Seats {
    free: Arc<Semaphore>,
    line: Mutex<Line>,
}

/// Those who wait for a request, the longest first.
#[derive(Debug, Default)]
struct Line {
    next: u64,
    waiting: BTreeMap<u64, Arc<Notify>>,
}

impl Seats {
    pub(super) fn new(count: usize) -> Arc<Self> {
        let count = count.min(Semaphore::MAX_PERMITS);
        Arc::new(Self { free: Arc::new(Semaphore::new(count)), line: Mutex::default() })
    }

    /// A seat for a new connection; none if all others are busy. Waits only for one that was told
    /// to leave, so that there are never more connections than seats.
    pub(super) async fn take(self: &Arc<Self>) -> Option<Seat> {
        let permit = match Arc::clone(&self.free).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) if self.shed() => Arc::clone(&self.free).acquire_owned().await.ok()?,
            Err(_) => return None,
        };
        Some(Seat::new(Arc::clone(self), permit))
    }

    /// Tells the one that waits longest to leave. Says whether there was one.
    pub(super) fn shed(&self) -> bool {
        let longest = self.line().waiting.pop_first();
        longest.inspect(|(_, leave)| leave.notify_one()).is_some()
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        // Nothing in here panics half-way.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The seat of one connection. Dropping it frees it.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    leave: Arc<Notify>,
    /// Its number in the line, while it waits. Changes only while the line is locked.
    number: AtomicU64,
    _permit: OwnedSemaphorePermit,
}

impl Seat {
    fn new(seats: Arc<Seats>, permit: OwnedSemaphorePermit) -> Self {
        let seat =
            Self { seats, leave: Arc::default(), number: AtomicU64::default(), _permit: permit };
        seat.queue();
        seat
    }

    /// Ends when the connection must go.
    pub(super) async fn told_to_leave(&self) {
        self.leave.notified().await;
    }

    /// A request is under way until the guard is dropped: nobody takes the seat.
    pub(super) fn busy(self: &Arc<Self>) -> Busy {
        self.unqueue();
        Busy(Arc::clone(self))
    }

    fn queue(&self) {
        let mut line = self.seats.line();
        line.next += 1;
        let number = line.next;
        line.waiting.insert(number, Arc::clone(&self.leave));
        self.number.store(number, Ordering::Relaxed);
    }

    fn unqueue(&self) {
        let mut line = self.seats.line();
        line.waiting.remove(&self.number.load(Ordering::Relaxed));
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.unqueue();
    }
}

/// A connection is busy with a request.
#[derive(Debug)]
pub(super) struct Busy(Arc<Seat>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.queue();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn take(seats: &Arc<Seats>) -> Option<Arc<Seat>> {
        seats.take().now_or_never().expect("nobody has to leave first").map(Arc::new)
    }

    fn is_told(seat: &Seat) -> bool {
        seat.told_to_leave().now_or_never().is_some()
    }

    #[tokio::test]
    async fn whoever_waits_longest_makes_room_and_the_busy_do_not() {
        let seats = Seats::new(3);
        let [first, second, third] = [(); 3].map(|()| take(&seats).unwrap());
        let busy = first.busy();
        let mut fourth = Box::pin(seats.take());
        assert!(fourth.as_mut().now_or_never().is_none(), "it waits for a seat");
        assert!(is_told(&second) && !is_told(&first) && !is_told(&third));
        drop(second);
        let fourth = Arc::new(fourth.await.unwrap());
        // After its request it is the last of the line.
        drop(busy);
        assert!(seats.shed() && is_told(&third) && !is_told(&fourth));
        assert!(seats.shed() && is_told(&fourth) && !is_told(&first));
        assert!(seats.shed() && is_told(&first));
        assert!(!seats.shed(), "nobody is asked twice");
    }

    #[tokio::test]
    async fn when_all_are_busy_there_is_no_seat() {
        let seats = Seats::new(2);
        let [first, second] = [(); 2].map(|()| take(&seats).unwrap());
        let (busy, _second) = (first.busy(), second.busy());
        assert!(take(&seats).is_none());
        drop((busy, first));
        assert!(take(&seats).is_some(), "one has gone");
        assert!(seats.line().waiting.is_empty(), "those who are gone do not wait");
    }
}

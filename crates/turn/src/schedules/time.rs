//! Virtual clock that advances when nothing else can run, and tasks of shuttle.
//!
//! In the first half second short sleeps may also end while other threads run, so that they race.
//! Long ones never do, so that no claim lapses and no deadline passes by chance.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_util::future::BoxFuture;

use crate::clock::{Clock, Tasks, Timestamp};

/// Id of the task that advances the clock: the first one started.
pub(super) const KEEPER: usize = 1;
/// A sleep that ends within this time may end at any moment.
const NEAR: Duration = Duration::from_millis(200);
/// End of the period in which that is so.
const RACING: Duration = Duration::from_millis(500);

/// Virtual clock of one schedule. Its lock is not one of shuttle's: no other thread runs while it
/// is held.
#[derive(Clone, Debug, Default)]
pub(super) struct Time(Arc<Mutex<Inside>>);

#[derive(Debug, Default)]
struct Inside {
    now: Duration,
    sleeping: BTreeMap<Place, Waker>,
    /// Sequence number: distinguishes sleepers with the same time.
    count: u64,
    keeper: Option<Waker>,
}

type Place = (Duration, u64);

impl Time {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap()
    }

    pub(super) fn reset(&self) {
        *self.inside() = Inside::default();
    }

    /// Starts the task that advances the clock, before all others.
    pub(super) fn start(&self) {
        let time = self.clone();
        let keep = async move {
            loop {
                poll_fn(|context| time.next(context)).await.wake();
                shuttle::future::yield_now().await;
            }
        };
        drop(shuttle::future::spawn(keep));
    }

    /// Advances to the end of the next sleep.
    fn next(&self, context: &Context<'_>) -> Poll<Waker> {
        let mut inside = self.inside();
        let Some(((until, _), sleeper)) = inside.sleeping.pop_first() else {
            inside.keeper = Some(context.waker().clone());
            return Poll::Pending;
        };
        inside.now = inside.now.max(until);
        Poll::Ready(sleeper)
    }

    /// Reports whether the next sleep is a short one that may end while other threads run.
    pub(super) fn is_near(&self) -> bool {
        let inside = self.inside();
        let next = inside.sleeping.first_key_value().map(|((until, _), _)| *until);
        inside.now < RACING && next.is_some_and(|next| next < inside.now + NEAR)
    }
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000_000).after(self.uptime())
    }

    fn uptime(&self) -> Duration {
        self.inside().now
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        let until = self.uptime() + wait;
        Box::pin(Sleep { time: self.clone(), until, place: None })
    }
}

/// Waits until a time.
struct Sleep {
    time: Time,
    until: Duration,
    place: Option<Place>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let time = self.time.clone();
        let mut inside = time.inside();
        if inside.now >= self.until {
            return Poll::Ready(());
        }
        if self.place.is_none() {
            inside.count += 1;
            self.place = Some((self.until, inside.count));
        }
        if let Some(place) = self.place {
            drop(inside.sleeping.insert(place, context.waker().clone()));
        }
        let keeper = inside.keeper.take();
        drop(inside);
        if let Some(keeper) = keeper {
            keeper.wake();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            drop(self.time.inside().sleeping.remove(&place));
        }
    }
}

/// Starts tasks as threads of shuttle.
#[derive(Debug)]
pub(super) struct ShuttleTasks;

impl Tasks for ShuttleTasks {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        drop(shuttle::future::spawn(task));
    }
}

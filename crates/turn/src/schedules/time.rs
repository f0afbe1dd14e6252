//! A clock that moves when nothing else can, and tasks of shuttle.
//!
//! Short times may also pass while others are at work, for the first half second: what waits for a
//! moment races with what goes on. Long ones never do, so that no claim lapses and no deadline
//! passes by chance.

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

/// The task that moves the time on: the first that is started.
pub(super) const KEEPER: usize = 1;
/// What is nearer than this may come to pass at any moment.
const NEAR: Duration = Duration::from_millis(200);
/// Until when that is so.
const RACING: Duration = Duration::from_millis(500);

/// The time of one schedule. Its lock is none of shuttle's: no other thread goes on while it is
/// held.
#[derive(Clone, Debug, Default)]
pub(super) struct Time(Arc<Mutex<Inside>>);

#[derive(Debug, Default)]
struct Inside {
    now: Duration,
    sleeping: BTreeMap<Place, Waker>,
    /// Tells those that sleep until one time apart.
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

    /// Starts the task that moves the time on, before all others.
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

    /// Goes to the next time that somebody waits for.
    fn next(&self, context: &Context<'_>) -> Poll<Waker> {
        let mut inside = self.inside();
        let Some(((until, _), sleeper)) = inside.sleeping.pop_first() else {
            inside.keeper = Some(context.waker().clone());
            return Poll::Pending;
        };
        inside.now = inside.now.max(until);
        Poll::Ready(sleeper)
    }

    /// Whether the next step of time is a short one that may happen while others are at work.
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

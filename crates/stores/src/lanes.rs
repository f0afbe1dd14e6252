//! Lanes: calls that are under way together travel to the engine together.
//!
//! A durable commit costs about the same whatever it carries. While a lane is on its way others
//! queue up, and the next one takes them all. Nobody waits for company that may never come: a call
//! that finds a lane free goes as soon as all that are about to call have done so. So one caller
//! alone loses nothing, and many share. And there are few lanes as long as few carry everything.

use std::{
    collections::{HashSet, VecDeque},
    fmt,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_core::future::BoxFuture;
use futures_util::FutureExt;
use sayso_turn::Key;
use tokio::sync::oneshot;

/// How many calls travel together at most.
pub(crate) const BATCH_MAX: usize = 64;

/// How many bytes travel together at most, unless a single call has more.
pub(crate) const BATCH_BYTES_MAX: usize = 4 << 20;

/// How many lanes leave with whatever there is. Further ones leave full or not at all: with few
/// calls on each of many lanes an engine has more work than with many on a few.
const EAGER: usize = 2;

/// How often a lane looks whether more calls have come before it leaves.
const LOOKS_MAX: usize = 2;

/// What travels on a lane.
pub(crate) trait Freight: Send + 'static {
    /// The document it is about. Two calls about one document never travel together.
    fn key(&self) -> &Key;
    /// About how many bytes it has.
    fn bytes(&self) -> usize;
}

/// Why a caller got no answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// It was still waiting and has been taken out of the queue: nothing happened.
    Waiting,
    /// It was on its way: it may have happened.
    UnderWay,
}

/// A queue, and a few lanes that empty it.
///
/// # Cancellation
/// A call whose future is dropped while it waits is taken out of the queue. When it is on its way
/// it is done as if the caller were there.
pub(crate) struct Lanes<I, O> {
    shared: Arc<Shared<I, O>>,
}

struct Shared<I, O> {
    lanes_max: usize,
    travel: Travel<I, O>,
    state: Mutex<State<I, O>>,
}

/// Takes calls to the engine: an answer for each, in their order.
type Travel<I, O> = Box<dyn Fn(Vec<I>) -> BoxFuture<'static, Vec<O>> + Send + Sync>;

struct State<I, O> {
    /// In the order of their tickets.
    queue: VecDeque<Waiting<I, O>>,
    next_ticket: u64,
    lanes: usize,
}

impl<I, O> State<I, O> {
    /// Whether one lane more than those at work should leave.
    fn is_worth_a_lane(&self) -> bool {
        self.lanes < EAGER || self.queue.len() >= BATCH_MAX
    }
}

struct Waiting<I, O> {
    ticket: u64,
    item: I,
    reply: oneshot::Sender<O>,
}

impl<I: Freight, O: Send + 'static> Lanes<I, O> {
    pub(crate) fn new(
        lanes_max: usize,
        travel: impl Fn(Vec<I>) -> BoxFuture<'static, Vec<O>> + Send + Sync + 'static,
    ) -> Self {
        let state = State { queue: VecDeque::new(), next_ticket: 0, lanes: 0 };
        let travel: Travel<I, O> = Box::new(travel);
        Self { shared: Arc::new(Shared { lanes_max, travel, state: Mutex::new(state) }) }
    }

    /// Sends a call along and waits for its answer.
    pub(crate) async fn send(&self, item: I, within: Duration) -> Result<O, Late> {
        let (reply, answer) = oneshot::channel();
        let (ticket, is_lane_free) = self.shared.enter(item, reply);
        // From here on the place in the queue is given back if this future is dropped.
        let mut place = Place { shared: &self.shared, ticket, is_answered: false };
        if is_lane_free {
            let lane = Lane { shared: Arc::clone(&self.shared), has_ended: false };
            drop(tokio::spawn(lane.run()));
        }
        match tokio::time::timeout(within, answer).await {
            Ok(answer) => {
                place.is_answered = true;
                answer.map_err(|_| Late::UnderWay)
            }
            Err(_) if self.shared.leave(ticket) => Err(Late::Waiting),
            Err(_) => Err(Late::UnderWay),
        }
    }
}

impl<I, O> Shared<I, O> {
    fn state(&self) -> MutexGuard<'_, State<I, O>> {
        // Nothing can panic while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the queue; also says whether the caller must start a lane.
    fn enter(&self, item: I, reply: oneshot::Sender<O>) -> (u64, bool) {
        let mut state = self.state();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.queue.push_back(Waiting { ticket, item, reply });
        let is_lane_free = state.lanes < self.lanes_max && state.is_worth_a_lane();
        state.lanes += usize::from(is_lane_free);
        (ticket, is_lane_free)
    }

    /// Leaves the queue; false when a lane has already taken the call.
    fn leave(&self, ticket: u64) -> bool {
        let mut state = self.state();
        let place = state.queue.binary_search_by_key(&ticket, |waiting| waiting.ticket);
        place.is_ok_and(|place| state.queue.remove(place).is_some())
    }
}

/// A place in the queue.
struct Place<'a, I, O> {
    shared: &'a Shared<I, O>,
    ticket: u64,
    is_answered: bool,
}

impl<I, O> Drop for Place<'_, I, O> {
    fn drop(&mut self) {
        if !self.is_answered {
            let _was_waiting = self.shared.leave(self.ticket);
        }
    }
}

/// A lane that is at work.
struct Lane<I, O> {
    shared: Arc<Shared<I, O>>,
    has_ended: bool,
}

impl<I: Freight, O: Send + 'static> Lane<I, O> {
    async fn run(mut self) {
        loop {
            self.gather().await;
            let Some((items, replies)) = self.load_up() else { break };
            let answers = AssertUnwindSafe((self.shared.travel)(items)).catch_unwind().await;
            // A caller that is left without an answer knows that its call was under way.
            for (reply, answer) in replies.into_iter().zip(answers.unwrap_or_default()) {
                // The caller may have gone; what it wanted is done all the same.
                drop(reply.send(answer));
            }
        }
    }

    /// Lets the tasks run that are ready to, as long as that brings calls: who has just been
    /// answered often calls again at once. No time passes here while there is nothing else to do.
    async fn gather(&self) {
        let mut waiting = 0;
        for _ in 0..LOOKS_MAX {
            tokio::task::yield_now().await;
            let now = self.shared.state().queue.len();
            if now >= BATCH_MAX || now <= waiting {
                break;
            }
            waiting = now;
        }
    }

    /// Takes what waits, in its order, at most one call about each document. With nothing to take
    /// the lane ends, in the same breath: whoever comes next must find it gone and start another.
    fn load_up(&mut self) -> Option<(Vec<I>, Vec<oneshot::Sender<O>>)> {
        let mut state = self.shared.state();
        state.lanes -= 1;
        if !state.is_worth_a_lane() {
            // The others take what waits.
            self.has_ended = true;
            return None;
        }
        let most = state.queue.len().min(BATCH_MAX);
        let (mut items, mut replies) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let (mut keys, mut bytes, mut place) = (HashSet::with_capacity(most), 0, 0);
        while let Some(next) = state.queue.get(place) {
            if items.len() == BATCH_MAX || bytes + next.item.bytes() > BATCH_BYTES_MAX && bytes > 0
            {
                break;
            }
            if !keys.insert(next.item.key().clone()) {
                place += 1;
            } else if let Some(next) = state.queue.remove(place) {
                bytes += next.item.bytes();
                items.push(next.item);
                replies.push(next.reply);
            }
        }
        if items.is_empty() {
            self.has_ended = true;
            return None;
        }
        state.lanes += 1;
        Some((items, replies))
    }
}

impl<I, O> Drop for Lane<I, O> {
    fn drop(&mut self) {
        // Only a runtime that shuts down cuts a lane short.
        if !self.has_ended {
            self.shared.state().lanes -= 1;
        }
    }
}

impl<I, O> fmt::Debug for Lanes<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").field("lanes_max", &self.shared.lanes_max).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

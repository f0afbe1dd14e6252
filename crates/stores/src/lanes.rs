//! Group commit: calls that are in flight together share a request to the engine.
//!
//! A durable commit costs about the same however many documents it carries. While a batch is in
//! flight, further calls queue up, and the next batch takes them all. No call waits for company
//! that may never come: one that finds a worker free goes as soon as all tasks that are ready have
//! run. So a single caller loses nothing, many callers share, and few workers run as long as few
//! can carry everything.

use std::{
    collections::{HashSet, VecDeque},
    fmt,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use futures_core::future::BoxFuture;
use futures_util::FutureExt;
use sayso_turn::Key;
use tokio::sync::oneshot;

use crate::sync::lock;

/// The largest number of calls in a batch.
pub(crate) const BATCH_MAX: usize = 64;

/// The largest size of a batch in bytes, unless a single call has more.
pub(crate) const BATCH_BYTES_MAX: usize = 4 << 20;

/// The number of workers that send partial batches. Further ones send full batches or nothing: a
/// few calls on each of many connections are more work for an engine than many on a few.
const EAGER: usize = 2;

/// The number of times a worker yields to other tasks before it sends, as long as that brings
/// calls.
const LOOKS_MAX: usize = 2;

/// A call that can be part of a batch.
pub(crate) trait Freight: Send + 'static {
    /// The document it is about. Two calls about one document are never in the same batch.
    fn key(&self) -> &Key;
    /// Its approximate size in bytes.
    fn bytes(&self) -> usize;
}

/// A time-out, by how far the call had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// It was still queued and has been taken out: nothing happened.
    Waiting,
    /// It was in flight: it may have happened.
    UnderWay,
}

/// A queue of calls, and a few workers that send them in batches.
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

/// Sends a batch to the engine: an answer for each call, in their order.
type Travel<I, O> = Box<dyn Fn(Vec<I>) -> BoxFuture<'static, Vec<O>> + Send + Sync>;

struct State<I, O> {
    /// In the order of their tickets.
    queue: VecDeque<Waiting<I, O>>,
    next_ticket: u64,
    lanes: usize,
}

impl<I, O> State<I, O> {
    /// True if one more worker than those running should start.
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

    /// Queues a call and waits for its answer.
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
        lock(&self.state)
    }

    /// Joins the queue; also tells if the caller must start a worker.
    fn enter(&self, item: I, reply: oneshot::Sender<O>) -> (u64, bool) {
        let mut state = self.state();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.queue.push_back(Waiting { ticket, item, reply });
        let is_lane_free = state.lanes < self.lanes_max && state.is_worth_a_lane();
        state.lanes += usize::from(is_lane_free);
        (ticket, is_lane_free)
    }

    /// Leaves the queue; false when a worker has already taken the call.
    fn leave(&self, ticket: u64) -> bool {
        let mut state = self.state();
        let place = state.queue.binary_search_by_key(&ticket, |waiting| waiting.ticket);
        place.is_ok_and(|place| state.queue.remove(place).is_some())
    }
}

/// Guard of a place in the queue: gives it back when the caller goes away.
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

/// A running worker: sends batches until the queue is empty.
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

    /// Yields to the tasks that are ready, as long as that brings calls: a caller that has just
    /// been answered often calls again at once. No time passes here while there is nothing else to
    /// do.
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

    /// Takes a batch from the queue in order, at most one call about each document. With nothing to
    /// take, the worker ends under the same lock: the next caller must find it gone and start
    /// another.
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

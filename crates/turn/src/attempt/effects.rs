//! Effects: calls to the outside world, made once per turn and process (`Turn::once`).
//!
//! Memoised results (receipts) belong to the turn's id, not to an attempt: whatever happens to an
//! attempt (a conflict, a failed load or commit, a redelivery), the next one in this process finds
//! them. So does a call in progress: an attempt that is given up meanwhile is left to make it, and
//! the next one waits for its result instead of calling again.

#[cfg(test)]
mod tests;

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    fmt,
    future::{Future, poll_fn},
    panic::resume_unwind,
    pin::{Pin, pin},
    sync::{Arc, OnceLock},
    task::{Poll, ready},
};

use tokio::sync::Notify;

use crate::{
    id::TurnId,
    sync::{AtomicBool, AtomicUsize, Mutex, Ordering, lock},
};

/// Idempotency key: lets a called service recognise a call that it has already handled.
///
/// It is the same on every attempt, instance and redelivery of the turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Builds the key of the n-th call of a name in a turn, counted from 1. A turn's id has a fixed
    /// width, so no two keys are equal.
    pub(crate) fn new(turn: TurnId, name: &str, number: u32) -> Self {
        Self(match number {
            1 => format!("{turn}.{name}"),
            _ => format!("{turn}#{number}.{name}"),
        })
    }

    /// Returns the key as text, for example for an `Idempotency-Key` header.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reserved name under which a stream is kept across the attempts of its turn.
pub(crate) const STREAM: &str = "$stream";

/// A call of a turn: its name, and its number among the calls of that name.
type Call = (String, u32);

/// Calls of one turn, shared by its attempts in this process.
#[derive(Default)]
pub(crate) struct Receipts {
    calls: Mutex<BTreeMap<Call, Receipt>>,
    /// Notified when a call in progress has ended.
    ended: Notify,
}

/// Memoised result of a call, or the mark that an attempt is making it.
enum Receipt {
    InProgress,
    Made(Box<dyn Any + Send>),
}

/// State of a call for the attempt that asks.
pub(crate) enum CallState<T> {
    /// Not made so far: the attempt that asks is to make it.
    Ours,
    /// An earlier attempt is making it.
    InProgress,
    Made(T),
}

impl Receipts {
    /// Drops the streams among the receipts; returns true if no other receipt is left.
    pub(crate) fn end_streams(&self) -> bool {
        let mut calls = lock(&self.calls);
        calls.retain(|(name, _), _| name != STREAM);
        calls.is_empty()
    }

    /// Looks a call up, and marks it as in progress if it was not made so far.
    fn look_up<T: Clone + 'static>(&self, call: &Call) -> CallState<T> {
        let mut calls = lock(&self.calls);
        match calls.get(call) {
            Some(Receipt::InProgress) => return CallState::InProgress,
            Some(Receipt::Made(value)) => {
                if let Some(value) = value.downcast_ref::<T>() {
                    return CallState::Made(value.clone());
                }
            }
            None => {}
        }
        drop(calls.insert(call.clone(), Receipt::InProgress));
        CallState::Ours
    }

    /// Drops the result of a call, which is stored.
    pub(crate) fn forget(&self, name: &str, number: u32) {
        drop(lock(&self.calls).remove(&(name.to_owned(), number)));
    }

    /// Ends a call in progress, with its result if it succeeded.
    fn end(&self, call: Call, value: Option<Box<dyn Any + Send>>) {
        let mut calls = lock(&self.calls);
        drop(match value {
            Some(value) => calls.insert(call, Receipt::Made(value)),
            None => calls.remove(&call),
        });
        drop(calls);
        self.ended.notify_waiters();
    }
}

impl fmt::Debug for Receipts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(lock(&self.calls).keys()).finish()
    }
}

/// Calls of one attempt. Allocated on first use, because most turns make none.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    receipts: OnceLock<Arc<Receipts>>,
    /// Calls that the current run has made or is making.
    calls: OnceLock<Mutex<BTreeSet<Call>>>,
    /// Number of calls in progress that this attempt makes itself.
    in_progress: AtomicUsize,
    /// True once the attempt was given up with a call in progress.
    is_left: AtomicBool,
}

/// A call of an attempt. Unless it succeeds its number is released, so a retry after a failure is
/// the same call, under the same key.
pub(crate) struct Pending<'a> {
    effects: &'a Effects,
    call: Option<Call>,
    /// True if this attempt makes the call.
    is_ours: bool,
}

impl Effects {
    /// Starts from the receipts of earlier attempts.
    pub(crate) fn of(receipts: Option<Arc<Receipts>>) -> Self {
        let effects = Self::default();
        if let Some(receipts) = receipts {
            effects.receipts.get_or_init(|| receipts);
        }
        effects
    }

    /// Builds the calls of another attempt of the same turn.
    pub(crate) fn again(&self) -> Self {
        Self::of(Some(Arc::clone(self.receipts())))
    }

    fn receipts(&self) -> &Arc<Receipts> {
        self.receipts.get_or_init(Arc::default)
    }

    /// Reports whether the turn has receipts.
    pub(crate) fn is_used(&self) -> bool {
        self.receipts.get().is_some()
    }

    /// Reports whether the attempt is making a call.
    pub(crate) fn is_calling(&self) -> bool {
        self.in_progress.load(Ordering::Acquire) > 0
    }

    /// Leaves the attempt to its calls in progress: it makes no others, and gets no results.
    pub(crate) fn leave(&self) {
        self.is_left.store(true, Ordering::Release);
    }

    /// Reports whether the attempt was left to its calls in progress.
    pub(crate) fn is_left(&self) -> bool {
        self.is_left.load(Ordering::Acquire)
    }

    /// Ends whatever polls this, once a left attempt makes no more calls. Its runner drops the
    /// handler then; a task that the handler has spawned would stay for ever, and is unwound. That
    /// is no panic: no hook is called, and the task's executor catches it.
    async fn end_left(&self) -> Infallible {
        loop {
            let mut ended = pin!(self.receipts().ended.notified());
            ended.as_mut().enable();
            if !self.is_calling() {
                break;
            }
            ended.await;
        }
        let mut is_asked = false;
        poll_fn(|context| {
            // The runner first.
            match std::mem::replace(&mut is_asked, true) {
                false => context.waker().wake_by_ref(),
                // Otherwise the process would be aborted.
                true if cfg!(panic = "unwind") => resume_unwind(Box::new("the attempt was left")),
                true => {}
            }
            Poll::Pending
        })
        .await
    }

    /// Resets the numbering of calls at the start of a run.
    pub(crate) fn restart(&self) {
        if let Some(calls) = self.calls.get() {
            lock(calls).clear();
        }
    }

    /// Starts a call: the lowest number of this name that the attempt has not used.
    pub(crate) fn begin(&self, name: &str) -> Pending<'_> {
        let mut calls = lock(self.calls.get_or_init(Mutex::default));
        let taken = |number: &u32| calls.contains(&(name.to_owned(), *number));
        let number = (1..).find(|number| !taken(number)).unwrap_or(u32::MAX);
        let call = (name.to_owned(), number);
        calls.insert(call.clone());
        drop(calls);
        Pending { effects: self, call: Some(call), is_ours: false }
    }
}

impl Pending<'_> {
    /// Number of the call among those of its name, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.call.as_ref().map_or(1, |call| call.1)
    }

    /// Looks for the same call of an earlier attempt. If there is none, this attempt is to make it.
    pub(crate) fn look_up<T: Clone + 'static>(&mut self) -> CallState<T> {
        let Some(call) = &self.call else { return CallState::Ours };
        let state = self.effects.receipts().look_up(call);
        match &state {
            CallState::Ours => {
                self.is_ours = true;
                self.effects.in_progress.fetch_add(1, Ordering::AcqRel);
            }
            CallState::InProgress => {}
            // The call has been made, so its number stays in use.
            CallState::Made(_) => self.call = None,
        }
        state
    }

    /// Returns the result of the same call of an earlier attempt, which may have to be waited for.
    /// `None` if this attempt is to make the call.
    pub(crate) async fn receipt<T: Clone + 'static>(&mut self) -> Option<T> {
        let receipts = Arc::clone(self.effects.receipts());
        loop {
            if self.effects.is_left() {
                match self.effects.end_left().await {}
            }
            let mut ended = pin!(receipts.ended.notified());
            ended.as_mut().enable();
            match self.look_up() {
                CallState::Ours => return None,
                CallState::InProgress => {}
                CallState::Made(value) => return Some(value),
            }
            ended.await;
        }
    }

    /// Looks for the same call of an earlier attempt, and waits while that is making it: then
    /// `None`, and the caller looks again.
    pub(crate) async fn look_up_or_wait<T: Clone + 'static>(&mut self) -> Option<CallState<T>> {
        let receipts = Arc::clone(self.effects.receipts());
        let mut ended = pin!(receipts.ended.notified());
        ended.as_mut().enable();
        match self.look_up() {
            CallState::InProgress => {
                ended.await;
                None
            }
            state => Some(state),
        }
    }

    /// Keeps the number of a call whose result is stored.
    pub(crate) fn keep_number(&mut self) {
        self.call = None;
    }

    /// Ends whatever polls this if the attempt was left.
    pub(crate) async fn end_if_left(&self) {
        if self.effects.is_left() {
            match self.effects.end_left().await {}
        }
    }

    /// Returns all receipts of the turn.
    pub(crate) fn receipts(&self) -> &Arc<Receipts> {
        self.effects.receipts()
    }

    /// Makes the call. An attempt that was left gets no result: the next one has it and goes on
    /// from there.
    /// One that failed can be made again, as the same call.
    pub(crate) async fn make<T: Clone + Send + 'static, E>(
        &mut self,
        mut call: Pin<&mut (impl Future<Output = Result<T, E>> + Send)>,
        keep: impl Fn(&Arc<Receipts>) + Send + Sync,
    ) -> Result<T, E> {
        let effects = self.effects;
        let making = poll_fn(|context| {
            let called = ready!(call.as_mut().poll(context));
            match &called {
                Ok(value) => {
                    self.succeed(value);
                    keep(self.receipts());
                }
                Err(_) => self.end(None),
            }
            Poll::Ready((!effects.is_left()).then_some(called))
        });
        if let Some(called) = making.await {
            return called;
        }
        match effects.end_left().await {}
    }

    /// Stores the result for later attempts.
    pub(crate) fn succeed<T: Clone + Send + 'static>(&mut self, value: &T) {
        self.end(Some(Box::new(value.clone())));
        // Its number stays in use.
        self.call = None;
    }

    fn end(&mut self, value: Option<Box<dyn Any + Send>>) {
        if let Some(call) = &self.call
            && std::mem::take(&mut self.is_ours)
        {
            self.effects.receipts().end(call.clone(), value);
            self.effects.in_progress.fetch_sub(1, Ordering::AcqRel);
            // For those that wait until this attempt makes no calls.
            self.effects.receipts().ended.notify_waiters();
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let (Some(call), Some(calls)) = (&self.call, self.effects.calls.get()) {
            lock(calls).remove(call);
        }
        self.end(None);
    }
}

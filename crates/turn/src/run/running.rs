//! A running handler that can be awaited with a time-out, and again later.

use std::{
    fmt,
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, CatchUnwind, Either, select},
};
use smallvec::SmallVec;

use super::output::RunOutput;
use crate::{
    attempt::Attempt,
    bot_error::BotError,
    clock::Clock,
    error::Failure,
    reentrancy::{InstanceTag, ReentrancyGuard},
    turn::{Inner, ReturnSlot},
};

/// A running handler. Dropped in the middle of a call of `once`, it is left to that call.
pub(crate) struct Running {
    attempt: Arc<Attempt>,
    /// `None` once it has ended.
    handler: Option<CatchUnwind<AssertUnwindSafe<Handler>>>,
    slot: Arc<ReturnSlot>,
}

impl Running {
    pub(super) fn new(
        attempt: &Arc<Attempt>,
        future: BoxFuture<'static, Result<(), BotError>>,
        slot: Arc<ReturnSlot>,
    ) -> Self {
        let attempt = Arc::clone(attempt);
        let instance_tag = attempt.source.instance_tag();
        let handler = Handler { instance_tag, attempt: Arc::clone(&attempt), future };
        Self { attempt, handler: Some(AssertUnwindSafe(handler).catch_unwind()), slot }
    }

    /// Awaits the end, or fails with a time-out.
    pub(super) async fn end(
        mut self,
        within: Option<(&dyn Clock, Duration)>,
    ) -> Result<RunOutput, Failure> {
        let ended = match within {
            None => self.until(std::future::pending()).await,
            Some((clock, most)) => self.within(clock, most).await,
        };
        ended.unwrap_or_else(|| Err(self.stop(within.map(|(_, most)| most).unwrap_or_default())))
    }

    /// Stops the handler because it took too long.
    pub(crate) fn stop(mut self, most: Duration) -> Failure {
        if !self.attempt.effects.is_calling() {
            // Dropping the handler puts the turn back into the slot.
            self.handler = None;
            self.attempt.steps.close();
        }
        let inner = self.slot.take();
        let newer = inner.as_deref().and_then(Inner::newer).cloned();
        newer.map_or(Failure::Timeout(most), Failure::Newer)
    }

    /// Drops the handler, even in the middle of a call of `once`: nobody needs its result.
    pub(crate) fn abandon(&mut self) {
        self.attempt.effects.leave();
        self.handler = None;
        self.attempt.steps.close();
    }

    /// Runs for a time, as [`until`](Self::until). Returns `None` if the handler has not finished.
    pub(crate) async fn within(
        &mut self,
        clock: &dyn Clock,
        most: Duration,
    ) -> Option<Result<RunOutput, Failure>> {
        self.unless(most, |most| clock.sleep(most)).await
    }

    /// Runs for a time, or until another future completes. Returns `None` if the handler has not
    /// finished: call again.
    pub(crate) async fn unless<F: Future<Output = ()> + Send>(
        &mut self,
        most: Duration,
        other: impl FnOnce(Duration) -> F,
    ) -> Option<Result<RunOutput, Failure>> {
        // Most handlers never wait, and need no timer.
        match poll_fn(|context| self.poll(context)).now_or_never() {
            Some(ended) => Some(ended),
            None => Box::pin(self.until(other(most))).await,
        }
    }

    /// Runs until another future completes or a step asks the runner for something. Returns `None`
    /// if the handler has not finished: call again.
    pub(crate) async fn until(
        &mut self,
        other: impl Future<Output = ()> + Send,
    ) -> Option<Result<RunOutput, Failure>> {
        let other = std::pin::pin!(other);
        let running = poll_fn(|context| match self.poll(context) {
            Poll::Ready(ended) => Poll::Ready(Some(ended)),
            Poll::Pending if self.attempt.steps.poll_asked(context) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        match select(running, other).await {
            Either::Left((ended, _)) => ended,
            Either::Right(((), _)) => None,
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<RunOutput, Failure>> {
        let Some(handler) = &mut self.handler else { return Poll::Pending };
        let ended = ready!(handler.poll_unpin(context));
        let ended = self.ended(ended);
        self.handler = None;
        Poll::Ready(ended)
    }

    fn ended(
        &self,
        ended: std::thread::Result<Result<(), BotError>>,
    ) -> Result<RunOutput, Failure> {
        let inner = self.slot.take();
        // Newer state fails the run even if the logic has caught the error.
        if let Some(newer) = inner.as_deref().and_then(Inner::newer) {
            return Err(Failure::Newer(newer.clone()));
        }
        ended.map_err(|_| Failure::Panic)?.map_err(Failure::from)?;
        output(inner.ok_or(Failure::Kept)?)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut handler) = self.handler.take() else { return };
        let attempt = Arc::clone(&self.attempt);
        if !attempt.effects.is_calling() {
            return attempt.steps.close();
        }
        // Whoever is called may have done its work already: the next attempt needs the answer.
        attempt.effects.leave();
        attempt.steps.close();
        self.attempt.source.leave(Box::pin(poll_fn(move |context| {
            let is_calling = || attempt.effects.is_calling();
            let goes_on = is_calling() && handler.poll_unpin(context).is_pending() && is_calling();
            if goes_on { Poll::Pending } else { Poll::Ready(()) }
        })));
    }
}

/// Handler's future that enters the reentrancy guard of its conversation while it is polled.
struct Handler {
    instance_tag: InstanceTag,
    attempt: Arc<Attempt>,
    future: BoxFuture<'static, Result<(), BotError>>,
}

impl Future for Handler {
    type Output = Result<(), BotError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let _inside = ReentrancyGuard::enter(self.instance_tag, &self.attempt.key);
        self.future.as_mut().poll(context)
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running")
    }
}

fn output(inner: Box<Inner>) -> Result<RunOutput, Failure> {
    if inner.is_kept {
        return Err(Failure::Kept);
    }
    let limits = inner.attempt.source.limits();
    if inner.replies.over > 0 {
        let count = inner.replies.len() + inner.replies.over;
        return Err(Failure::Limit {
            what: format!("the turn made {count} replies, at most {}", limits.replies_max),
            limit: "replies_max",
        });
    }
    let Inner { conversation, further, replies, timers, cancelled, response, resets, .. } = *inner;
    let mut documents = SmallVec::with_capacity(1 + further.len());
    documents.push(conversation.close().map_err(Failure::State)?);
    for state in further {
        documents.push(state.close().map_err(Failure::State)?);
    }
    Ok(RunOutput { documents, replies, timers, cancelled, response, resets })
}

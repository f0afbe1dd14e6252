//! A running handler that can be awaited with a time-out, and again later.

use std::{
    fmt,
    future::Future,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, CatchUnwind, Either, select},
};
use smallvec::SmallVec;

use super::output::RunOutput;
use crate::{
    Key,
    bot_error::BotError,
    clock::Clock,
    error::Failure,
    reentrancy::{InstanceTag, ReentrancyGuard},
    turn::{Inner, ReturnSlot},
};

/// A running handler.
pub(crate) struct Running {
    handler: CatchUnwind<AssertUnwindSafe<Handler>>,
    slot: Arc<ReturnSlot>,
}

impl Running {
    pub(super) fn new(
        (instance_tag, key): (InstanceTag, &Key),
        future: BoxFuture<'static, Result<(), BotError>>,
        slot: Arc<ReturnSlot>,
    ) -> Self {
        let handler = Handler { instance_tag, key: key.clone(), future };
        Self { handler: AssertUnwindSafe(handler).catch_unwind(), slot }
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
    pub(crate) fn stop(self, most: Duration) -> Failure {
        let Self { handler, slot } = self;
        // Dropping the handler puts the turn back into the slot.
        drop(handler);
        let inner = slot.take();
        let newer = inner.as_deref().and_then(Inner::newer).cloned();
        newer.map_or(Failure::Timeout(most), Failure::Newer)
    }

    /// Runs for a time. Returns `None` if the handler has not finished: call again.
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
        match (&mut self.handler).now_or_never() {
            Some(ended) => Some(self.ended(ended)),
            None => Box::pin(self.until(other(most))).await,
        }
    }

    /// Runs until another future completes. Returns `None` if the handler has not finished: call
    /// again.
    pub(crate) async fn until(
        &mut self,
        other: impl Future<Output = ()> + Send,
    ) -> Option<Result<RunOutput, Failure>> {
        let other = std::pin::pin!(other);
        match select(&mut self.handler, other).await {
            Either::Left((ended, _)) => Some(self.ended(ended)),
            Either::Right(((), _)) => None,
        }
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

/// Handler's future that enters the reentrancy guard of its conversation while it is polled.
struct Handler {
    instance_tag: InstanceTag,
    key: Key,
    future: BoxFuture<'static, Result<(), BotError>>,
}

impl Future for Handler {
    type Output = Result<(), BotError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let _inside = ReentrancyGuard::enter(self.instance_tag, &self.key);
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
    let Inner { conversation, further, replies, timers, cancelled, response, .. } = *inner;
    let mut documents = SmallVec::with_capacity(1 + further.len());
    documents.push(conversation.close().map_err(Failure::State)?);
    for state in further {
        documents.push(state.close().map_err(Failure::State)?);
    }
    Ok(RunOutput { documents, replies, timers, cancelled, response })
}

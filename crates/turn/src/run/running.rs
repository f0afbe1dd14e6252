//! A run of the logic that can be waited for a while, left alone, and waited for again.

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

use super::made::Made;
use crate::{
    Key,
    bot_error::BotError,
    clock::Clock,
    current::{Home, Inside},
    error::Failure,
    turn::{Inner, ReturnSlot},
};

/// A handler at work.
pub(crate) struct Running {
    handler: CatchUnwind<AssertUnwindSafe<Handler>>,
    slot: Arc<ReturnSlot>,
}

impl Running {
    pub(super) fn new(
        (home, key): (Home, &Key),
        future: BoxFuture<'static, Result<(), BotError>>,
        slot: Arc<ReturnSlot>,
    ) -> Self {
        let handler = Handler { home, key: key.clone(), future };
        Self { handler: AssertUnwindSafe(handler).catch_unwind(), slot }
    }

    /// Waits for the end, or fails with a time-out.
    pub(super) async fn end(
        mut self,
        within: Option<(&dyn Clock, Duration)>,
    ) -> Result<Made, Failure> {
        let ended = match within {
            None => self.until(std::future::pending()).await,
            Some((clock, most)) => self.within(clock, most).await,
        };
        ended.unwrap_or_else(|| Err(self.stop(within.map(|(_, most)| most).unwrap_or_default())))
    }

    /// Stops it because it took too long.
    pub(crate) fn stop(self, most: Duration) -> Failure {
        let Self { handler, slot } = self;
        // The turn goes back into the slot with it.
        drop(handler);
        let inner = slot.take();
        let newer = inner.as_deref().and_then(Inner::newer).cloned();
        newer.map_or(Failure::Timeout(most), Failure::Newer)
    }

    /// Runs on, for a time. `None` when there is more to do: ask again.
    pub(crate) async fn within(
        &mut self,
        clock: &dyn Clock,
        most: Duration,
    ) -> Option<Result<Made, Failure>> {
        self.unless(most, |most| clock.sleep(most)).await
    }

    /// Runs on, for a time, or until what else is waited for. `None` when there is more to do: ask
    /// again.
    pub(crate) async fn unless<F: Future<Output = ()> + Send>(
        &mut self,
        most: Duration,
        other: impl FnOnce(Duration) -> F,
    ) -> Option<Result<Made, Failure>> {
        // Most handlers never wait: a timer only for those that do.
        match (&mut self.handler).now_or_never() {
            Some(ended) => Some(self.ended(ended)),
            None => Box::pin(self.until(other(most))).await,
        }
    }

    /// Runs on until something else happens. `None` when there is more to do: ask again.
    pub(crate) async fn until(
        &mut self,
        other: impl Future<Output = ()> + Send,
    ) -> Option<Result<Made, Failure>> {
        let other = std::pin::pin!(other);
        match select(&mut self.handler, other).await {
            Either::Left((ended, _)) => Some(self.ended(ended)),
            Either::Right(((), _)) => None,
        }
    }

    fn ended(&self, ended: std::thread::Result<Result<(), BotError>>) -> Result<Made, Failure> {
        let inner = self.slot.take();
        // The logic could not know better, whatever it made of it.
        if let Some(newer) = inner.as_deref().and_then(Inner::newer) {
            return Err(Failure::Newer(newer.clone()));
        }
        ended.map_err(|_| Failure::Panic)?.map_err(Failure::from)?;
        made(inner.ok_or(Failure::Kept)?)
    }
}

/// A handler's future, which knows while it is polled whose it is.
struct Handler {
    home: Home,
    key: Key,
    future: BoxFuture<'static, Result<(), BotError>>,
}

impl Future for Handler {
    type Output = Result<(), BotError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let _inside = Inside::enter(self.home, &self.key);
        self.future.as_mut().poll(context)
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running")
    }
}

fn made(inner: Box<Inner>) -> Result<Made, Failure> {
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
    Ok(Made { documents, replies, timers, cancelled, response })
}

//! Operations on dead letters and channels, for operators.

use std::sync::Arc;

use futures_util::StreamExt;
use sayso_activity::Activity;

use super::Engine;
use crate::{
    Key,
    current::{self, Home},
    engine::{Cause, Item, Operation, OperationKind},
    error::Error,
    id::{ReplyId, TurnId},
    ledger::{Document, Parked},
    store,
    sync::{AtomicUsize, Ordering},
};

impl Engine {
    /// The parked replies of a conversation, with their reasons, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    ///
    /// # Cancellation
    /// It only reads.
    pub async fn parked(&self, key: &Key) -> Result<Vec<Arc<Parked>>, store::Error> {
        match self.core.store.load(key).await? {
            None => Ok(Vec::new()),
            Some(stored) => Ok(Document::parse(key, &stored.body)?.ledger.parked),
        }
    }

    /// Tries parked replies of a conversation again, one of them or all, behind what waits. A
    /// parked timer fires again. Gives how many.
    ///
    /// # Errors
    /// When that was not committed; see [`Error::is_retryable`].
    ///
    /// # Cancellation
    /// Dropping the future does not stop it.
    pub async fn retry_parked(&self, key: &Key, which: Option<&ReplyId>) -> Result<usize, Error> {
        self.operate(key, OperationKind::RetryParked, which).await
    }

    /// Forgets parked replies of a conversation, one of them or all. Gives how many.
    ///
    /// # Errors
    /// When that was not committed; see [`Error::is_retryable`].
    ///
    /// # Cancellation
    /// Dropping the future does not stop it.
    pub async fn drop_parked(&self, key: &Key, which: Option<&ReplyId>) -> Result<usize, Error> {
        self.operate(key, OperationKind::DropParked, which).await
    }

    /// Tries all parked replies of a channel again, conversation by conversation. Gives how many.
    ///
    /// # Errors
    /// The first one that is met, after all other conversations were seen to.
    ///
    /// # Cancellation
    /// Dropping the future leaves the conversations that were not reached as they are.
    pub async fn retry_parked_of(&self, channel: &str) -> Result<usize, Error> {
        self.operate_all(channel, OperationKind::RetryParked).await
    }

    /// Forgets all parked replies of a channel, conversation by conversation. Gives how many.
    ///
    /// # Errors
    /// The first one that is met, after all other conversations were seen to.
    ///
    /// # Cancellation
    /// Dropping the future leaves the conversations that were not reached as they are.
    pub async fn drop_parked_of(&self, channel: &str) -> Result<usize, Error> {
        self.operate_all(channel, OperationKind::DropParked).await
    }

    /// Pauses a channel on this instance: its replies wait. Turns go on. Other instances do not
    /// know of it and deliver what they take up: pause it on each.
    pub fn pause(&self, channel: &str) {
        if self.core.pauses.set(channel, true) {
            tracing::warn!(channel, "the channel is paused on this instance");
        }
    }

    /// Lets a paused channel go on. What waits is delivered within a minute.
    pub fn unpause(&self, channel: &str) {
        if self.core.pauses.set(channel, false) {
            tracing::warn!(channel, "the channel goes on");
        }
    }

    async fn operate_all(&self, channel: &str, what: OperationKind) -> Result<usize, Error> {
        let prefix = format!("{channel}/conversations/");
        let mut keys = self.core.store.list(&prefix);
        let (mut count, mut failed) = (0, None);
        while let Some(key) = keys.next().await {
            let done = match key {
                Ok(key) => self.operate_where_parked(&key, what).await,
                Err(error) => Err(Error::Store(Arc::new(error))),
            };
            match done {
                Ok(done) => count += done,
                // One conversation that cannot be read must not keep the others from it.
                Err(error) => drop(failed.get_or_insert(error)),
            }
        }
        failed.map_or(Ok(count), Err)
    }

    async fn operate_where_parked(&self, key: &Key, what: OperationKind) -> Result<usize, Error> {
        let parked = self.parked(key).await.map_err(|error| Error::Store(Arc::new(error)))?;
        if parked.is_empty() {
            return Ok(0);
        }
        self.operate(key, what, None).await
    }

    async fn operate(
        &self,
        key: &Key,
        what: OperationKind,
        which: Option<&ReplyId>,
    ) -> Result<usize, Error> {
        let core = &self.core;
        if core.is_closing() {
            return Err(Error::Closing);
        }
        if current::is_inside(Home::of(core), key) {
            return Err(Error::OwnConversation);
        }
        let count = AtomicUsize::new(0);
        let operation = Arc::new(Operation { what, which: which.cloned(), count });
        let id = TurnId::new(key, &core.ids.unique());
        let activity = Arc::new(Activity::event("sayso.operator"));
        let (item, receiver) = Item::new(id, activity, (core.now(), core.uptime()));
        let item = item.caused_by(Cause::Operator(Arc::clone(&operation)));
        core.spawn(core.post(key, item)?);
        self.answered(key, receiver).await?;
        Ok(operation.count.load(Ordering::SeqCst))
    }
}

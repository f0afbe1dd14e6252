//! Operations for operators: retry or drop dead letters, pause channels.

use std::sync::Arc;

use futures_util::StreamExt;
use sayso_activity::Activity;

use super::Engine;
use crate::{
    Key, KeyError,
    engine::{Cause, Item, Operation, OperationKind},
    error::Error,
    id::{ReplyId, TurnId},
    ledger::{Document, Parked},
    reentrancy::{self, InstanceTag},
    store,
    sync::{AtomicUsize, Ordering},
};

impl Engine {
    /// Returns the dead letters of a conversation, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    ///
    /// # Cancellation
    /// Dropping the future changes nothing; it only reads.
    pub async fn parked(&self, key: &Key) -> Result<Vec<Arc<Parked>>, store::Error> {
        match self.core.store.load(key).await? {
            None => Ok(Vec::new()),
            Some(stored) => Ok(Document::parse(key, &stored.body)?.ledger.parked),
        }
    }

    /// Retries dead letters of a conversation, one or all, behind the replies that wait. A parked
    /// timer fires again. Returns how many.
    ///
    /// # Errors
    /// When that was not committed; see [`Error::is_retryable`].
    ///
    /// # Cancellation
    /// Dropping the future does not stop the operation.
    pub async fn retry_parked(&self, key: &Key, which: Option<&ReplyId>) -> Result<usize, Error> {
        self.operate(key, OperationKind::RetryParked, which).await
    }

    /// Drops dead letters of a conversation, one or all. Returns how many.
    ///
    /// # Errors
    /// When that was not committed; see [`Error::is_retryable`].
    ///
    /// # Cancellation
    /// Dropping the future does not stop the operation.
    pub async fn drop_parked(&self, key: &Key, which: Option<&ReplyId>) -> Result<usize, Error> {
        self.operate(key, OperationKind::DropParked, which).await
    }

    /// Retries all dead letters of a channel, conversation by conversation. Returns how many.
    ///
    /// # Errors
    /// The first error, after all other conversations were processed.
    ///
    /// # Cancellation
    /// Dropping the future leaves the remaining conversations unchanged.
    pub async fn retry_parked_of(&self, channel: &str) -> Result<usize, Error> {
        self.operate_all(channel, OperationKind::RetryParked).await
    }

    /// Drops all dead letters of a channel, conversation by conversation. Returns how many.
    ///
    /// # Errors
    /// The first error, after all other conversations were processed.
    ///
    /// # Cancellation
    /// Dropping the future leaves the remaining conversations unchanged.
    pub async fn drop_parked_of(&self, channel: &str) -> Result<usize, Error> {
        self.operate_all(channel, OperationKind::DropParked).await
    }

    /// Pauses delivery to a channel on this instance; turns continue. Other instances are not
    /// affected and still deliver: pause the channel on each.
    pub fn pause(&self, channel: &str) {
        if self.core.paused_channels.set(channel, true) {
            tracing::warn!(channel, "the channel is paused on this instance");
        }
    }

    /// Resumes a paused channel. Waiting replies are delivered within a minute.
    pub fn unpause(&self, channel: &str) {
        if self.core.paused_channels.set(channel, false) {
            tracing::warn!(channel, "the channel is no longer paused");
        }
    }

    async fn operate_all(&self, channel: &str, what: OperationKind) -> Result<usize, Error> {
        let own = &self.core.keys;
        let prefix = format!("{channel}/conversations/");
        // The tenant stands before the channel, so those of all channels are listed.
        let begin = if own.has_tenants() { own.prefix() } else { own.prefix() + &prefix };
        let mut keys = self.core.store.list(&begin);
        let (mut count, mut failed) = (0, None);
        while let Some(key) = keys.next().await {
            let done = match key {
                Ok(key) if !own.owns(&key) || !key.without_scope().starts_with(&prefix) => Ok(0),
                Ok(key) => self.operate_where_parked(&key, what).await,
                Err(error) => Err(Error::Store(Arc::new(error))),
            };
            match done {
                Ok(done) => count += done,
                // A conversation that cannot be read must not stop the others.
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
        if !core.keys.owns(key) {
            return Err(KeyError::Foreign.into());
        }
        if reentrancy::is_inside(InstanceTag::of(core), key) {
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

//! An attempt: the data that one run of the logic starts from.

mod effects;
mod origin;
mod steps;

use std::{
    any::{Any, TypeId},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sayso_activity::Activity;

pub use self::effects::IdempotencyKey;
pub(crate) use self::{
    effects::{CallState, Effects, Pending, Receipts, STREAM},
    origin::Origin,
    steps::{Refusal, StepPlace, Steps},
};
use crate::{
    Key, Limits, clock::Timestamp, id::TurnId, ledger::Bag, reentrancy::InstanceTag, store,
};

/// Input of one run of the logic: the activity, a copy of the state, the time. Shared by all parts
/// of a turn.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) id: TurnId,
    /// Prefix of its reply ids: the turn's id, unless an operator has retried the turn.
    pub(crate) reply_prefix: TurnId,
    pub(crate) key: Key,
    /// The activity, and where its replies go.
    pub(crate) origin: Origin,
    pub(crate) now: Timestamp,
    pub(crate) bag: Bag,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) effects: Effects,
    pub(crate) steps: Steps,
}

impl Attempt {
    /// Builds another attempt from the same data, for the error handler.
    pub(crate) fn again(&self) -> Arc<Self> {
        Arc::new(Self {
            id: self.id,
            reply_prefix: self.reply_prefix,
            key: self.key.clone(),
            origin: self.origin.clone(),
            now: self.now,
            bag: self.bag.clone(),
            source: Arc::clone(&self.source),
            effects: self.effects.again(),
            steps: Steps::none(),
        })
    }
}

impl Attempt {
    /// Fails if a test forces a failure on the next call of this name.
    pub(crate) fn forced_failure<E: 'static>(&self, name: &str) -> Result<(), E> {
        let wanted = (TypeId::of::<E>(), std::any::type_name::<E>());
        let error = self.source.forced_failure(name, wanted).and_then(|it| it.downcast().ok());
        error.map_or(Ok(()), |error| Err(*error))
    }
}

/// Seam between a turn and its runner: further documents, ephemeral events (signs), time.
#[async_trait]
pub(crate) trait Source: std::fmt::Debug + Send + Sync {
    /// The properties of a further document.
    async fn bag(&self, key: &Key) -> Result<Bag, Arc<store::Error>>;

    /// Shows a sign (an ephemeral event) and returns the channel's id of it.
    async fn show(&self, key: &Key, sign: &Activity) -> Option<String>;

    /// Runs a future in the background.
    fn spawn(&self, work: BoxFuture<'static, ()>);

    /// Sleeps.
    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()>;

    /// Sleeps as long as a call may take. Where time stands still that is for ever.
    fn time_out(&self, most: Duration) -> BoxFuture<'static, ()> {
        self.sleep(most)
    }

    /// Tag of the instance that runs the turn, for the reentrancy check.
    fn instance_tag(&self) -> InstanceTag {
        InstanceTag::NONE
    }

    /// The limits of a turn.
    fn limits(&self) -> &Limits;

    /// Keeps the receipts of a turn for its later attempts.
    fn keep(&self, turn: TurnId, receipts: &Arc<Receipts>) {
        let _ = (turn, receipts);
    }

    /// An error that a call of this name is to end with instead of being made: of a test. `wanted`
    /// is the type of the call's errors, by its id and its name.
    fn forced_failure(
        &self,
        name: &str,
        wanted: (TypeId, &'static str),
    ) -> Option<Box<dyn Any + Send>> {
        let _ = (name, wanted);
        None
    }

    /// Continues a run that was given up, for the sake of its calls in progress. Without later
    /// attempts to wait for them it is dropped.
    fn leave(&self, run: BoxFuture<'static, ()>) {
        drop(run);
    }
}

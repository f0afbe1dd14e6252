//! Pure run of the logic: a function of an activity and documents.
//!
//! The engine runs every attempt through this module, and so can a unit test: no store, no channel,
//! no runtime.

mod forced;
mod output;
mod running;

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use futures_util::{FutureExt, future::BoxFuture};
use sayso_activity::Activity;
use smallvec::smallvec;

pub(crate) use self::{
    forced::{ForcedFailures, MakeError, Unforced},
    output::RunOutput,
    running::Running,
};
use crate::{
    Key, Limits,
    attempt::{Attempt, Effects, Origin, Source, StepPlace, Steps},
    clock::{Clock, Timestamp},
    error::{Error, Failure},
    id::TurnId,
    ledger::{Bag, Response},
    state::State,
    store,
    sync::{Mutex, lock},
    turn::{Inner, Logic, Replies, ReplyHooks, Resets, ReturnSlot, Turn},
};

/// Documents by key, for [`run`].
pub type Documents = BTreeMap<Key, Bag>;

/// Result of one run of the logic.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The documents as they would be saved: the given ones with their changes, and new ones.
    pub documents: Documents,
    /// The replies in order, addressed. Changes of earlier messages are among them, as
    /// `messageUpdate` and `messageDelete`.
    pub replies: Vec<Activity>,
    /// The timers set, with their times.
    pub timers: Vec<(Timestamp, Activity)>,
    /// The response to an `invoke`.
    pub response: Option<Response>,
    /// The ephemeral events that were shown.
    pub shown: Vec<Activity>,
}

/// Runs a bot's logic once on an activity and documents: no store, no channel, nothing sent.
///
/// # Errors
/// [`Error::Invalid`] when the activity names no conversation, [`Error::Failed`] when the logic
/// fails, [`Error::Newer`] when a newer build wrote the state.
///
/// # Cancellation
/// Dropping the future drops the run; nothing happened.
///
/// # Example
/// ```
/// use sayso_turn::{Bot, Documents, Turn, activity::Activity, run};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), sayso_turn::Error> {
/// let bot = Bot::new().on_message(async |mut turn: Turn| {
///     *turn.state().named::<u32>("count")? += 1;
///     turn.say("counted");
///     Ok(())
/// });
/// let activity = Activity::from_json(
///     br#"{"type":"message","id":"1","channelId":"test","conversation":{"id":"c"},"text":"hi"}"#,
/// ).unwrap();
/// let outcome = run(&bot, activity, Documents::new()).await?;
/// assert_eq!(outcome.replies[0].text(), "counted");
/// let bag = outcome.documents.values().next().unwrap();
/// assert_eq!(bag.get::<u32>("count").unwrap(), Some(1));
/// # Ok(()) }
/// ```
pub async fn run(
    logic: &dyn Logic,
    activity: Activity,
    mut documents: Documents,
) -> Result<Outcome, Error> {
    let keys = logic.keys();
    let activity = keys.settle(Arc::new(activity));
    let key = keys.key_of(&activity)?;
    let source = Arc::new(InMemoryDocuments::new(documents.clone(), Arc::default()));
    let origin = Origin::of(&activity);
    let attempt = Arc::clone(&source).attempt(key, origin, Timestamp::START);
    let made = attempt.run(logic, None).await.map_err(|failure| Error::from(Arc::new(failure)))?;
    documents.extend(made.documents);
    let timers =
        made.timers.iter().filter_map(|timer| Some((timer.at, timer.activity.get().ok()?)));
    let timers = timers.collect();
    let replies = made.replies.into_activities();
    Ok(Outcome { documents, replies, timers, response: made.response, shown: source.shown() })
}

impl Attempt {
    /// Starts the logic: calls the handler. Its future is first polled when the run is awaited.
    pub(crate) fn start(self: &Arc<Self>, logic: &dyn Logic) -> Running {
        self.effects.restart();
        let slot = Arc::default();
        let turn = self.turn(&slot);
        // The handler itself may panic before it returns a future.
        let handler = catch_unwind(AssertUnwindSafe(|| logic.run(turn)));
        let handler = handler.unwrap_or_else(|panic| Box::pin(async { resume_unwind(panic) }));
        Running::new(self, handler, slot)
    }

    /// Runs the logic to its end, with a time-out if one is given.
    pub(crate) async fn run(
        self: &Arc<Self>,
        logic: &dyn Logic,
        within: Option<(&dyn Clock, Duration)>,
    ) -> Result<RunOutput, Failure> {
        self.start(logic).end(within).await
    }

    /// Runs the error handler: its replies and its resets are kept, its other changes of state
    /// discarded.
    pub(crate) async fn run_on_error(
        self: &Arc<Self>,
        logic: &dyn Logic,
        failure: Arc<Failure>,
        within: Option<(&dyn Clock, Duration)>,
    ) -> Option<Result<RunOutput, Failure>> {
        // Of its own: the failed run may have been left to a call in progress.
        let attempt = self.again();
        let slot = Arc::default();
        let handler = logic.on_error(attempt.turn(&slot), failure)?;
        let made = Running::new(&attempt, handler, slot).end(within).await;
        Some(made.map(|made| {
            let mut bag = self.bag.clone();
            made.resets.apply(&mut bag);
            RunOutput {
                documents: smallvec![(self.key.clone(), bag)],
                timers: Vec::new(),
                cancelled: Vec::new(),
                ..made
            }
        }))
    }

    fn turn(self: &Arc<Self>, slot: &Arc<ReturnSlot>) -> Turn {
        let inner = Box::new(Inner {
            attempt: Arc::clone(self),
            changed: None,
            conversation: State::new(self.key.clone(), self.bag.clone()),
            further: Vec::new(),
            hooks: ReplyHooks::default(),
            replies: Replies::default(),
            shown: 0,
            timers: Vec::new(),
            timers_made: 0,
            cancelled: Vec::new(),
            response: None,
            resets: Resets::default(),
            is_kept: false,
        });
        Turn::new(inner, slot)
    }
}

/// In-memory documents of a pure run, here or in a [script](crate::script).
#[derive(Debug)]
pub(crate) struct InMemoryDocuments {
    documents: Documents,
    limits: Arc<Limits>,
    shown: Mutex<Vec<Activity>>,
    /// Calls that a script makes fail.
    failures: Arc<ForcedFailures>,
}

impl InMemoryDocuments {
    pub(crate) fn new(documents: Documents, limits: Arc<Limits>) -> Self {
        Self { documents, limits, shown: Mutex::default(), failures: Arc::default() }
    }

    /// The same, with calls that are to fail.
    pub(crate) fn failing(self, failures: &Arc<ForcedFailures>) -> Self {
        Self { failures: Arc::clone(failures), ..self }
    }

    /// Makes an attempt on these documents.
    pub(crate) fn attempt(
        self: Arc<Self>,
        key: Key,
        origin: Origin,
        now: Timestamp,
    ) -> Arc<Attempt> {
        let id = TurnId::new(&key, origin.activity().id.as_deref().unwrap_or_default());
        let bag = self.documents.get(&key).cloned().unwrap_or_default();
        let (reply_prefix, effects) = (id, Effects::default());
        let steps = Steps::new(StepPlace::Memory, None);
        Arc::new(Attempt { id, reply_prefix, key, origin, now, bag, source: self, effects, steps })
    }

    fn shown(&self) -> Vec<Activity> {
        std::mem::take(&mut lock(&self.shown))
    }
}

#[async_trait]
impl Source for InMemoryDocuments {
    async fn bag(&self, key: &Key) -> Result<Bag, Arc<store::Error>> {
        Ok(self.documents.get(key).cloned().unwrap_or_default())
    }

    async fn show(&self, _: &Key, sign: &Activity) -> Option<String> {
        let mut shown = lock(&self.shown);
        shown.push(sign.clone());
        Some(format!("shown-{}", shown.len()))
    }

    /// Polled once in place, because nothing here waits.
    fn spawn(&self, work: BoxFuture<'static, ()>) {
        work.now_or_never();
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn time_out(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn forced_failure(
        &self,
        name: &str,
        wanted: (TypeId, &'static str),
    ) -> Option<Box<dyn Any + Send>> {
        self.failures.take(name, wanted)
    }
}

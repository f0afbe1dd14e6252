//! One run of the logic: a pure function of an activity and documents.
//!
//! The engine runs every attempt through here, and so can anybody's unit test: no store, no channel,
//! no runtime.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Either, select},
};
use sayso_activity::{Activity, Reference};

use crate::{
    Bag, Error, Failure, Key, Limits,
    clock::{Clock, Timestamp},
    document::{Response, Timer},
    effects::Effects,
    hooks::Hooks,
    id::TurnId,
    state::State,
    store,
    turn::{BotError, Home, Inner, Logic, Replies, Source, Turn},
};

/// Documents by key, for [`run`].
pub type Documents = BTreeMap<Key, Bag>;

/// What one run of the logic makes.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The documents as they would be saved: those given, changed, and new ones.
    pub documents: Documents,
    /// The replies in order, addressed. Changes of earlier messages are among them, as `messageUpdate`
    /// and `messageDelete`.
    pub replies: Vec<Activity>,
    /// The events asked for, with their times.
    pub timers: Vec<(Timestamp, Activity)>,
    /// The answer to an `invoke`.
    pub response: Option<Response>,
}

/// Runs a bot's logic once on an activity and documents: no store, no channel, nothing sent.
///
/// # Errors
/// [`Error::Invalid`] when the activity names no conversation, [`Error::Failed`] when the logic fails,
/// [`Error::Newer`] when a newer build wrote the state.
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
    let key = conversation_key(&activity)?;
    let id = TurnId::new(&key, activity.id.as_deref().unwrap_or_default());
    let attempt = Attempt {
        id,
        reference: Arc::new(activity.reference()),
        activity: Arc::new(activity),
        now: Timestamp::START,
        bag: documents.get(&key).cloned().unwrap_or_default(),
        source: Arc::new(Given(documents.clone())),
        effects: Arc::default(),
        limits: Arc::new(Limits::default()),
        key,
    };
    let made = attempt.run(logic, None).await.map_err(|failure| Error::from(Arc::new(failure)))?;
    documents.extend(made.documents);
    let timers =
        made.timers.iter().filter_map(|timer| Some((timer.at, timer.activity.get().ok()?)));
    let timers = timers.collect();
    let replies = made.replies.into_activities();
    Ok(Outcome { documents, replies, timers, response: made.response })
}

/// The key of the conversation that an activity belongs to.
pub(crate) fn conversation_key(activity: &Activity) -> Result<Key, crate::KeyError> {
    let conversation = activity.conversation.as_ref().and_then(|c| c.id.as_deref());
    Key::conversation(
        activity.channel_id.as_deref().unwrap_or_default(),
        conversation.unwrap_or_default(),
    )
}

/// What one run starts from.
pub(crate) struct Attempt {
    pub(crate) id: TurnId,
    pub(crate) key: Key,
    pub(crate) activity: Arc<Activity>,
    pub(crate) reference: Arc<Reference>,
    pub(crate) now: Timestamp,
    pub(crate) bag: Bag,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) effects: Arc<Effects>,
    pub(crate) limits: Arc<Limits>,
}

#[derive(Debug)]
/// What one run made. The conversation's bag is the first document.
pub(crate) struct Made {
    pub(crate) documents: Vec<(Key, Bag)>,
    pub(crate) replies: Replies,
    pub(crate) timers: Vec<Arc<Timer>>,
    pub(crate) cancelled: Vec<String>,
    pub(crate) response: Option<Response>,
}

impl Attempt {
    /// Runs the logic, within a time if one is given.
    pub(crate) async fn run(
        &self,
        logic: &dyn Logic,
        within: Option<(&dyn Clock, Duration)>,
    ) -> Result<Made, Failure> {
        let home = Arc::default();
        let turn = self.turn(&home);
        // The handler itself may panic before it gives a future.
        let handler = AssertUnwindSafe(async { logic.run(turn).await });
        self.finish(Box::pin(handler), &home, within).await
    }

    /// Runs the error handler: its replies count, its changes of state do not.
    pub(crate) async fn run_on_error(
        &self,
        logic: &dyn Logic,
        failure: Arc<Failure>,
        within: Option<(&dyn Clock, Duration)>,
    ) -> Option<Result<Made, Failure>> {
        let home = Arc::default();
        let handler = logic.on_error(self.turn(&home), failure)?;
        let made = self.finish(handler, &home, within).await;
        Some(made.map(|made| Made {
            documents: vec![(self.key.clone(), self.bag.clone())],
            replies: made.replies,
            response: made.response,
            timers: Vec::new(),
            cancelled: Vec::new(),
        }))
    }

    fn turn(&self, home: &Arc<Home>) -> Turn {
        let inner = Inner {
            id: self.id,
            activity: Arc::clone(&self.activity),
            reference: Arc::clone(&self.reference),
            now: self.now,
            conversation: State::new(self.key.clone(), self.bag.clone()),
            further: Vec::new(),
            source: Arc::clone(&self.source),
            effects: Arc::clone(&self.effects),
            limits: Arc::clone(&self.limits),
            hooks: Hooks::default(),
            replies: Replies::default(),
            timers: Vec::new(),
            cancelled: Vec::new(),
            response: None,
            is_kept: false,
        };
        Turn::new(inner, home)
    }

    async fn finish(
        &self,
        handler: BoxFuture<'_, Result<(), BotError>>,
        home: &Arc<Home>,
        within: Option<(&dyn Clock, Duration)>,
    ) -> Result<Made, Failure> {
        let mut handler = AssertUnwindSafe(handler).catch_unwind();
        let ended = match within {
            None => Ok(handler.await),
            Some((clock, most)) => match (&mut handler).now_or_never() {
                // Most handlers never wait: a timer only for those that do.
                Some(ended) => Ok(ended),
                None => match select(handler, clock.sleep(most)).await {
                    Either::Left((ended, _)) => Ok(ended),
                    Either::Right(((), _)) => Err(Failure::Timeout(most)),
                },
            },
        };
        let inner = home.take();
        // The logic could not know better, whatever it made of it.
        if let Some(newer) = inner.as_deref().and_then(Inner::newer) {
            return Err(Failure::Newer(newer.clone()));
        }
        ended?.map_err(|_| Failure::Panic)?.map_err(Failure::from)?;
        made(*inner.ok_or(Failure::Kept)?)
    }
}

fn made(inner: Inner) -> Result<Made, Failure> {
    if inner.is_kept {
        return Err(Failure::Kept);
    }
    let limits = &inner.limits;
    if inner.replies.over > 0 {
        let count = inner.replies.len() + inner.replies.over;
        return Err(Failure::Limit {
            what: format!("the turn made {count} replies, at most {}", limits.replies_max),
            limit: "replies_max",
        });
    }
    let mut documents = Vec::with_capacity(1 + inner.further.len());
    for state in std::iter::once(inner.conversation).chain(inner.further) {
        documents.push(state.close().map_err(Failure::State)?);
    }
    Ok(Made {
        documents,
        replies: inner.replies,
        timers: inner.timers,
        cancelled: inner.cancelled,
        response: inner.response,
    })
}

/// The documents of a pure run, here or in a [script](crate::script).
#[derive(Debug)]
pub(crate) struct Given(pub(crate) Documents);

#[async_trait]
impl Source for Given {
    async fn bag(&self, key: &Key) -> Result<Bag, Arc<store::Error>> {
        Ok(self.0.get(key).cloned().unwrap_or_default())
    }
}

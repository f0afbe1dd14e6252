//! Stage: the store, channel and clock of a script, in memory.
//!
//! It treats an attempt as the engine does: a duplicate changes nothing, a failed run goes to the
//! error handler, timers are part of the state and fire once.

use std::{collections::BTreeMap, error::Error as _, sync::Arc, time::Duration};

use sayso_activity::Activity;

use super::{Line, Source, step::Scope};
use crate::{
    Key, KeyError, Limits,
    attempt::{Attempt, Origin},
    clock::Timestamp,
    error::Failure,
    id::{ReplyId, TurnId},
    ledger::{Bag, Response, Timer},
    run::{Documents, ForcedFailures, InMemoryDocuments, RunOutput},
    turn::{Logic, Reply},
};

/// Maximum timers that fire in one step: one that sets itself again at once must not hang a test.
const FIRINGS_MAX: usize = 10_000;

pub(super) struct Stage<'a> {
    source: Source<'a>,
    logic: Arc<dyn Logic>,
    limits: Arc<Limits>,
    now: Timestamp,
    /// Initial state of the first activity's conversation.
    starts_with: Option<Bag>,
    is_contended: bool,
    is_restarting: bool,
    pub(super) documents: Documents,
    /// Committed turns, with their responses.
    seen: BTreeMap<TurnId, Option<Response>>,
    timers: Vec<(Key, Arc<Timer>)>,
    /// Last activity from the channel.
    pub(super) last: Option<Activity>,
    /// Response of the last turn.
    pub(super) response: Option<Response>,
    /// Calls that are to fail.
    pub(super) failures: Arc<ForcedFailures>,
    pub(super) lines: Vec<Line>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(mut source: Source<'a>, now: Timestamp, starts_with: Option<Bag>) -> Self {
        let logic = source.make();
        let mistakes = logic.mistakes();
        assert!(mistakes.is_empty(), "the bot cannot be started: {}", mistakes.join("; "));
        Self {
            logic,
            source,
            limits: Arc::default(),
            now,
            starts_with,
            is_contended: false,
            is_restarting: false,
            documents: Documents::new(),
            seen: BTreeMap::new(),
            timers: Vec::new(),
            last: None,
            response: None,
            failures: Arc::default(),
            lines: Vec::new(),
        }
    }

    pub(super) fn disturbed(mut self, is_contended: bool, is_restarting: bool) -> Self {
        self.is_contended = is_contended;
        self.is_restarting = is_restarting;
        self
    }

    /// Receives an activity from the channel.
    pub(super) async fn receive(&mut self, mut activity: Activity) -> Result<(), KeyError> {
        if activity.id.as_deref().is_none_or(str::is_empty) {
            activity.id = Some(format!("activity-{}", self.lines.len()));
        }
        self.last = Some(activity.clone());
        self.lines.push(Line::User(Box::new(activity.clone())));
        self.deliver(activity).await
    }

    /// Redelivers the last activity. Returns false if there is none.
    pub(super) async fn again(&mut self) -> Result<bool, KeyError> {
        let Some(activity) = self.last.clone() else { return Ok(false) };
        self.lines.push(Line::Note("delivered again"));
        self.deliver(activity).await?;
        Ok(true)
    }

    async fn deliver(&mut self, activity: Activity) -> Result<(), KeyError> {
        let keys = self.logic.keys();
        let activity = keys.settle(Arc::new(activity));
        let key = keys.key_of(&activity)?;
        if let Some(bag) = self.starts_with.take() {
            drop(self.documents.insert(key.clone(), bag));
        }
        self.turn(key, Origin::of(&activity)).await;
        Ok(())
    }

    /// Advances the clock and fires timers. Returns false if they do not come to an end.
    pub(super) async fn pass(&mut self, time: Duration) -> bool {
        let until = self.now.after(time);
        self.lines.push(Line::Pause(time));
        for _ in 0..FIRINGS_MAX {
            let due = self.timers.iter().enumerate().filter(|(_, (_, timer))| timer.at <= until);
            let next = due.min_by_key(|(_, (_, timer))| timer.at).map(|(index, _)| index);
            let Some(index) = next else {
                self.now = until;
                return true;
            };
            let (key, timer) = self.timers.remove(index);
            self.now = self.now.max(timer.at);
            let Ok(activity) = timer.activity.get::<Activity>() else { continue };
            self.lines.push(Line::Timer(Box::new(activity.clone())));
            self.turn(key, Origin::of_ours(&Arc::new(activity))).await;
        }
        false
    }

    /// Returns the properties of the last activity's conversation, or of its user.
    pub(super) fn bag(&self, scope: Scope) -> Bag {
        let keys = self.logic.keys();
        let key = self.last.as_ref().and_then(|activity| match scope {
            Scope::Conversation => keys.key_of(activity).ok(),
            Scope::User => {
                let user = activity.from.as_ref()?.id.as_deref()?;
                keys.scope_of(activity).user(activity.channel_id.as_deref()?, user).ok()
            }
        });
        key.and_then(|key| self.documents.get(&key)).cloned().unwrap_or_default()
    }

    /// Simulates a restart of the process.
    pub(super) fn restart(&mut self) {
        self.logic = self.source.make();
        for bag in self.documents.values_mut() {
            *bag = bag.read_again();
        }
    }

    async fn turn(&mut self, key: Key, origin: Origin) {
        let activity = origin.activity();
        self.response = None;
        if self.is_restarting {
            self.restart();
        }
        if !self.logic.handles(activity) {
            self.lines.push(Line::Note("no handler"));
            return;
        }
        let id = TurnId::new(&key, activity.id.as_deref().unwrap_or_default());
        if let Some(response) = self.seen.get(&id) {
            self.response.clone_from(response);
            return;
        }
        let given = InMemoryDocuments::new(self.documents.clone(), Arc::clone(&self.limits));
        let attempt = Arc::new(given.failing(&self.failures)).attempt(key, origin, self.now);
        match self.run(&attempt).await {
            Ok(made) => self.keep(&attempt, made),
            Err(failure) => self.lines.push(Line::Failed(reason(&failure))),
        }
        self.failures.end_turn();
    }

    /// Runs the logic, and the error handler if it fails.
    async fn run(&mut self, attempt: &Arc<Attempt>) -> Result<RunOutput, Arc<Failure>> {
        let logic = &*self.logic;
        if self.is_contended {
            // Another instance commits first: this run is discarded, except for its receipts.
            drop(attempt.run(logic, None).await);
        }
        let made =
            attempt.run(logic, None).await.and_then(|made| self.within_limits(attempt, made));
        let failure = match made {
            Ok(made) => return Ok(made),
            Err(failure) => Arc::new(failure),
        };
        if failure.is_newer() {
            return Err(failure);
        }
        match attempt.run_on_error(logic, Arc::clone(&failure), None).await {
            Some(Ok(made)) => Ok(made),
            Some(Err(_)) | None => Err(failure),
        }
    }

    /// Checks the limits that the engine checks before a commit.
    fn within_limits(&self, attempt: &Attempt, made: RunOutput) -> Result<RunOutput, Failure> {
        let limits = &self.limits;
        let is_left = |(key, timer): &&(Key, Arc<Timer>)| {
            *key == attempt.key && !made.cancelled.contains(&timer.id)
        };
        let waiting = self.timers.iter().filter(is_left).count();
        if waiting + made.timers.len() > limits.timers_max {
            let what = format!("the conversation has more than {} timers", limits.timers_max);
            return Err(Failure::Limit { what, limit: "timers_max" });
        }
        let bytes = made.documents.iter().map(|(_, bag)| bag.bytes()).max().unwrap_or_default();
        if bytes > limits.document_bytes_max {
            let most = limits.document_bytes_max;
            let what = format!("a document has {bytes} bytes, at most {most}");
            return Err(Failure::Limit { what, limit: "document_bytes_max" });
        }
        Ok(made)
    }

    fn keep(&mut self, attempt: &Attempt, made: RunOutput) {
        drop(self.seen.insert(attempt.id, made.response.clone()));
        self.response = made.response;
        self.documents.extend(made.documents);
        let is_cancelled =
            |key: &Key, timer: &Timer| *key == attempt.key && made.cancelled.contains(&timer.id);
        self.timers.retain(|(key, timer)| !is_cancelled(key, timer));
        self.timers.extend(made.timers.into_iter().map(|timer| (attempt.key.clone(), timer)));
        for Reply { number, activity, .. } in made.replies.into_replies() {
            let mut activity = Arc::unwrap_or_clone(activity);
            // A change of an earlier message has its id already.
            let name = || ReplyId::new(attempt.reply_prefix, number).as_str().to_owned();
            activity.id.get_or_insert_with(name);
            self.lines.push(Line::Bot(Box::new(activity)));
        }
    }
}

impl Source<'_> {
    fn make(&mut self) -> Arc<dyn Logic> {
        match self {
            Self::One(logic) => Arc::clone(logic),
            Self::Factory(make) => make(),
        }
    }
}

/// Formats a failure with its causes.
fn reason(failure: &Failure) -> String {
    let mut text = failure.to_string();
    let mut source = failure.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

//! The line: turns that take longer than a channel waits.
//!
//! Such an activity is acknowledged when it is durable that it will be handled: it stands in the inbox of
//! its conversation's document, and whatever arrives meanwhile, at any instance, takes its place behind
//! it. The holder of the claim works the inbox off, one turn after the other, and looks up from a turn to
//! see to the rest: to renew its claim, to record, to put others in line. If it dies, another instance
//! takes the claim and runs the turn from its beginning.

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Kind};
use tracing::Instrument;

use super::{
    Shared,
    commit::Commit,
    draft::Draft,
    mailbox::{Batch, Chore, Mailbox},
    runner::{self, Setback},
    shelf::Shelf,
    turning::{judge, keep},
};
use crate::{
    Failure,
    document::{Accepted, Document},
    effects::Effects,
    id::TurnId,
    origin::Origin,
    run::{Attempt, Made, Running},
};

/// A run that nobody waits for any longer.
#[derive(Debug)]
pub(super) struct Carried {
    attempt: Arc<Attempt>,
    running: Running,
    shelf: Arc<Shelf>,
    /// How many turns had committed when it began.
    turn: u64,
}

impl Carried {
    pub(super) fn new(
        attempt: Arc<Attempt>,
        running: Running,
        shelf: Arc<Shelf>,
        turn: u64,
    ) -> Self {
        Self { attempt, running, shelf, turn }
    }

    /// Whether nothing was committed with it that its further documents depend on.
    fn is_apart(&self) -> bool {
        self.shelf.changed().is_empty()
    }

    /// Has it begun again if what is committed with it was not so when it began.
    pub(super) fn checked(mut self: Box<Self>) -> Box<Self> {
        if !self.is_apart() {
            self.outdate();
        }
        self
    }

    /// It does not hold any more: it is begun again, with the effects it has.
    fn outdate(&mut self) {
        self.turn = u64::MAX;
    }

    fn is_of(&self, entry: &Accepted) -> bool {
        entry.ids.first().is_some_and(|id| id == self.attempt.id.as_str())
    }

    /// Whether what it began with is still so.
    fn holds(&self, document: &Document) -> bool {
        self.turn == document.ledger.turn && self.attempt.bag == document.bag
    }
}

/// How a step in the line ended.
enum Step {
    /// The first one's turn has committed.
    Ended,
    /// There is nothing to do here, or not for us.
    Nothing,
}

/// Works the inbox off until it is empty or somebody else's.
pub(super) async fn work(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    mut carried: Option<Box<Carried>>,
) {
    mailbox.desk().is_long = true;
    let mut setbacks = 0;
    while setbacks < shared.limits.rounds_max {
        match step(shared, mailbox, &mut carried, setbacks).await {
            Ok(Step::Ended) => setbacks = 0,
            Ok(Step::Nothing) => break,
            Err(setback) => {
                setbacks += 1;
                shared.cache().forget(&mailbox.key);
                shared.clock.sleep(backoff(shared, mailbox, &setback, setbacks)).await;
            }
        }
    }
    let mut desk = mailbox.desk();
    desk.is_long = false;
    // What is left is found again when this instance, or another, looks for what waits.
    desk.has_inbox = false;
}

fn backoff(shared: &Shared, mailbox: &Mailbox, setback: &Setback, setbacks: u32) -> Duration {
    let limits = &shared.limits;
    let (reason, wait) = match setback {
        Setback::Again { reason, wait } => (reason.clone(), wait.unwrap_or_default()),
        Setback::Never(error) => (error.to_string(), limits.backoff_max),
    };
    tracing::debug!(key = %mailbox.key, setbacks, %reason, "a long turn, another round");
    let most = limits.backoff_first.saturating_mul(1 << setbacks.min(16));
    shared.ids.jitter(most.min(limits.backoff_max)).max(wait).min(limits.claim / 4)
}

/// Brings the first one in line to its end.
async fn step(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    carried: &mut Option<Box<Carried>>,
    rounds: u32,
) -> Result<Step, Setback> {
    let Some((draft, entry)) = first(shared, mailbox, rounds).await? else {
        return Ok(Step::Nothing);
    };
    let known = carried.take().filter(|carried| carried.is_of(&entry));
    let mut run = match known {
        Some(run) if run.holds(&draft.document) => run,
        known => {
            let effects = known.map(|run| run.attempt.effects.clone()).unwrap_or_default();
            let Some(run) = start(shared, mailbox, &draft, &entry, effects) else {
                return Ok(Step::Nothing);
            };
            run
        }
    };
    let span = tracing::info_span!("turn", id = %run.attempt.id, kind = "long");
    let made = match entry.lost >= shared.limits.lost_max {
        true => Some(Err(lost(&entry))),
        false => wait(shared, mailbox, &mut run).instrument(span).await,
    };
    let Some(made) = made else { return Ok(Step::Nothing) };
    let mut made = made.map_err(Arc::new);
    let mut rounds = rounds;
    loop {
        match finish(shared, mailbox, &mut run, &entry, made.clone(), rounds).await {
            Err(Setback::Again { wait, .. }) if rounds < shared.limits.rounds_max => {
                rounds += 1;
                shared.cache().forget(&mailbox.key);
                let most = shared.limits.backoff_first.saturating_mul(1 << rounds.min(16));
                let jitter = shared.ids.jitter(most.min(shared.limits.backoff_max));
                shared.clock.sleep(jitter.max(wait.unwrap_or_default())).await;
            }
            Err(Setback::Never(crate::Error::Store(error))) if made.is_ok() => {
                // What it made cannot be saved; that it failed can.
                made = Err(Arc::new(Failure::Store(error)));
            }
            Ok(None) => {
                // Something else was committed meanwhile.
                run.outdate();
                *carried = Some(run);
                let reason = "another turn committed first".to_owned();
                return Err(Setback::Again { reason, wait: None });
            }
            Ok(Some(step)) => return Ok(step),
            Err(setback) => return Err(setback),
        }
    }
}

/// The document with its first one in line, if that is ours to run.
async fn first(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    rounds: u32,
) -> Result<Option<(Draft, Arc<Accepted>)>, Setback> {
    let within = shared.limits.claim / 4;
    let (draft, is_fresh) =
        runner::load(shared, mailbox, &Batch::default(), rounds, within).await?;
    let ledger = &draft.document.ledger;
    let is_ours = ledger.claim.as_ref().is_some_and(|claim| claim.by == shared.ids.instance());
    match ledger.inbox.first().filter(|_| is_ours).cloned() {
        Some(entry) => Ok(Some((draft, entry))),
        None => {
            if is_fresh {
                runner::unchanged(shared, mailbox, &draft);
            }
            Ok(None)
        }
    }
}

/// Begins with one that stands in line. An activity that cannot be read any more is nobody's turn.
fn start(
    shared: &Arc<Shared>,
    mailbox: &Mailbox,
    draft: &Draft,
    entry: &Accepted,
    effects: Effects,
) -> Option<Box<Carried>> {
    let id = TurnId::parse(entry.ids.first()?)?;
    let activity: Arc<Activity> = Arc::new(entry.activity.get().ok()?);
    let origin = if entry.is_timer { Origin::of_ours } else { Origin::of };
    let shelf = Shelf::new(shared, shared.limits.deadline, 0);
    let attempt = Arc::new(Attempt {
        id,
        key: mailbox.key.clone(),
        origin: origin(&activity),
        now: entry.at,
        bag: draft.document.bag.clone(),
        source: Arc::clone(&shelf) as _,
        effects,
    });
    shared.counters.attempts.add(1);
    let running = attempt.start(&*shared.logic);
    let turn = draft.document.ledger.turn;
    Some(Box::new(Carried::new(attempt, running, shelf, turn)))
}

/// Waits for a run, and looks up from time to time. `None` when the turn is not ours any more.
async fn wait(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    run: &mut Carried,
) -> Option<Result<Made, Failure>> {
    let limits = &shared.limits;
    let is_message = run.attempt.origin.activity().kind == Kind::Message;
    let began = shared.uptime();
    let mut renew_at = began + limits.claim / 3;
    let mut show_at = began;
    loop {
        let now = shared.uptime();
        if now >= began + limits.long_deadline {
            return Some(Err(Failure::Long(limits.long_deadline)));
        }
        if is_message && now >= show_at {
            show_at = now + limits.typing_every;
            shared.show(&mailbox.key, typing(&run.attempt.origin));
        }
        let until = renew_at.min(show_at.max(now)).min(began + limits.long_deadline);
        let until = if is_message { until } else { renew_at.min(began + limits.long_deadline) };
        let called = async {
            shared.within(until.saturating_sub(now), mailbox.called.notified()).await;
        };
        if let Some(made) = run.running.until(called).await {
            return Some(made);
        }
        let now = shared.uptime();
        let mut aside =
            mailbox.take_aside(|item| now.saturating_sub(item.since) >= limits.deadline);
        if now >= renew_at {
            renew_at = now + limits.claim / 3;
            aside.chores.push(Chore::Renew);
        }
        if !aside.is_empty() {
            runner::aside(shared, mailbox, aside).await;
        }
        if !mailbox.desk().has_inbox {
            return None;
        }
    }
}

/// Commits what the first one in line has made. `None` when it does not fit what is stored by now.
async fn finish(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    run: &mut Carried,
    entry: &Accepted,
    made: Result<Made, Arc<Failure>>,
    rounds: u32,
) -> Result<Option<Step>, Setback> {
    let Some((mut draft, now_first)) = first(shared, mailbox, rounds).await? else {
        return Ok(Some(Step::Nothing));
    };
    if now_first.ids != entry.ids {
        // It has committed already, and its answer was lost.
        return Ok(Some(Step::Ended));
    }
    if !run.holds(&draft.document) {
        return Ok(None);
    }
    let limits = &shared.limits;
    draft.record(&mailbox.desk().handed, limits);
    let ids: Vec<TurnId> = entry.ids.iter().filter_map(|id| TurnId::parse(id)).collect();
    let judged = judge(
        shared,
        &*shared.logic,
        &draft,
        &run.shelf,
        &run.attempt,
        made,
        false,
        limits.deadline,
    );
    match judged.await? {
        Ok(result) => {
            draft.end_first();
            drop(keep(&mut draft, &run.shelf, &ids, result, false, shared));
        }
        Err(failure) if failure.is_newer() => {
            // An instance of the newer build runs it.
            let release = Batch { chores: vec![Chore::Release], ..Batch::default() };
            runner::aside(shared, mailbox, release).await;
            return Ok(Some(Step::Nothing));
        }
        Err(failure) => draft.park_first(&ids, &failure, shared.clock.now(), limits),
    }
    draft.settle_claim(shared.ids.instance(), false);
    match shared.commit(mailbox, draft, &run.shelf, limits.deadline).await {
        Commit::Committed => {
            shared.counters.turns.add(1);
            mailbox.changed.notify_one();
            Ok(Some(Step::Ended))
        }
        // One of the further documents may have changed: what was made of it does not hold.
        Commit::Again { .. } if !run.is_apart() => Ok(None),
        Commit::Again { reason, wait } => Err(Setback::Again { reason, wait }),
        Commit::Never(error) => Err(Setback::Never(crate::Error::Store(error))),
    }
}

fn lost(entry: &Accepted) -> Failure {
    Failure::Limit {
        what: format!("{} instances were gone while they ran the turn", entry.lost),
        limit: "lost_max",
    }
}

fn typing(origin: &Origin) -> Activity {
    let mut typing = Activity::typing();
    origin.address(&mut typing);
    typing
}

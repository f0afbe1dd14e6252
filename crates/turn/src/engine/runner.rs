//! The runner: takes what waits in a mailbox and brings it to a commit, round by round.
//!
//! A round loads, runs and commits. When another instance won, the outcome is unknown or the store
//! failed, there is one remedy: wait a little, load again, look which turns are in already, run the rest
//! again. Rounds and time are bounded; what does not commit within them is told so and left no trace.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use sayso_activity::{Activity, Reference};
use tracing::Instrument;

use super::{
    Answer, Shared,
    answer::{Verdicts, answer, fail},
    cache::Cached,
    commit::{Commit, Loaded},
    draft::{self, Draft},
    mailbox::{self, Batch, Chore, Item, Mailbox, Part},
    shelf::Shelf,
};
use crate::{
    Error, Failure,
    document::Recorded,
    fault::fault,
    id::TurnId,
    run::{Attempt, Made},
    store::Expect,
};

/// Why a round did not bring it to an end.
enum Setback {
    Again { reason: String, wait: Option<Duration> },
    Never(Error),
}

/// Serves a mailbox until nothing waits in it.
pub(super) async fn run(shared: Arc<Shared>, mailbox: Arc<Mailbox>) {
    while let Some(batch) = mailbox.take(&shared.limits, shared.logic.overlap()) {
        let work = AssertUnwindSafe(process(&shared, &mailbox, batch)).catch_unwind();
        if work.await.is_err() {
            // A broken invariant stops these turns, not the process; their senders hear of it.
            tracing::error!(key = %mailbox.key, "an invariant of the engine is broken; please report");
            shared.cache().forget(&mailbox.key);
        }
        mailbox.changed.notify_one();
    }
    shared.retire(&mailbox);
}

async fn process(shared: &Arc<Shared>, mailbox: &Arc<Mailbox>, mut batch: Batch) {
    let began = shared.uptime();
    let limits = &shared.limits;
    let mut reason = String::new();
    for rounds in 0..limits.rounds_max {
        give_up_late(shared, &mut batch, rounds, &reason);
        if batch.items.is_empty() && batch.chores.is_empty() {
            return;
        }
        match round(shared, mailbox, &batch, rounds).await {
            Ok(verdicts) => return answer(batch.items, verdicts),
            Err(Setback::Never(_)) if batch.items.len() > 1 => {
                return one_by_one(shared, mailbox, batch).await;
            }
            Err(Setback::Never(error)) => return fail(batch.items, &error),
            Err(Setback::Again { reason: why, wait }) => {
                shared.cache().forget(&mailbox.key);
                tracing::debug!(key = %mailbox.key, rounds, reason = %why, "another round");
                reason = why;
                let most = limits.backoff_first.saturating_mul(1 << rounds.min(16));
                let jitter = shared.ids.jitter(most.min(limits.backoff_max));
                // Waiting beyond the deadline helps nobody: wake to say so in time.
                let left = time_left(shared, &batch);
                shared.clock.sleep(jitter.max(wait.unwrap_or_default()).min(left)).await;
            }
        }
    }
    shared.counters.given_up.add(batch.items.len());
    let waited = shared.uptime().saturating_sub(began);
    fail(batch.items, &Error::Busy { rounds: limits.rounds_max, waited, reason });
}

/// What refuses one of several for good must not fail the others: each gets a commit of its own.
async fn one_by_one(shared: &Arc<Shared>, mailbox: &Arc<Mailbox>, batch: Batch) {
    for item in batch.items {
        let single = Batch { items: vec![item], chores: batch.chores.clone() };
        Box::pin(process(shared, mailbox, single)).await;
    }
}

/// How long a batch has from now on: until the first of its deadlines.
fn time_left(shared: &Shared, batch: &Batch) -> Duration {
    let Some(oldest) = batch.items.iter().map(|item| item.since).min() else {
        // Nobody waits for a chore, but a claim may lapse while a store call hangs.
        return shared.limits.deadline.min(shared.limits.claim / 4);
    };
    let left = (oldest + shared.limits.deadline).saturating_sub(shared.uptime());
    left.max(Duration::from_millis(1))
}

/// Answers those whose deadline has passed.
fn give_up_late(shared: &Shared, batch: &mut Batch, rounds: u32, reason: &str) {
    let now = shared.uptime();
    let is_late = |item: &mut Item| now.saturating_sub(item.since) >= shared.limits.deadline;
    for item in batch.items.extract_if(.., is_late) {
        shared.counters.given_up.add(1);
        let waited = now.saturating_sub(item.since);
        item.answer(&Err(Error::Busy { rounds, waited, reason: reason.to_owned() }));
    }
}

async fn round(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    batch: &Batch,
    rounds: u32,
) -> Result<Verdicts, Setback> {
    let left = time_left(shared, batch);
    let (mut draft, is_fresh) = load(shared, mailbox, batch, rounds, left).await?;
    fault!("after_load");
    let me = shared.ids.instance();
    if !draft.document.ledger.decided.is_empty() {
        shared.finish(&mut draft, left).await;
    }
    let (handed, doubtful) = mailbox.desk().dealt_with();
    draft.record(&handed, &shared.limits);
    draft.do_chores(&batch.chores, me, &doubtful);
    let shelf = Shelf::new(shared, left, rounds);
    let mut fired = 0;
    if batch.chores.contains(&Chore::Fire) {
        fired = fire(shared, mailbox, &mut draft, &shelf, left).await?;
    }
    let mut verdicts = Vec::with_capacity(batch.items.len());
    for item in &batch.items {
        verdicts.push(turn(shared, mailbox, &mut draft, &shelf, item).await?);
    }
    draft.settle_claim(me, shared.is_closing() && batch.chores.contains(&Chore::Release));
    if !draft.is_changed && shelf.changed().is_empty() {
        // A record that an earlier commit has made already needs no other; the courier knows by now.
        let is_wanted = |chore: &Chore| match chore {
            Chore::Record => !handed.is_empty(),
            Chore::Finish => false,
            _ => true,
        };
        if !is_fresh && batch.chores.iter().any(is_wanted) {
            // Memory knows nothing of what was asked for; the store may.
            let reason = "the document in memory is old".to_owned();
            return Err(Setback::Again { reason, wait: None });
        }
        if let (true, Expect::At(etag)) = (draft.is_expired, &draft.expect) {
            shared.remove(&mailbox.key, etag, left).await;
        } else if is_fresh {
            unchanged(shared, mailbox, &draft);
        }
        return Ok(verdicts);
    }
    match shared.commit(mailbox, draft, &shelf, left).await {
        Commit::Committed => {
            if batch.items.is_empty() && !handed.is_empty() {
                fault!("after_record");
            }
            shared.counters.fired.add(fired);
            shared.counters.turns.add(fired + fresh(&verdicts));
            Ok(verdicts)
        }
        Commit::Again { reason, wait } => Err(Setback::Again { reason, wait }),
        Commit::Never(error) => Err(Setback::Never(Error::Store(error))),
    }
}

/// Fires what is due. Timers that only a newer build can fire are no reason to write.
async fn fire(
    shared: &Arc<Shared>,
    mailbox: &Mailbox,
    draft: &mut Draft,
    shelf: &Arc<Shelf>,
    left: Duration,
) -> Result<usize, Setback> {
    let is_changed = draft.is_changed;
    let mut kept = 0;
    let fired = fire_due(shared, mailbox, draft, shelf, left, &mut kept).await? - kept;
    draft.is_changed = is_changed || fired > 0;
    Ok(fired)
}

/// How many turns a round's verdicts speak of that were not there before.
fn fresh(verdicts: &Verdicts) -> usize {
    let is_new = |item: &&Vec<Result<Answer, Error>>| {
        item.iter().any(|verdict| verdict.as_ref().is_ok_and(|answer| !answer.is_repeat))
    };
    verdicts.iter().filter(is_new).count()
}

/// The document, from memory in the first round where that may do, else from the store.
async fn load(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    batch: &Batch,
    rounds: u32,
    within: Duration,
) -> Result<(Draft, bool), Setback> {
    let wants_fresh =
        |chore: &Chore| matches!(chore, Chore::TakeIfAt(_) | Chore::TakeFrom(_) | Chore::Fire);
    if rounds == 0 && !batch.chores.iter().any(wants_fresh) {
        let cached = shared.cache().get(&mailbox.key);
        if let Some(Cached { document, etag, .. }) = cached
            && document.ledger.prepared.is_none()
            && !shared.is_expired(&document)
        {
            shared.counters.cache_hits.add(1);
            return Ok((Draft::new((*document).clone(), Expect::At(etag)), false));
        }
    }
    match shared.load(&mailbox.key, rounds, within).await {
        Ok(Loaded { document, expect, is_settled, is_expired }) => {
            let mut desk = mailbox.desk();
            if document.ledger.rev < desk.rev && expect != Expect::Absent {
                let reason = "the store answered with an older version".to_owned();
                return Err(Setback::Again { reason, wait: None });
            }
            desk.is_shared |= desk.rev > 0 && document.ledger.rev > desk.rev;
            let mut draft = Draft::new(document, expect);
            draft.is_changed = is_settled;
            draft.is_expired = is_expired;
            Ok((draft, true))
        }
        Err(error) if error.is_transient() => {
            let wait = error.retry_after();
            Err(Setback::Again { reason: error.to_string(), wait })
        }
        Err(error) => Err(Setback::Never(Error::Store(Arc::new(error)))),
    }
}

/// Takes note of a document that needs no write, so that the courier stops asking for one.
fn unchanged(shared: &Arc<Shared>, mailbox: &Arc<Mailbox>, draft: &Draft) {
    let mut desk = mailbox.desk();
    desk.note(&draft.document.ledger, shared.ids.instance(), shared.uptime());
    shared.start_courier(mailbox, &mut desk);
}

/// One item: skipped where it was seen before, else run and applied to the draft.
async fn turn(
    shared: &Arc<Shared>,
    mailbox: &Mailbox,
    draft: &mut Draft,
    shelf: &Arc<Shelf>,
    item: &Item,
) -> Result<Vec<Result<Answer, Error>>, Setback> {
    let ledger = &draft.document.ledger;
    let mut new: Vec<&Part> = Vec::with_capacity(item.parts.len());
    for part in &item.parts {
        // The same activity may have come several times while it waited.
        if !ledger.seen.contains(part.id) && new.iter().all(|known| known.id != part.id) {
            new.push(part);
        }
    }
    let repeat = |part: &Part| Ok(Answer::new(ledger.answer(part.id).map(AsRef::as_ref), true));
    let mut verdicts: Vec<_> = item.parts.iter().map(repeat).collect();
    shared.counters.duplicates.add(item.parts.len() - new.len());
    let Some(first) = new.first() else { return Ok(verdicts) };
    let activity = mailbox::merged(&new);
    let attempt = Attempt {
        id: first.id,
        key: mailbox.key.clone(),
        reference: Arc::new(activity.reference()),
        activity,
        now: item.now,
        bag: draft.document.bag.clone(),
        source: Arc::clone(shelf) as _,
        effects: Arc::clone(&item.effects),
        limits: Arc::clone(&shared.limits),
    };
    let spent = shared.uptime().saturating_sub(item.since);
    let left = shared.limits.deadline.saturating_sub(spent);
    let is_answer = attempt.activity.delivery_mode.as_deref() == Some("expectReplies");
    let ran = logic(shared, draft, shelf, &attempt, is_answer, left);
    let ran = ran.instrument(item.span.clone()).await?;
    let ids: Vec<TurnId> = new.iter().map(|part| part.id).collect();
    let verdict = match ran {
        Err(failure) => Err(failure.into()),
        Ok(result) => {
            let recorded = keep(draft, shelf, &ids, result, is_answer, shared);
            Ok(Answer::new(recorded.as_deref(), false))
        }
    };
    for (part, slot) in item.parts.iter().zip(&mut verdicts) {
        if ids.contains(&part.id) {
            slot.clone_from(&verdict);
        }
    }
    Ok(verdicts)
}

/// Runs the logic, and the error handler if it fails. The result fits the limits.
async fn logic(
    shared: &Arc<Shared>,
    draft: &Draft,
    shelf: &Shelf,
    attempt: &Attempt,
    is_answer: bool,
    left: Duration,
) -> Result<Result<draft::Result, Arc<Failure>>, Setback> {
    let within = Some((&*shared.clock, left));
    shared.counters.attempts.add(1);
    let made = attempt.run(&*shared.logic, within).await;
    if let Some(error) = shelf.failed() {
        // The store failed under the logic: no fault of the logic's, whatever it made of it.
        return Err(match error.is_transient() {
            true => Setback::Again { reason: error.to_string(), wait: error.retry_after() },
            false => Setback::Never(Error::Store(error)),
        });
    }
    let prepare = |made: Made| draft.prepare(attempt.id, made, is_answer, &shared.limits);
    let failure = match made.and_then(prepare) {
        Ok(result) => return Ok(Ok(result)),
        Err(failure) => Arc::new(failure),
    };
    failure.log();
    if failure.is_newer() {
        shared.counters.newer.add(1);
        return Ok(Err(failure));
    }
    shared.counters.failures.add(1);
    let handled = attempt.run_on_error(&*shared.logic, Arc::clone(&failure), within).await;
    Ok(match handled.map(|made| made.and_then(prepare)) {
        Some(Ok(result)) => Ok(result),
        Some(Err(second)) => {
            second.log();
            shared.counters.newer.add(second.is_newer().into());
            Err(if second.is_newer() { Arc::new(second) } else { failure })
        }
        None => Err(failure),
    })
}

/// Makes a turn's result part of the round.
fn keep(
    draft: &mut Draft,
    shelf: &Shelf,
    ids: &[TurnId],
    mut result: draft::Result,
    is_answer: bool,
    shared: &Shared,
) -> Option<Arc<Recorded>> {
    for (key, bag) in result.made.documents.drain(1..) {
        shelf.put(&key, bag);
    }
    draft.apply(ids, result, is_answer, &shared.limits)
}

/// Runs a turn for every timer that is due. Taking it out of the document is what fires it once.
async fn fire_due(
    shared: &Arc<Shared>,
    mailbox: &Mailbox,
    draft: &mut Draft,
    shelf: &Arc<Shelf>,
    left: Duration,
    kept: &mut usize,
) -> Result<usize, Setback> {
    let now = shared.clock.now();
    let due = draft.due_timers(now);
    for timer in &due {
        draft.remove_timer(&timer.id);
        let id = TurnId::new(&mailbox.key, &timer.id);
        let activity: Activity = match timer.activity.get() {
            Ok(activity) if shared.logic.handles(&activity) => activity,
            _ => continue,
        };
        let attempt = Attempt {
            id,
            key: mailbox.key.clone(),
            // The channel never had an activity of this id: nothing can be a reply to it.
            reference: Arc::new(Reference { activity_id: None, ..activity.reference() }),
            activity: Arc::new(activity),
            now,
            bag: draft.document.bag.clone(),
            source: Arc::clone(shelf) as _,
            effects: Arc::default(),
            limits: Arc::clone(&shared.limits),
        };
        let span = tracing::info_span!("turn", %id, kind = "timer");
        match logic(shared, draft, shelf, &attempt, false, left).instrument(span).await? {
            Ok(result) => drop(keep(draft, shelf, &[id], result, false, shared)),
            Err(failure) if failure.is_newer() => {
                // An instance of the newer build fires it.
                draft.put_back(timer);
                *kept += 1;
            }
            Err(failure) => draft.park_timer(id, timer, &failure, now, &shared.limits),
        }
    }
    Ok(due.len())
}

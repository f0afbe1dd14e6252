//! Turning: what a round does with one activity or one timer, from the ids lately seen to a draft that
//! carries the result.

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Raw};
use smallvec::SmallVec;
use tracing::Instrument;

use super::{
    Answer, Shared,
    answer::Verdict,
    draft::{self, Draft},
    line::Carried,
    live::{Heard, Listener},
    mailbox::{Batch, Item, Mailbox, Part, expects_replies},
    runner::Setback,
    shelf::Shelf,
};
use crate::{
    Error, Failure, Logic,
    document::{Accepted, Recorded},
    effects::Effects,
    id::TurnId,
    origin::Origin,
    run::{Attempt, Made},
    turn::Source,
};

/// What the parts of an item are told, and the run that goes on if it takes too long to be waited for.
pub(super) type Turned = (Verdict, Option<Box<Carried>>);

/// One item: skipped where it was seen before, put in line behind a turn that goes on, else run and
/// applied to the draft.
pub(super) async fn turn(
    shared: &Arc<Shared>,
    mailbox: &Mailbox,
    draft: &mut Draft,
    shelf: &Arc<Shelf>,
    batch: &Batch,
    item: &Item,
    now: Duration,
) -> Result<Turned, Setback> {
    let ledger = &draft.document.ledger;
    let is_known = |part: &Part| ledger.seen.contains(part.id) || ledger.is_accepted(part.id);
    let mut new: SmallVec<[&Part; 2]> = SmallVec::new();
    for part in &item.parts {
        // The same activity may have come several times while it waited.
        if !is_known(part) && new.iter().all(|known| known.id != part.id) {
            new.push(part);
        }
    }
    let repeat = |part: &Part| {
        Ok(match ledger.is_accepted(part.id) {
            true => Answer::pending(true),
            false => Answer::new(ledger.answer(part.id).map(AsRef::as_ref), true),
        })
    };
    let mut verdicts: Verdict = item.parts.iter().map(repeat).collect();
    shared.counters.duplicates.add(item.parts.len() - new.len());
    let Some(first) = new.first() else { return Ok((verdicts, None)) };
    let ids: SmallVec<[TurnId; 2]> = new.iter().map(|part| part.id).collect();
    let activity = merged(&new);
    let mut late = None;
    let verdict = if ledger.inbox.is_empty() {
        let attempt = Arc::new(Attempt {
            id: first.id,
            key: mailbox.key.clone(),
            origin: item.origin(&activity),
            now: item.now,
            bag: draft.document.bag.clone(),
            source: source(shelf, item.listener.as_ref()),
            effects: item.effects.clone(),
        });
        let ran = {
            // Pinned where it is: what is large is not moved into the future around it.
            let ran = std::pin::pin!(run(shared, mailbox, draft, shelf, &attempt, item, now));
            ran.instrument(item.span.clone()).await
        };
        // Whatever comes of it, another attempt would not make its calls again.
        item.effects.learn(&attempt.effects);
        match ran? {
            Ran::Ended(ended) => ended.map_err(Error::from).map(|result| {
                let is_answer = expects_replies(&activity);
                let recorded = keep(draft, shelf, &ids, result, is_answer, shared);
                Answer::new(recorded.as_deref(), false)
            }),
            Ran::Late(carried) => {
                late = Some(carried);
                line_up(shared, draft, batch, item, &ids, &activity)?
            }
        }
    } else {
        line_up(shared, draft, batch, item, &ids, &activity)?
    };
    for (part, slot) in item.parts.iter().zip(&mut verdicts) {
        if ids.contains(&part.id) {
            slot.clone_from(&verdict);
        }
    }
    Ok((verdicts, late))
}

/// One activity of several: the last one, with all texts and attachments.
fn merged(parts: &[&Part]) -> Arc<Activity> {
    let (Some(last), true) = (parts.last(), parts.len() > 1) else {
        return Arc::clone(&parts.first().expect("a turn has a part").activity);
    };
    let mut activity = Activity::clone(&last.activity);
    let texts: Vec<&str> = parts.iter().map(|part| part.activity.text()).collect();
    activity.text = Some(texts.join("\n"));
    let attachments = parts.iter().filter_map(|part| part.activity.attachments.clone());
    let attachments: Vec<_> = attachments.flatten().collect();
    activity.attachments = (!attachments.is_empty()).then_some(attachments);
    Arc::new(activity)
}

/// What a turn reaches: the shelf, with signs that go to whoever listens.
fn source(shelf: &Arc<Shelf>, listener: Option<&Listener>) -> Arc<dyn Source> {
    match listener {
        None => Arc::clone(shelf) as _,
        Some(listener) => Arc::new(Heard { shelf: Arc::clone(shelf), listener: listener.clone() }),
    }
}

#[expect(clippy::large_enum_variant, reason = "nearly all have ended, and are not moved far")]
enum Ran {
    Ended(Result<draft::Result, Arc<Failure>>),
    /// Nobody should wait for it any longer; it runs on.
    Late(Box<Carried>),
}

/// Runs the logic for as long as the sender can wait, or until something comes up that cannot.
async fn run(
    shared: &Arc<Shared>,
    mailbox: &Mailbox,
    draft: &Draft,
    shelf: &Arc<Shelf>,
    attempt: &Arc<Attempt>,
    item: &Item,
    now: Duration,
) -> Result<Ran, Setback> {
    let limits = &shared.limits;
    let spent = now.saturating_sub(item.since);
    let left = limits.deadline.saturating_sub(spent);
    let can_wait = item.can_wait() && limits.acknowledge_after < limits.deadline;
    if left.is_zero() && !can_wait {
        // The time went by before it was its turn: that is no failure of the logic.
        let reason = "no time was left to run it".to_owned();
        return Err(Setback::Again { reason, wait: None });
    }
    let patience = if can_wait { limits.acknowledge_after.saturating_sub(spent) } else { left };
    shared.counters.attempts.add(1);
    let logic = item.logic.as_ref().unwrap_or(&shared.logic);
    let mut running = attempt.start(&**logic);
    let ran = match can_wait {
        false => running.within(&*shared.clock, patience).await,
        true => {
            let sleep = |most| async move {
                if !mailbox.desk().is_called() {
                    shared.within(most, mailbox.called.notified()).await;
                }
            };
            running.unless(patience, sleep).await
        }
    };
    let made = match ran {
        Some(made) => made,
        None if can_wait => {
            let turn = draft.document.ledger.turn;
            let carried = Carried::new(Arc::clone(attempt), running, Arc::clone(shelf), turn);
            return Ok(Ran::Late(Box::new(carried)));
        }
        None => Err(running.stop(limits.deadline)),
    };
    let is_answer = expects_replies(attempt.origin.activity());
    let made = made.map_err(Arc::new);
    let judged = judge(shared, &**logic, draft, shelf, attempt, made, is_answer, left).await;
    judged.map(Ran::Ended)
}

/// Puts an activity in line: what is durable of it is that it will be handled.
fn line_up(
    shared: &Shared,
    draft: &mut Draft,
    batch: &Batch,
    item: &Item,
    ids: &[TurnId],
    activity: &Activity,
) -> Result<Result<Answer, Error>, Setback> {
    let reason = "an earlier turn of the conversation takes long".to_owned();
    if !item.can_wait() {
        if batch.waits_only() {
            // It may end in time.
            return Err(Setback::Again { reason, wait: Some(Duration::from_secs(1)) });
        }
        let waited = shared.uptime().saturating_sub(item.since);
        return Ok(Err(Error::Busy { rounds: 0, waited, reason }));
    }
    let accepted = Accepted {
        ids: ids.iter().map(ToString::to_string).collect(),
        at: item.now,
        lost: 0,
        is_timer: false,
        activity: Raw::of(activity).expect("an activity is always JSON"),
    };
    Ok(draft.accept(accepted, &shared.limits).map(|()| Answer::pending(false)))
}

/// Makes a result of what the logic made, or of what the error handler says if it failed. The result fits
/// the limits.
#[expect(clippy::too_many_arguments, reason = "each is another thing, and there are two callers")]
pub(super) async fn judge(
    shared: &Arc<Shared>,
    logic: &dyn Logic,
    draft: &Draft,
    shelf: &Shelf,
    attempt: &Arc<Attempt>,
    made: Result<Made, Arc<Failure>>,
    is_answer: bool,
    left: Duration,
) -> Result<Result<draft::Result, Arc<Failure>>, Setback> {
    if let Some(error) = shelf.failed() {
        // The store failed under the logic: no fault of the logic's, whatever it made of it.
        return Err(match error.is_transient() {
            true => Setback::Again { reason: error.to_string(), wait: error.retry_after() },
            false => Setback::Never(Error::Store(error)),
        });
    }
    let prepare = |made: Made| draft.prepare(attempt.id, made, is_answer, &shared.limits);
    let failure = match made.and_then(|made| prepare(made).map_err(Arc::new)) {
        Ok(result) => return Ok(Ok(result)),
        Err(failure) => failure,
    };
    failure.log();
    if failure.is_newer() {
        shared.counters.newer.add(1);
        return Ok(Err(failure));
    }
    shared.counters.failures.add(1);
    let within = Some((&*shared.clock, left));
    let handled = Box::pin(attempt.run_on_error(logic, Arc::clone(&failure), within)).await;
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
pub(super) fn keep(
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

/// Fires what is due, behind what waits in line. Timers that only a newer build can fire are no reason
/// to write.
pub(super) async fn fire(
    shared: &Arc<Shared>,
    mailbox: &Mailbox,
    draft: &mut Draft,
    shelf: &Arc<Shelf>,
    left: Duration,
) -> Result<usize, Setback> {
    let now = shared.clock.now();
    let is_changed = draft.is_changed;
    let (mut fired, mut is_lined_up) = (0, false);
    for timer in draft.due_timers(now) {
        if !draft.document.ledger.inbox.is_empty() {
            break;
        }
        draft.remove_timer(&timer.id);
        fired += 1;
        let id = TurnId::new(&mailbox.key, &timer.id);
        let activity: Arc<Activity> = match timer.activity.get() {
            Ok(activity) if shared.logic.handles(&activity) => Arc::new(activity),
            _ => continue,
        };
        let attempt = Arc::new(Attempt {
            id,
            key: mailbox.key.clone(),
            origin: Origin::of_ours(&activity),
            now,
            bag: draft.document.bag.clone(),
            source: Arc::clone(shelf) as _,
            effects: Effects::default(),
        });
        let span = tracing::info_span!("turn", %id, kind = "timer");
        shared.counters.attempts.add(1);
        let mut running = attempt.start(&*shared.logic);
        let made = match running.within(&*shared.clock, left).instrument(span.clone()).await {
            Some(made) => made.map_err(Arc::new),
            None => {
                // It takes long: it goes on as one that was acknowledged, from its beginning.
                fired -= 1;
                draft.accept_timer(id, &timer);
                is_lined_up = true;
                continue;
            }
        };
        let logic = &*shared.logic;
        let judged = judge(shared, logic, draft, shelf, &attempt, made, false, left);
        match judged.instrument(span).await? {
            Ok(result) => drop(keep(draft, shelf, &[id], result, false, shared)),
            Err(failure) if failure.is_newer() => {
                // An instance of the newer build fires it.
                draft.put_back(&timer);
                fired -= 1;
            }
            Err(failure) => draft.park_timer(id, &timer, &failure, now, &shared.limits),
        }
    }
    draft.is_changed = is_changed || is_lined_up || fired > 0;
    Ok(fired)
}

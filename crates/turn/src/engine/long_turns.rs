//! Long turns: asynchronous processing of turns that take longer than a channel waits.
//!
//! The activity is acknowledged once it is durable in the inbox of its conversation's document;
//! whatever arrives meanwhile, at any instance, queues behind it. The holder of the claim works the
//! inbox off, one turn after the other. While a turn runs it also handles other work of the
//! mailbox: it renews the claim, records acknowledgements, and appends arrivals to the inbox. If it
//! dies, another instance takes the claim over and runs the turn from the beginning.

mod ending;
mod interleaved;
mod serving;

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Kind};
use tracing::Instrument;

use self::{
    ending::Step,
    interleaved::{load_first, process_batch},
    serving::serve,
};
use super::{
    core::Core,
    deadline::Deadline,
    documents::FurtherDocuments,
    long_run::{LongRun, Progress},
    mailbox::Mailbox,
    round::Setback,
    turns::attempt,
};
use crate::{
    attempt::Origin,
    error::Failure,
    id::TurnId,
    ledger::{Accepted, Chore, Draft},
    run::{RunOutput, Running},
};

/// Pause after a permanent store error for the output of a long turn.
const REFUSED: Duration = Duration::from_secs(6);

/// Works the inbox off until it is empty or the claim is lost.
pub(super) async fn work(
    core: &Arc<Core>,
    mailbox: &Arc<Mailbox>,
    mut carried: Option<Box<LongRun>>,
) {
    let limits = &core.limits;
    let (mut setbacks, mut failing_since) = (0, None);
    loop {
        let setback = match step(core, mailbox, &mut carried, setbacks).await {
            Ok(Step::Ended) => {
                (setbacks, failing_since) = (0, None);
                continue;
            }
            Ok(Step::Nothing) => break,
            Err(setback) => setback,
        };
        if carried.as_mut().is_some_and(|run| std::mem::take(&mut run.has_progressed)) {
            (setbacks, failing_since) = (0, None);
        }
        setbacks += 1;
        // Retry the output as long as no other instance can have taken over.
        let since = *failing_since.get_or_insert_with(|| core.uptime());
        if core.uptime().saturating_sub(since) >= 2 * limits.claim {
            break;
        }
        core.cache().forget(&mailbox.key);
        let reason = setback.reason();
        tracing::debug!(key = %mailbox.key, setbacks, %reason, "a long turn, another round");
        if matches!(setback, Setback::Refused(_) | Setback::Never(_)) {
            // An operator has to act first.
            core.clock.sleep(REFUSED).await;
        }
        core.back_off(&setback, setbacks, Deadline::at(core.uptime() + limits.claim / 4)).await;
        let now = core.uptime();
        for item in mailbox.take_late(|item| core.is_late(item, now)) {
            core.give_up(item, setbacks, now, &reason);
        }
    }
    // The sweep of this or another instance finds what is left.
    mailbox.state().queue.has_inbox = false;
}

/// Runs the first activity of the inbox to its end.
async fn step(
    core: &Arc<Core>,
    mailbox: &Arc<Mailbox>,
    carried: &mut Option<Box<LongRun>>,
    setbacks: u32,
) -> Result<Step, Setback> {
    let Some((round, entry)) = load_first(core, mailbox, setbacks).await? else {
        return Ok(Step::Nothing);
    };
    let known = carried.take().filter(|run| run.is_of(&entry) && run.holds(&round.draft.document));
    if known.is_none()
        && let Some(timer) = core.unhandled_timer(&entry)
    {
        return round.put_off_first(&entry, timer).await;
    }
    let mut run = match known {
        Some(run) => run,
        None => match start(core, mailbox, &round.draft, (&entry, setbacks)) {
            Ok(run) => run,
            Err(failure) => return round.park_unreadable(&entry, &failure).await,
        },
    };
    round.leave_alone();
    let made = match &run.progress {
        Progress::Done(made) => made.clone(),
        Progress::Running(_) if entry.lost >= core.limits.lost_max => Err(Arc::new(lost(&entry))),
        Progress::Running(_) => {
            let span = tracing::info_span!("turn", id = %run.attempt.id, kind = "long");
            match wait(core, mailbox, &mut run, &entry).instrument(span).await {
                Err(setback) => {
                    // Its steps ask again.
                    *carried = Some(run);
                    return Err(setback);
                }
                Ok(None) => {
                    if core.is_releasing() {
                        // The turn is the heir's, calls and all.
                        run.abandon();
                    }
                    return Ok(Step::Nothing);
                }
                Ok(Some(made)) => made.map_err(Arc::new),
            }
        }
    };
    run.progress = Progress::Done(made);
    let ended = ending::finish(core, mailbox, (&mut run, setbacks), &entry).await;
    if ended.is_err() {
        // Keep the finished run for the retry.
        *carried = Some(run);
    }
    ended
}

/// Starts the run of an inbox entry.
fn start(
    core: &Arc<Core>,
    mailbox: &Mailbox,
    draft: &Draft,
    (entry, setbacks): (&Accepted, u32),
) -> Result<Box<LongRun>, Failure> {
    let id = entry.ids.first().and_then(|id| TurnId::parse(id));
    let id = id.ok_or(Failure::Unreadable("it names no turn"))?;
    let activity: Activity = entry
        .activity
        .get()
        .map_err(|_| Failure::Unreadable("the acknowledged activity cannot be read"))?;
    let origin = if entry.is_timer { Origin::of_ours } else { Origin::of };
    let documents = FurtherDocuments::new(core, None, setbacks);
    let origin = origin(&Arc::new(activity));
    let source = Arc::clone(&documents) as _;
    let attempt =
        attempt(core, mailbox, (id, entry.retries), (origin, entry.at), source).of(&draft.document);
    core.counters.attempts.add(1);
    let running = attempt.start(&*core.logic);
    let turn = draft.document.ledger.turn;
    Ok(Box::new(LongRun::new(attempt, running, documents, turn)))
}

/// Waits for a run while serving its steps and handling other work of the mailbox. Returns `None`
/// when the claim was lost.
async fn wait(
    core: &Arc<Core>,
    mailbox: &Arc<Mailbox>,
    run: &mut LongRun,
    entry: &Accepted,
) -> Result<Option<Result<RunOutput, Failure>>, Setback> {
    let limits = &core.limits;
    let attempt = Arc::clone(&run.attempt);
    let is_message = attempt.origin.activity().kind == Kind::Message;
    let began = core.uptime();
    let end = *run.began.get_or_insert(began) + limits.long_deadline;
    let (mut renew_at, mut show_at) = (began + limits.claim / 3, began);
    loop {
        let now = core.uptime();
        let mut interleaved = mailbox.take_interleaved(|item| core.is_late(item, now));
        if now >= renew_at.max(mailbox.state().queue.pause.until) {
            renew_at = now + limits.claim / 3;
            interleaved.chores.push(Chore::Renew);
        }
        if !(interleaved.items.is_empty() && interleaved.chores.is_empty()) {
            process_batch(core, mailbox, interleaved).await;
            if !mailbox.state().queue.has_inbox {
                return Ok(None);
            }
        }
        // The last thing that is waited for: what is permitted is true when the run goes on.
        if attempt.steps.has_asked() && !serve(core, mailbox, run, entry).await? {
            return Ok(None);
        }
        let now = core.uptime();
        if now >= end {
            return Ok(Some(Err(Failure::Long(limits.long_deadline))));
        }
        if is_message && now >= show_at {
            show_at = now + limits.typing_every;
            core.show(&mailbox.key, typing(&attempt.origin));
        }
        let renew_at = renew_at.max(mailbox.state().queue.pause.until);
        let until = if is_message { renew_at.min(show_at) } else { renew_at }.min(end);
        let Progress::Running(running) = &mut run.progress else { return Ok(None) };
        if let Some(made) = look_up_from(core, mailbox, running, until.saturating_sub(now)).await {
            return Ok(Some(made));
        }
    }
}

/// Waits for a run until a time-out, until work is queued, or until a step asks for something.
async fn look_up_from(
    core: &Core,
    mailbox: &Mailbox,
    running: &mut Running,
    most: Duration,
) -> Option<Result<RunOutput, Failure>> {
    let called = async {
        core.within(most, mailbox.interrupt.notified()).await;
    };
    running.until(called).await
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

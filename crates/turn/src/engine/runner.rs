//! The runner: takes what waits in a mailbox and brings it to a commit, round by round.
//!
//! A round loads, runs and commits. When another instance won, the outcome is unknown or the store
//! failed, there is one remedy: wait a little, load again, look which turns are in already, run the rest
//! again. Rounds and time are bounded; what does not commit within them is told so and left no trace.

use std::{borrow::Cow, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;

use super::{
    Answer, Shared,
    answer::{Verdict, Verdicts, answer, fail},
    cache::Cached,
    commit::{Commit, Loaded},
    draft::Draft,
    line::{self, Carried},
    mailbox::{Batch, Chore, Desk, Item, Mailbox, Rest, Work},
    shelf::Shelf,
    turning::{fire, turn},
};
use crate::{Error, fault::fault, store::Expect};

/// Why a round did not bring it to an end.
#[derive(Debug)]
pub(super) enum Setback {
    Again { reason: String, wait: Option<Duration> },
    Never(Error),
}

/// Serves a mailbox until nothing waits in it. It was asked for at `now`.
pub(super) async fn run(shared: Arc<Shared>, mailbox: Arc<Mailbox>, now: Duration) {
    let (mut carried, mut asked_at) = (None, Some(now));
    loop {
        let has_worked = asked_at.is_none();
        let work = mailbox.take(&shared.limits, shared.logic.overlap(), has_worked);
        if let Work::Done(rest) = work {
            match rest {
                Rest::Whole => shared.retire(&mailbox),
                Rest::Watched => {}
                // The commit that should have recorded it failed.
                Rest::Unrecorded => shared.spawn(shared.courier(&mailbox, &mut mailbox.desk())),
            }
            return;
        }
        let asked_at = asked_at.take();
        let ended = {
            // Pinned where it is: what is large is not moved into the future around it.
            let work = std::pin::pin!(async {
                match work {
                    Work::Batch(batch) => {
                        let now = asked_at.unwrap_or_else(|| shared.uptime());
                        process(&shared, &mailbox, batch, now).await
                    }
                    Work::Inbox => {
                        // Seldom, and large.
                        Box::pin(line::work(&shared, &mailbox, carried.take())).await;
                        None
                    }
                    Work::Done(_) => None,
                }
            });
            AssertUnwindSafe(work).catch_unwind().await
        };
        if let Ok(late) = ended {
            carried = late;
        } else {
            // A broken invariant stops these turns, not the process; their senders hear of it.
            tracing::error!(key = %mailbox.key, "an invariant of the engine is broken; please report");
            shared.cache().forget(&mailbox.key);
        }
    }
}

/// Sees to what came up while a long turn goes on.
pub(super) async fn aside(shared: &Arc<Shared>, mailbox: &Arc<Mailbox>, batch: Batch) {
    drop(process(shared, mailbox, batch, shared.uptime()).await);
    mailbox.changed.notify_one();
}

/// Brings a batch to its end. Gives the run that goes on, where one is not waited for any longer.
async fn process(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    mut batch: Batch,
    began: Duration,
) -> Option<Box<Carried>> {
    let limits = &shared.limits;
    let mut reason = Cow::Borrowed("earlier turns of the conversation took too long");
    let mut now = began;
    for rounds in 0..limits.rounds_max {
        give_up_late(shared, &mut batch, rounds, now, &reason);
        if batch.is_empty() {
            return None;
        }
        match round(shared, mailbox, &batch, rounds, now).await {
            Ok((verdicts, late)) => {
                answer(batch.items, verdicts);
                return late;
            }
            Err(Setback::Never(_)) if batch.items.len() > 1 => {
                return one_by_one(shared, mailbox, batch).await;
            }
            Err(Setback::Never(error)) => {
                fail(batch.items, &error);
                return None;
            }
            Err(Setback::Again { .. }) if batch.waits_only() && mailbox.desk().has_inbox => {
                // It is this runner that they wait for.
                mailbox.put_back(batch.items);
                return None;
            }
            Err(Setback::Again { reason: why, wait }) => {
                shared.cache().forget(&mailbox.key);
                tracing::debug!(key = %mailbox.key, rounds, reason = %why, "another round");
                reason = why.into();
                let most = limits.backoff_first.saturating_mul(1 << rounds.min(16));
                let jitter = shared.ids.jitter(most.min(limits.backoff_max));
                // Waiting beyond the deadline helps nobody: wake to say so in time.
                let left = time_left(shared, &batch, shared.uptime());
                shared.clock.sleep(jitter.max(wait.unwrap_or_default()).min(left)).await;
                now = shared.uptime();
            }
        }
    }
    shared.counters.given_up.add(batch.items.len());
    let waited = now.saturating_sub(began);
    let reason = reason.into_owned();
    fail(batch.items, &Error::Busy { rounds: limits.rounds_max, waited, reason });
    None
}

/// What refuses one of several for good must not fail the others: each gets a commit of its own.
async fn one_by_one(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    batch: Batch,
) -> Option<Box<Carried>> {
    let mut late = None;
    for item in batch.items {
        let single = Batch { items: vec![item], chores: batch.chores.clone() };
        late = Box::pin(process(shared, mailbox, single, shared.uptime())).await.or(late);
    }
    late
}

/// How long a batch has from now on: until the first of its deadlines.
fn time_left(shared: &Shared, batch: &Batch, now: Duration) -> Duration {
    let Some(oldest) = batch.items.iter().map(|item| item.since).min() else {
        // Nobody waits for a chore, but a claim may lapse while a store call hangs.
        return shared.limits.deadline.min(shared.limits.claim / 4);
    };
    let left = (oldest + shared.limits.deadline).saturating_sub(now);
    left.max(Duration::from_millis(1))
}

/// Answers those whose deadline has passed.
fn give_up_late(shared: &Shared, batch: &mut Batch, rounds: u32, now: Duration, reason: &str) {
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
    now: Duration,
) -> Result<(Verdicts, Option<Box<Carried>>), Setback> {
    let left = time_left(shared, batch, now);
    let (mut draft, is_fresh) = load(shared, mailbox, batch, rounds, left).await?;
    fault!("after_load");
    let me = shared.ids.instance();
    // It is still what it was when nothing was waited for since.
    let mut known_time = (!is_fresh).then_some(now);
    if !draft.document.ledger.decided.is_empty() {
        Box::pin(shared.finish(&mut draft, left)).await;
        known_time = None;
    }
    let has_handed = catch_up(shared, &mailbox.desk(), &mut draft, &batch.chores);
    let shelf = Shelf::new(shared, left, rounds);
    let mut fired = 0;
    if batch.chores.contains(&Chore::Fire) {
        fired = Box::pin(fire(shared, mailbox, &mut draft, &shelf, left)).await?;
    }
    let mut verdicts = Verdicts::with_capacity(batch.items.len());
    let (mut late, mut waits) = (None, None);
    for item in &batch.items {
        let now = known_time.take().unwrap_or_else(|| shared.uptime());
        match turn(shared, mailbox, &mut draft, &shelf, batch, item, now).await {
            Ok((verdict, carried)) => {
                verdicts.push(verdict);
                late = late.or(carried);
            }
            // Nothing runs here now, but somebody has to work the line off.
            Err(setback) if !draft.document.ledger.inbox.is_empty() => {
                waits = Some(setback);
                break;
            }
            Err(setback) => return Err(setback),
        }
    }
    draft.is_changed |= shelf.is_changed();
    draft.settle_claim(me, batch.chores.contains(&Chore::Release));
    if !draft.is_changed {
        // A record that an earlier commit has made already needs no other; the courier knows by now.
        let is_wanted = |chore: &Chore| match chore {
            Chore::Record => has_handed,
            Chore::Finish => false,
            _ => true,
        };
        if waits.is_none() && !is_fresh && batch.chores.iter().any(is_wanted) {
            // Memory knows nothing of what was asked for; the store may.
            let reason = "the document in memory is old".to_owned();
            return Err(Setback::Again { reason, wait: None });
        }
        if let (true, Expect::At(etag)) = (draft.is_expired, &draft.expect) {
            Box::pin(shared.remove(&mailbox.key, etag, left)).await;
        } else if is_fresh {
            unchanged(shared, mailbox, &draft);
        } else {
            shared.give_back(&mailbox.key, draft);
        }
        return waits.map_or(Ok((verdicts, None)), Err);
    }
    let late = late.map(Carried::checked);
    let left = if late.is_some() { time_left(shared, batch, shared.uptime()) } else { left };
    match shared.commit(mailbox, draft, &shelf, left).await {
        Commit::Committed => {
            if batch.items.is_empty() && has_handed {
                fault!("after_record");
            }
            shared.counters.fired.add(fired);
            let (turns, accepted) = fresh(&verdicts);
            shared.counters.turns.add(fired + turns);
            shared.counters.accepted.add(accepted);
            waits.map_or(Ok((verdicts, late)), Err)
        }
        Commit::Again { reason, wait } => Err(Setback::Again { reason, wait }),
        Commit::Never(error) => Err(Setback::Never(Error::Store(error))),
    }
}

/// Brings what the courier did and asks for into a draft. Whether it has handed anything over.
fn catch_up(shared: &Shared, desk: &Desk, draft: &mut Draft, chores: &[Chore]) -> bool {
    draft.record(&desk.handed, &shared.limits);
    draft.do_chores(chores, shared.ids.instance(), |id| desk.is_doubtful(id));
    !desk.handed.is_empty()
}

/// How many turns a round's verdicts speak of that were not there before, ended and acknowledged.
fn fresh(verdicts: &Verdicts) -> (usize, usize) {
    let count = |is_pending: bool| {
        let is_new = |answer: &Answer| !answer.is_repeat && answer.is_pending == is_pending;
        let has_new =
            |item: &&Verdict| item.iter().any(|verdict| verdict.as_ref().is_ok_and(is_new));
        verdicts.iter().filter(has_new).count()
    };
    (count(false), count(true))
}

/// The document, from memory in the first round where that may do, else from the store.
pub(super) async fn load(
    shared: &Arc<Shared>,
    mailbox: &Arc<Mailbox>,
    batch: &Batch,
    rounds: u32,
    within: Duration,
) -> Result<(Draft, bool), Setback> {
    let wants_fresh =
        |chore: &Chore| matches!(chore, Chore::TakeIfAt(_) | Chore::TakeFrom(_) | Chore::Fire);
    if rounds == 0 && !batch.chores.iter().any(wants_fresh) {
        let lent = shared.cache().lend(&mailbox.key);
        if let Some(Cached { document, etag, bytes }) = lent
            && document.ledger.prepared.is_none()
            && !shared.is_expired(&document)
        {
            shared.counters.cache_hits.add(1);
            let mut draft = Draft::new(document, Expect::At(etag));
            draft.cached_bytes = Some(bytes);
            return Ok((draft, false));
        }
    }
    match Box::pin(shared.load(&mailbox.key, rounds, within)).await {
        Ok(Loaded { document, expect, is_settled, is_expired }) => {
            let mut desk = mailbox.desk();
            if document.ledger.rev < desk.rev && expect != Expect::Absent {
                let reason = "the store answered with an older version".to_owned();
                return Err(Setback::Again { reason, wait: None });
            }
            desk.is_shared |= desk.rev > 0 && document.ledger.rev > desk.rev;
            let mut draft = Draft::new(Box::new(document), expect);
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
pub(super) fn unchanged(shared: &Arc<Shared>, mailbox: &Arc<Mailbox>, draft: &Draft) {
    let mut desk = mailbox.desk();
    desk.note(&draft.document.ledger, shared.ids.instance(), || shared.uptime());
    let courier = shared.courier(mailbox, &mut desk);
    drop(desk);
    shared.spawn(courier);
}

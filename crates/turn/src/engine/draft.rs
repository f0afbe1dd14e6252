//! The draft: a conversation's document on its way from one version to the next.
//!
//! Pure bookkeeping on the ledger. Nothing here waits, loads or sends; the runner does that around it.

use std::sync::Arc;

use sayso_activity::{Activity, Raw};

use super::mailbox::{Chore, Handed};
use crate::{
    Failure, Limits,
    clock::Timestamp,
    document::{Claim, Document, Entry, Parked, Recorded, Timer},
    id::{ReplyId, TurnId},
    run::Made,
    store::{ETag, Expect},
};

/// A due time that says: an outbox waits and nobody has claimed it.
pub(super) const UNCLAIMED: Timestamp = Timestamp::START;
/// A due time that says: an outbox waits and somebody has claimed it.
pub(super) const CLAIMED: Timestamp = Timestamp::from_millis(1);

/// The next version of a conversation's document.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) document: Document,
    pub(super) expect: Expect,
    /// Whether there is anything to write.
    pub(super) is_changed: bool,
    /// Whether the outbox was taken over from another instance.
    pub(super) is_taken: bool,
}

impl Draft {
    pub(super) fn new(document: Document, expect: Expect) -> Self {
        Self { document, expect, is_changed: false, is_taken: false }
    }

    /// Takes out of the outbox what the courier has dealt with.
    pub(super) fn record(&mut self, handed: &[Handed], limits: &Limits) {
        let ledger = &mut self.document.ledger;
        for Handed { entry, parked } in handed {
            let Some(at) = ledger.outbox.iter().position(|known| known.id == entry.id) else {
                continue;
            };
            drop(ledger.outbox.remove(at));
            self.is_changed = true;
            if let Some((reason, when)) = parked {
                let activity = entry.activity.clone();
                let parked =
                    Parked { id: entry.id.clone(), reason: reason.clone(), at: *when, activity };
                ledger.parked.push(Arc::new(parked));
                let over = ledger.parked.len().saturating_sub(limits.parked_max);
                drop(ledger.parked.drain(..over));
            }
        }
    }

    /// Does what the courier and the recovery asked for.
    pub(super) fn do_chores(&mut self, chores: &[Chore], me: &str) {
        for chore in chores {
            let claim = &mut self.document.ledger.claim;
            let mine = claim.as_ref().is_some_and(|claim| claim.by == me);
            match chore {
                Chore::Renew if mine => self.is_changed = true,
                Chore::Release if mine => {
                    *claim = None;
                    self.is_changed = true;
                }
                Chore::TakeIfAt(etag) if !mine && self.expect == Expect::At(ETag::clone(etag)) => {
                    self.is_taken = claim.take().is_some();
                }
                Chore::TakeFrom(lapsed) if claim.as_ref() == Some(lapsed) => {
                    *claim = None;
                    self.is_taken = true;
                }
                _ => {}
            }
        }
    }

    /// The timers whose time has come.
    pub(super) fn due_timers(&self, now: Timestamp) -> Vec<Arc<Timer>> {
        self.document.ledger.timers.iter().filter(|timer| timer.at <= now).cloned().collect()
    }

    /// Takes a timer out. Whoever commits this has fired it; nobody else can.
    pub(super) fn remove_timer(&mut self, id: &str) {
        self.document.ledger.timers.retain(|timer| timer.id != id);
        self.is_changed = true;
    }

    /// Keeps a timer whose turn failed where an operator sees it.
    pub(super) fn park_timer(
        &mut self,
        id: TurnId,
        timer: &Timer,
        failure: &Failure,
        now: Timestamp,
    ) {
        let activity = timer.activity.clone();
        let reason = format!("timer: {failure}");
        let parked = Parked { id: ReplyId::new(id, 0), reason, at: now, activity };
        self.document.ledger.parked.push(Arc::new(parked));
    }

    /// Whether the result of a turn fits; if not, which limit it breaks.
    pub(super) fn fits(&self, made: &Made, limits: &Limits) -> Result<(), Failure> {
        let ledger = &self.document.ledger;
        let too_much = |what: String, limit| Err(Failure::Limit { what, limit });
        for (_, bag) in &made.documents {
            let (bytes, most) = (bag.bytes(), limits.document_bytes_max);
            if bytes > most {
                let what = format!("the state has {bytes} bytes, at most {most}");
                return too_much(what, "document_bytes_max");
            }
        }
        if ledger.outbox.len() + made.replies.len() > limits.outbox_max {
            let what = format!("more than {} replies wait for delivery", limits.outbox_max);
            return too_much(what, "outbox_max");
        }
        if ledger.timers.len() + made.timers.len() > limits.timers_max {
            let what = format!("the conversation has more than {} timers", limits.timers_max);
            return too_much(what, "timers_max");
        }
        Ok(())
    }

    /// Makes the result of a turn part of the document. The replies go to the outbox, or into the
    /// recorded answer when the sender waits for them.
    pub(super) fn apply(
        &mut self,
        ids: &[TurnId],
        made: Made,
        is_answer: bool,
        limits: &Limits,
    ) -> Option<Arc<Recorded>> {
        let id = *ids.first()?;
        let ledger = &mut self.document.ledger;
        for id in ids {
            assert!(!ledger.seen.contains(*id), "a turn is applied once");
            ledger.seen.push(*id, limits.seen_max);
        }
        ledger.turn += 1;
        ledger.timers.retain(|timer| !made.cancelled.contains(&timer.id));
        ledger.timers.extend(made.timers);
        self.is_changed = true;
        let replies = made.replies.into_iter().enumerate().map(|(index, activity)| {
            let id = ReplyId::new(id, index);
            let activity = to_raw(activity, is_answer.then_some(&id));
            Entry { id, activity }
        });
        let mut recorded =
            Recorded { id: id.to_string(), replies: vec![], response: made.response };
        if is_answer {
            recorded.replies = replies.map(|entry| entry.activity).collect();
        } else {
            ledger.outbox.extend(replies.map(Arc::new));
        }
        if let Some((_, bag)) = made.documents.into_iter().next() {
            self.document.bag = bag;
        }
        if !is_answer && recorded.response.is_none() {
            return None;
        }
        let recorded = Arc::new(recorded);
        ledger.answers.push(Arc::clone(&recorded));
        let over = ledger.answers.len().saturating_sub(limits.answers_max);
        drop(ledger.answers.drain(..over));
        Some(recorded)
    }

    /// Settles who delivers, after everything else. A commit that decides replies claims them too.
    pub(super) fn settle_claim(&mut self, me: &str, is_closing: bool) {
        let ledger = &mut self.document.ledger;
        if ledger.outbox.is_empty() {
            // Whoever held it has nothing to deliver any more.
            self.is_changed |= ledger.claim.take().is_some();
            return;
        }
        match &mut ledger.claim {
            Some(claim) if claim.by == me => claim.beat += 1,
            Some(_) => {}
            None if is_closing => {}
            claim @ None => {
                *claim = Some(Claim { by: me.to_owned(), beat: 1 });
                self.is_changed = true;
            }
        }
    }

    /// From when on others should look at this document.
    pub(super) fn due(&self) -> Option<Timestamp> {
        let ledger = &self.document.ledger;
        if ledger.outbox.is_empty() {
            return ledger.timers.iter().map(|timer| timer.at).min();
        }
        Some(if ledger.claim.is_some() { CLAIMED } else { UNCLAIMED })
    }
}

fn to_raw(mut activity: Activity, id: Option<&ReplyId>) -> Raw {
    activity.id = id.map(|id| id.as_str().to_owned());
    Raw::of(&activity).expect("an activity is always JSON")
}

//! Draft: the next version of a conversation's document.
//!
//! Pure functions on the ledger. All I/O is done by the engine.

mod dead_letters;
mod inbox;

use std::sync::Arc;

use sayso_activity::{Activity, Raw};
use smallvec::SmallVec;

use super::{
    Accepted, Bag, Chore, Claim, Document, Entry, HandedOver, OutboxRest, REST_MAX, Recorded,
    Response, Timer,
};
use crate::{
    Limits,
    clock::Timestamp,
    id::{ReplyId, TurnId},
    limits::Exceeded,
    store::Expect,
};

/// Maximum length of a channel's message id that is kept, in bytes.
const NAME_BYTES_MAX: usize = 1024;

/// Next version of a conversation's document.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) document: Box<Document>,
    pub(crate) expect: Expect,
    /// True if there is anything to write.
    pub(crate) is_changed: bool,
    /// True if the stored document has expired.
    pub(crate) is_expired: bool,
    /// True if the outbox was taken over from another instance.
    pub(crate) is_taken: bool,
}

/// Outcome of a turn in storable form.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) bag: Bag,
    pub(crate) replies: SmallVec<[StoredReply; 1]>,
    pub(crate) timers: Vec<Arc<Timer>>,
    pub(crate) cancelled: Vec<String>,
    pub(crate) response: Option<Response>,
}

/// Reply in storable form.
#[derive(Debug)]
pub(crate) struct StoredReply {
    pub(crate) id: ReplyId,
    pub(crate) text: String,
    pub(crate) activity: Arc<Activity>,
    pub(crate) is_kept: bool,
    /// True if it goes into the answer instead of the outbox.
    pub(crate) is_answer: bool,
    pub(crate) is_once: bool,
    pub(crate) until: Option<Timestamp>,
}

/// Reports whether the end of a rest is in the future. A time too far ahead was set by a wrong
/// clock and does not count.
fn is_ahead(until: Timestamp, now: Timestamp) -> bool {
    until > now && until.since(now) <= 2 * REST_MAX
}

impl Draft {
    pub(crate) fn new(document: Box<Document>, expect: Expect) -> Self {
        Self { document, expect, is_changed: false, is_expired: false, is_taken: false }
    }

    /// Reports whether an instance made the last write.
    pub(crate) fn is_written_by(&self, instance: &str) -> bool {
        let write = &self.document.ledger.write;
        write.strip_prefix(instance).is_some_and(|rest| rest.starts_with('.'))
    }

    /// Records hand-overs: removes delivered and parked replies from the outbox.
    pub(crate) fn record(&mut self, handed: &[HandedOver], limits: &Limits) {
        for HandedOver { entry, parked, is_doubtful, name } in handed {
            let ledger = &mut self.document.ledger;
            let Some(at) = ledger.outbox.iter().position(|known| known.id == entry.id) else {
                continue;
            };
            drop(ledger.outbox.remove(at));
            ledger.held = None;
            self.is_changed = true;
            if let Some((reason, when)) = parked {
                self.park_reply(entry, *is_doubtful, reason, *when);
            } else if let (true, Some(name)) = (entry.is_kept, name)
                && name.len() <= NAME_BYTES_MAX
            {
                let sent = Arc::make_mut(&mut ledger.sent);
                sent.push((entry.id.clone(), name.clone()));
                drop(sent.drain(..sent.len().saturating_sub(limits.sent_max)));
            }
        }
    }

    /// Applies the chores of the courier and recovery.
    pub(crate) fn do_chores(
        &mut self,
        chores: &[Chore],
        me: &str,
        is_doubtful: impl Fn(&ReplyId) -> bool,
    ) {
        for chore in chores {
            let ledger = &mut self.document.ledger;
            let is_mine = ledger.is_claimed_by(me);
            match chore {
                Chore::Renew if is_mine => self.is_changed = true,
                Chore::Release if is_mine => self.release(None, &is_doubtful),
                // The inbox needs the claim.
                Chore::Hold(held) if is_mine && ledger.inbox.is_empty() => {
                    self.release(Some(*held), &is_doubtful);
                }
                // Even our own claim: recovery asks for it only if this process has no memory of
                // delivery attempts.
                Chore::TakeIfAt(etag) if self.expect.is_at(etag) => self.take_over(),
                Chore::TakeFrom(lapsed) if ledger.claim.as_ref() == Some(lapsed) => {
                    self.take_over();
                }
                _ => {}
            }
        }
    }

    /// Releases the claim, and marks the replies that may have arrived.
    fn release(&mut self, held: Option<OutboxRest>, is_doubtful: impl Fn(&ReplyId) -> bool) {
        self.document.ledger.claim = None;
        self.document.ledger.held = held;
        self.mark_doubtful(|entry| is_doubtful(&entry.id));
        self.is_changed = true;
    }

    /// Ends the rest of an outbox.
    pub(crate) fn end_rest(&mut self) {
        if let Some(held) = &mut self.document.ledger.held {
            held.until = Timestamp::START;
        }
    }

    /// Ends the rest of an outbox, if it still is the one until this time.
    pub(crate) fn end_rest_until(&mut self, until: Timestamp) {
        if self.document.ledger.held.is_some_and(|held| held.until == until) {
            self.end_rest();
        }
    }

    /// Takes the claim from its holder, which may have delivered any reply. A released outbox has
    /// no holder; its rest is ended.
    fn take_over(&mut self) {
        self.end_rest();
        let ledger = &mut self.document.ledger;
        if ledger.claim.take().is_some() {
            if let Some(first) = ledger.inbox.first_mut() {
                Arc::make_mut(first).lost += 1;
            }
            self.mark_doubtful(|_| true);
            self.is_taken = true;
            self.is_changed = true;
        }
    }

    /// Marks replies that may have arrived, in the document, because the next holder must know.
    fn mark_doubtful(&mut self, is_doubtful: impl Fn(&Entry) -> bool) {
        for entry in &mut self.document.ledger.outbox {
            if is_doubtful(entry) {
                Arc::make_mut(entry).is_doubtful = true;
            }
        }
    }

    /// Checks the outcome of a turn against the limits.
    pub(crate) fn check(
        &self,
        turn: TurnId,
        change: &Change,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let ledger = &self.document.ledger;
        let too_much = |what: String, limit| Err(Exceeded { what, limit });
        let waiting = change.replies.iter().filter(|reply| !reply.is_answer).count();
        if ledger.outbox.len() + waiting > limits.outbox_max {
            let what = format!("more than {} replies wait for delivery", limits.outbox_max);
            return too_much(what, "outbox_max");
        }
        if !change.timers.is_empty() {
            let is_left = |timer: &&Arc<Timer>| !change.cancelled.contains(&timer.id);
            // A timer in the inbox counts: it may fail and be set again.
            let is_in_line = |accepted: &&Arc<Accepted>| {
                let is_own = accepted.ids.iter().any(|id| id == turn.as_str());
                accepted.is_timer && !is_own && !accepted.is_timer_of(&change.cancelled)
            };
            let in_line = ledger.inbox.iter().filter(is_in_line).count();
            let left = in_line + ledger.timers.iter().filter(is_left).count();
            if left + change.timers.len() > limits.timers_max {
                let what = format!("the conversation has more than {} timers", limits.timers_max);
                return too_much(what, "timers_max");
            }
        }
        let said: usize = change.replies.iter().map(|reply| reply.text.len()).sum();
        let body = change.response.as_ref().and_then(|response| response.body.as_ref());
        let timers: usize = change.timers.iter().map(|timer| super::size(&timer.activity)).sum();
        let answered = body.map_or(0, |body| body.as_str().len());
        // The results of its steps leave with this commit.
        let steps = ledger.steps_of(turn).map_or(0, |steps| steps.bytes());
        let live = ledger.live_bytes().saturating_sub(steps);
        let bytes = change.bag.bytes() + live + said + timers + answered;
        let most = limits.document_bytes_max;
        if bytes > most {
            let what =
                format!("the state and what waits with it have {bytes} bytes, at most {most}");
            return too_much(what, "document_bytes_max");
        }
        Ok(())
    }

    /// Applies the outcome of a turn. The replies go to the outbox, or into the recorded answer if
    /// the sender waits for them.
    pub(crate) fn apply(
        &mut self,
        ids: &[TurnId],
        change: Change,
        is_answer: bool,
        limits: &Limits,
    ) -> Option<Arc<Recorded>> {
        let id = *ids.first()?;
        let Change { bag, replies, timers, cancelled, response } = change;
        let ledger = &mut self.document.ledger;
        for id in ids {
            assert!(!ledger.seen.contains(*id), "a turn is applied once");
            ledger.seen.push(*id, limits.seen_max);
        }
        ledger.turn += 1;
        if !(timers.is_empty() && cancelled.is_empty()) {
            let is_new = |id: &String| timers.iter().any(|timer| timer.id == *id);
            ledger.timers.retain(|old| !cancelled.contains(&old.id) && !is_new(&old.id));
            ledger.timers.extend(timers);
            // A timer in the inbox has not fired yet.
            ledger.inbox.retain(|accepted| !accepted.is_timer_of(&cancelled));
        }
        self.is_changed = true;
        self.document.bag = bag;
        let mut answers = Vec::new();
        for reply in replies {
            let StoredReply { id, text, activity, is_kept, is_answer, is_once, until } = reply;
            if is_answer {
                let raw = Raw::from_text(text);
                answers.push(raw.expect("an activity is written as JSON"));
            } else {
                let made = Some(activity);
                let entry =
                    Entry { id, activity: text, is_doubtful: false, is_kept, is_once, until, made };
                ledger.outbox.push(Arc::new(entry));
            }
        }
        if !is_answer && response.is_none() {
            return None;
        }
        let recorded = Arc::new(Recorded { id: id.to_string(), replies: answers, response });
        ledger.answers.push(Arc::clone(&recorded));
        Some(recorded)
    }

    /// Settles the claim, as the last step. A commit that adds replies also claims them, unless the
    /// outbox rests or this instance is releasing its claims.
    pub(crate) fn settle_claim(
        &mut self,
        me: &str,
        is_releasing: bool,
        now: impl FnOnce() -> Timestamp,
    ) {
        let ledger = &mut self.document.ledger;
        if !ledger.is_at_work() {
            // The holder has nothing left to deliver.
            self.is_changed |= ledger.claim.take().is_some();
            ledger.held = None;
            return;
        }
        // The next revision: a claim that was released and made again differs for those who watch
        // it.
        let beat = ledger.rev + 1;
        let rests_until = ledger.rest().map(|held| held.until);
        match &mut ledger.claim {
            // Without a write the claim stays as stored.
            Some(claim) if claim.by == me && self.is_changed => claim.beat = beat,
            Some(_) => {}
            None if is_releasing => {}
            None if rests_until.is_some_and(|until| is_ahead(until, now())) => {}
            claim @ None => {
                *claim = Some(Claim { by: me.to_owned(), beat });
                self.end_rest();
                self.is_changed = true;
            }
        }
    }
}

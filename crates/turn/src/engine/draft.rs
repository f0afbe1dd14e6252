//! The draft: a conversation's document on its way from one version to the next.
//!
//! Pure bookkeeping on the ledger. Nothing here waits, loads or sends; the runner does that around it.

use std::sync::Arc;

use sayso_activity::{Activity, Raw};
use smallvec::SmallVec;

use super::mailbox::{Chore, Handed};
use crate::{
    Error, Failure, Limits,
    clock::Timestamp,
    document::{Accepted, Claim, Document, Entry, Ledger, Parked, Recorded, Timer},
    id::{ReplyId, TurnId},
    message::Target,
    run::Made,
    store::Expect,
    turn::Reply,
};

/// The next version of a conversation's document.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) document: Box<Document>,
    pub(super) expect: Expect,
    /// How large the document was when it came from the cache.
    pub(super) cached_bytes: Option<usize>,
    /// Whether there is anything to write.
    pub(super) is_changed: bool,
    /// Whether what is stored counts as absent.
    pub(super) is_expired: bool,
    /// Whether the outbox was taken over from another instance.
    pub(super) is_taken: bool,
}

/// The result of a turn, as it will be stored: it fits all limits.
#[derive(Debug)]
pub(super) struct Result {
    pub(super) made: Made,
    replies: SmallVec<[Prepared; 1]>,
}

/// A reply as it will be stored.
#[derive(Debug)]
struct Prepared {
    id: ReplyId,
    text: String,
    activity: Arc<Activity>,
    is_kept: bool,
    /// Whether it goes into the answer, not to the outbox.
    is_answer: bool,
}

impl Draft {
    pub(super) fn new(document: Box<Document>, expect: Expect) -> Self {
        Self {
            document,
            expect,
            cached_bytes: None,
            is_changed: false,
            is_expired: false,
            is_taken: false,
        }
    }

    /// Takes out of the outbox what the courier has dealt with.
    pub(super) fn record(&mut self, handed: &[Handed], limits: &Limits) {
        let ledger = &mut self.document.ledger;
        for Handed { entry, parked, name } in handed {
            let Some(at) = ledger.outbox.iter().position(|known| known.id == entry.id) else {
                continue;
            };
            drop(ledger.outbox.remove(at));
            self.is_changed = true;
            if let Some((reason, when)) = parked {
                let activity = Raw::from_text(entry.activity.clone());
                let activity = activity.expect("what was stored is JSON");
                let (id, reason) = (entry.id.clone(), reason.clone());
                park(ledger, Parked { id, reason, at: *when, activity }, limits);
            } else if let (true, Some(name)) = (entry.is_kept, name) {
                let sent = Arc::make_mut(&mut ledger.sent);
                sent.push((entry.id.clone(), name.clone()));
                drop(sent.drain(..sent.len().saturating_sub(limits.sent_max)));
            }
        }
    }

    /// Does what the courier and the recovery asked for.
    pub(super) fn do_chores(
        &mut self,
        chores: &[Chore],
        me: &str,
        is_doubtful: impl Fn(&ReplyId) -> bool,
    ) {
        for chore in chores {
            let ledger = &mut self.document.ledger;
            let is_mine = ledger.claim.as_ref().is_some_and(|claim| claim.by == me);
            match chore {
                Chore::Renew if is_mine => self.is_changed = true,
                Chore::Release if is_mine => self.release(&is_doubtful),
                Chore::TakeIfAt(etag) if !is_mine && self.expect.is_at(etag) => self.take_over(),
                Chore::TakeFrom(lapsed) if ledger.claim.as_ref() == Some(lapsed) => {
                    self.take_over();
                }
                _ => {}
            }
        }
    }

    /// Gives the claim up, and says which replies may have arrived already.
    fn release(&mut self, is_doubtful: impl Fn(&ReplyId) -> bool) {
        self.document.ledger.claim = None;
        self.doubt(|entry| is_doubtful(&entry.id));
        self.is_changed = true;
    }

    /// Takes the claim from its holder, who may have handed anything over. What was released is free.
    fn take_over(&mut self) {
        let ledger = &mut self.document.ledger;
        if ledger.claim.take().is_some() {
            if let Some(first) = ledger.inbox.first_mut() {
                Arc::make_mut(first).lost += 1;
            }
            self.doubt(|_| true);
            self.is_taken = true;
        }
    }

    /// Marks replies that may have arrived. In the document: whoever delivers them next must know.
    fn doubt(&mut self, is_doubtful: impl Fn(&Entry) -> bool) {
        for entry in &mut self.document.ledger.outbox {
            if is_doubtful(entry) {
                Arc::make_mut(entry).is_doubtful = true;
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

    /// Puts a timer back that this build could not fire.
    pub(super) fn put_back(&mut self, timer: &Arc<Timer>) {
        self.document.ledger.timers.push(Arc::clone(timer));
    }

    /// Keeps a timer whose turn failed where an operator sees it.
    pub(super) fn park_timer(
        &mut self,
        id: TurnId,
        timer: &Timer,
        failure: &Failure,
        now: Timestamp,
        limits: &Limits,
    ) {
        let (activity, reason) = (timer.activity.clone(), format!("timer: {failure}"));
        let parked = Parked { id: ReplyId::new(id, 0), reason, at: now, activity };
        park(&mut self.document.ledger, parked, limits);
    }

    /// Puts an activity in line.
    pub(super) fn accept(
        &mut self,
        accepted: Accepted,
        limits: &Limits,
    ) -> std::result::Result<(), Error> {
        let ledger = &mut self.document.ledger;
        if ledger.inbox.len() >= limits.inbox_max {
            return Err(Error::Overlap("inbox_max"));
        }
        let bytes =
            self.document.bag.bytes() + ledger.bytes() + accepted.activity.as_str().len() + 64;
        if bytes > limits.document_bytes_max {
            return Err(Error::Overlap("document_bytes_max"));
        }
        ledger.inbox.push(Arc::new(accepted));
        self.is_changed = true;
        Ok(())
    }

    /// Puts a timer's event in line: first, since nothing runs.
    pub(super) fn accept_timer(&mut self, id: TurnId, timer: &Timer) {
        let (ids, activity) = (vec![id.to_string()], timer.activity.clone());
        let accepted = Accepted { ids, at: timer.at, lost: 0, is_timer: true, activity };
        self.document.ledger.inbox.push(Arc::new(accepted));
        self.is_changed = true;
    }

    /// Takes out the first one in line: its turn is a part of this draft.
    pub(super) fn end_first(&mut self) {
        drop(self.document.ledger.inbox.remove(0));
    }

    /// Keeps the first one in line, whose turn failed, where an operator sees it.
    pub(super) fn park_first(
        &mut self,
        ids: &[TurnId],
        failure: &Failure,
        now: Timestamp,
        limits: &Limits,
    ) {
        let ledger = &mut self.document.ledger;
        let accepted = ledger.inbox.remove(0);
        for id in ids {
            ledger.seen.push(*id, limits.seen_max);
        }
        self.is_changed = true;
        if let Some(id) = ids.first() {
            let (activity, reason) = (accepted.activity.clone(), format!("turn: {failure}"));
            park(ledger, Parked { id: ReplyId::new(*id, 0), reason, at: now, activity }, limits);
        }
    }

    /// Prepares the result of a turn, or says which limit it breaks.
    pub(super) fn prepare(
        &self,
        id: TurnId,
        mut made: Made,
        is_answer: bool,
        limits: &Limits,
    ) -> std::result::Result<Result, Failure> {
        let ledger = &self.document.ledger;
        let too_much = |what: String, limit| Err(Failure::Limit { what, limit });
        if ledger.outbox.len() + made.replies.len() > limits.outbox_max {
            let what = format!("more than {} replies wait for delivery", limits.outbox_max);
            return too_much(what, "outbox_max");
        }
        if ledger.timers.len() + made.timers.len() > limits.timers_max {
            let what = format!("the conversation has more than {} timers", limits.timers_max);
            return too_much(what, "timers_max");
        }
        let replies = std::mem::take(&mut made.replies).into_replies();
        let replies: SmallVec<[_; 1]> =
            replies.map(|reply| to_stored(id, reply, is_answer)).collect();
        let said: usize = replies.iter().map(|reply| reply.text.len()).sum();
        let sizes = made.documents.iter().map(|(_, bag)| bag.bytes());
        let first = sizes.clone().next().unwrap_or_default() + ledger.bytes() + said;
        let (bytes, most) = (sizes.max().unwrap_or_default().max(first), limits.document_bytes_max);
        if bytes > most {
            let what =
                format!("the state and what waits with it have {bytes} bytes, at most {most}");
            return too_much(what, "document_bytes_max");
        }
        Ok(Result { made, replies })
    }

    /// Makes the result of a turn part of the document. The replies go to the outbox, or into the
    /// recorded answer when the sender waits for them.
    pub(super) fn apply(
        &mut self,
        ids: &[TurnId],
        result: Result,
        is_answer: bool,
        limits: &Limits,
    ) -> Option<Arc<Recorded>> {
        let id = *ids.first()?;
        let Result { made, replies } = result;
        let ledger = &mut self.document.ledger;
        for id in ids {
            assert!(!ledger.seen.contains(*id), "a turn is applied once");
            ledger.seen.push(*id, limits.seen_max);
        }
        ledger.turn += 1;
        ledger.timers.retain(|timer| !made.cancelled.contains(&timer.id));
        ledger.timers.extend(made.timers);
        self.is_changed = true;
        if let Some((_, bag)) = made.documents.into_iter().next() {
            self.document.bag = bag;
        }
        let mut answers = Vec::new();
        for Prepared { id, text, activity, is_kept, is_answer } in replies {
            if is_answer {
                let raw = Raw::from_text(text);
                answers.push(raw.expect("an activity is written as JSON"));
            } else {
                let (activity, made) = (text, Some(activity));
                let entry = Entry { id, activity, is_doubtful: false, is_kept, made };
                ledger.outbox.push(Arc::new(entry));
            }
        }
        let response = made.response;
        if !is_answer && response.is_none() {
            return None;
        }
        let recorded = Arc::new(Recorded { id: id.to_string(), replies: answers, response });
        ledger.answers.push(Arc::clone(&recorded));
        let over = ledger.answers.len().saturating_sub(limits.answers_max);
        drop(ledger.answers.drain(..over));
        Some(recorded)
    }

    /// Settles who delivers, after everything else. A commit that decides replies claims them too.
    pub(super) fn settle_claim(&mut self, me: &str, is_released: bool) {
        let ledger = &mut self.document.ledger;
        if !ledger.is_at_work() {
            // Whoever held it has nothing to deliver any more.
            self.is_changed |= ledger.claim.take().is_some();
            return;
        }
        // The revision to be: a claim given up and made again is another one to those who watch it.
        let beat = ledger.rev + 1;
        match &mut ledger.claim {
            // What is not written stays as it is stored.
            Some(claim) if claim.by == me && self.is_changed => claim.beat = beat,
            Some(_) => {}
            None if is_released => {}
            claim @ None => {
                *claim = Some(Claim { by: me.to_owned(), beat });
                self.is_changed = true;
            }
        }
    }
}

/// Keeps what was given up, the newest.
fn park(ledger: &mut Ledger, parked: Parked, limits: &Limits) {
    ledger.parked.push(Arc::new(parked));
    let over = ledger.parked.len().saturating_sub(limits.parked_max);
    drop(ledger.parked.drain(..over));
}

fn to_stored(turn: TurnId, reply: Reply, is_answer: bool) -> Prepared {
    let Reply { number, mut activity, is_kept } = reply;
    let id = ReplyId::new(turn, number);
    // A change of an earlier message is for the channel, whoever waits for the replies.
    let is_answer = is_answer && Target::of(&activity).is_none();
    if is_answer {
        Arc::make_mut(&mut activity).id = Some(id.as_str().to_owned());
    }
    let text = activity.to_text();
    Prepared { id, text, activity, is_kept, is_answer }
}

//! Dead letters of a draft: parked replies, timers and turns, kept with the reason for an operator.

use std::sync::Arc;

use sayso_activity::Raw;

use super::Draft;
use crate::{
    Limits,
    clock::Timestamp,
    id::{ReplyId, TurnId},
    ledger::{Accepted, Entry, Parked, ParkedKind, Timer},
};

/// Maximum length of a stored reason, in characters.
const REASON_CHARS_MAX: usize = 500;
/// Word for a timer in the id and reason of a dead letter.
const TIMER: &str = "timer";
/// Word for an acknowledged turn in the id and reason of a dead letter.
const TURN: &str = "turn";

impl Draft {
    /// Parks a reply that was not delivered.
    pub(super) fn park_reply(
        &mut self,
        entry: &Entry,
        is_doubtful: bool,
        reason: &str,
        at: Timestamp,
    ) {
        let activity = Raw::from_text(entry.activity.clone()).expect("a stored activity is JSON");
        self.park(Parked {
            id: entry.id.clone(),
            kind: ParkedKind::Reply,
            reason: reason.to_owned(),
            at,
            is_doubtful: entry.is_doubtful || is_doubtful,
            is_kept: entry.is_kept,
            retries: 0,
            activity,
        });
    }

    /// Parks a timer whose turn failed for good.
    pub(crate) fn park_timer(&mut self, id: TurnId, timer: &Timer, reason: &str, now: Timestamp) {
        self.remove_timer(&timer.id);
        self.park(Parked {
            id: ReplyId::of_dead_letter(id.as_str(), TIMER),
            kind: ParkedKind::Timer,
            reason: format!("{TIMER}: {reason}"),
            at: now,
            is_doubtful: false,
            is_kept: false,
            retries: timer.retries,
            activity: timer.activity.clone(),
        });
    }

    /// Parks the first entry of the inbox, whose turn failed or cannot start. It counts as seen.
    pub(crate) fn park_first(
        &mut self,
        ids: &[TurnId],
        reason: &str,
        now: Timestamp,
        limits: &Limits,
    ) {
        let accepted = self.document.ledger.inbox.remove(0);
        let seen = &mut self.document.ledger.seen;
        for id in ids {
            if !seen.contains(*id) {
                seen.push(*id, limits.seen_max);
            }
        }
        let Accepted { ids, is_timer, retries, activity, .. } = &*accepted;
        let (kind, word) = match is_timer {
            true => (ParkedKind::Timer, TIMER),
            false => (ParkedKind::Turn, TURN),
        };
        let id = ids.first().map(String::as_str).unwrap_or_default();
        self.park(Parked {
            id: ReplyId::of_dead_letter(id, word),
            kind,
            reason: format!("{word}: {reason}"),
            at: now,
            is_doubtful: false,
            is_kept: false,
            retries: *retries,
            activity: activity.clone(),
        });
    }

    /// Retries parked replies and timers, all or one. Returns how many.
    pub(crate) fn retry_parked(&mut self, which: Option<&ReplyId>, now: Timestamp) -> usize {
        let ledger = &mut self.document.ledger;
        let is_meant = |parked: &Arc<Parked>| {
            parked.kind != ParkedKind::Turn && which.is_none_or(|id| parked.id == *id)
        };
        let again: Vec<_> = ledger.parked.extract_if(.., |parked| is_meant(parked)).collect();
        for parked in &again {
            let Parked { id, activity, is_doubtful, is_kept, retries, .. } = &**parked;
            if parked.kind == ParkedKind::Timer {
                let turn = id.as_str().split_once('.').and_then(|(turn, _)| TurnId::parse(turn));
                turn.into_iter().for_each(|turn| ledger.seen.remove(turn));
                let name = activity.get::<sayso_activity::Activity>().ok().and_then(|a| a.id);
                let id = name.unwrap_or_else(|| id.to_string());
                let (tries, retries) = (0, retries.saturating_add(1));
                let timer = Timer { id, at: now, tries, retries, activity: activity.clone() };
                ledger.timers.push(Arc::new(timer));
                continue;
            }
            ledger.outbox.push(Arc::new(Entry {
                id: id.clone(),
                activity: activity.as_str().to_owned(),
                is_doubtful: *is_doubtful,
                is_kept: *is_kept,
                // Sent whatever its policy was, because an operator asked for it.
                is_once: false,
                until: None,
                made: None,
            }));
        }
        self.is_changed |= !again.is_empty();
        again.len()
    }

    /// Drops dead letters, all or one. Returns how many.
    pub(crate) fn drop_parked(&mut self, which: Option<&ReplyId>) -> usize {
        let parked = &mut self.document.ledger.parked;
        let before = parked.len();
        parked.retain(|parked| which.is_some_and(|id| parked.id != *id));
        let dropped = before - parked.len();
        self.is_changed |= dropped > 0;
        dropped
    }

    fn park(&mut self, parked: Parked) {
        let reason = match parked.reason.char_indices().nth(REASON_CHARS_MAX) {
            Some((end, _)) => parked.reason[..end].to_owned(),
            None => parked.reason,
        };
        self.document.ledger.parked.push(Arc::new(Parked { reason, ..parked }));
        self.is_changed = true;
    }
}

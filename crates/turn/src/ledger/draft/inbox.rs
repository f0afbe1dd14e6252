//! Timers and inbox of a draft.

use std::sync::Arc;

use super::Draft;
use crate::{
    Limits,
    clock::Timestamp,
    id::TurnId,
    ledger::{Accepted, StepResult, Timer},
    limits::Exceeded,
};

impl Draft {
    /// Returns the due timers, the earliest first.
    pub(crate) fn due_timers(&self, now: Timestamp) -> Vec<Arc<Timer>> {
        let timers = self.document.ledger.timers.iter();
        let mut due: Vec<_> = timers.filter(|timer| timer.at <= now).cloned().collect();
        due.sort_by_key(|timer| timer.at);
        due
    }

    /// Returns a pending timer.
    pub(crate) fn timer(&self, id: &str) -> Option<&Arc<Timer>> {
        self.document.ledger.timers.iter().find(|timer| timer.id == id)
    }

    /// Removes a timer. Whoever commits this has fired it; nobody else can.
    pub(crate) fn remove_timer(&mut self, id: &str) {
        self.lift_timer(id);
        self.is_changed = true;
    }

    /// Takes out a timer while its turn runs, before the outcome is known.
    pub(crate) fn lift_timer(&mut self, id: &str) {
        self.document.ledger.timers.retain(|timer| timer.id != id);
    }

    /// Puts a timer back that was not fired.
    pub(crate) fn put_back(&mut self, timer: Arc<Timer>) {
        self.document.ledger.timers.push(timer);
    }

    /// Reschedules a timer whose turn failed.
    pub(crate) fn put_off(&mut self, timer: &Timer, until: Timestamp) {
        self.remove_timer(&timer.id);
        let timer = Timer { at: until, tries: timer.tries + 1, ..timer.clone() };
        self.document.ledger.timers.push(Arc::new(timer));
    }

    /// Removes the first entry of the inbox, which came from a timer, and reschedules that timer.
    pub(crate) fn put_off_first(&mut self, entry: &Accepted, id: String, until: Timestamp) {
        self.end_first();
        let Accepted { tries, retries, .. } = *entry;
        let timer = Timer { id, at: until, tries, retries, activity: entry.activity.clone() };
        self.put_off(&timer, until);
    }

    /// Appends an activity to the inbox, or returns the limit that is exceeded.
    pub(crate) fn accept(
        &mut self,
        accepted: Accepted,
        limits: &Limits,
    ) -> Result<(), &'static str> {
        let ledger = &mut self.document.ledger;
        if ledger.inbox.len() >= limits.inbox_max {
            return Err("inbox_max");
        }
        let bytes = self.document.bag.bytes() + ledger.live_bytes();
        if bytes + super::super::size(&accepted.activity) > limits.document_bytes_max {
            return Err("document_bytes_max");
        }
        ledger.inbox.push(Arc::new(accepted));
        self.is_changed = true;
        Ok(())
    }

    /// Moves a timer to the inbox: it was part of the document before, so it takes no additional
    /// room.
    pub(crate) fn accept_timer(&mut self, id: TurnId, timer: &Timer) {
        self.remove_timer(&timer.id);
        let (ids, activity) = (vec![id.to_string()], timer.activity.clone());
        let Timer { at, tries, retries, .. } = *timer;
        let accepted = Accepted { ids, at, lost: 0, is_timer: true, tries, retries, activity };
        self.document.ledger.inbox.push(Arc::new(accepted));
    }

    /// Saves results of steps of a turn, or returns the limit that is exceeded.
    pub(crate) fn save_steps(
        &mut self,
        turn: TurnId,
        results: &[StepResult],
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let ledger = &self.document.ledger;
        let before = self.document.bag.bytes() + ledger.live_bytes();
        let bytes = before + results.iter().map(StepResult::bytes).sum::<usize>();
        let most = limits.document_bytes_max;
        if bytes > most {
            let what = format!(
                "the state, what waits with it and the results of steps have {bytes} bytes, at \
                 most {most}"
            );
            return Err(Exceeded { what, limit: "document_bytes_max" });
        }
        self.document.ledger.add_steps(turn, results.to_vec());
        self.is_changed = true;
        Ok(())
    }

    /// Removes the first entry of the inbox, whose turn is part of this draft.
    pub(crate) fn end_first(&mut self) {
        drop(self.document.ledger.inbox.remove(0));
        self.is_changed = true;
    }
}

//! A loan: who has a turn lends it to one who takes it whole, and has it back when that one is
//! done.
//!
//! Middleware goes on after the handler in this way. The turn comes back whatever happens to the
//! borrower: it ends, fails, panics, or is dropped while it waits.

use std::{future::Future, sync::Arc};

use super::{Inner, Replies, ReturnSlot, Turn};
use crate::{bot_error::BotError, error::Failure, ledger::Bag, state::State};

impl Turn {
    /// Lends the turn to some work, and has it back afterwards.
    ///
    /// # Errors
    /// Those of the work; [`Failure::Kept`] when it did not give the turn back.
    pub(crate) async fn lend<T, F, Fut>(&mut self, work: F) -> Result<T, BotError>
    where
        F: FnOnce(Self) -> Fut,
        Fut: Future<Output = Result<T, BotError>>,
    {
        let mut loan =
            Loan { slot: Arc::default(), spare: Some(Box::new(spare(self.inner()))), lender: self };
        let turn = Self { inner: loan.lender.inner.take(), slot: Arc::clone(&loan.slot) };
        // After the loan, so that it is dropped before it: it holds the turn.
        let result = work(turn).await;
        match loan.end() {
            true => result,
            false => Err(Failure::Kept.into()),
        }
    }
}

struct Loan<'a> {
    lender: &'a mut Turn,
    slot: Arc<ReturnSlot>,
    /// Stands in for what does not come back.
    spare: Option<Box<Inner>>,
}

impl Loan<'_> {
    /// Gives the turn back to its lender, or the spare; says whether it was the turn.
    fn end(&mut self) -> bool {
        let Some(spare) = self.spare.take() else { return true };
        let inner = self.slot.take();
        let is_back = inner.is_some();
        self.lender.inner = Some(inner.unwrap_or(spare));
        is_back
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// A turn that can be used and will fail: its lender must not meet a hole.
fn spare(inner: &Inner) -> Inner {
    Inner {
        attempt: Arc::clone(&inner.attempt),
        changed: inner.changed.clone(),
        conversation: State::new(inner.conversation.key().clone(), Bag::default()),
        further: Vec::new(),
        hooks: inner.hooks.clone(),
        replies: Replies::default(),
        shown: 0,
        timers: Vec::new(),
        timers_made: 0,
        cancelled: Vec::new(),
        response: None,
        is_kept: true,
    }
}

//! Lending of a turn: passes a turn by value to a callee, and gets it back afterwards.
//!
//! Middleware so continues after the handler. The turn comes back whether the borrower ends, fails,
//! panics, or is dropped while it waits.

use std::{future::Future, sync::Arc};

use super::{Inner, Replies, Resets, ReturnSlot, Turn};
use crate::{bot_error::BotError, error::Failure, ledger::Bag, state::State};

impl Turn {
    /// Lends the turn to a callee and gets it back afterwards.
    ///
    /// # Errors
    /// Those of the callee; [`Failure::Kept`] when it did not give the turn back.
    pub(crate) async fn lend<T, F, Fut>(&mut self, work: F) -> Result<T, BotError>
    where
        F: FnOnce(Self) -> Fut,
        Fut: Future<Output = Result<T, BotError>>,
    {
        let mut loan = Loan {
            slot: Arc::default(),
            placeholder: Some(Box::new(placeholder(self.inner()))),
            lender: self,
        };
        let turn = Self { inner: loan.lender.inner.take(), slot: Arc::clone(&loan.slot) };
        // Declared after the loan, so that it is dropped first: it holds the turn.
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
    /// Placeholder for a turn that is not given back.
    placeholder: Option<Box<Inner>>,
}

impl Loan<'_> {
    /// Returns the turn to its lender, or the placeholder; true if it was the turn.
    fn end(&mut self) -> bool {
        let Some(placeholder) = self.placeholder.take() else { return true };
        let inner = self.slot.take();
        let is_back = inner.is_some();
        self.lender.inner = Some(inner.unwrap_or(placeholder));
        is_back
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Makes a placeholder: a usable turn that fails at its end.
fn placeholder(inner: &Inner) -> Inner {
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
        resets: Resets::default(),
        is_kept: true,
    }
}

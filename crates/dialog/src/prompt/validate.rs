//! Validators of answers, beyond what a prompt recognises.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sayso_turn::Turn;
use serde_json::Value;

use crate::error::Result;

/// The input of a validator. It decides even when nothing was recognised, and may replace the
/// value.
#[derive(Debug)]
pub struct Check<'a, T> {
    /// The recognised value, if any.
    pub value: Option<T>,
    /// The attempt of the user, from 1.
    pub attempt: u64,
    /// The prompt's own data for its validator, or null.
    pub validations: Value,
    /// The turn, to say something of its own: then the prompt does not ask again by itself.
    pub turn: &'a mut Turn,
}

/// A validator that waits for something: every `async fn(Check<'_, T>) -> Result<Option<T>>` is
/// one. `None` refuses the answer.
pub trait Validator<'a, T>: Send + Sync + 'static {
    /// Checks an answer.
    fn check(&self, check: Check<'a, T>) -> BoxFuture<'a, Result<Option<T>>>;
}

impl<'a, T, F, Fut> Validator<'a, T> for F
where
    F: Fn(Check<'a, T>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Option<T>>> + Send + 'a,
    T: 'a,
{
    fn check(&self, check: Check<'a, T>) -> BoxFuture<'a, Result<Option<T>>> {
        Box::pin(self(check))
    }
}

pub(super) type BoxValidator<T> =
    Arc<dyn for<'a> Fn(Check<'a, T>) -> BoxFuture<'a, Result<Option<T>>> + Send + Sync>;

//! Fence against newer builds: tells values of a newer version from values of the wrong shape.
//!
//! serde passes custom errors as text only, and some types swallow them (an untagged enum, a
//! lenient `deserialize_with`). So meeting a newer version also sets a thread-local flag, which
//! [`read`] checks whatever the result.

use std::cell::Cell;

use sayso_activity::Raw;
use serde::de::DeserializeOwned;

use super::BotState;

/// Error: the stored value was written by a newer build.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name} is stored as version {stored} and this build understands up to {known}: finish the \
     deployment"
)]
pub struct Newer {
    name: &'static str,
    stored: u64,
    known: u32,
}

/// Error of a stored value that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It was written by a newer build.
    #[error(transparent)]
    Newer(#[from] Newer),
    /// It does not fit the type.
    #[error(transparent)]
    Shape(#[from] serde_json::Error),
}

thread_local! {
    static NOTE: Cell<Option<Newer>> = const { Cell::new(None) };
}

impl Newer {
    /// Returns the name of the type.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// Returns the stored version.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// Returns the newest version that this build understands.
    #[must_use]
    pub fn known(&self) -> u32 {
        self.known
    }

    /// Records that a newer version of `T` was met.
    pub(super) fn met<T: BotState>(stored: u64) -> Self {
        let newer = Self { name: T::NAME, stored, known: T::VERSION };
        NOTE.set(Some(newer.clone()));
        newer
    }

    /// Finds this error in a chain of causes.
    pub(crate) fn cause<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Self> {
        let mut causes = std::iter::successors(Some(error), |error| error.source());
        causes.find_map(|error| match error.downcast_ref::<Unreadable>() {
            // The error is transparent, so its cause is not in the chain.
            Some(Unreadable::Newer(newer)) => Some(newer),
            _ => error.downcast_ref(),
        })
    }
}

/// Reads a stored value, with or without a [`BotState`] in it. All state is read by this function;
/// code that reads stored values itself should use it too, and return the error, so that the turn
/// is refused.
///
/// # Errors
/// [`Unreadable::Newer`] when the value, or one inside it, was written by a newer build, even if
/// the type has swallowed that error; [`Unreadable::Shape`] when it does not fit.
///
/// # Example
/// ```
/// use sayso_turn::{BotState, activity::Raw, versioned::{Unreadable, read}};
///
/// #[derive(Default, BotState)]
/// #[state(version = 1)]
/// struct Order { toppings: Vec<String> }
///
/// let newer = Raw::from_text(r#"[{"$version":2,"parts":[]}]"#.to_owned())?;
/// assert!(matches!(read::<Vec<Order>>(&newer), Err(Unreadable::Newer(_))));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn read<T: DeserializeOwned>(raw: &Raw) -> Result<T, Unreadable> {
    NOTE.set(None);
    let value = raw.get();
    match NOTE.take() {
        Some(newer) => Err(newer.into()),
        None => Ok(value?),
    }
}

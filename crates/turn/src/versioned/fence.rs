//! The fence: what a newer build wrote is told apart from what does not fit.
//!
//! serde lets an error pass as text only, and some types try another way when one fails (an
//! untagged enum, a lenient `deserialize_with`). So whoever meets a newer version also leaves a
//! note for the reader on the same thread, who looks at it whatever came of the reading.

use std::cell::Cell;

use sayso_activity::Raw;
use serde::de::DeserializeOwned;

use super::BotState;

/// What is stored was written by a newer build.
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

/// Why a stored value cannot be read.
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
    /// The name of the type.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// The version that is stored.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// The last version that this build understands.
    #[must_use]
    pub fn known(&self) -> u32 {
        self.known
    }

    /// Takes note that `T` was met in a newer version.
    pub(super) fn met<T: BotState>(stored: u64) -> Self {
        let newer = Self { name: T::NAME, stored, known: T::VERSION };
        NOTE.set(Some(newer.clone()));
        newer
    }

    /// The newer version that an error speaks of, itself or as its cause.
    pub(crate) fn cause<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Self> {
        let mut causes = std::iter::successors(Some(error), |error| error.source());
        causes.find_map(|error| match error.downcast_ref::<Unreadable>() {
            // It passes for its cause.
            Some(Unreadable::Newer(newer)) => Some(newer),
            _ => error.downcast_ref(),
        })
    }
}

/// Reads a stored value, with or without a [`BotState`] in it. State is read through here; whoever
/// reads stored values otherwise should too, and hand the error on: the turn is then refused.
///
/// # Errors
/// [`Unreadable::Newer`] when the value, or one inside of it, was written by a newer build,
/// whatever the type made of that; [`Unreadable::Shape`] when it does not fit.
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

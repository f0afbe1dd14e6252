//! Failures that a test forces on calls to the outside, in place of making them.

use std::{
    any::{Any, TypeId},
    fmt,
};

use crate::sync::{Mutex, lock};

/// Error of a call, made when the call is to end with it.
pub(crate) type MakeError = Box<dyn Fn() -> Box<dyn Any + Send> + Send + Sync>;

/// Calls that are to fail, by their names.
#[derive(Default)]
pub(crate) struct ForcedFailures(Mutex<Vec<Forced>>);

struct Forced {
    name: String,
    /// Type of the error: its id and its name.
    of: (TypeId, &'static str),
    make: MakeError,
    is_used: bool,
    /// Type of the errors of a call that has this name and cannot fail so.
    misfit: Option<&'static str>,
}

/// A forced failure that did not come about.
pub(crate) struct Unforced {
    pub(crate) name: String,
    /// The type that the call wants, and the one that it was to get.
    pub(crate) misfit: Option<(&'static str, &'static str)>,
}

impl ForcedFailures {
    /// Makes the next call of this name fail.
    pub(crate) fn add(&self, name: String, of: (TypeId, &'static str), make: MakeError) {
        lock(&self.0).push(Forced { name, of, make, is_used: false, misfit: None });
    }

    /// The error for a call of this name, if it is to fail. Every run of a turn gets it.
    pub(super) fn take(
        &self,
        name: &str,
        wanted: (TypeId, &'static str),
    ) -> Option<Box<dyn Any + Send>> {
        let mut all = lock(&self.0);
        // A conversation puts its own name and the place of the step before that of the call.
        let is_it = |forced: &&mut Forced| {
            name.strip_suffix(&*forced.name)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let forced = all.iter_mut().find(is_it)?;
        if forced.of.0 != wanted.0 {
            forced.misfit = Some(wanted.1);
            return None;
        }
        forced.is_used = true;
        Some((forced.make)())
    }

    /// Ends a turn: what it has used is over.
    pub(crate) fn end_turn(&self) {
        lock(&self.0).retain(|forced| !forced.is_used);
    }

    /// The first failure that is still to come, or cannot come about.
    pub(crate) fn left(&self) -> Option<Unforced> {
        let all = lock(&self.0);
        let first = all.iter().find(|forced| forced.misfit.is_some()).or(all.first())?;
        let misfit = first.misfit.map(|wanted| (wanted, first.of.1));
        Some(Unforced { name: first.name.clone(), misfit })
    }
}

impl fmt::Debug for ForcedFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(lock(&self.0).iter().map(|forced| &forced.name)).finish()
    }
}

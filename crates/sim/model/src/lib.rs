//! A model of the turn protocol for exhaustive model checking.
//!
//! It has one conversation, a few instances that share its document, and a channel that delivers
//! each activity more than once. Between any two steps a process may die; a save or a send may be
//! lost, lose its answer or land late; a claim may be taken for lapsed although its holder lives.
//! Within a [`Bound`] every interleaving is searched, and each broken [`Promise`] comes with a
//! shortest counterexample.
//!
//! There are two families. The [`ladder`] starts at the published sample of the cure and adds one
//! part at a time: it shows what each part is for. [`shipped`] is the protocol of the engine,
//! beside versions of it that lack one detail. [`Variant`] names them all and says what must hold
//! and what must break.
//!
//! Not modelled: several conversations, timers, further documents, dead letters, a window of ids
//! that forgets, a store that is not linearizable.
//!
//! # Example
//! ```
//! use sayso_model::{Bound, Promise, Variant};
//!
//! let outcome = Variant::Sample.check(Bound::CI.calm());
//! assert!(outcome.verdict(Promise::AckedApplied).is_broken());
//! ```

pub mod ladder;
pub mod report;
pub mod seq;
pub mod shipped;

mod check;
mod promise;
mod variant;
mod world;

pub use self::{
    check::{Outcome, Verdict, check},
    promise::{Promise, Protocol},
    variant::{Detail, Variant},
    world::{ACTIVITIES_MAX, Bound, Fate, World},
};

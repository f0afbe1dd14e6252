//! Dialogs on the turn engine.
pub mod recognize;

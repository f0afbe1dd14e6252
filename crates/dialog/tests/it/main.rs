//! Tests of the dialogs, as a user of the crate sees them.

mod choices;
mod classic;
mod conversation;
mod simulated;
mod talk;
mod ten_steps;
mod events;
mod oauth;
mod transcripts;
mod scores;

//! Integration tests of the dialogs.

#![expect(clippy::print_stdout, reason = "figures that a reader of the test's output wants to see")]

#[cfg(test)]
mod choices;
#[cfg(test)]
mod classic;
#[cfg(test)]
mod conversation;
#[cfg(test)]
mod events;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod oauth;
#[cfg(test)]
mod simulated;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod states;
#[cfg(test)]
mod talk;
#[cfg(test)]
mod ten_steps;
#[cfg(test)]
mod transcripts;

//! Report of a simulation that failed: what, why, and how it came to that.

use crate::Plan;

/// A run whose check failed.
#[derive(Debug, Default)]
pub(super) struct Failed {
    /// Objection of the check, or the invariant that is broken.
    pub(super) what: String,
    /// Panics of the bot on the way.
    pub(super) of_bot: Vec<String>,
    /// Time line of events.
    pub(super) timeline: Vec<String>,
}

impl Failed {
    /// The text that the test fails with.
    pub(super) fn report(&self, seed: u64, plan: &Plan) -> String {
        let faults: Vec<_> = plan.faults.keys().map(|fault| fault.name()).collect();
        let of_bot = match self.of_bot.as_slice() {
            [] => String::new(),
            [first, rest @ ..] => {
                let more = if rest.is_empty() {
                    String::new()
                } else {
                    format!(", {} times", 1 + rest.len())
                };
                format!("the bot panicked{more}: {}\n", plain(first))
            }
        };
        format!(
            "seed {seed}: {}\n{of_bot}with {} instances and {faults:?}:\n{}\nreplay it with \
             .seed({seed})",
            plain(&self.what),
            plan.instances,
            self.timeline.join("\n"),
        )
    }
}

/// A panic as the hook tells it, with the place after the words.
fn plain(panic: &str) -> String {
    let parts = panic.strip_prefix("panicked at ").and_then(|rest| rest.split_once(":\n"));
    parts.map_or_else(|| panic.to_owned(), |(place, words)| format!("{words} (at {place})"))
}

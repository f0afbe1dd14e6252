//! Counts of one pass, and the total and exit code of a whole migration.

use std::{process::ExitCode, time::Duration};

use serde::Serialize;

use crate::state::units;

/// The exit code of a migration whose source is still being written.
const STILL_CHANGING: u8 = 3;

/// Outcome for one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Same,
    /// Written for the first time in this run.
    Copied,
    /// Written again, as it changed after an earlier pass.
    ChangedAgain,
    /// Deleted in the target, because it was deleted in the source.
    Removed,
    /// There is nothing to do: gone, or expired.
    Nothing,
    /// It changed as often as it was tried.
    Busy,
    OnlyInTarget,
    /// Left alone: it cannot be read. With one sentence, as the others below.
    Damaged(String),
    /// Left alone: it differs and is no older copy.
    Differs(String),
    /// The target does not take it.
    Refused(String),
}

/// Number of documents of one pass by outcome.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Tally {
    pub(super) same: u64,
    pub(super) copied: u64,
    pub(super) changed_again: u64,
    pub(super) removed: u64,
    pub(super) busy: u64,
    pub(super) only_in_target: u64,
    pub(super) damaged: u64,
    pub(super) differ: u64,
    pub(super) refused: u64,
}

impl Tally {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let number = match outcome {
            Outcome::Same => &mut self.same,
            Outcome::Copied => &mut self.copied,
            Outcome::ChangedAgain => &mut self.changed_again,
            Outcome::Removed => &mut self.removed,
            Outcome::Busy => &mut self.busy,
            Outcome::OnlyInTarget => &mut self.only_in_target,
            Outcome::Damaged(_) => &mut self.damaged,
            Outcome::Differs(_) => &mut self.differ,
            Outcome::Refused(_) => &mut self.refused,
            Outcome::Nothing => return,
        };
        *number += 1;
    }

    /// Number of documents in the source.
    pub(super) fn documents(&self) -> u64 {
        self.same + self.changes() - self.removed + self.left_alone()
    }

    /// Number of documents that were not the same, and are worth another pass.
    pub(super) fn changes(&self) -> u64 {
        self.copied + self.changed_again + self.removed + self.busy
    }

    /// Number of documents that no further pass can help.
    pub(super) fn left_alone(&self) -> u64 {
        self.damaged + self.differ + self.refused
    }

    /// Formats the counts of one pass as a line.
    pub(super) fn line(&self, pass: u32, depth: &str, took: Duration) -> String {
        let documents = self.documents();
        let rate = documents as f64 / took.as_secs_f64().max(0.001);
        let mut line = format!(
            "pass {pass}, {depth}: {} in {:.1} s ({}/s): same {}, copied {}, changed again {}",
            units::many(usize::try_from(documents).unwrap_or(usize::MAX), "document", "documents"),
            took.as_secs_f64(),
            units::count(rate as u64),
            units::count(self.same),
            units::count(self.copied),
            units::count(self.changed_again),
        );
        self.append_rest(&mut line);
        line
    }

    fn append_rest(&self, line: &mut String) {
        let rest = [
            ("removed", self.removed),
            ("busy", self.busy),
            ("damaged", self.damaged),
            ("differ", self.differ),
            ("refused", self.refused),
        ];
        for (name, number) in rest.into_iter().filter(|(_, number)| *number > 0) {
            line.push_str(&format!(", {name} {}", units::count(number)));
        }
    }
}

/// Total of a whole migration.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Total {
    /// True if the last pass looked at both stores and found no difference.
    pub(super) done: bool,
    pub(super) passes: u32,
    pub(super) seconds: f64,
    #[serde(flatten)]
    pub(super) tally: Tally,
    #[serde(skip)]
    keeps_extra: bool,
}

impl Total {
    /// Adds up: what was written by any pass, and what the last one found.
    pub(super) fn new(passes: &[Tally], is_quiet: bool, keeps_extra: bool, took: Duration) -> Self {
        let last = passes.last().copied().unwrap_or_default();
        let sum = |number: fn(&Tally) -> u64| passes.iter().map(number).sum();
        let tally = Tally {
            copied: sum(|tally| tally.copied),
            changed_again: sum(|tally| tally.changed_again),
            removed: sum(|tally| tally.removed),
            ..last
        };
        let is_whole = last.left_alone() == 0 && (keeps_extra || last.only_in_target == 0);
        Self {
            done: is_quiet && is_whole,
            passes: u32::try_from(passes.len()).unwrap_or(u32::MAX),
            seconds: took.as_secs_f64(),
            tally,
            keeps_extra,
        }
    }

    /// Formats the counts as a line, for people and for scripts.
    pub(super) fn line(&self) -> String {
        let tally = &self.tally;
        let mut line = format!(
            "same {}, copied {}, changed again {}, only in target {}",
            tally.same, tally.copied, tally.changed_again, tally.only_in_target
        );
        tally.append_rest(&mut line);
        line
    }

    /// Advice to the operator: the meaning of the result, and the next step.
    pub(super) fn advice(&self) -> String {
        let tally = &self.tally;
        if self.done {
            return "The last pass looked at both stores and found no difference. If no instance \
                    writes to the old store any more, start the new ones."
                .to_owned();
        }
        let mut words = Vec::new();
        if tally.left_alone() > 0 {
            words.push(
                "Some documents were left alone; see above which and why. Each of them is still \
                 as it was in both stores."
                    .to_owned(),
            );
        }
        if tally.only_in_target > 0 && !self.keeps_extra {
            words.push(
                "Some documents are only in the target: look at them, then say --delete-extra or \
                 --keep-extra."
                    .to_owned(),
            );
        }
        if words.is_empty() {
            words.push(
                "Everything is copied except what changed during the last pass. Stop the old \
                 instances, run this again, and start the new ones when it exits with 0."
                    .to_owned(),
            );
        }
        words.join(" ")
    }

    pub(super) fn code(&self) -> ExitCode {
        let has_problems =
            self.tally.left_alone() > 0 || (self.tally.only_in_target > 0 && !self.keeps_extra);
        match self.done {
            true => ExitCode::SUCCESS,
            false if has_problems => ExitCode::FAILURE,
            false => ExitCode::from(STILL_CHANGING),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(passes: &[Tally], is_quiet: bool, keeps_extra: bool) -> Total {
        Total::new(passes, is_quiet, keeps_extra, Duration::from_secs(1))
    }

    #[test]
    fn writes_add_up_and_the_rest_is_what_the_last_pass_found() {
        let first = Tally { copied: 5, only_in_target: 1, ..Tally::default() };
        let second = Tally { same: 3, changed_again: 2, ..Tally::default() };
        let total = total(&[first, second], true, false);
        assert_eq!(total.line(), "same 3, copied 5, changed again 2, only in target 0");
        assert!(total.done);
    }

    #[test]
    fn it_is_done_only_when_nothing_differs_at_all() {
        let well = Tally { same: 3, ..Tally::default() };
        assert!(!total(&[well], false, false).done);
        assert!(total(&[well], false, false).advice().contains("Stop the old instances"));
        for bad in [
            Tally { damaged: 1, ..well },
            Tally { differ: 1, ..well },
            Tally { refused: 1, ..well },
            Tally { only_in_target: 1, ..well },
        ] {
            assert!(!total(&[bad], true, false).done, "{bad:?}");
        }
        assert!(total(&[Tally { only_in_target: 1, ..well }], true, true).done);
    }
}

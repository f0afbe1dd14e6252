//! Findings of checks, and their form as text and as JSON.

use std::time::Duration;

use serde_json::json;

use crate::terminal::{self, Look, Paint};

/// Minimum and maximum line width in columns; it follows the terminal between them.
const WIDTH: usize = 80;
const WIDTH_MAX: usize = 120;

/// Columns at which the names of checks and the texts begin.
const CHECK_AT: usize = 9;
const TEXT_AT: usize = 24;

/// Status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Ok,
    Warning,
    Failed,
    Skipped,
}

impl Mark {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    fn look(self) -> Look {
        match self {
            Self::Ok => Look::Green,
            Self::Warning => Look::Yellow,
            Self::Failed => Look::Red,
            Self::Skipped => Look::Dim,
        }
    }
}

/// Result of a check, with a cure if there is something to do.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) mark: Mark,
    pub(super) text: String,
    pub(super) cure: Option<String>,
}

impl Finding {
    pub(super) fn ok(text: impl Into<String>) -> Self {
        Self { mark: Mark::Ok, text: text.into(), cure: None }
    }

    pub(super) fn skipped(text: impl Into<String>) -> Self {
        Self { mark: Mark::Skipped, text: text.into(), cure: None }
    }

    pub(super) fn warning(text: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { mark: Mark::Warning, text: text.into(), cure: Some(cure.into()) }
    }

    pub(super) fn failed(text: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { mark: Mark::Failed, text: text.into(), cure: Some(cure.into()) }
    }
}

/// A finished check: its name, its duration and its finding.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) check: &'static str,
    pub(super) took: Duration,
    pub(super) finding: Finding,
}

impl Report {
    pub(super) fn json(&self) -> serde_json::Value {
        let Finding { mark, text, cure } = &self.finding;
        json!({
            "check": self.check, "mark": mark.name(), "text": text, "cure": cure,
            "ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// Formats mark, check, text and duration, with the cure below.
    pub(super) fn lines(&self, paint: Paint) -> String {
        let Finding { mark, text, cure } = &self.finding;
        let gap = CHECK_AT - mark.name().len();
        let mut said = format!("{}{:gap$}", paint.text(mark.look(), mark.name()), "");
        said.push_str(&format!("{:1$}", self.check, TEXT_AT - CHECK_AT));
        let indent = " ".repeat(TEXT_AT);
        let width = terminal::width().clamp(WIDTH, WIDTH_MAX);
        let mut lines = terminal::wrap(text, width - TEXT_AT);
        let time = format!("({} ms)", self.took.as_millis());
        match lines.last_mut() {
            Some(last) if TEXT_AT + last.chars().count() + 1 + time.len() <= width => {
                last.push_str(&format!(" {time}"));
            }
            _ => lines.push(time),
        }
        said.push_str(&lines.join(&format!("\n{indent}")));
        said.push('\n');
        if let Some(cure) = cure {
            let lines = terminal::wrap(&format!("cure: {cure}"), width - TEXT_AT);
            for line in lines {
                said.push_str(&format!("{indent}{}\n", paint.text(Look::Cyan, line)));
            }
        }
        said
    }
}

/// Summary of all checks in a sentence.
pub(super) fn summary(marks: &[Mark]) -> String {
    let count = |mark| marks.iter().filter(|other| **other == mark).count();
    match (count(Mark::Failed), count(Mark::Warning)) {
        (0, 0) => "all is well".to_owned(),
        (0, warnings) => format!("it will run; warnings: {warnings}"),
        (failed, warnings) => format!("failed: {failed}, warnings: {warnings}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_fits_a_terminal_and_ends_with_the_cure() {
        let finding =
            Finding::failed("this and that did not work ".repeat(4), "do this ".repeat(9));
        let report = Report { check: "service URLs", took: Duration::from_millis(7), finding };
        let lines = report.lines(Paint::off());
        assert!(lines.starts_with("failed   service URLs   this and that"), "{lines}");
        assert!(lines.lines().all(|line| line.chars().count() <= WIDTH), "{lines}");
        assert!(lines.contains("(7 ms)\n                        cure: do this"), "{lines}");
        let report = Report { finding: Finding::ok("well"), ..report };
        assert_eq!(report.lines(Paint::off()), "ok       service URLs   well (7 ms)\n");
    }

    #[test]
    fn the_summary_counts() {
        assert_eq!(summary(&[Mark::Ok, Mark::Skipped]), "all is well");
        assert_eq!(summary(&[Mark::Ok, Mark::Warning]), "it will run; warnings: 1");
        assert_eq!(summary(&[Mark::Failed, Mark::Warning]), "failed: 1, warnings: 1");
    }
}

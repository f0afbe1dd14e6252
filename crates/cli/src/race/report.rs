//! Output of a race: a picture that changes while it runs, or lines of JSON, and the verdict.

use std::mem::take;

use super::{
    board::Board,
    heat::Outcome,
    picture::{self, Column, Line},
    row::Row,
    svg, toppings,
    total::Total,
};
use crate::{
    cli::{Race, Semantics},
    terminal::{self, Look, Paint},
};

/// Shows a race as it goes.
#[derive(Debug)]
pub(super) struct Report {
    count: u16,
    runs: u16,
    is_json: bool,
    is_live: bool,
    paint: Paint,
    lanes: Vec<Lane>,
    /// Number of the picture's lines on the screen.
    shown: usize,
}

/// One semantics' part.
#[derive(Debug)]
struct Lane {
    semantics: Semantics,
    board: Board,
    outcome: Option<Outcome>,
    total: Total,
}

impl Report {
    pub(super) fn new(options: &Race) -> Self {
        let lane = |&semantics: &Semantics| Lane {
            semantics,
            board: Board::new(toppings::names(usize::from(options.k))),
            outcome: None,
            total: Total::default(),
        };
        let mut report = Self {
            count: options.k,
            runs: options.runs,
            is_json: options.json,
            is_live: !options.json && terminal::is_terminal(),
            paint: Paint::stdout(),
            lanes: options.semantics.list().iter().map(lane).collect(),
            shown: 0,
        };
        report.begin();
        report
    }

    /// Tells that the picture is redrawn while the race runs.
    pub(super) fn is_live(&self) -> bool {
        self.is_live
    }

    fn begin(&mut self) {
        if self.is_json {
            return;
        }
        let toppings = if self.count == 1 { "topping" } else { "toppings" };
        let title = format!("two processes, one pizza, {} {toppings} at once", self.count);
        terminal::line(format_args!("\n  {}\n", self.paint.text(Look::Bold, title)));
        if self.is_live {
            terminal::print(HIDE_CURSOR);
            self.redraw();
        }
    }

    /// Shows how a heat stands.
    pub(super) fn show(&mut self, semantics: Semantics, board: &Board) {
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.semantics == semantics) {
            lane.board = board.clone();
            lane.outcome = None;
        }
        self.redraw();
    }

    /// Takes the end of a heat.
    pub(super) fn finish(&mut self, semantics: Semantics, outcome: Outcome) {
        let Some(lane) = self.lanes.iter_mut().find(|lane| lane.semantics == semantics) else {
            return;
        };
        lane.total.add(&outcome);
        if self.is_json {
            let row = Row::new(semantics, lane.total.runs, &outcome);
            terminal::line(serde_json::to_string(&row).unwrap_or_default());
        }
        lane.board = outcome.board.clone();
        lane.outcome = Some(outcome);
        self.redraw();
    }

    /// Ends the picture and gives the verdict.
    pub(super) fn end(&mut self) {
        if self.is_json {
            return;
        }
        if self.shown == 0 {
            terminal::line(self.picture().join("\n"));
        }
        terminal::print("\n");
        for lane in self.lanes.iter().filter(|lane| lane.total.runs > 0) {
            let (look, sentence) = lane.sentence();
            let mut head = lane.semantics.name();
            for part in terminal::wrap(&sentence, terminal::width().saturating_sub(11)) {
                let head = self.paint.text(Look::Bold, format_args!("{:8}", take(&mut head)));
                terminal::line(format_args!("  {head}{}", self.paint.text(look, part)));
            }
            if let Some(flaw) = lane.flaw() {
                let flaw = self.paint.text(Look::Dim, format_args!("({flaw})"));
                terminal::line(format_args!("  {:8}{flaw}", ""));
            }
        }
        terminal::print("\n");
    }

    /// Tells that ours was right in every run, if it ran.
    pub(super) fn is_ours_right(&self) -> bool {
        let ours = |lane: &&Lane| lane.semantics == Semantics::Sayso;
        self.lanes.iter().filter(ours).all(|lane| lane.total.is_right())
    }

    /// The picture as an SVG file: the last run of each semantics.
    pub(super) fn svg(&self) -> String {
        svg::draw(&self.columns())
    }

    /// Draws the picture over the one before, in one write so that it does not flicker.
    fn redraw(&mut self) {
        let picture = self.picture();
        // What scrolled off the screen cannot be drawn over: a tall picture is shown in the end
        // only.
        if !self.is_live || picture.len() >= terminal::height() {
            return;
        }
        let mut text = String::new();
        if self.shown > 0 {
            text = format!("\x1b[{}F", self.shown);
        }
        for line in &picture {
            text.push_str(line);
            text.push_str("\x1b[K\n");
        }
        terminal::print(&text);
        self.shown = picture.len();
    }

    fn picture(&self) -> Vec<String> {
        let mut lines = picture::draw(&self.columns(), terminal::width());
        lines.extend([Line::new(), picture::legend()]);
        lines.iter().map(|line| picture::paint(line, self.paint)).collect()
    }

    fn columns(&self) -> Vec<Column<'_>> {
        self.lanes.iter().map(|lane| lane.column(self.runs)).collect()
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        if self.is_live {
            terminal::print(SHOW_CURSOR);
        }
    }
}

const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";

impl Lane {
    fn column(&self, runs: u16) -> Column<'_> {
        let Self { semantics, board, outcome, total } = self;
        let run = (total.runs + u16::from(outcome.is_none())).min(runs);
        let note = if runs > 1 { format!("run {run} of {runs}") } else { String::new() };
        Column { semantics: *semantics, note, board, outcome: outcome.as_ref() }
    }

    fn flaw(&self) -> Option<&str> {
        let ours = self.semantics == Semantics::Sayso;
        self.outcome.as_ref().filter(|_| ours)?.verdict.flaw.as_deref()
    }

    fn sentence(&self) -> (Look, String) {
        let look = if self.total.is_right() { Look::Green } else { Look::Red };
        (look, self.total.counts() + &self.total.moral())
    }
}

//! The picture of a race: every topping of both semantics side by side, at a glance.
//!
//! It is a pure function from what is known to lines, so that it can be tested and drawn again.

use super::{
    board::{Board, Cell, Mark},
    heat::Outcome,
};
use crate::{
    cli::Semantics,
    terminal::{Look, Paint},
};

/// Up to this many toppings each has a line with its name; more are a field of marks.
const NAMED_MAX: usize = 16;

/// Up to this many marks have air between them.
const AIRY_MAX: usize = 256;

/// No column is wider, however wide the terminal.
const COLUMN_MAX: usize = 44;

/// Below this width the columns stand one above the other.
const COLUMN_MIN: usize = 34;

const MARGIN: usize = 2;

/// A piece of text in one look.
#[derive(Clone, Debug)]
pub(super) struct Span(pub(super) Look, pub(super) String);

/// A line of the picture.
pub(super) type Line = Vec<Span>;

/// One side of the picture.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) semantics: Semantics,
    /// Stands beside the title.
    pub(super) note: String,
    pub(super) board: &'a Board,
    /// Known when the heat is over.
    pub(super) outcome: Option<&'a Outcome>,
}

/// Draws the columns side by side where there is room.
pub(super) fn draw(columns: &[Column<'_>], width: usize) -> Vec<Line> {
    let count = columns.len().max(1);
    let room = width.saturating_sub(MARGIN * (count + 1)) / count;
    let (column_width, is_beside) = match room {
        COLUMN_MIN.. => (room.min(COLUMN_MAX), true),
        _ => (width.saturating_sub(2 * MARGIN).clamp(COLUMN_MIN, COLUMN_MAX), false),
    };
    let drawn: Vec<Vec<Line>> = columns.iter().map(|column| column.draw(column_width)).collect();
    if !is_beside {
        return drawn.into_iter().flat_map(|lines| indent(lines).chain([Vec::new()])).collect();
    }
    let height = drawn.iter().map(Vec::len).max().unwrap_or_default();
    (0..height).map(|row| beside(&drawn, row, column_width)).collect()
}

/// A line as text.
pub(super) fn paint(line: &Line, paint: Paint) -> String {
    let mut line = line.as_slice();
    // Trailing blanks belong to no cell.
    while let Some((Span(_, text), rest)) = line.split_last()
        && text.trim().is_empty()
    {
        line = rest;
    }
    line.iter().map(|Span(look, text)| paint.text(*look, text)).collect()
}

fn indent(lines: Vec<Line>) -> impl Iterator<Item = Line> {
    lines.into_iter().map(|line| [vec![Span(Look::Plain, " ".repeat(MARGIN))], line].concat())
}

fn beside(drawn: &[Vec<Line>], row: usize, column_width: usize) -> Line {
    let mut whole = Line::new();
    let mut missing = MARGIN;
    for lines in drawn {
        whole.push(Span(Look::Plain, " ".repeat(missing)));
        let line = lines.get(row).cloned().unwrap_or_default();
        missing = (column_width + MARGIN).saturating_sub(line_width(&line));
        whole.extend(line);
    }
    whole
}

fn line_width(line: &Line) -> usize {
    line.iter().map(|Span(_, text)| text.chars().count()).sum()
}

impl Column<'_> {
    fn draw(&self, width: usize) -> Vec<Line> {
        let (title, subtitle) = match self.semantics {
            Semantics::Classic => ("classic", "load, run, send, overwrite"),
            Semantics::Sayso => ("sayso", "load, run, commit, then send"),
        };
        let mut lines = vec![
            vec![Span(Look::Bold, title.to_owned()), Span(Look::Dim, format!("  {}", self.note))],
            vec![Span(Look::Dim, subtitle.to_owned())],
            Line::new(),
        ];
        lines.extend(self.field(width));
        lines.push(Line::new());
        lines.push(self.score());
        lines.extend(self.cost());
        lines
    }

    fn field(&self, width: usize) -> Vec<Line> {
        let cells = &self.board.cells;
        let is_over = self.outcome.is_some();
        if cells.len() <= NAMED_MAX {
            return cells.iter().map(|cell| named(cell, is_over, width)).collect();
        }
        let air = if cells.len() <= AIRY_MAX { " " } else { "" };
        let step = 1 + air.len();
        // A round number of marks a row is easier on the eye.
        let fit = width / step;
        let row = [32, 16].into_iter().find(|row| *row <= fit).unwrap_or(8);
        let mark = |cell: &Cell| {
            let (look, glyph) = glyph(cell.mark(is_over));
            Span(look, format!("{glyph}{air}"))
        };
        cells.chunks(row).map(|cells| cells.iter().map(mark).collect()).collect()
    }

    fn score(&self) -> Line {
        let told = self.board.count(|cell| cell.told.is_some());
        let there = self.board.count(|cell| cell.place.is_some());
        let look = match self.outcome {
            None => Look::Plain,
            Some(outcome) if outcome.verdict.is_right() => Look::Green,
            Some(_) => Look::Red,
        };
        vec![
            Span(Look::Plain, format!("{told} confirmed, ")),
            Span(look, format!("{there} on the pizza")),
        ]
    }

    /// Cost of the heat: empty lines until it is over, so that the picture keeps its height.
    fn cost(&self) -> [Line; 2] {
        let Some(outcome) = self.outcome else { return [Line::new(), Line::new()] };
        let counts = outcome.counts;
        let work = format!("{} attempts, {} commits", counts.attempts, counts.commits);
        let (saved, said) = (outcome.saved.as_millis(), outcome.wall.as_millis());
        let time = format!("saved in {saved} ms, said in {said} ms");
        [vec![Span(Look::Dim, work)], vec![Span(Look::Dim, time)]]
    }
}

fn named(cell: &Cell, is_over: bool, width: usize) -> Line {
    let mark = cell.mark(is_over);
    let (look, glyph) = glyph(mark);
    let (name_look, note) = match mark {
        Mark::Waiting | Mark::Told => (Look::Plain, String::new()),
        Mark::Refused => (Look::Yellow, "refused".to_owned()),
        Mark::Saved | Mark::So => {
            (Look::Plain, cell.place.map(|place| format!("#{place}")).unwrap_or_default())
        }
        Mark::Lost => (Look::Red, "told yes, not there".to_owned()),
    };
    let name_width = if width >= COLUMN_MIN + 6 { 13 } else { 12 };
    let note_look = if mark == Mark::Lost { Look::Red } else { Look::Dim };
    vec![
        Span(look, format!("{glyph} ")),
        Span(name_look, format!("{:name_width$}", cell.name)),
        Span(note_look, note),
    ]
}

fn glyph(mark: Mark) -> (Look, char) {
    match mark {
        Mark::Waiting => (Look::Dim, '·'),
        Mark::Refused => (Look::Yellow, '!'),
        Mark::Saved => (Look::Cyan, '◌'),
        Mark::Told => (Look::Yellow, '○'),
        Mark::So => (Look::Green, '●'),
        Mark::Lost => (Look::Red, '✗'),
    }
}

/// Legend of the marks.
pub(super) fn legend() -> Line {
    let explained = [
        (Mark::Told, "confirmed"),
        (Mark::Saved, "saved"),
        (Mark::So, "both"),
        (Mark::Lost, "confirmed, lost"),
    ];
    let mut line = vec![Span(Look::Plain, " ".repeat(MARGIN))];
    for (mark, meaning) in explained {
        let (look, glyph) = glyph(mark);
        line.push(Span(look, format!("{glyph} ")));
        line.push(Span(Look::Dim, format!("{meaning}   ")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(marks: &str) -> Board {
        let mut board = Board::new((0..marks.len()).map(|n| format!("t{n}")).collect());
        for (cell, mark) in board.cells.iter_mut().zip(marks.chars()) {
            cell.told = matches!(mark, 'o' | 't').then(String::new);
            cell.place = matches!(mark, 'o' | 's').then_some(1);
        }
        board
    }

    fn drawn(boards: &[&Board], width: usize) -> Vec<String> {
        let columns: Vec<Column<'_>> = boards
            .iter()
            .map(|board| {
                let note = "run 1 of 2".to_owned();
                Column { semantics: Semantics::Sayso, note, board, outcome: None }
            })
            .collect();
        draw(&columns, width).iter().map(|line| paint(line, Paint::off())).collect()
    }

    #[test]
    fn a_few_toppings_have_names_and_many_are_a_field() {
        let few = drawn(&[&board("ots.")], 80).join("\n");
        assert!(few.contains("● t0           #1") && few.contains("○ t1"), "{few}");
        let many = drawn(&[&board(&"o".repeat(64))], 80).join("\n");
        assert_eq!(many.matches('●').count(), 64);
        assert!(!many.contains("t0"), "{many}");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_columns_stack_when_it_is_narrow() {
        let (left, right) = (board(&"o".repeat(64)), board(&"t".repeat(64)));
        for width in [40, 76, 80, 200] {
            let lines = drawn(&[&left, &right], width);
            let widest = lines.iter().map(|line| line.trim_end().chars().count()).max().unwrap();
            assert!(widest <= width, "{width}: {widest}");
            assert_eq!(lines[0].matches("sayso").count(), if width >= 76 { 2 } else { 1 });
        }
    }
}

//! SVG drawing of a finished race, for a page or a slide.
//!
//! A pure function from the columns, as the picture in the terminal is. The drawing has a light
//! card of its own, so that it can be read on any background. Marks differ in shape as well as in
//! colour (blue and orange, which colour-blind readers tell apart). It has no script and no style
//! sheet, and uses the fonts of the system.

use std::fmt::Display;

use super::{
    board::{Cell, Mark},
    heat::Outcome,
    picture::Column,
    total::Total,
};
use crate::{cli::Semantics, terminal::wrap};

/// Up to this many toppings have their names beside the marks.
const NAMED_MAX: usize = 64;

const MARGIN: usize = 24;
const PANEL_WIDTH: usize = 364;
const LINE: usize = 20;

/// Room that a character takes on average in a wide font: of small text, and of the title.
const CHARACTER: usize = 7;
const TITLE_CHARACTER: usize = 13;

const INK: &str = "#1f2933";
const DIM: &str = "#52606d";
const GOOD: &str = "#00568a";
const BAD: &str = "#a33d00";

/// Cells (a mark on a tint, room for a name) and marks, each drawn once and used by its id.
const SHAPES: &str = r##"<defs>
<g id="race-so"><circle cx="8" cy="10" r="6.5" fill="#0072b2"/><path d="M5 10.2l2.2 2.2 4-4.4" fill="none" stroke="#fff" stroke-width="1.7"/></g>
<g id="race-lost"><rect x="1.5" y="3.5" width="13" height="13" rx="2" fill="#d55e00"/><path d="M5 7l6 6m0-6l-6 6" stroke="#fff" stroke-width="1.9"/></g>
<g id="race-refused"><path d="M8 3.5l6.5 12.5h-13z" fill="#fff" stroke="#52606d" stroke-width="1.5"/><path d="M8 8v4m0 1.6v1.4" stroke="#52606d" stroke-width="1.5"/></g>
<g id="race-saved"><circle cx="8" cy="10" r="5.5" fill="#fff" stroke="#0072b2" stroke-width="1.8" stroke-dasharray="2.6 1.7"/></g>
<g id="race-silent"><circle cx="8" cy="10" r="2.2" fill="#52606d"/></g>
<g id="race-cell-so"><rect width="87" height="20" rx="4" fill="#e6f1f8"/><use href="#race-so" x="1"/></g>
<g id="race-cell-lost"><rect x=".5" y=".5" width="86" height="19" rx="4" fill="#fdeadd" stroke="#d55e00" stroke-dasharray="3 2"/><use href="#race-lost" x="1"/></g>
<g id="race-cell-refused"><rect width="87" height="20" rx="4" fill="#f0f2f5"/><use href="#race-refused" x="1"/></g>
<g id="race-cell-saved"><rect width="87" height="20" rx="4" fill="#f0f2f5"/><use href="#race-saved" x="1"/></g>
<g id="race-cell-silent"><rect width="87" height="20" rx="4" fill="#f0f2f5"/><use href="#race-silent" x="1"/></g>
</defs>
"##;

/// Draws the columns whose heat is over, side by side.
pub(super) fn draw(columns: &[Column<'_>]) -> String {
    let panels: Vec<Panel<'_>> = columns.iter().filter_map(Panel::new).collect();
    let width = MARGIN + (PANEL_WIDTH + MARGIN) * panels.len().max(1);
    let count = panels.iter().map(|panel| panel.cells().len()).max().unwrap_or_default();
    let toppings = if count == 1 { "topping" } else { "toppings" };
    let title = format!("Two processes, one pizza, {count} {toppings} at once");
    let description: Vec<String> = panels.iter().map(Panel::sentence).collect();

    let mut y = MARGIN - 4;
    let mut body = String::new();
    for line in wrap(&title, (width - 2 * MARGIN) / TITLE_CHARACTER) {
        y += LINE + 4;
        body += &text(MARGIN, y, &format!("font-size='20' font-weight='700' fill='{INK}'"), line);
    }
    let setting = "Each customer sends one topping to one new conversation; \
                   the processes share nothing but a store.";
    for line in wrap(setting, (width - 2 * MARGIN) / CHARACTER) {
        y += LINE;
        body += &text(MARGIN, y, &format!("font-size='13' fill='{DIM}'"), line);
    }
    y += 2 * LINE;
    for (index, panel) in panels.iter().enumerate() {
        body += &panel.draw(MARGIN + index * (PANEL_WIDTH + MARGIN), y);
    }
    y += panels.iter().map(Panel::height).max().unwrap_or_default();
    let (legend, y) = legend(&panels, width, y + LINE + LINE / 2);
    let height = y + MARGIN;
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' \
         height='{height}' role='img' aria-labelledby='race-title race-desc' \
         font-family=\"system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\">\n\
         <title id='race-title'>{}</title>\n<desc id='race-desc'>{}</desc>\n{SHAPES}\
         <rect x='.5' y='.5' width='{}' height='{}' rx='10' fill='#fff' stroke='#cbd2d9'/>\n\
         {body}{legend}</svg>\n",
        escape(&title),
        escape(description.join(" ")),
        width - 1,
        height - 1,
    )
}

/// One side of the drawing: a semantics and how its last heat ended.
struct Panel<'a> {
    column: &'a Column<'a>,
    outcome: &'a Outcome,
    total: Total,
}

impl<'a> Panel<'a> {
    /// Takes a column; `None` while its heat is not over.
    fn new(column: &'a Column<'a>) -> Option<Self> {
        let outcome = column.outcome?;
        let mut total = Total::default();
        total.add(outcome);
        Some(Self { column, outcome, total })
    }

    fn cells(&self) -> &'a [Cell] {
        &self.outcome.board.cells
    }

    fn title(&self) -> (&'static str, &'static str) {
        match self.column.semantics {
            Semantics::Classic => ("The usual way", "load, run, send, overwrite"),
            Semantics::Sayso => ("Ours", "load, run, commit, then send"),
        }
    }

    fn sentence(&self) -> String {
        let (title, steps) = self.title();
        format!("{title} ({steps}): {}{}", self.total.counts(), self.total.moral())
    }

    /// Cells a row, width and height of each.
    fn grid(&self) -> (usize, usize, usize) {
        if self.is_named() { (4, PANEL_WIDTH / 4, 24) } else { (16, PANEL_WIDTH / 16, 22) }
    }

    fn is_named(&self) -> bool {
        self.cells().len() <= NAMED_MAX
    }

    fn height(&self) -> usize {
        let (per_row, _, step) = self.grid();
        self.cells().len().div_ceil(per_row) * step + 5 * LINE
    }

    fn draw(&self, x: usize, y: usize) -> String {
        let Self { column, outcome, total } = self;
        let (title, steps) = self.title();
        let mut drawn = format!("<g id='race-{}'>\n", column.semantics.name());
        drawn += &text(x, y, &format!("font-size='16' font-weight='700' fill='{INK}'"), title);
        let small = format!("font-size='12' fill='{DIM}'");
        let right = format!("{small} text-anchor='end'");
        if !column.note.is_empty() {
            drawn += &text(x + PANEL_WIDTH - 4, y, &right, &column.note);
        }
        drawn += &text(x, y + LINE - 2, &small, steps);
        let (per_row, step_x, step_y) = self.grid();
        for (index, cell) in self.cells().iter().enumerate() {
            let (column, row) = (index % per_row, index / per_row);
            drawn += &self.cell(cell, x + column * step_x, y + LINE + 10 + row * step_y);
        }
        let y = y + self.height() - 2 * LINE;
        let colour = if total.is_right() { GOOD } else { BAD };
        let look = format!("font-size='15' font-weight='700' fill='{colour}'");
        drawn += &text(x, y, &look, total.counts());
        let moral = total.moral();
        let moral = moral.trim_start_matches([',', ':', ' ']);
        drawn += &text(x, y + LINE, &format!("font-size='13' fill='{colour}'"), capital(moral));
        let (counts, saved, said) = (outcome.counts, outcome.saved, outcome.wall);
        let cost = format!(
            "{} attempts, {} commits; saved in {} ms, said in {} ms",
            counts.attempts,
            counts.commits,
            saved.as_millis(),
            said.as_millis(),
        );
        drawn += &text(x, y + 2 * LINE, &small, cost);
        drawn + "</g>\n"
    }

    fn cell(&self, cell: &Cell, x: usize, y: usize) -> String {
        let (id, meaning) = meaning(cell.mark(true));
        if !self.is_named() {
            let hint = escape(format!("{}: {meaning}", cell.name));
            return format!(
                "<g><title>{hint}</title><use href='#race-{id}' x='{x}' y='{y}'/></g>\n"
            );
        }
        let look = match id {
            "lost" => format!("font-size='11' fill='{BAD}' text-decoration='line-through'"),
            _ => format!("font-size='11' fill='{INK}'"),
        };
        format!("<use href='#race-cell-{id}' x='{x}' y='{y}'/>")
            + &text(x + 19, y + 14, &look, &cell.name)
    }
}

/// Legend: the three marks of the story, and the rarer ones that occur. Gives its last line's y.
fn legend(panels: &[Panel<'_>], width: usize, mut y: usize) -> (String, usize) {
    let occurs =
        |mark| panels.iter().flat_map(|panel| panel.cells()).any(|cell| cell.mark(true) == mark);
    let rare = [Mark::Saved, Mark::Waiting].into_iter().filter(|mark| occurs(*mark));
    let marks = [Mark::So, Mark::Lost, Mark::Refused].into_iter().chain(rare);
    let mut drawn = format!("<g id='race-legend' font-size='13' fill='{INK}'>\n");
    let mut x = MARGIN;
    for (id, meaning) in marks.map(meaning) {
        let room = 20 + CHARACTER * meaning.len();
        if x > MARGIN && x + room > width - MARGIN {
            (x, y) = (MARGIN, y + LINE + 4);
        }
        drawn += &format!("<use href='#race-{id}' x='{x}' y='{}'/>", y - 14);
        drawn += &text(x + 20, y, "", meaning);
        x += room + LINE;
    }
    (drawn + "</g>\n", y)
}

/// Id of a mark's shape, and its meaning in words.
fn meaning(mark: Mark) -> (&'static str, &'static str) {
    match mark {
        Mark::So => ("so", "confirmed and on the pizza"),
        Mark::Lost => ("lost", "confirmed but lost"),
        Mark::Refused => ("refused", "told to try again"),
        Mark::Saved => ("saved", "on the pizza, not confirmed"),
        // When a heat is over, `Told` is `So` or `Lost`.
        Mark::Waiting | Mark::Told => ("silent", "heard nothing"),
    }
}

fn text(x: usize, y: usize, look: &str, words: impl Display) -> String {
    format!("<text x='{x}' y='{y}' {look}>{}</text>\n", escape(words))
}

fn capital(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// Escapes a text for the content of an element.
fn escape(words: impl Display) -> String {
    words.to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;

//! Lines on two logarithmic axes, each with its name at its end.

use super::{Anchor, Axis, Canvas, INK, PALE, WIDTH, colour, mark};

/// A plot of lines.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    pub(crate) title: &'a str,
    /// What stands upwards, with its unit.
    pub(crate) up: &'a str,
    /// What stands to the right, with its unit.
    pub(crate) right: &'a str,
    pub(crate) lines: Vec<Line>,
}

/// A line.
#[derive(Debug)]
pub(crate) struct Line {
    /// Who, for the colour.
    pub(crate) who: String,
    pub(crate) name: String,
    pub(crate) is_dashed: bool,
    pub(crate) points: Vec<(f64, f64)>,
}

const LEFT: f64 = 78.0;
const RIGHT: f64 = WIDTH - 190.0;
const TOP: f64 = 82.0;
const BOTTOM: f64 = 372.0;

impl Lines<'_> {
    pub(crate) fn svg(&self) -> String {
        let below = format!("{} by {}; both axes logarithmic", self.up, self.right);
        let mut canvas = Canvas::new(BOTTOM + 58.0, self.title, &below);
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        let across = Axis::over(points().map(|(x, _)| *x), LEFT, RIGHT);
        let across = fitted(across, points().map(|(x, _)| *x));
        let up = Axis::over(points().map(|(_, y)| *y), BOTTOM, TOP);
        for tick in up.ticks() {
            let y = up.place(tick);
            canvas.rule((LEFT, y), (RIGHT, y));
            canvas.text((LEFT - 10.0, y + 4.0), Anchor::End, &mark(tick), PALE);
        }
        let mut xs: Vec<f64> = points().map(|(x, _)| *x).collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        let mut free = f64::NEG_INFINITY;
        for x in xs {
            let (place, text) = (across.place(x), mark(x));
            canvas.rule((place, BOTTOM), (place, BOTTOM + 5.0));
            // A mark that would touch the one before is left out.
            let half = text.len() as f64 * 3.6;
            if place - half > free {
                canvas.text((place, BOTTOM + 21.0), Anchor::Middle, &text, PALE);
                free = place + half + 4.0;
            }
        }
        let middle = f64::midpoint(LEFT, RIGHT);
        canvas.text((middle, BOTTOM + 44.0), Anchor::Middle, self.right, INK);
        self.draw(&mut canvas, across, up);
        canvas.finish()
    }

    fn draw(&self, canvas: &mut Canvas, across: Axis, up: Axis) {
        let mut labels = Vec::new();
        for line in &self.lines {
            let Some((x, y)) = line.points.last() else { continue };
            let stroke = colour(&line.who);
            let mut path = String::new();
            for (x, y) in &line.points {
                path.push_str(&format!("{:.1},{:.1} ", across.place(*x), up.place(*y)));
            }
            let dash = if line.is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            canvas.add(format_args!(
                r#"<polyline points="{}" fill="none" stroke="{stroke}" stroke-width="2.2"{dash}/>"#,
                path.trim_end()
            ));
            for (x, y) in &line.points {
                let (x, y) = (across.place(*x), up.place(*y));
                canvas.add(format_args!(
                    r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.4" fill="{stroke}"/>"#
                ));
            }
            labels.push((up.place(*y), across.place(*x), &line.name, stroke));
        }
        labels.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
        let mut free = f64::NEG_INFINITY;
        for (y, x, name, stroke) in labels {
            // Names that would lie on each other move down.
            let y = y.max(free);
            free = y + 16.0;
            let style = "font-size=\"12\" font-weight=\"600\"";
            canvas.styled((x + 10.0, y + 4.0), Anchor::Start, name, style, stroke);
        }
    }
}

/// An axis that ends where the figures end.
fn fitted(axis: Axis, figures: impl Iterator<Item = f64>) -> Axis {
    let (low, high) = figures
        .filter(|figure| *figure > 0.0)
        .fold((axis.high, axis.low), |(low, high), figure| (low.min(figure), high.max(figure)));
    if low < high { Axis { low, high, ..axis } } else { axis }
}

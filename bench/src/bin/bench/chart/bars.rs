//! Bars that lie: groups of them, one for each runtime.

use super::{Anchor, Axis, Canvas, INK, PALE, WIDTH, colour, figure, mark};
use crate::runtime::Runtime;

/// A plot of bars. The shorter, the better.
#[derive(Debug)]
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    /// What a bar measures, with its unit.
    pub(crate) measures: &'a str,
    pub(crate) groups: Vec<Group>,
}

/// Bars that belong together.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    /// Who, and how much.
    pub(crate) bars: Vec<(String, f64)>,
}

const LEFT: f64 = 216.0;
const RIGHT: f64 = WIDTH - 90.0;
const TOP: f64 = 84.0;
const BAR: f64 = 20.0;
const STEP: f64 = 26.0;
const HEAD: f64 = 26.0;
/// Between two groups.
const GAP: f64 = 12.0;

impl Bars<'_> {
    pub(crate) fn svg(&self) -> String {
        let rows: usize = self.groups.iter().map(|group| group.bars.len()).sum();
        let bottom = TOP + rows as f64 * STEP + self.groups.len() as f64 * (HEAD + GAP);
        let below = format!("{}, logarithmic; shorter is better", self.measures);
        let mut canvas = Canvas::new(bottom + 36.0, self.title, &below);
        let all = || self.groups.iter().flat_map(|group| group.bars.iter().map(|(_, bar)| *bar));
        let axis = Axis::over(all(), LEFT, RIGHT);
        // It ends where the longest bar ends.
        let axis = Axis { high: all().fold(axis.low * 10.0, f64::max), ..axis };
        for tick in axis.ticks() {
            let x = axis.place(tick);
            canvas.rule((x, TOP - 8.0), (x, bottom));
            canvas.text((x, bottom + 18.0), Anchor::Middle, &mark(tick), PALE);
        }
        let mut y = TOP;
        for group in &self.groups {
            let style = "font-size=\"13\" font-weight=\"600\"";
            canvas.styled((24.0, y + 14.0), Anchor::Start, &group.name, style, INK);
            y += HEAD;
            for (who, measured) in &group.bars {
                let (x, middle) = (axis.place(*measured), y + BAR / 2.0 + 4.0);
                canvas.text((LEFT - 10.0, middle), Anchor::End, Runtime::title(who), INK);
                let width = (x - LEFT).max(1.0);
                let fill = colour(who);
                canvas.add(format_args!(
                    r#"<rect x="{LEFT}" y="{y:.1}" width="{width:.1}" height="{BAR}" rx="3" fill="{fill}"/>"#
                ));
                canvas.text((x + 6.0, middle), Anchor::Start, &figure(*measured), INK);
                y += STEP;
            }
            y += GAP;
        }
        canvas.finish()
    }
}

//! Lines on two logarithmic axes, each with its name at its end.

use plotters::{
    chart::ChartBuilder,
    coord::combinators::{BindKeyPoints, IntoLogRange},
    element::Circle,
    series::{DashedLineSeries, LineSeries},
    style::Color,
};

use super::{
    GRID, PALE, Page, WIDTH, bold, colour, decade_above, decade_below, mark, page, span, text,
};

/// A chart of lines.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    pub(crate) title: &'a str,
    /// Quantity of the vertical axis, with its unit.
    pub(crate) up: &'a str,
    /// Quantity of the horizontal axis, with its unit.
    pub(crate) right: &'a str,
    pub(crate) lines: Vec<Line>,
}

/// A line.
#[derive(Debug)]
pub(crate) struct Line {
    /// Runtime, for the colour.
    pub(crate) who: String,
    pub(crate) name: String,
    pub(crate) is_dashed: bool,
    pub(crate) points: Vec<(f64, f64)>,
}

const HEIGHT: u32 = 430;
const TOP: u32 = 82;
/// Room for the marks of the axis upwards.
const LEFT: u32 = 78;
/// Room for the names of the lines.
const RIGHT: u32 = 190;
/// Room for the marks of the axis to the right, and its name.
const BOTTOM: u32 = 58;
const POINT: u32 = 3;
/// The least distance between the names of two lines.
const NAME_HEIGHT: i32 = 16;

impl Lines<'_> {
    pub(crate) fn svg(&self) -> anyhow::Result<String> {
        let below = format!("{} by {}; both axes logarithmic", self.up, self.right);
        page(HEIGHT, self.title, &below, |page| self.draw(page))
    }

    fn draw(&self, page: &Page<'_>) -> anyhow::Result<()> {
        let points = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        let (across, up) = (span(points().map(|(x, _)| x)), span(points().map(|(_, y)| y)));
        let up = decade_below(up.start)..decade_above(up.end);
        let marks = marks(points().map(|(x, _)| x).collect(), across.start, across.end);
        let (left, bottom) = (across.start, up.start);
        let mut chart = ChartBuilder::on(page)
            .margin_top(TOP)
            .margin_right(RIGHT)
            .x_label_area_size(BOTTOM)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(across.log_scale().with_key_points(marks), up.log_scale())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .max_light_lines(1)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(text(12.0, &PALE))
            .x_label_formatter(&|figure| mark(*figure))
            .y_label_formatter(&|figure| mark(*figure))
            .x_desc(self.right)
            .draw()?;
        let mut names = Vec::new();
        for Line { who, name, is_dashed, points } in &self.lines {
            let points: Vec<_> = points.iter().map(|(x, y)| (x.max(left), y.max(bottom))).collect();
            let Some(last) = points.last() else { continue };
            let (x, y) = chart.backend_coord(last);
            names.push((y, x, name, colour(who)));
            let style = colour(who).filled();
            match is_dashed {
                true => {
                    let line = points.iter().copied();
                    chart.draw_series(DashedLineSeries::new(line, 5, 4, style.stroke_width(2)))?;
                }
                false => {
                    chart.draw_series(LineSeries::new(points.clone(), style.stroke_width(2)))?;
                }
            }
            chart.draw_series(points.into_iter().map(|point| Circle::new(point, POINT, style)))?;
        }
        names.sort_by_key(|(y, ..)| *y);
        let mut free = 0;
        for (y, x, name, colour) in names {
            // Names that would lie on each other move down.
            let y = y.max(free);
            free = y + NAME_HEIGHT;
            page.draw_text(name, &bold(12.0, &colour), (x + 10, y))?;
        }
        Ok(())
    }
}

/// The figures that get a mark on the axis to the right: all but those whose mark would touch the
/// one before.
fn marks(mut figures: Vec<f64>, low: f64, high: f64) -> Vec<f64> {
    let width = f64::from(WIDTH - LEFT - RIGHT);
    figures.retain(|figure| (low..=high).contains(figure));
    figures.sort_by(f64::total_cmp);
    figures.dedup();
    let mut free = f64::NEG_INFINITY;
    figures.retain(|figure| {
        let place = (figure / low).ln() / (high / low).ln() * width;
        let half = mark(*figure).len() as f64 * 3.6;
        let is_free = place - half > free;
        if is_free {
            free = place + half + 4.0;
        }
        is_free
    });
    figures
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{attribute, elements, number, texts},
        *,
    };

    fn line(who: &str, is_dashed: bool, points: &[(f64, f64)]) -> Line {
        Line { who: who.to_owned(), name: format!("<{who}>"), is_dashed, points: points.to_vec() }
    }

    fn svg(lines: Vec<Line>) -> String {
        Lines { title: "Growth", up: "seconds", right: "bytes", lines }.svg().unwrap()
    }

    #[test]
    fn lines_are_straight_where_the_logarithms_are_and_have_their_colours() {
        let whole = line("sayso", false, &[(1.0, 2.0), (10.0, 20.0), (100.0, 200.0)]);
        let svg = svg(vec![whole, line("js", true, &[(1.0, 90.0), (100.0, 30.0)])]);
        let mut lines = elements(&svg, "polyline");
        lines.retain(|line| attribute(line, "stroke") != "#E4E7EB");
        let [first, dashes @ ..] = lines.as_slice() else { panic!("there are no lines") };
        assert_eq!(attribute(first, "stroke"), "#0B7A55");
        let points: Vec<Vec<f64>> = attribute(first, "points")
            .split_whitespace()
            .map(|point| point.split(',').map(|place| place.parse().unwrap()).collect())
            .collect();
        let [one, two, three] = points.as_slice() else { panic!("{points:?}") };
        for (axis, length) in [(0, 400.0), (1, -150.0)] {
            assert!((three[axis] - 2.0 * two[axis] + one[axis]).abs() <= 2.0, "{points:?}");
            assert!((three[axis] - one[axis]) / length > 1.0, "{points:?}");
        }
        assert!(dashes.len() > 20, "{} dashes", dashes.len());
        assert!(dashes.iter().all(|dash| attribute(dash, "stroke") == "#E09F1F"));
        assert_eq!(elements(&svg, "circle").len(), 5);
    }

    #[test]
    fn names_stand_at_the_ends_and_not_on_each_other() {
        let ends = [("sayso", 50.0), ("js", 50.0), ("py", 49.0)];
        let lines = ends.map(|(who, y)| line(who, false, &[(1.0, 5.0), (64.0, y)]));
        let svg = svg(lines.into());
        let texts = texts(&svg);
        let mut heights: Vec<_> = ["sayso", "js", "py"]
            .into_iter()
            .map(|who| {
                let name = format!("&lt;{who}&gt;");
                let (attributes, _) = texts.iter().find(|(_, text)| *text == name).unwrap();
                let beside = number(attributes, "x") - f64::from(WIDTH - RIGHT);
                assert!((beside - 10.0).abs() <= 1.0, "{attributes}");
                number(attributes, " y")
            })
            .collect();
        heights.sort_by(f64::total_cmp);
        assert!(heights.windows(2).all(|two| two[1] - two[0] >= 16.0), "{heights:?}");
        for text in ["Growth", "seconds by bytes; both axes logarithmic", "bytes", "1", "64"] {
            assert!(texts.iter().any(|(_, found)| *found == text), "{text} is missing");
        }
    }

    #[test]
    fn marks_that_would_touch_are_left_out() {
        let figures = vec![128.0, 1.0, 2.0, 4.0, 50.0, 55.0, 58.0, 1.0];
        assert_eq!(marks(figures, 1.0, 128.0), [1.0, 2.0, 4.0, 50.0, 128.0]);
    }

    #[test]
    fn a_chart_of_nothing_can_be_drawn() {
        assert!(svg(Vec::new()).ends_with("</svg>\n"));
        assert!(svg(vec![line("sayso", false, &[(1.0, 0.0)])]).contains("<circle"));
    }
}

//! Horizontal bars: groups of them, one for each runtime.

use plotters::{
    chart::ChartBuilder,
    coord::combinators::IntoLogRange,
    element::Rectangle,
    style::{
        Color,
        text_anchor::{HPos, Pos, VPos},
    },
};

use super::{GRID, INK, PALE, Page, bold, colour, decade_below, figure, mark, page, span, text};
use crate::runtime::Runtime;

/// A chart of bars. The shorter, the better.
#[derive(Debug)]
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    /// Measured quantity, with its unit.
    pub(crate) measures: &'a str,
    pub(crate) groups: Vec<Group>,
}

/// Bars that belong together.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    /// Runtime and figure of each bar.
    pub(crate) bars: Vec<(String, f64)>,
}

const LEFT: u32 = 216;
const RIGHT: u32 = 90;
const TOP: u32 = 76;
const BOTTOM: u32 = 36;
/// The height of a bar with the space below it.
const ROW: u32 = 26;
/// The share of a row that its bar fills.
const FILLED: f64 = 0.77;
/// Rows that a group takes beside its bars: its name, and the space before the next one.
const HEAD: f64 = 1.0;
const GAP: f64 = 0.5;

impl Bars<'_> {
    pub(crate) fn svg(&self) -> anyhow::Result<String> {
        let below = format!("{}, logarithmic; shorter is better", self.measures);
        let plot = (self.rows() * f64::from(ROW)).ceil() as u32;
        page(TOP + plot + BOTTOM, self.title, &below, |page| self.draw(page))
    }

    fn rows(&self) -> f64 {
        self.groups.iter().map(|group| HEAD + group.bars.len() as f64 + GAP).sum()
    }

    fn draw(&self, page: &Page<'_>) -> anyhow::Result<()> {
        let all = self.groups.iter().flat_map(|group| group.bars.iter().map(|(_, bar)| *bar));
        let (low, high) = (span(all.clone()).start, span(all).end);
        let low = decade_below(low);
        let mut chart = ChartBuilder::on(page)
            .margin_top(TOP)
            .margin_left(LEFT)
            .margin_right(RIGHT)
            .x_label_area_size(BOTTOM)
            .build_cartesian_2d((low..high.max(low * 10.0)).log_scale(), 0.0..self.rows())?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .max_light_lines(1)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(text(12.0, &PALE))
            .x_label_formatter(&|figure| mark(*figure))
            .draw()?;
        let left = LEFT as i32;
        let name = text(12.0, &INK).pos(Pos::new(HPos::Right, VPos::Center));
        // Rows are counted from below.
        let mut top = self.rows();
        for group in &self.groups {
            let (_, y) = chart.backend_coord(&(low, top - HEAD / 2.0));
            page.draw_text(&group.name, &bold(13.0, &INK), (24, y))?;
            top -= HEAD;
            for (who, measured) in &group.bars {
                let measured = measured.max(low);
                let bar = [(low, top), (measured, top - FILLED)];
                chart.draw_series([Rectangle::new(bar, colour(who).filled())])?;
                let (x, y) = chart.backend_coord(&(measured, top - FILLED / 2.0));
                page.draw_text(Runtime::title(who), &name, (left - 10, y))?;
                page.draw_text(&figure(measured), &text(12.0, &INK), (x + 6, y))?;
                top -= 1.0;
            }
            top -= GAP;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{attribute, elements, number, texts},
        *,
    };

    fn bars(bars: &[(&str, f64)]) -> String {
        let bars = bars.iter().map(|(who, measured)| ((*who).to_owned(), *measured)).collect();
        let groups = vec![Group { name: "a & b".to_owned(), bars }];
        Bars { title: "A turn", measures: "microseconds", groups }.svg().unwrap()
    }

    #[test]
    fn each_bar_has_its_name_its_figure_and_its_colour() {
        let svg = bars(&[("sayso", 20.0), ("js", 200.0), ("py", 2000.0)]);
        let texts: Vec<_> = texts(&svg).into_iter().map(|(_, text)| text).collect();
        for text in ["A turn", "a &amp; b", "Sayso", "Bot Framework JavaScript", "200", "2,000"] {
            assert!(texts.contains(&text), "{text} is missing: {texts:?}");
        }
        for power in ["10", "100", "1,000"] {
            assert_eq!(texts.iter().filter(|text| **text == power).count(), 1, "{texts:?}");
        }
        let fills: Vec<_> =
            elements(&svg, "rect").into_iter().map(|bar| attribute(bar, "fill")).collect();
        assert_eq!(fills, ["#FFFFFF", "#0B7A55", "#E09F1F", "#3F6FB5"]);
    }

    #[test]
    fn bars_are_as_long_as_the_logarithms_and_do_not_touch() {
        let svg = bars(&[("sayso", 20.0), ("js", 200.0), ("py", 2000.0)]);
        let bars = elements(&svg, "rect").split_off(1);
        let width = |bar: usize| number(bars[bar], "width");
        // From 20 to 200 it is as far as from 200 to 2000.
        assert!((width(2) - 2.0 * width(1) + width(0)).abs() <= 2.0, "{bars:?}");
        assert!(width(0) > 20.0 && width(2) > 400.0, "{bars:?}");
        for pair in bars.windows(2) {
            assert!(number(pair[0], "y") + number(pair[0], " height") < number(pair[1], "y"));
        }
    }

    #[test]
    fn a_chart_of_nothing_can_be_drawn() {
        assert!(bars(&[]).ends_with("</svg>\n"));
        assert!(bars(&[("sayso", 0.0)]).contains("Sayso"));
    }
}

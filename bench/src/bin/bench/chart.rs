//! Plots as SVG, drawn by hand: bars and lines on logarithmic axes, readable on any background.

mod bars;
mod lines;

pub(crate) use self::{
    bars::{Bars, Group},
    lines::{Line, Lines},
};

const WIDTH: f64 = 760.0;
const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
const INK: &str = "#1f2933";
const PALE: &str = "#616e7c";
const GRID: &str = "#e4e7eb";

/// The colour of a runtime; told apart by people who see few colours, too.
fn colour(name: &str) -> &'static str {
    match name {
        "sayso" => "#0b7a55",
        "js" => "#e09f1f",
        "agents" => "#b5651d",
        "py" => "#3f6fb5",
        _ => "#8a94a3",
    }
}

/// A logarithmic axis from one power of ten, or a part of it, to another.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that holds all figures, between two places on the page.
    fn over(figures: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for figure in figures.into_iter().filter(|figure| *figure > 0.0) {
            (low, high) = (low.min(figure), high.max(figure));
        }
        if high == 0.0 {
            (low, high) = (1.0, 10.0);
        }
        let (low, high) = (10_f64.powf(low.log10().floor()), 10_f64.powf(high.log10().ceil()));
        let high = if high <= low { low * 10.0 } else { high };
        Self { low, high, from, to }
    }

    fn place(&self, figure: f64) -> f64 {
        let share = (figure.max(self.low) / self.low).log10() / (self.high / self.low).log10();
        self.from + share * (self.to - self.from)
    }

    /// The powers of ten on it.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        // A power of ten counts as on it even when its logarithm is a hair off.
        let (first, last) = (self.low.log10() - 1e-9, self.high.log10() + 1e-9);
        let (first, last) = (first.ceil() as i32, last.floor() as i32);
        (first..=last).map(|power| 10_f64.powi(power))
    }
}

/// A page that is drawn on.
#[derive(Debug)]
struct Canvas {
    height: f64,
    body: String,
}

/// Where a text stands from its place.
#[derive(Clone, Copy, Debug)]
enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    /// A page with a title and a line below it.
    fn new(height: f64, title: &str, below: &str) -> Self {
        let mut canvas = Self { height, body: String::new() };
        canvas.styled(
            (24.0, 34.0),
            Anchor::Start,
            title,
            "font-size=\"17\" font-weight=\"600\"",
            INK,
        );
        canvas.styled((24.0, 54.0), Anchor::Start, below, "font-size=\"12.5\"", PALE);
        canvas
    }

    fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str, colour: &str) {
        self.styled(at, anchor, text, "font-size=\"12\"", colour);
    }

    fn styled(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        text: &str,
        style: &str,
        colour: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{colour}" {style}>{text}</text>"#
        ));
    }

    fn rule(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.add(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{GRID}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        self.body.push_str(&format!(
            "  {element}
"
        ));
    }

    fn finish(self) -> String {
        let Self { height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             width=\"{WIDTH}\" height=\"{height}\" font-family=\"{FONT}\">\n  \
             <rect width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }
}

/// A figure for people: three digits that matter, thousands apart.
pub(crate) fn figure(figure: f64) -> String {
    let digits = match figure.abs() {
        _ if figure.fract() == 0.0 => 0,
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    };
    let text = format!("{figure:.digits$}");
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
    let mut spaced = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && digit.is_ascii_digit() && (whole.len() - at) % 3 == 0 {
            spaced.push(',');
        }
        spaced.push(digit);
    }
    match rest {
        Some(rest) => format!("{spaced}.{rest}"),
        None => spaced,
    }
}

/// A mark of an axis: as short as it can be.
fn mark(figure: f64) -> String {
    if figure >= 1e6 {
        format!("{} M", figure / 1e6)
    } else if figure >= 1.0 {
        self::figure(figure)
    } else {
        format!("{figure}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_have_thousands_apart() {
        for (value, text) in [
            (0.0, "0"),
            (10.0, "10"),
            (0.1234, "0.123"),
            (5.678, "5.68"),
            (56.78, "56.8"),
            (567.8, "568"),
            (1234.0, "1,234"),
            (1_234_567.0, "1,234,567"),
        ] {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn an_axis_goes_from_a_power_of_ten_to_another() {
        let axis = Axis::over([3.0, 450.0, 0.0], 100.0, 400.0);
        assert_eq!((axis.low, axis.high), (1.0, 1000.0));
        assert!((axis.place(1.0) - 100.0).abs() < 1e-9);
        assert!((axis.place(10.0) - 200.0).abs() < 1e-9);
        assert!((axis.place(1000.0) - 400.0).abs() < 1e-9);
        assert_eq!(axis.ticks().count(), 4);
    }
}

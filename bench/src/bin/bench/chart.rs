//! Charts as SVG, drawn by plotters: bars and lines on logarithmic axes, readable on any
//! background.

mod bars;
mod lines;

use std::ops::Range;

use plotters::{
    coord::Shift,
    drawing::{DrawingArea, IntoDrawingArea},
    prelude::{FontFamily, SVGBackend},
    style::{
        Color, FontDesc, FontStyle, RGBColor, TextStyle, WHITE,
        text_anchor::{HPos, Pos, VPos},
    },
};

pub(crate) use self::{
    bars::{Bars, Group},
    lines::{Line, Lines},
};

const WIDTH: u32 = 760;
const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(0x1f, 0x29, 0x33);
const PALE: RGBColor = RGBColor(0x61, 0x6e, 0x7c);
const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);

/// A page that is drawn on.
type Page<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws on an empty page with a title and a line below it.
fn page(
    height: u32,
    title: &str,
    below: &str,
    draw: impl FnOnce(&Page<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let mut svg = String::new();
    let page = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    page.fill(&WHITE)?;
    page.draw_text(title, &bold(17.0, &INK), (24, 28))?;
    page.draw_text(below, &text(12.5, &PALE), (24, 50))?;
    draw(&page)?;
    page.present()?;
    drop(page);
    Ok(svg)
}

/// The style of a text that begins at its place and stands in the middle of its line.
fn text(size: f64, colour: &RGBColor) -> TextStyle<'static> {
    styled(size, FontStyle::Normal, colour)
}

fn bold(size: f64, colour: &RGBColor) -> TextStyle<'static> {
    styled(size, FontStyle::Bold, colour)
}

fn styled(size: f64, style: FontStyle, colour: &RGBColor) -> TextStyle<'static> {
    // The backend takes the size for the height of a line, and divides it by this.
    let font = FontDesc::new(FontFamily::Name(FONT), size * 1.24, style);
    font.color(&colour.to_rgba()).pos(Pos::new(HPos::Left, VPos::Center))
}

/// The colour of a runtime; told apart by people who see few colours, too.
fn colour(name: &str) -> RGBColor {
    match name {
        "sayso" => RGBColor(0x0b, 0x7a, 0x55),
        "js" => RGBColor(0xe0, 0x9f, 0x1f),
        "agents" => RGBColor(0xb5, 0x65, 0x1d),
        "py" => RGBColor(0x3f, 0x6f, 0xb5),
        _ => RGBColor(0x8a, 0x94, 0xa3),
    }
}

/// The least and the greatest figure that a logarithmic axis can show; a decade when there are no
/// two.
fn span(figures: impl IntoIterator<Item = f64>) -> Range<f64> {
    let shown = figures.into_iter().filter(|figure| *figure > 0.0);
    let (low, high) = shown
        .fold((f64::INFINITY, 0.0_f64), |(low, high), figure| (low.min(figure), high.max(figure)));
    match low < high {
        true => low..high,
        false if high > 0.0 => decade_below(high)..decade_below(high) * 10.0,
        false => 1.0..10.0,
    }
}

/// The power of ten that is a figure or comes before it.
fn decade_below(figure: f64) -> f64 {
    10_f64.powf(figure.log10().floor())
}

/// The power of ten that is a figure or comes after it.
fn decade_above(figure: f64) -> f64 {
    10_f64.powf(figure.log10().ceil())
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

    /// The attributes of the elements of an SVG that have this name.
    pub(super) fn elements<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
        let begin = format!("<{name} ");
        svg.lines().filter_map(|line| line.strip_prefix(begin.as_str())).collect()
    }

    /// An attribute of an element.
    pub(super) fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
        let (_, rest) = element.split_once(&format!("{name}=\"")).unwrap();
        rest.split_once('"').unwrap().0
    }

    pub(super) fn number(element: &str, name: &str) -> f64 {
        attribute(element, name).parse().unwrap()
    }

    /// The texts of an SVG, each after its attributes.
    pub(super) fn texts(svg: &str) -> Vec<(&str, &str)> {
        let parts = svg.split("<text ").skip(1);
        parts
            .map(|part| {
                let (attributes, rest) = part.split_once(">\n").unwrap();
                (attributes, rest.split_once("\n</text>").unwrap().0)
            })
            .collect()
    }

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
    fn a_span_holds_all_figures_and_is_never_empty() {
        assert_eq!(span([3.0, 450.0, 0.0]), 3.0..450.0);
        assert_eq!(span([30.0, 30.0]), 10.0..100.0);
        assert_eq!(span([]), 1.0..10.0);
        assert_eq!((decade_below(3.0), decade_above(450.0)), (1.0, 1000.0));
        assert_eq!((decade_below(100.0), decade_above(100.0)), (100.0, 100.0));
    }
}

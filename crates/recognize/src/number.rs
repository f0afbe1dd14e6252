//! Numbers in text: digits, words, and both at once.
//!
//! Each language has a module of its own with a `find`; what they share (digits with separators,
//! powers, fractions) is in `digits`. A number that is whole is kept exactly beside its `f64`,
//! because an id or an amount of seventeen digits must come out as it went in.

use std::fmt;

use super::{Found, Language};

mod arabic;
mod bulgarian;
mod cardinal;
mod chinese;
mod digits;
mod dutch;
mod english;
mod exact;
mod figures;
pub(super) mod fold;
mod fraction;
mod french;
mod german;
mod grammar;
mod hindi;
mod italian;
mod japanese;
mod korean;
mod myriad;
mod phrase;
mod portuguese;
mod ratio;
mod russian;
mod spanish;
mod speech;
mod swedish;
mod text;
mod token;
mod turkish;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

/// The longest text that is searched for numbers, in bytes. Nothing is found in a longer one.
pub(super) const TEXT_BYTES_MAX: usize = 10_000;

/// The significant digits that are shown of a number that is not whole.
const DIGITS_SHOWN: usize = 15;

/// The notation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A whole number: `42`, "forty-two", "2 million".
    Integer,
    /// With a decimal part: `4.2`, "four point two".
    Decimal,
    /// A fraction: `3/4`, "two thirds", "one and a half".
    Fraction,
    /// With an exponent: `1e10`, `2^5`.
    Power,
}

/// A finite number as somebody wrote it.
///
/// # Example
/// ```
/// use sayso_recognize::{Language, numbers};
///
/// let found = numbers("about 2.5 million", Language::English);
/// assert_eq!(found[0].value.integer(), Some(2_500_000));
/// assert_eq!(found[0].value.to_string(), "2500000");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    value: f64,
    /// Exactly, when it is whole and fits.
    whole: Option<i128>,
    kind: Kind,
}

impl Number {
    /// A whole number.
    #[must_use]
    pub const fn whole(whole: i128) -> Self {
        Self { value: whole as f64, whole: Some(whole), kind: Kind::Integer }
    }

    /// Any finite number; `None` for the others. It is whole if nothing stands after its point.
    #[must_use]
    pub fn new(value: f64, kind: Kind) -> Option<Self> {
        // Every whole f64 below 2^100 is exactly an i128.
        let fits = value.abs() < (1_i128 << 100) as f64 && value.fract() == 0.0;
        value.is_finite().then_some(Self { value, whole: fits.then_some(value as i128), kind })
    }

    /// The same number, as written in another way.
    #[must_use]
    pub const fn with_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// The same number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { value: -self.value, whole: self.whole.map(|whole| whole.wrapping_neg()), ..self }
    }

    /// The number, to the precision of an `f64`.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// The number exactly, when it is whole and fits.
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        self.whole.and_then(|whole| i64::try_from(whole).ok())
    }

    /// The notation in which it was written.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }
}

/// The same in every language: a point, no separators, 15 significant digits, `1E-07` and `1.2E+15`
/// for the very small and the very large; whole numbers that have more digits are shown exactly.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scientific = format!("{:.*e}", DIGITS_SHOWN - 1, self.value);
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let shown = mantissa.trim_end_matches('0').trim_end_matches('.');
        // Up to the size of an id a whole number is shown exactly, unless 15 digits say it all.
        if let Some(whole) = self.integer() {
            let digits = whole.unsigned_abs().to_string();
            let is_exact = digits.trim_end_matches('0').len() <= DIGITS_SHOWN;
            if digits.len() <= DIGITS_SHOWN || !is_exact {
                return write!(f, "{whole}");
            }
        }
        if (-4..DIGITS_SHOWN as i32).contains(&exponent) {
            let after = (DIGITS_SHOWN as i32 - 1 - exponent).unsigned_abs() as usize;
            let plain = format!("{:.after$}", self.value);
            return f.write_str(plain.trim_end_matches('0').trim_end_matches('.'));
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(f, "{shown}E{sign}{:02}", exponent.unsigned_abs())
    }
}

/// Every number in a text, in order.
///
/// Percent signs and units are left aside; "one" that stands for a thing ("this one") is not a
/// number.
///
/// # Example
/// ```
/// use sayso_recognize::{Language, numbers};
///
/// let found = numbers("deux tiers de 1 200,5", Language::French);
/// assert_eq!(found[0].value.to_string(), "0.666666666666667");
/// assert_eq!(found[1].value.value(), 1200.5);
/// ```
#[must_use]
pub fn numbers(text: &str, language: Language) -> Vec<Found<Number>> {
    if text.len() > TEXT_BYTES_MAX {
        return Vec::new();
    }
    match language {
        Language::Arabic => arabic::find(text),
        Language::Bulgarian => bulgarian::find(text),
        Language::Chinese => chinese::find(text),
        Language::Dutch => dutch::find(text),
        Language::English => english::find(text),
        Language::French => french::find(text),
        Language::German => german::find(text),
        Language::Hindi => hindi::find(text),
        Language::Italian => italian::find(text),
        Language::Japanese => japanese::find(text),
        Language::Korean => korean::find(text),
        Language::Portuguese => portuguese::find(text),
        Language::Russian => russian::find(text),
        Language::Spanish => spanish::find(text),
        Language::Swedish => swedish::find(text),
        Language::Turkish => turkish::find(text),
    }
}

/// Every number in a text, in order, written as in a place: `1,234` is a thousand and more in
/// Mexico, and not in Spain. `None` when the language of the locale is not understood.
///
/// # Example
/// ```
/// use sayso_recognize::numbers_in_locale;
///
/// let values = |locale| numbers_in_locale("1,234", locale).unwrap()[0].value.value();
/// assert_eq!(values("es-MX"), 1234.0);
/// assert_eq!(values("es-ES"), 1.234);
/// ```
#[must_use]
pub fn numbers_in_locale(text: &str, locale: &str) -> Option<Vec<Found<Number>>> {
    let language = Language::of(locale)?;
    if language == Language::Spanish && text.len() <= TEXT_BYTES_MAX && has_point(locale) {
        return Some(spanish::find_with_point(text));
    }
    Some(numbers(text, language))
}

/// The ordinals of English in words: "twenty-first".
pub(super) fn english_ordinals(text: &str) -> Vec<Found<i128>> {
    phrase::find_ordinals(text, &english::GRAMMAR)
}

/// Reports whether Spanish in this locale uses a decimal point.
fn has_point(locale: &str) -> bool {
    let region = locale.trim().split(['-', '_']).next_back().unwrap_or_default();
    let regions = ["MX", "US", "PR", "GT", "HN", "NI", "SV", "PA", "DO", "PE"];
    regions.iter().any(|known| region.eq_ignore_ascii_case(known))
}

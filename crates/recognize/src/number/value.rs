//! The number that a text names: its value, its exact whole part and its notation.

use std::fmt;

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
    /// The exact value, if it is a whole number that fits.
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

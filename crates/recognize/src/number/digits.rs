//! Numbers written in digits: separators by culture, fractions, powers, and letters that multiply.

use super::ratio::{Ratio, power_of_ten};
use super::value::{Kind, Number};

/// The maximum length of a number in digits, separators included, in bytes.
const DIGITS_MAX: usize = 300;

/// The decimal and grouping signs of a culture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Separators {
    /// Before the decimals.
    pub(super) point: u8,
    /// Between groups of three.
    pub(super) group: u8,
    /// True if the group sign may stand for the point where it cannot be a group: `1,3` in English.
    pub(super) lenient: bool,
}

impl Separators {
    /// `1,234.5`
    pub(super) const POINT: Self = Self { point: b'.', group: b',', lenient: true };
    /// `1.234,5`
    pub(super) const COMMA: Self = Self { point: b',', group: b'.', lenient: true };
}

/// A number in digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    pub(super) number: Number,
    /// Exactly, if it fits; without it the number stands alone.
    pub(super) ratio: Option<Ratio>,
    /// True if it is nothing but digits.
    pub(super) is_plain: bool,
    /// The byte after it.
    pub(super) end: usize,
}

/// Reads the number that begins at `at`, which is a digit or a separator before one.
///
/// Letters right before or after it are the caller's business, except the ones that multiply.
pub(super) fn read(text: &str, at: usize, separators: Separators) -> Option<Literal> {
    let bytes = text.as_bytes();
    let base = decimal(text, at, separators)?;
    let base = power(bytes, base).or_else(|| fraction(text, at, base)).unwrap_or(base);
    if base.number.kind() == Kind::Power || base.number.kind() == Kind::Fraction {
        return Some(base);
    }
    Some(multiplied(text, base).unwrap_or(base))
}

/// Digits with groups and decimals.
fn decimal(text: &str, at: usize, separators: Separators) -> Option<Literal> {
    let bytes = text.as_bytes();
    let first = digits_end(bytes, at);
    let (whole_end, point_end) = if first == at {
        (at, digits_end(bytes, at + 1))
    } else if follows(bytes, at, b".,") {
        // In a chain such as 192.168.1.2 every number stands for itself.
        (first, first)
    } else {
        shape(text, at, first, separators)
    };
    let end = if point_end > whole_end + 1 { point_end } else { whole_end };
    if end - at > DIGITS_MAX || end == at {
        return None;
    }
    let mut plain = String::new();
    let written = text.get(at..end)?;
    let clean: &str = if end == first {
        written
    } else {
        let digits = |part: &str| part.chars().filter(char::is_ascii_digit).collect::<String>();
        plain.push_str(&digits(text.get(at..whole_end)?));
        plain.push('.');
        plain.push_str(&digits(text.get(whole_end..end)?));
        &plain
    };
    let places = if end > whole_end { end - whole_end - 1 } else { 0 };
    let is_plain = end == first;
    let kind = if places > 0 { Kind::Decimal } else { Kind::Integer };
    Some(Literal { number: parse(clean, kind)?, ratio: ratio(clean, places), is_plain, end })
}

/// The number of digits and perhaps a point.
fn parse(clean: &str, kind: Kind) -> Option<Number> {
    match clean.trim_end_matches('.').parse::<i128>() {
        Ok(whole) => Some(Number::whole(whole)),
        Err(_) => Number::new(clean.parse().ok()?, kind),
    }
}

fn ratio(clean: &str, places: usize) -> Option<Ratio> {
    let mut over: i128 = 0;
    for digit in clean.bytes().filter(u8::is_ascii_digit) {
        over = over.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    Ratio::new(over, power_of_ten(places)?)
}

/// The ends of the whole part and of the decimals, for digits that begin at `at` and first stop at
/// `first`.
fn shape(text: &str, at: usize, first: usize, separators: Separators) -> (usize, usize) {
    let bytes = text.as_bytes();
    let Separators { point, group, lenient } = separators;
    let whole = groups(text, at, first, group);
    if whole > first {
        return (whole, decimals(bytes, whole, point).unwrap_or(whole));
    }
    // The other culture's way, where it can mean nothing else: 1.234,56 in English.
    if lenient {
        let other = groups(text, at, first, point);
        if other > first && bytes.get(other) == Some(&group) {
            return (other, decimals(bytes, other, group).unwrap_or(other));
        }
    }
    if let Some(end) = decimals(bytes, first, point) {
        return (first, end);
    }
    if lenient && let Some(end) = decimals(bytes, first, group) {
        return (first, end);
    }
    (first, first)
}

/// The end of the decimals whose point stands at `at`; not if another point and digit follow, as in
/// an address.
fn decimals(bytes: &[u8], at: usize, point: u8) -> Option<usize> {
    let end = digits_end(bytes, at + 1);
    let is_chain = bytes.get(end) == Some(&point) && is_digit(bytes, end + 1);
    (bytes.get(at) == Some(&point) && end > at + 1 && !is_chain).then_some(end)
}

/// The end of groups of three: after a sign, or a space of any kind. In India the first ones are of
/// two.
fn groups(text: &str, at: usize, first: usize, sign: u8) -> usize {
    let bytes = text.as_bytes();
    if first - at > 3 {
        return first;
    }
    let rest = text.get(first..).unwrap_or_default();
    let between = match rest.chars().next() {
        Some(letter) if letter == char::from(sign) || letter == '\'' => letter,
        Some(letter @ (' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')) => letter,
        _ => return first,
    };
    let mut end = first;
    let mut pairs = true;
    while text.get(end..).is_some_and(|rest| rest.starts_with(between)) {
        let begin = end + between.len_utf8();
        let next = digits_end(bytes, begin);
        match next - begin {
            3 => end = next,
            2 if sign == b',' && between == ',' && pairs && first - at < 3 => {
                let last = indian_end(bytes, begin);
                return last.unwrap_or(first);
            }
            _ => break,
        }
        pairs = false;
    }
    end
}

/// The end of `12,34,567` from its first pair; the last group has three digits.
fn indian_end(bytes: &[u8], mut begin: usize) -> Option<usize> {
    loop {
        let end = digits_end(bytes, begin);
        match end - begin {
            2 if bytes.get(end) == Some(&b',') => begin = end + 1,
            3 => return Some(end),
            _ => return None,
        }
    }
}

/// `1.5e10`, `2^5`, `1.3x10^6`; signs may be doubled.
fn power(bytes: &[u8], base: Literal) -> Option<Literal> {
    let value = base.number.value();
    let at = base.end;
    let (result, end) = match bytes.get(at)? {
        b'e' | b'E' => {
            let (exponent, end) = exponent(bytes, at + 1)?;
            // Through text, because ten to a negative power is not exact.
            (format!("{value}e{exponent}").parse().ok()?, end)
        }
        b'^' => {
            let (exponent, end) = exponent(bytes, at + 1)?;
            (value.powf(f64::from(exponent)), end)
        }
        b'x' | b'X' | b'*' if bytes.get(at + 1..at + 4) == Some(b"10^") => {
            let (exponent, end) = exponent(bytes, at + 4)?;
            (format!("{value}e{exponent}").parse().ok()?, end)
        }
        _ => return None,
    };
    let number = Number::new(result, Kind::Power)?;
    Some(Literal { number, ratio: None, is_plain: false, end })
}

fn exponent(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let mut begin = at;
    let mut is_negative = false;
    while let Some(sign @ (b'+' | b'-')) = bytes.get(begin) {
        is_negative ^= *sign == b'-';
        begin += 1;
    }
    let end = digits_end(bytes, begin);
    let digits = std::str::from_utf8(bytes.get(begin..end)?).ok()?;
    let exponent: i32 = digits.parse().ok().filter(|exponent| *exponent <= 1000)?;
    Some((if is_negative { -exponent } else { exponent }, end))
}

/// `3/4`, `1 4/5`, `1¾`.
fn fraction(text: &str, at: usize, base: Literal) -> Option<Literal> {
    let bytes = text.as_bytes();
    if !base.is_plain {
        return None;
    }
    if bytes.get(base.end) == Some(&b'/') {
        let (part, end) = ratio_at(text, at, base.end)?;
        return (!follows(bytes, at, b"/-")).then(|| exact(part, end)).flatten();
    }
    let begin = skip_spaces(bytes, base.end);
    if let Some((part, end)) = vulgar(text, begin) {
        return exact(base.ratio?.plus(part)?, end);
    }
    let over_end = digits_end(bytes, begin);
    if begin > base.end && over_end > begin && bytes.get(over_end) == Some(&b'/') {
        let (part, end) = ratio_at(text, begin, over_end)?;
        return exact(base.ratio?.plus(part)?, end);
    }
    None
}

fn exact(ratio: Ratio, end: usize) -> Option<Literal> {
    let number = ratio.number(Kind::Fraction)?;
    Some(Literal { number, ratio: Some(ratio), is_plain: false, end })
}

/// `10k`, `2.5 M`. Small m, g and t are metres, grams and tonnes.
fn multiplied(text: &str, base: Literal) -> Option<Literal> {
    let bytes = text.as_bytes();
    let at = skip_spaces(bytes, base.end);
    let (times, length) = match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'M', Some(b'M')) => (1_000_000, 2),
        (b'k' | b'K', _) => (1_000, 1),
        (b'M', _) => (1_000_000, 1),
        (b'G' | b'B' | b'b', _) => (1_000_000_000, 1),
        (b'T', _) => (1_000_000_000_000, 1),
        _ => return None,
    };
    let end = at + length;
    let next = text.get(end..)?.chars().next();
    if next.is_some_and(|next| next.is_alphanumeric() || next == '_' || next == '\'') {
        return None;
    }
    let ratio = base.ratio?.times(Ratio::whole(times))?;
    let kind = if ratio.integer().is_some() { Kind::Integer } else { Kind::Decimal };
    Some(Literal { number: ratio.number(kind)?, ratio: Some(ratio), is_plain: false, end })
}

/// A fraction such as `3/4`, with its slash at `slash`. Dates (`3/4/2018`) and denominators of zero
/// give `None`.
fn ratio_at(text: &str, at: usize, slash: usize) -> Option<(Ratio, usize)> {
    let bytes = text.as_bytes();
    let end = digits_end(bytes, slash + 1);
    let is_date = bytes.get(end) == Some(&b'/');
    let over = text.get(at..slash)?.parse().ok()?;
    let under = text.get(slash + 1..end)?.parse().ok()?;
    (!is_date).then_some(())?;
    Some((Ratio::new(over, under)?, end))
}

/// A fraction that is one character.
pub(super) fn vulgar(text: &str, at: usize) -> Option<(Ratio, usize)> {
    let sign = text.get(at..)?.chars().next()?;
    let (over, under) = match sign {
        '½' => (1, 2),
        '⅓' => (1, 3),
        '⅔' => (2, 3),
        '¼' => (1, 4),
        '¾' => (3, 4),
        '⅕' => (1, 5),
        '⅖' => (2, 5),
        '⅗' => (3, 5),
        '⅘' => (4, 5),
        '⅙' => (1, 6),
        '⅚' => (5, 6),
        '⅐' => (1, 7),
        '⅛' => (1, 8),
        '⅜' => (3, 8),
        '⅝' => (5, 8),
        '⅞' => (7, 8),
        '⅑' => (1, 9),
        '⅒' => (1, 10),
        _ => return None,
    };
    Some((Ratio::new(over, under)?, at + sign.len_utf8()))
}

/// Reports whether the byte before `at` is one of `signs` and follows a digit.
fn follows(bytes: &[u8], at: usize, signs: &[u8]) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    bytes.get(before).is_some_and(|sign| signs.contains(sign))
        && before.checked_sub(1).is_some_and(|before| is_digit(bytes, before))
}

fn is_digit(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_digit)
}

fn digits_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| **byte == b' ').count()
}

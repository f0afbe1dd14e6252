//! Numbers in digits of any script: with separators, decimals, powers, slashes and `k`.
//!
//! Digits are read one way in all scripts (`٣`, `३`, `３` and `3` are three); only the marks between
//! them depend on the language.

mod special;

use std::ops::RangeInclusive;

pub(super) use special::{fraction, raised, signs, special};

use super::exact::Exact;
use super::text::{before, head, skip};

/// The most groups of digits in one number.
const GROUPS_MAX: usize = 12;

/// The marks between digits, as a language writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Marks between groups of three digits.
    pub(super) group: &'static [char],
    /// Marks before decimals.
    pub(super) decimal: &'static [char],
    /// True if a grouping mark before two last digits is a decimal mark (`5,00`).
    pub(super) cents: bool,
    /// True if groups before the last may have two digits (`12,34,567`).
    pub(super) pairs: bool,
}

/// The digit that a character is, in any of the scripts.
pub(super) fn digit(c: char) -> Option<u32> {
    let zero = match c {
        '0'..='9' => '0',
        '０'..='９' => '０',
        '०'..='९' => '०',
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        _ => return None,
    };
    Some(u32::from(c) - u32::from(zero))
}

/// The end of the row of digits that begins here, and how many there are.
fn row(text: &str, at: usize) -> (usize, usize) {
    let mut end = at;
    let mut count = 0;
    while let Some(c) = head(text, end).filter(|c| digit(*c).is_some()) {
        end += c.len_utf8();
        count += 1;
    }
    (end, count)
}

/// The end of the digits with all their marks: skipped when they are no number.
pub(super) fn row_end(text: &str, at: usize, marks: Marks) -> usize {
    plain(text, at, marks).map_or_else(|| row(text, at).0, |(_, end)| end).max(row(text, at).0)
}

/// The number in plain digits that begins here, and where it ends.
///
/// Digits that belong to a longer chain, as in `192.168.1.2`, stand each for themselves.
pub(super) fn plain(text: &str, at: usize, marks: Marks) -> Option<(Exact, usize)> {
    let (first_end, count) = row(text, at);
    if is_linked(text, at, marks) {
        return (count > 0).then(|| value(text, at, first_end)).flatten().zip(Some(first_end));
    }
    let whole_end = if count == 0 { at } else { grouped(text, first_end, count, marks) };
    let end = with_decimals(text, whole_end, count > 0, marks).unwrap_or(whole_end);
    if end == at {
        return None;
    }
    let whole = value(text, at, whole_end)?;
    let read = digits(text, whole_end, end).try_fold(whole, Exact::then_after_point)?;
    Some((read, end))
}

/// Reports whether a digit and a mark stand right before, so that these digits go on with
/// something.
fn is_linked(text: &str, at: usize, marks: Marks) -> bool {
    let Some(mark) = before(text, at) else { return false };
    let is_mark = marks.decimal.contains(&mark)
        || mark == '.'
        || (marks.cents && marks.group.contains(&mark));
    is_mark && before(text, at - mark.len_utf8()).is_some_and(|c| digit(c).is_some())
}

/// The end of the whole part, with groups of digits if they are groups.
fn grouped(text: &str, first_end: usize, count: usize, marks: Marks) -> usize {
    if count > 3 {
        return first_end;
    }
    let Some(mark) = head(text, skip_bidi(text, first_end)) else { return first_end };
    let is_space = matches!(mark, ' ' | '\u{a0}' | '\u{202f}' | '\u{3000}');
    if !is_space && !marks.group.contains(&mark) {
        return first_end;
    }
    let (mut end, mut last, mut groups) = (first_end, 3, 0);
    while groups <= GROUPS_MAX {
        let next = skip_bidi(text, end);
        if head(text, next) != Some(mark) {
            break;
        }
        let (group_end, digits) = row(text, next + mark.len_utf8());
        if digits == 3 || (marks.pairs && digits == 2 && !is_space) {
            (end, last, groups) = (group_end, digits, groups + 1);
        } else if digits == 0 && (is_space || end > first_end) {
            break;
        } else {
            return first_end;
        }
    }
    // `2 345/6` is two and a fraction, not a group.
    let is_fraction = is_space && head(text, end).is_some_and(is_slash);
    // A mark that is for decimals too must come twice: `4,800` is less than five then.
    let groups_min = if marks.decimal.contains(&mark) { 2 } else { 1 };
    let is_group = last == 3 && (groups_min..=GROUPS_MAX).contains(&groups);
    if is_group && !is_fraction { end } else { first_end }
}

/// The end of the decimals that follow.
fn with_decimals(text: &str, at: usize, has_whole: bool, marks: Marks) -> Option<usize> {
    let marked = skip_bidi(text, at);
    let mark = head(text, marked)?;
    let (end, count) = row(text, marked + mark.len_utf8());
    if !has_whole && before(text, at).is_some_and(|c| c == mark || digit(c).is_some()) {
        return None;
    }
    let is_cents = marks.cents && marks.group.contains(&mark) && count == 2 && has_whole;
    let is_decimal = marks.decimal.contains(&mark) || is_cents;
    let goes_on = head(text, end).is_some_and(|next| {
        (next == mark || marks.decimal.contains(&next)) && row(text, end + next.len_utf8()).1 > 0
    });
    (is_decimal && count > 0 && !goes_on).then_some(end)
}

/// The digits of a stretch of text, marks left out.
fn digits(text: &str, from: usize, to: usize) -> impl Iterator<Item = u32> {
    text.get(from..to).unwrap_or_default().chars().filter_map(digit)
}

fn value(text: &str, from: usize, to: usize) -> Option<Exact> {
    digits(text, from, to).try_fold(Exact::ZERO, Exact::then)
}

/// Marks of writing direction, which Arabic text has between digits.
fn skip_bidi(text: &str, at: usize) -> usize {
    const MARKS: [RangeInclusive<char>; 3] =
        ['\u{200e}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}'];
    skip(text, at, |c| MARKS.iter().any(|marks| marks.contains(&c)))
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '／' | '⁄')
}

pub(super) fn is_minus(c: char) -> bool {
    matches!(c, '-' | '−' | '－' | '–')
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: Marks = Marks { group: &[','], decimal: &['.'], cents: true, pairs: true };

    fn shown(text: &str) -> Option<(String, usize)> {
        let digits = plain(text, 0, MARKS)?;
        let (number, end) = match special(text, 0, digits, MARKS, false) {
            Some(special) => special,
            None => (digits.0.number()?, digits.1),
        };
        Some((number.to_string(), end))
    }

    #[track_caller]
    fn check(text: &str, number: &str, end: usize) {
        assert_eq!(shown(text), Some((number.to_owned(), end)), "{text}");
    }

    #[test]
    fn marks_group_and_part() {
        check("12,345,678.90", "12345678.9", 13);
        check("12 345", "12345", 6);
        check("12 3456", "12", 2);
        check("12,34,567", "1234567", 9);
        check("12,34", "12.34", 5);
        check("1,2,3", "1", 1);
        check("11,22,33", "11", 2);
        check("10.20.30", "10", 2);
        check(".75", "0.75", 3);
        check("७.५", "7.5", "७.५".len());
    }

    #[test]
    fn powers_fractions_and_multiples() {
        check("3^4", "81", 3);
        check("2^--3", "8", 5);
        check("2.5e-2", "0.025", 6);
        check("2.5x10^4", "25000", 8);
        check("9e999", "9", 1);
        check("7/8", "0.875", 3);
        check("3/4/2025", "3", 1);
        check("6 1/2", "6.5", 5);
        check("5/0", "5", 1);
        check("7.5k", "7500", 4);
        check("7 km", "7", 1);
    }

    #[test]
    fn a_row_too_long_is_no_number() {
        let long = "7".repeat(50);
        assert_eq!(shown(&long), None);
        assert_eq!(row_end(&long, 0, MARKS), 50);
    }
}

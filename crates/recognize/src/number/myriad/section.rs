//! One section of a number: up to four digits, each counted in a small unit.

use super::super::exact::Exact;
use super::super::figures::{self, digit};
use super::super::text::{head, spaces};
use super::script::{Script, Sign};

/// The most zeros between two digits; one is usual.
const ZEROS_MAX: usize = 4;

/// A section as read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Section {
    pub(super) value: Exact,
    /// Its value if nothing follows and the last digit counts in a tenth of the unit before it.
    pub(super) tenth: Option<Exact>,
    pub(super) end: usize,
    pub(super) signs: usize,
    pub(super) figures: usize,
    pub(super) words: usize,
    pub(super) has_unit: bool,
}

/// The number before a small unit, or at the end of a section.
#[derive(Clone, Copy, Debug)]
struct Coefficient {
    value: Exact,
    end: usize,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Figures,
    Word,
    /// So many digit signs in a row.
    Signs(usize),
}

/// The sign that stands here, and where it ends.
pub(super) fn sign_at<S: Script>(text: &str, at: usize) -> Option<(Sign, usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    S::sign(rest).map(|(sign, length)| (sign, at + length))
}

/// The section that begins here. `above` is the large unit before it, if there is one.
pub(super) fn read<S: Script>(text: &str, at: usize, above: Option<u32>) -> Option<Section> {
    let mut section = Section { end: at, ..Section::default() };
    let mut last = None;
    loop {
        let unit_before = last.or(above);
        let (from, is_gap) = match unit_before {
            Some(_) => after_zeros::<S>(text, spaces(text, section.end)),
            None => (section.end, false),
        };
        let coefficient = coefficient::<S>(text, from, unit_before.is_some());
        let unit_at = spaces(text, coefficient.map_or(from, |coefficient| coefficient.end));
        let next = sign_at::<S>(text, unit_at);
        if let Some((Sign::Small(unit), end)) = next {
            if last.is_some_and(|last| unit >= last) || !counts(&mut section, coefficient, unit) {
                break;
            }
            section.end = end;
            last = Some(unit);
            continue;
        }
        if let Some(coefficient) = coefficient {
            let is_apart = from > section.end
                && !S::SPACED_FIGURES
                && !is_gap
                && !matches!(next, Some((Sign::Large(_), _)));
            ends::<S>(&mut section, coefficient, unit_before, is_gap, is_apart);
        }
        break;
    }
    if section.end == at {
        return None;
    }
    section.end = about::<S>(text, section.end).unwrap_or(section.end);
    Some(section)
}

/// Adds a digit that is counted in a small unit; `false` if it cannot be.
fn counts(section: &mut Section, coefficient: Option<Coefficient>, unit: u32) -> bool {
    let digit = match coefficient.map(|coefficient| (coefficient.form, coefficient.value)) {
        Some((Form::Word, _)) => return false,
        Some((Form::Signs(count), _)) if count > 1 => return false,
        // "零十" is ten.
        Some((Form::Signs(_), value)) if value.is_zero() => Exact::ONE,
        Some((_, value)) => value,
        None => Exact::ONE,
    };
    let Some(sum) = digit.times_ten_to(unit).and_then(|part| section.value.plus(part)) else {
        return false;
    };
    section.value = sum;
    section.signs += 1;
    section.has_unit = true;
    match coefficient.map(|coefficient| coefficient.form) {
        Some(Form::Figures) => section.figures += 1,
        Some(_) => section.signs += 1,
        None => {}
    }
    true
}

/// Adds what stands last in a section, if it can stand there.
fn ends<S: Script>(
    section: &mut Section,
    last: Coefficient,
    unit_before: Option<u32>,
    is_gap: bool,
    is_apart: bool,
) {
    let fits = unit_before.is_none_or(|unit| match last.form {
        Form::Figures => !is_apart && last.value.is_below_ten_to(unit),
        Form::Word => unit >= 2,
        Form::Signs(count) => count == 1,
    });
    let Some(sum) = section.value.plus(last.value).filter(|_| fits) else { return };
    if let Some(unit) = unit_before.filter(|_| S::TENTHS && !is_gap)
        && last.form == Form::Signs(1)
    {
        let part = last.value.times_ten_to(unit.saturating_sub(1));
        section.tenth = part.and_then(|part| section.value.plus(part));
    }
    match last.form {
        Form::Figures => section.figures += 1,
        Form::Word => section.words += 1,
        Form::Signs(count) => section.signs += count,
    }
    section.value = sum;
    section.end = last.end;
}

/// The end of the zeros between two digits, and whether there were any.
fn after_zeros<S: Script>(text: &str, at: usize) -> (usize, bool) {
    let mut from = at;
    for _ in 0..ZEROS_MAX {
        let Some((Sign::Digit(0), end)) = sign_at::<S>(text, from) else { break };
        from = spaces(text, end);
    }
    (from, from > at)
}

/// The end of a word for "some", if it stands before a large unit.
fn about<S: Script>(text: &str, at: usize) -> Option<usize> {
    let (from, _) = after_zeros::<S>(text, spaces(text, at));
    let (Sign::About, end) = sign_at::<S>(text, from)? else { return None };
    matches!(sign_at::<S>(text, spaces(text, end)), Some((Sign::Large(_), _))).then_some(end)
}

fn coefficient<S: Script>(text: &str, at: usize, is_after_unit: bool) -> Option<Coefficient> {
    let first = head(text, at)?;
    if digit(first).is_some() || S::MARKS.decimal.contains(&first) {
        let (value, end) = figures::plain(text, at, S::MARKS)?;
        return Some(Coefficient { value, end, form: Form::Figures });
    }
    if let Some((value, length)) = S::word(text.get(at..)?) {
        let value = Exact::whole(i128::from(value));
        return Some(Coefficient { value, end: at + length, form: Form::Word });
    }
    let (Sign::Digit(first), first_end) = sign_at::<S>(text, at)? else { return None };
    let one = Coefficient {
        value: Exact::whole(i128::from(first)),
        end: first_end,
        form: Form::Signs(1),
    };
    if S::SHORT_ROWS && is_after_unit {
        return Some(one);
    }
    let (mut value, mut end, mut count) = (one.value, one.end, 1);
    while let Some((Sign::Digit(digit), next)) = sign_at::<S>(text, end) {
        value = value.then(digit)?;
        (end, count) = (next, count + 1);
    }
    let row = Coefficient { value, end, form: Form::Signs(count) };
    Some(if S::SHORT_ROWS && count == 2 { one } else { row })
}

//! Whole and decimal numbers: sections, each counted in a large unit.

use super::super::exact::{Exact, Sum};
use super::super::text::{any_of, spaces};
use super::script::{Read, Script, Sign};
use super::section::{self, Section, sign_at};

impl Read {
    fn add(&mut self, section: &Section) {
        self.signs += section.signs;
        self.figures += section.figures;
        self.words += section.words;
        self.has_unit |= section.has_unit;
        self.end = section.end;
    }
}

/// The whole or decimal number that begins here.
pub(super) fn read<S: Script>(text: &str, at: usize) -> Option<Read> {
    let mut sum = Sum::default();
    let mut read = Read { end: at, ..Read::default() };
    let mut rest = Exact::ZERO;
    loop {
        let above = sum.unit();
        let from = joined::<S>(text, read.end, above).unwrap_or(read.end);
        let section = section::read::<S>(text, from, above);
        let section_end = section.map_or(read.end, |section| section.end);
        let unit_at = spaces(text, section_end);
        let takes_unit = section.is_none_or(|section| section.words == 0);
        match (section, sign_at::<S>(text, unit_at)) {
            (section, Some((Sign::Large(unit), end))) if takes_unit => {
                let rest = text.get(end..).unwrap_or_default();
                let is_one = section.is_none() && above.is_none() && S::is_one(unit, rest);
                let one = is_one.then_some(Exact::ONE);
                if !sum.count_in(section.map(|section| section.value).or(one), unit) {
                    break;
                }
                if let Some(section) = section {
                    read.add(&section);
                }
                read.signs += 1;
                read.has_unit = true;
                read.end = end;
            }
            (Some(section), _) => {
                rest = section.tenth.unwrap_or(section.value);
                read.add(&section);
                break;
            }
            (None, _) => break,
        }
    }
    read.value = sum.total(rest)?;
    if read.end == at {
        return None;
    }
    Some(decimals::<S>(text, &read).unwrap_or(read))
}

/// The place where the next part begins, after a word that joins it to the number so far.
fn joined<S: Script>(text: &str, at: usize, above: Option<u32>) -> Option<usize> {
    let from = spaces(text, any_of(text, at, S::JOIN)?);
    let part = section::read::<S>(text, from, None)?;
    let is_rest = part.figures == 0 && !part.value.is_zero() && part.value.is_below_ten_to(above?);
    (is_rest && over::<S>(text, part.end).is_none()).then_some(from)
}

/// The number with the decimals that follow it, if any do.
fn decimals<S: Script>(text: &str, read: &Read) -> Option<Read> {
    let from = if S::SPACE_BEFORE_POINT { spaces(text, read.end) } else { read.end };
    let mut pos = spaces(text, any_of(text, from, S::POINT)?);
    let mut decimal = Read { is_certain: true, ..*read };
    let mut count = 0;
    while let Some((sign, end)) = sign_at::<S>(text, pos) {
        match sign {
            Sign::Digit(digit) if S::is_decimal(text.get(pos..)?) => {
                decimal.value = decimal.value.then_after_point(digit)?;
                (decimal.end, count) = (end, count + 1);
            }
            Sign::Small(1) if S::TENS_AFTER_POINT && count > 0 => {}
            _ => break,
        }
        pos = end;
    }
    // "三点五十分" is a time.
    let is_time = matches!(sign_at::<S>(text, decimal.end), Some((Sign::Small(1), _)));
    if count == 0 || is_time || !read.value.is_whole() {
        return None;
    }
    while let Some((Sign::Large(unit), end)) = sign_at::<S>(text, spaces(text, decimal.end)) {
        decimal.value = decimal.value.times_ten_to(unit)?;
        decimal.end = end;
    }
    Some(decimal)
}

/// The end of the mark between the parts of a fraction.
pub(super) fn over<S: Script>(text: &str, at: usize) -> Option<usize> {
    let [first, second] = S::OVER;
    let first = any_of(text, spaces(text, at), &[first])?;
    any_of(text, spaces(text, first), &[second])
}

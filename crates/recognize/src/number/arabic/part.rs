//! Fractions and dozens in Arabic words.

use super::super::exact::Exact;
use super::super::speech::{from, word};
use super::read::{Run, read};
use super::words::Word;

/// The first reading of a run, and how many pieces it takes.
pub(super) enum Part {
    Whole(Exact, usize),
    Fraction(f64, usize),
    Dozens(Exact, usize),
}

/// "ربع", "ثلاثة اخماس", "واحد على ثلاثة", "جزء من مئة", "دزينة", or just a number. After "and",
/// what can be a part of a thing is one.
pub(super) fn part(run: &Run, is_after_and: bool) -> Option<Part> {
    let one_of = |parts: u32| Some(Part::Fraction(1.0 / f64::from(parts), 1));
    match word(run, 0) {
        Some(Word::Part(2)) if word(run, 1) == Some(Word::Dozen) => {
            return Some(Part::Dozens(Exact::whole(6), 2));
        }
        Some(Word::Part(parts)) => return one_of(parts),
        Some(Word::TwoThirds) => return Some(Part::Fraction(2.0 / 3.0, 1)),
        Some(Word::Dozen) => return Some(Part::Dozens(Exact::whole(12), 1)),
        Some(Word::TwoDozens) => return Some(Part::Dozens(Exact::whole(24), 1)),
        Some(Word::Piece) => {
            return of(run, 1, Exact::ONE).map(|(size, pieces)| Part::Fraction(size, pieces));
        }
        Some(Word::EighthOrPrice) => {
            return is_part(run, is_after_and).then(|| one_of(8)).flatten();
        }
        Some(Word::OnesOrPart(parts)) if is_part(run, is_after_and) => return one_of(parts),
        Some(Word::TenOrPart) if is_part(run, is_after_and) => return one_of(10),
        _ => {}
    }
    let first = read(run)?;
    if word(run, first.pieces) == Some(Word::Dozen) {
        return Some(Part::Dozens(first.value.times(12)?, first.pieces + 1));
    }
    Some(match divided(run, first.value, first.pieces) {
        Some((size, pieces)) => Part::Fraction(size, pieces),
        None => Part::Whole(first.value, first.pieces),
    })
}

/// Reports whether "خمس" and the like, which are numbers too, are a part here: after "and" unless a
/// number goes on with them, or before the one thing that is parted.
fn is_part(run: &Run, is_after_and: bool) -> bool {
    match word(run, 1) {
        Some(Word::Thing) => true,
        None | Some(Word::Of | Word::Over | Word::Dozen | Word::Minus) => is_after_and,
        Some(Word::And) => is_after_and && !matches!(word(run, 2), Some(Word::Tens(_))),
        Some(_) => false,
    }
}

/// The number that was read, divided by what follows it.
fn divided(run: &Run, over: Exact, at: usize) -> Option<(f64, usize)> {
    let size = over.to_f64();
    match word(run, at)? {
        Word::Part(parts) | Word::OnesOrPart(parts) => Some((size / f64::from(parts), at + 1)),
        Word::EighthOrPrice => Some((size / 8.0, at + 1)),
        Word::Over => {
            let under = read(from(run, at + 1)).filter(|under| !under.value.is_zero())?;
            Some((size / under.value.to_f64(), at + 1 + under.pieces))
        }
        Word::Of => of(run, at, over),
        Word::Piece => of(run, at + 1, over),
        // "Three twenty-firsts".
        _ => {
            let under = read(from(run, at)).filter(|under| under.is_parts)?;
            Some((size / under.value.to_f64(), at + under.pieces))
        }
    }
}

/// "Of" and the number of all parts.
fn of(run: &Run, at: usize, over: Exact) -> Option<(f64, usize)> {
    if word(run, at)? != Word::Of {
        return None;
    }
    let under = read(from(run, at + 1)).filter(|under| !under.value.is_zero())?;
    let pieces = at + 1 + under.pieces;
    match under.parts_unit.and_then(|unit| i32::try_from(unit).ok()) {
        // "One of a hundred trillionths": the plural names the parts, the number before it counts
        // them.
        Some(unit) => Some((under.value.to_f64() / 10_f64.powi(2 * unit), pieces)),
        None => Some((over.to_f64() / under.value.to_f64(), pieces)),
    }
}

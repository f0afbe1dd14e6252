//! Fractions in words: "two thirds", "one and a half", "1 over 20", "three quarters of a million".

use super::cardinal::Cardinal;
use super::grammar::{Split, Term};
use super::phrase::Phrase;
use super::ratio::Ratio;
use super::value::Kind;

/// Terms that are looked at for the noun of a fraction, so that a long list of numbers takes no
/// longer than the sum of its parts.
const RUN_MAX: usize = 24;

/// From which scale on a fraction after "and" is one of the scale: "three million and a half".
const SCALE_OF_FRACTION_MIN: i128 = 1_000_000;

/// The fraction that begins at `at`, and the token after it. `plain` is the cardinal that begins
/// there.
pub(super) fn read(
    phrase: &Phrase<'_>,
    at: usize,
    plain: Option<Cardinal>,
) -> Option<(Ratio, usize)> {
    if let Some(found) = plain.and_then(|plain| over(phrase, plain)) {
        return Some(found);
    }
    if let Some(found) = among(phrase, at, plain) {
        return Some(found);
    }
    if let Some(found) = plain.and_then(|plain| with_digits(phrase, plain)) {
        return Some(found);
    }
    let noun = noun_after(phrase, at)?;
    if let Some(found) = mixed(phrase, at, noun, plain) {
        return Some(found);
    }
    let value = part(phrase, at, noun);
    let end = noun + 1;
    match value.map(|value| (value, phrase.scaled(value, end))) {
        Some((_, Some(scaled))) => Some(scaled),
        // A quarter alone may be a time of the year.
        Some(_) if at == noun && matches!(phrase.term(noun), Term::Quarter) => None,
        Some((value, None)) => Some((value, end)),
        None => None,
    }
}

/// The ordinal word that ends a run of number words from `at`.
pub(super) fn ordinal_after(phrase: &Phrase<'_>, at: usize) -> Option<usize> {
    let noun = noun_after(phrase, at)?;
    matches!(phrase.term(noun), Term::Ordinal(_, false) | Term::Part).then_some(noun)
}

/// The word that makes a fraction of the run of number words from `at`.
fn noun_after(phrase: &Phrase<'_>, at: usize) -> Option<usize> {
    for next in at..at + RUN_MAX {
        match phrase.term(next) {
            Term::Ordinal(..)
            | Term::Part
            | Term::Half
            | Term::Quarter
            | Term::AndHalf
            | Term::Mixed(..) => return Some(next),
            term if is_inside(term, next == at) => {}
            _ => return None,
        }
    }
    None
}

/// Reports whether a term may stand before the noun of a fraction.
const fn is_inside(term: Term, is_first: bool) -> bool {
    let is_number =
        matches!(term, Term::Small(_) | Term::Hundreds(_) | Term::Times(_) | Term::Many(_));
    let is_between = matches!(term, Term::And | Term::With | Term::Dash { .. } | Term::Slash);
    let is_digits = matches!(term, Term::Literal(literal) if literal.is_plain || is_first);
    is_number || is_between || is_digits || matches!(term, Term::Article)
}

/// "one over three", "1 out of 20".
fn over(phrase: &Phrase<'_>, above: Cardinal) -> Option<(Ratio, usize)> {
    let is_part = match phrase.term(above.end) {
        Term::Over => false,
        Term::OutOf => true,
        Term::OneIn if above.value.integer() == Some(1) => true,
        _ => return None,
    };
    if phrase.is_money(above.end) {
        return None;
    }
    let under = phrase.cardinal(above.end + 1, phrase.tokens.len())?;
    if is_part && !above.value.is_at_most(under.value) {
        return None;
    }
    Some((above.value.divided_by(under.value)?, under.end))
}

/// "2 and 3/4"
fn with_digits(phrase: &Phrase<'_>, whole: Cardinal) -> Option<(Ratio, usize)> {
    let Term::Literal(literal) = phrase.term(whole.end + 1) else { return None };
    let part = literal.ratio.filter(|part| part.is_below(1) && whole.value.integer().is_some())?;
    let is_fraction = literal.number.kind() == Kind::Fraction;
    (is_fraction && matches!(phrase.term(whole.end), Term::And)).then_some(())?;
    Some((whole.value.plus(part)?, whole.end + 2))
}

/// `üçte bir`: the lower part first.
fn among(phrase: &Phrase<'_>, at: usize, tens: Option<Cardinal>) -> Option<(Ratio, usize)> {
    let before = tens.map_or((Ratio::ZERO, at), |tens| (tens.value, tens.end));
    let Term::Among(units) = phrase.term(before.1) else { return None };
    let under = before.0.plus(Ratio::whole(i128::from(units)))?;
    let above = phrase.cardinal(before.1 + 1, phrase.tokens.len())?;
    Some((above.value.divided_by(under)?, above.end))
}

/// A whole number and a fraction.
fn mixed(
    phrase: &Phrase<'_>,
    at: usize,
    noun: usize,
    plain: Option<Cardinal>,
) -> Option<(Ratio, usize)> {
    if matches!(phrase.term(noun), Term::AndHalf) {
        let value = phrase.ordinal(at, noun + 1)?.plus(Ratio::new(1, 2)?)?;
        return Some(phrase.scaled(value, noun + 1).unwrap_or((value, noun + 1)));
    }
    let is_and = |next: &usize| matches!(phrase.term(*next), Term::And | Term::With);
    let and = if phrase.grammar.has_and_before_fraction {
        (at..noun).rev().find(is_and)
    } else {
        plain.map(|plain| plain.end).filter(is_and)
    };
    let Some(and) = and else {
        return two_words(phrase, at, noun);
    };
    let whole = loose(phrase, at, and)?;
    let fraction = match part(phrase, and + 1, noun) {
        Some(part) => part,
        // One and a half more: `once con uno y medio`.
        None if matches!(phrase.term(and), Term::With) => {
            let plain = phrase.cardinal(and + 1, phrase.tokens.len());
            let (more, end) = read(phrase, and + 1, plain)?;
            return Some((whole.value.plus(more)?, end));
        }
        None => return None,
    };
    join(phrase, whole, fraction, noun + 1)
}

/// A whole number with a fraction that ends before `end`; a scale may follow.
fn join(phrase: &Phrase<'_>, whole: Cardinal, part: Ratio, end: usize) -> Option<(Ratio, usize)> {
    let sum = whole.value.plus(part)?;
    if let Some((scaled, scaled_end)) = phrase.scaled(part, end) {
        let is_of_both = whole.scale == 1 && whole.value.is_below(1000);
        return match is_of_both {
            true => phrase.scaled(sum, end),
            false => Some((whole.value.plus(scaled)?, scaled_end)),
        };
    }
    if whole.scale >= SCALE_OF_FRACTION_MIN {
        return Some((whole.value.plus(part.times(Ratio::whole(whole.scale))?)?, end));
    }
    Some((sum, end))
}

/// `tweehonderd drie vijfde`: the last word before the noun is the upper part.
fn two_words(phrase: &Phrase<'_>, at: usize, noun: usize) -> Option<(Ratio, usize)> {
    if phrase.grammar.split != Split::TwoWords {
        return None;
    }
    let under = word_start(phrase, noun);
    let above = word_start(phrase, under.checked_sub(1)?);
    let whole = full(phrase, at, above)?;
    let part = part(phrase, above, noun)?;
    join(phrase, whole, part, noun + 1)
}

/// A number that may have an "and" where it has none otherwise: "twenty and three and three
/// fifths".
fn loose(phrase: &Phrase<'_>, from: usize, until: usize) -> Option<Cardinal> {
    let first = phrase.cardinal(from, until)?;
    if first.end == until {
        return Some(first);
    }
    let second = full(phrase, first.end + 1, until)?;
    let is_and = matches!(phrase.term(first.end), Term::And);
    (is_and && second.value.is_at_most(first.value)).then_some(())?;
    Some(Cardinal { value: first.value.plus(second.value)?, ..second })
}

/// A fraction whose noun is at `noun`, from `from`.
fn part(phrase: &Phrase<'_>, from: usize, noun: usize) -> Option<Ratio> {
    let is_literal = |at: usize| matches!(phrase.term(at), Term::Literal(_));
    if (from..noun).any(is_literal) {
        return None;
    }
    let under = match phrase.term(noun) {
        Term::Half => 2,
        Term::Quarter => 4,
        Term::Mixed(above, under) if from == noun => {
            return Ratio::new(i128::from(above), i128::from(under));
        }
        Term::Ordinal(_, plural) if phrase.grammar.split == Split::English => {
            return english(phrase, from, noun, plural);
        }
        Term::Ordinal(..) | Term::Part => return last_word(phrase, from, noun),
        _ => return None,
    };
    let above = if from == noun { Ratio::whole(1) } else { above(phrase, from, noun)? };
    above.divided_by(Ratio::whole(under))
}

/// The upper part: a number or an article, and perhaps a dash, right before `until`.
fn above(phrase: &Phrase<'_>, from: usize, until: usize) -> Option<Ratio> {
    let until = match until.checked_sub(1).map(|last| (last, phrase.term(last))) {
        Some((last, Term::Dash { .. } | Term::Slash)) => last,
        _ => until,
    };
    if matches!(phrase.term(from), Term::Article) {
        if from + 1 == until {
            return Some(Ratio::whole(1));
        }
        return full(phrase, from + 1, until).map(|found| found.value);
    }
    full(phrase, from, until).map(|found| found.value)
}

fn full(phrase: &Phrase<'_>, from: usize, until: usize) -> Option<Cardinal> {
    phrase.cardinal(from, until).filter(|found| found.end == until)
}

/// The fraction whose upper part ends where the lower begins.
fn divide(phrase: &Phrase<'_>, from: usize, under: usize, noun: usize) -> Option<Ratio> {
    let above = above(phrase, from, under)?;
    // First and second are no parts.
    let under = phrase.ordinal(under, noun + 1).filter(|under| !under.is_below(3))?;
    above.divided_by(under)
}

/// The longest lower part that leaves an upper part, between `from` and the last place it may
/// begin.
fn longest(phrase: &Phrase<'_>, from: usize, last: usize, noun: usize) -> Option<Ratio> {
    (from + 1..=last).find_map(|under| divide(phrase, from, under, noun))
}

fn last_word(phrase: &Phrase<'_>, from: usize, noun: usize) -> Option<Ratio> {
    let word = word_start(phrase, noun);
    divide(phrase, from, word, noun).or_else(|| longest(phrase, from, word, noun))
}

fn english(phrase: &Phrase<'_>, from: usize, noun: usize, plural: bool) -> Option<Ratio> {
    let is_article = matches!(phrase.term(from), Term::Article);
    if !plural {
        let is_one = is_article || matches!(phrase.term(from), Term::Small(1));
        let is_dash = matches!(phrase.term(from + 1), Term::Dash { .. } | Term::Slash);
        return is_one.then(|| divide(phrase, from, from + 1 + usize::from(is_dash), noun))?;
    }
    let begin = from + usize::from(is_article);
    if phrase.ordinal(begin, noun + 1).is_none() {
        return longest(phrase, from, noun, noun);
    }
    // All of it could be one ordinal; then the upper part ends with its first hundred.
    let is_hundred = |at: &usize| {
        let is_hundred = matches!(phrase.term(*at), Term::Times(_) | Term::Many(_));
        is_hundred && matches!(phrase.term(*at + 1), Term::Small(_) | Term::Ordinal(1..100, _))
    };
    let under = (begin..noun).find(is_hundred).map_or(noun, |hundred| hundred + 1);
    divide(phrase, from, under, noun)
}

/// The first token of the word that a token belongs to.
fn word_start(phrase: &Phrase<'_>, at: usize) -> usize {
    let is_first = |at: &usize| phrase.tokens.get(*at).is_none_or(|token| token.is_first);
    (0..=at).rev().find(is_first).unwrap_or(at)
}

//! Cardinals: how terms make one number, and where one number ends and the next begins.
//!
//! A number is a sum of groups, each multiplied by a scale that is smaller than the one before: 3
//! million, 52 thousand, 347. A scale larger than the ones before multiplies them all: `dos mil
//! millones`. When a hundred or a scale does not fit ("two hundred three hundred"), the number ends
//! before what it would have multiplied.

use super::grammar::{Grammar, Term};
use super::ratio::Ratio;
use super::token::Token;

/// The maximum number of scale words (thousand, million) in one number.
const SCALES_MAX: usize = 8;

/// A number without sign or fraction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cardinal {
    pub(super) value: Ratio,
    /// The token after it.
    pub(super) end: usize,
    /// The scale that it ends with, or 1.
    pub(super) scale: i128,
}

/// The longest number that begins at `from` and ends at or before `until`. With `is_ordinal` the
/// term before `until` may be an ordinal word, read as its number.
pub(super) fn cardinal(
    tokens: &[Token],
    from: usize,
    until: usize,
    is_ordinal: bool,
    grammar: &Grammar,
) -> Option<Cardinal> {
    let mut sum = Sum::new(grammar);
    let mut at = from;
    while at < until
        && let Some(token) = tokens.get(at)
    {
        let step = match token.term {
            Term::Ordinal(value, _) if is_ordinal && at + 1 == until => sum.ordinal(value),
            Term::Part | Term::AndHalf if is_ordinal && at + 1 == until => Step::Fits,
            term => sum.add(term),
        };
        at += 1;
        match step {
            Step::Between => {}
            Step::Fits => sum.note(at, token.is_last),
            Step::Ends => {
                sum.note(at, token.is_last);
                break;
            }
            Step::Not => break,
            Step::NotHundred => {
                sum.best = sum.before_chunk;
                break;
            }
            Step::NotScale => {
                sum.best = sum.before_group;
                break;
            }
        }
    }
    sum.best
}

/// The outcome of adding a term.
enum Step {
    /// The term is part of the number.
    Fits,
    /// The term is the last part of the number.
    Ends,
    /// The term may stand between two parts.
    Between,
    /// The number ended before the term.
    Not,
    /// The number ended before the factor of this hundred: "two hundred | three hundred".
    NotHundred,
    /// The number ended before the factor of this scale.
    NotScale,
}

#[derive(Clone, Copy)]
enum Last {
    Nothing,
    Small(u8),
    Hundred,
    Scale,
    Literal,
}

struct Sum<'a> {
    grammar: &'a Grammar,
    /// Values that have their scale, and the scales, falling.
    scaled: [(Ratio, i128); SCALES_MAX],
    scales: usize,
    /// The part without a scale yet, and the part of that without a hundred yet.
    group: Ratio,
    chunk: Ratio,
    last: Last,
    has_article: bool,
    has_and: bool,
    dash: Option<bool>,
    best: Option<Cardinal>,
    before_chunk: Option<Cardinal>,
    before_group: Option<Cardinal>,
}

impl<'a> Sum<'a> {
    const fn new(grammar: &'a Grammar) -> Self {
        Self {
            grammar,
            scaled: [(Ratio::ZERO, 0); SCALES_MAX],
            scales: 0,
            group: Ratio::ZERO,
            chunk: Ratio::ZERO,
            last: Last::Nothing,
            has_article: false,
            has_and: false,
            dash: None,
            best: None,
            before_chunk: None,
            before_group: None,
        }
    }

    fn add(&mut self, term: Term) -> Step {
        let step = match term {
            Term::And => return self.between(true, None),
            Term::Article if matches!(self.last, Last::Nothing) && !self.has_article => {
                self.has_article = true;
                return Step::Between;
            }
            // An article is one of something: a hundred, a dozen.
            Term::Small(_) | Term::Hundreds(_) | Term::Literal(_) if self.is_after_article() => {
                Some(Step::Not)
            }
            Term::Dash { is_spaced } => return self.between(false, Some(is_spaced)),
            // A dash with spaces around it joins tens and units only: "ninety - five".
            Term::Small(_) if self.dash != Some(true) || matches!(self.last, Last::Small(_)) => {
                let Term::Small(value) = term else { return Step::Not };
                self.small(value)
            }
            Term::Hundreds(value) if self.dash != Some(true) => self.hundreds(value),
            Term::Literal(literal) if self.dash.is_none() => {
                self.literal(literal.ratio, literal.is_plain)
            }
            Term::Times(100) if self.dash != Some(true) => self.hundred(),
            Term::Times(scale) if self.dash != Some(true) => self.scale(scale, true),
            Term::Many(100) if !matches!(self.last, Last::Nothing) => self.hundred(),
            Term::Many(scale) if !matches!(self.last, Last::Nothing) => self.scale(scale, false),
            Term::Dozen(dozen) if self.dash.is_none() => self.dozen(dozen),
            _ => Some(Step::Not),
        };
        self.has_and = false;
        self.dash = None;
        step.unwrap_or(Step::Not)
    }

    const fn is_after_article(&self) -> bool {
        self.has_article && matches!(self.last, Last::Nothing)
    }

    fn ordinal(&mut self, value: u64) -> Step {
        match value {
            1..100 => self.add(Term::Small(u8::try_from(value).unwrap_or_default())),
            100.. if matches!(value, 200 | 300 | 400 | 500 | 600 | 700 | 800 | 900) => {
                self.add(Term::Hundreds(u16::try_from(value).unwrap_or_default()))
            }
            _ => self.add(Term::Times(value)),
        }
    }

    fn between(&mut self, is_and: bool, dash: Option<bool>) -> Step {
        let is_first = matches!(self.last, Last::Nothing);
        let is_second = if is_and { self.has_and } else { self.dash.is_some() && !self.has_and };
        if is_first || is_second {
            return Step::Not;
        }
        self.has_and |= is_and;
        self.dash = self.dash.or(dash);
        Step::Between
    }

    /// Reports whether something may be added after a hundred or a scale.
    fn has_room(&self, value: Ratio) -> bool {
        let room = match self.last {
            Last::Nothing => return true,
            Last::Hundred => 100,
            Last::Scale => self.top().map_or(1, |(_, scale)| scale),
            Last::Small(_) | Last::Literal => return false,
        };
        (!self.has_and || self.grammar.has_and) && !value.is_zero() && value.is_below(room)
    }

    fn small(&mut self, value: u8) -> Option<Step> {
        let ratio = Ratio::whole(i128::from(value));
        if let Last::Small(last) = self.last {
            let joined = (self.grammar.join)(last, value, self.has_and)?;
            let more = Ratio::whole(i128::from(joined)).minus(Ratio::whole(i128::from(last)))?;
            self.group = self.group.plus(more)?;
            self.chunk = self.chunk.plus(more)?;
            self.last = Last::Small(joined);
            return Some(Step::Fits);
        }
        if !self.has_room(ratio) {
            return None;
        }
        self.begin_chunk(ratio)?;
        self.last = Last::Small(value);
        Some(if value == 0 { Step::Ends } else { Step::Fits })
    }

    fn begin_chunk(&mut self, value: Ratio) -> Option<()> {
        if matches!(self.last, Last::Scale) {
            self.before_group = self.best;
        }
        self.before_chunk = self.best;
        self.group = self.group.plus(value)?;
        self.chunk = value;
        Some(())
    }

    fn literal(&mut self, ratio: Option<Ratio>, is_plain: bool) -> Option<Step> {
        let ratio = ratio?;
        let may_go_on = is_plain && self.grammar.has_digits_after_words;
        if !(may_go_on || matches!(self.last, Last::Nothing)) || !self.has_room(ratio) {
            return None;
        }
        self.begin_chunk(ratio)?;
        self.last = Last::Literal;
        Some(Step::Fits)
    }

    fn hundreds(&mut self, value: u16) -> Option<Step> {
        let ratio = Ratio::whole(i128::from(value));
        let is_free = matches!(self.last, Last::Nothing | Last::Scale);
        if !is_free || !self.has_room(ratio) {
            return None;
        }
        self.begin_chunk(ratio)?;
        self.chunk = Ratio::ZERO;
        self.last = Last::Hundred;
        Some(Step::Fits)
    }

    fn hundred(&mut self) -> Option<Step> {
        let hundred = Ratio::whole(100);
        match self.last {
            Last::Small(0) | Last::Hundred => return Some(Step::NotHundred),
            Last::Nothing => self.group = hundred,
            Last::Scale if !self.grammar.has_bare_thousands || !self.has_room(hundred) => {
                return None;
            }
            Last::Scale => {
                self.before_group = self.best;
                self.group = hundred;
            }
            Last::Small(_) | Last::Literal => {
                let has_hundred = !self.group.minus(self.chunk)?.is_zero();
                let product = self.chunk.times(hundred)?;
                let fits = self.top().is_none_or(|(_, scale)| product.is_below(scale));
                if has_hundred || !fits {
                    return Some(Step::NotHundred);
                }
                self.group = product;
            }
        }
        self.chunk = Ratio::ZERO;
        self.last = Last::Hundred;
        Some(Step::Fits)
    }

    fn scale(&mut self, scale: u64, may_be_bare: bool) -> Option<Step> {
        let scale = i128::from(scale);
        if self.has_and || matches!(self.last, Last::Small(0)) {
            return None;
        }
        let mut base = self.group;
        let mut left = self.scales;
        while let Some((value, smaller)) = left.checked_sub(1).and_then(|top| self.scaled.get(top))
            && *smaller < scale
        {
            base = base.plus(*value)?;
            left -= 1;
        }
        if base.is_zero() {
            let is_first = matches!(self.last, Last::Nothing);
            if !may_be_bare || !is_first && !self.grammar.has_bare_thousands {
                return None;
            }
            base = Ratio::whole(1);
            self.before_group = self.best;
        }
        let value = base.times(Ratio::whole(scale))?;
        let above = left.checked_sub(1).and_then(|top| self.scaled.get(top));
        if above.is_some_and(|(_, above)| !value.is_below(*above)) {
            return Some(Step::NotScale);
        }
        *self.scaled.get_mut(left)? = (value, scale);
        self.scales = left + 1;
        (self.group, self.chunk) = (Ratio::ZERO, Ratio::ZERO);
        self.last = Last::Scale;
        Some(Step::Fits)
    }

    /// A dozen multiplies what has no hundred: three hundred and two dozen are 324.
    fn dozen(&mut self, dozen: u16) -> Option<Step> {
        let dozen = Ratio::whole(i128::from(dozen));
        if matches!(self.last, Last::Nothing) {
            self.group = dozen;
        } else if self.chunk.is_zero() {
            for (value, _) in self.scaled.iter_mut().take(self.scales) {
                *value = value.times(dozen)?;
            }
            self.group = self.group.times(dozen)?;
        } else {
            let rest = self.group.minus(self.chunk)?;
            self.group = rest.plus(self.chunk.times(dozen)?)?;
        }
        Some(Step::Ends)
    }

    fn top(&self) -> Option<(Ratio, i128)> {
        self.scales.checked_sub(1).and_then(|top| self.scaled.get(top)).copied()
    }

    /// Takes note of the number so far, if it ends with a word.
    fn note(&mut self, end: usize, is_last: bool) {
        let scale = match self.last {
            Last::Scale => self.top().map_or(1, |(_, scale)| scale),
            _ => 1,
        };
        let sum = self
            .scaled
            .iter()
            .take(self.scales)
            .try_fold(self.group, |sum, (value, _)| sum.plus(*value));
        if let Some(value) = sum
            && is_last
        {
            self.best = Some(Cardinal { value, end, scale });
        }
    }
}

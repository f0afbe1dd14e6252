//! Ordinals in text: "the second", "2nd", "last", "next".
//!
//! English has them all, of any size. The other languages have what people pick from a list with:
//! the first to the thirty-first, the last ones, the next and the previous.

mod arabic;
mod bulgarian;
mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod hindi;
mod italian;
mod japanese;
mod korean;
mod phrases;
mod portuguese;
mod russian;
mod sign;
mod spanish;
mod swedish;
mod turkish;

use std::fmt;

use super::{Found, Language};

/// The longest text that is searched, in bytes. Nothing is found in a longer one.
const TEXT_BYTES_MAX: usize = 10_000;

/// The place that an ordinal counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anchor {
    /// The start of the list; the first is 1.
    Start,
    /// The end of the list; the last is 0, the one before it -1.
    End,
    /// The current place; the next is 1, the previous -1.
    Current,
}

/// A place in a list, as somebody named it. Shown as `2`, `end-1`, `current+1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ordinal {
    /// The distance from there.
    pub offset: i64,
    /// From where.
    pub from: Anchor,
}

impl Ordinal {
    const fn start(offset: i64) -> Self {
        Self { offset, from: Anchor::Start }
    }

    /// The index in a list of so many things, counted from 0; `None` when it is outside, or
    /// when it counts from where one is.
    ///
    /// # Example
    /// ```
    /// use sayso_recognize::{Language, ordinals};
    ///
    /// let last = ordinals("the last one", Language::English)[0].value;
    /// assert_eq!(last.index(5), Some(4));
    /// ```
    #[must_use]
    pub fn index(self, length: usize) -> Option<usize> {
        let length = i64::try_from(length).ok()?;
        let index = match self.from {
            Anchor::Start => self.offset.checked_sub(1)?,
            Anchor::End => self.offset.checked_add(length)?.checked_sub(1)?,
            Anchor::Current => return None,
        };
        usize::try_from(index).ok().filter(|_| index < length)
    }
}

impl fmt::Display for Ordinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from {
            Anchor::Start => write!(f, "{}", self.offset),
            Anchor::End => write!(f, "end{:+}", self.offset),
            Anchor::Current => write!(f, "current{:+}", self.offset),
        }
    }
}

/// Every ordinal in a text, in order.
///
/// # Example
/// ```
/// use sayso_recognize::{Language, ordinals};
///
/// let found = ordinals("not the 2nd, the last one", Language::English);
/// assert_eq!(found[0].value.to_string(), "2");
/// assert_eq!(found[1].value.to_string(), "end+0");
/// ```
#[must_use]
pub fn ordinals(text: &str, language: Language) -> Vec<Found<Ordinal>> {
    if text.len() > TEXT_BYTES_MAX {
        return Vec::new();
    }
    let mut found = match language {
        Language::English => english::find(text),
        Language::Chinese | Language::Japanese => sign::after_sign(text, language),
        _ => Vec::new(),
    };
    found.extend(match language {
        Language::Arabic => phrases::find(text, &arabic::PHRASES),
        Language::Bulgarian => phrases::find(text, &bulgarian::PHRASES),
        Language::Chinese => phrases::find(text, &chinese::PHRASES),
        Language::Dutch => phrases::find(text, &dutch::PHRASES),
        Language::English => Vec::new(),
        Language::French => phrases::find(text, &french::PHRASES),
        Language::German => phrases::find(text, &german::PHRASES),
        Language::Hindi => phrases::find(text, &hindi::PHRASES),
        Language::Italian => phrases::find(text, &italian::PHRASES),
        Language::Japanese => phrases::find(text, &japanese::PHRASES),
        Language::Korean => phrases::find(text, &korean::PHRASES),
        Language::Portuguese => phrases::find(text, &portuguese::PHRASES),
        Language::Russian => phrases::find(text, &russian::PHRASES),
        Language::Spanish => phrases::find(text, &spanish::PHRASES),
        Language::Swedish => phrases::find(text, &swedish::PHRASES),
        Language::Turkish => phrases::find(text, &turkish::PHRASES),
    });
    longest(found)
}

/// Of those that overlap, the one that begins first, and of these the longest.
fn longest(mut found: Vec<Found<Ordinal>>) -> Vec<Found<Ordinal>> {
    found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));
    let mut end = 0;
    found.retain(|found| {
        let is_free = found.start >= end;
        if is_free {
            end = found.end;
        }
        is_free
    });
    found
}

#[cfg(test)]
mod tests;

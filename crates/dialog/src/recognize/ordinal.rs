//! Ordinals in text: "the second", "2nd", "last", "next".
//!
//! English has them all, of any size. The other languages have what people pick from a list with: the first to the
//! thirty-first, the last ones, the next and the previous.

mod english;
mod far;
mod near;
mod phrases;

use std::fmt;

use super::{Found, Language};

/// The longest text that is searched, in bytes. Nothing is found in a longer one.
const TEXT_BYTES_MAX: usize = 10_000;

/// What an ordinal counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anchor {
    /// The start of the list; the first is 1.
    Start,
    /// The end of the list; the last is 0, the one before it -1.
    End,
    /// Where one is; the next is 1, the previous -1.
    Current,
}

/// A place in a list, as somebody named it. Shown as `2`, `end-1`, `current+1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ordinal {
    /// How far from there.
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
    /// use sayso_dialog::recognize::{Language, ordinals};
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
/// use sayso_dialog::recognize::{Language, ordinals};
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
        Language::Chinese | Language::Japanese => far::after_sign(text, language),
        _ => Vec::new(),
    };
    found.extend(match language {
        Language::Arabic => phrases::find(text, &far::ARABIC),
        Language::Bulgarian => phrases::find(text, &near::BULGARIAN),
        Language::Chinese => phrases::find(text, &far::CHINESE),
        Language::Dutch => phrases::find(text, &near::DUTCH),
        Language::English => Vec::new(),
        Language::French => phrases::find(text, &near::FRENCH),
        Language::German => phrases::find(text, &near::GERMAN),
        Language::Hindi => phrases::find(text, &far::HINDI),
        Language::Italian => phrases::find(text, &near::ITALIAN),
        Language::Japanese => phrases::find(text, &far::JAPANESE),
        Language::Korean => phrases::find(text, &far::KOREAN),
        Language::Portuguese => phrases::find(text, &near::PORTUGUESE),
        Language::Russian => phrases::find(text, &near::RUSSIAN),
        Language::Spanish => phrases::find(text, &near::SPANISH),
        Language::Swedish => phrases::find(text, &near::SWEDISH),
        Language::Turkish => phrases::find(text, &near::TURKISH),
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

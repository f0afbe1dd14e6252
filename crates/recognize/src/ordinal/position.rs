//! Positions in a list, as ordinals name them.

use std::fmt;

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
    /// A place counted from the start.
    pub(super) const fn start(offset: i64) -> Self {
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

//! Recognisers of yes and no, numbers, ordinals and dates in what people type.
//!
//! Pure functions of a text, a language and, for dates, a moment. They find every mention in the
//! order of the text; offsets are bytes of the text as given. They work by grammar: words, how
//! words make numbers, and how numbers make dates, per language.
//!
//! # Example
//! ```
//! use sayso_recognize::{Language, numbers, yes_or_no};
//!
//! assert!(yes_or_no("sure, go ahead", Language::English)[0].value);
//! assert_eq!(numbers("zweiundvierzig", Language::German)[0].value.to_string(), "42");
//! ```

mod boolean;
mod date;
mod found;
mod language;
mod number;
mod ordinal;

pub use boolean::yes_or_no;
pub use date::{DATE_TEXT_BYTES_MAX, DateTime, Dates, Kind as DateKind, Resolution, dates};
pub use found::Found;
pub use language::Language;
pub use number::{Kind as NumberKind, Number, numbers, numbers_in_locale};
pub use ordinal::{Anchor, Ordinal, ordinals};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

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
mod position;
mod russian;
mod sign;
mod spanish;
mod swedish;
mod turkish;

pub use position::{Anchor, Ordinal};

use super::{Found, Language};

/// The longest text that is searched, in bytes. Nothing is found in a longer one.
const TEXT_BYTES_MAX: usize = 10_000;

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

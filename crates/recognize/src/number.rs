//! Numbers in text: digits, words, and both at once.
//!
//! Each language has a module of its own with a `find`; what they share (digits with separators,
//! powers, fractions) is in `digits`. A number that is whole is kept exactly beside its `f64`,
//! because an id or an amount of seventeen digits must come out as it went in.

mod arabic;
mod bulgarian;
mod cardinal;
mod chinese;
mod digits;
mod dutch;
mod english;
mod exact;
mod figures;
pub(super) mod fold;
mod fraction;
mod french;
mod german;
mod grammar;
mod hindi;
mod in_words;
mod italian;
mod japanese;
mod korean;
mod myriad;
mod phrase;
mod portuguese;
mod ratio;
mod russian;
mod spanish;
mod speech;
mod swedish;
mod text;
mod token;
mod turkish;
mod value;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use value::{Kind, Number};

use super::{Found, Language};

/// The longest text that is searched for numbers, in bytes. Nothing is found in a longer one.
pub(super) const TEXT_BYTES_MAX: usize = 10_000;

/// Every number in a text, in order.
///
/// Percent signs and units are left aside; "one" that stands for a thing ("this one") is not a
/// number.
///
/// # Example
/// ```
/// use sayso_recognize::{Language, numbers};
///
/// let found = numbers("deux tiers de 1 200,5", Language::French);
/// assert_eq!(found[0].value.to_string(), "0.666666666666667");
/// assert_eq!(found[1].value.value(), 1200.5);
/// ```
#[must_use]
pub fn numbers(text: &str, language: Language) -> Vec<Found<Number>> {
    if text.len() > TEXT_BYTES_MAX {
        return Vec::new();
    }
    match language {
        Language::Arabic => arabic::find(text),
        Language::Bulgarian => bulgarian::find(text),
        Language::Chinese => chinese::find(text),
        Language::Dutch => dutch::find(text),
        Language::English => english::find(text),
        Language::French => french::find(text),
        Language::German => german::find(text),
        Language::Hindi => hindi::find(text),
        Language::Italian => italian::find(text),
        Language::Japanese => japanese::find(text),
        Language::Korean => korean::find(text),
        Language::Portuguese => portuguese::find(text),
        Language::Russian => russian::find(text),
        Language::Spanish => spanish::find(text),
        Language::Swedish => swedish::find(text),
        Language::Turkish => turkish::find(text),
    }
}

/// Every number in a text, in order, written as in a place: `1,234` is a thousand and more in
/// Mexico, and not in Spain. `None` when the language of the locale is not understood.
///
/// # Example
/// ```
/// use sayso_recognize::numbers_in_locale;
///
/// let values = |locale| numbers_in_locale("1,234", locale).unwrap()[0].value.value();
/// assert_eq!(values("es-MX"), 1234.0);
/// assert_eq!(values("es-ES"), 1.234);
/// ```
#[must_use]
pub fn numbers_in_locale(text: &str, locale: &str) -> Option<Vec<Found<Number>>> {
    let language = Language::of(locale)?;
    if language == Language::Spanish && text.len() <= TEXT_BYTES_MAX && has_point(locale) {
        return Some(spanish::find_with_point(text));
    }
    Some(numbers(text, language))
}

/// The ordinals of English in words: "twenty-first".
pub(super) fn english_ordinals(text: &str) -> Vec<Found<i128>> {
    in_words::find_ordinals(text, &english::GRAMMAR)
}

/// Reports whether Spanish in this locale uses a decimal point.
fn has_point(locale: &str) -> bool {
    let region = locale.trim().split(['-', '_']).next_back().unwrap_or_default();
    let regions = ["MX", "US", "PR", "GT", "HN", "NI", "SV", "PA", "DO", "PE"];
    regions.iter().any(|known| region.eq_ignore_ascii_case(known))
}

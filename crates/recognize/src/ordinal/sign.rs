//! Ordinals after a sign of Chinese and Japanese.

use super::position::Ordinal;
use crate::{Found, Language, numbers};

/// The reach of an ordinal sign, in characters.
const SIGN_REACH: usize = 8;

/// Numbers after 第.
pub(super) fn after_sign(text: &str, language: Language) -> Vec<Found<Ordinal>> {
    let mut found = Vec::new();
    for (start, sign) in text.match_indices('第') {
        let rest = text.get(start + sign.len()..).unwrap_or_default();
        let length = rest.char_indices().nth(SIGN_REACH).map_or(rest.len(), |(end, _)| end);
        let first = numbers(rest.get(..length).unwrap_or_default(), language).into_iter().next();
        if let Some(number) = first.filter(|number| number.start == 0)
            && let Some(rank) = number.value.integer()
        {
            let end = start + sign.len() + number.end;
            found.push(Found { value: Ordinal::start(rank), start, end });
        }
    }
    found
}

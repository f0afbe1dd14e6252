//! Recognition of an answer: finds the choice that a person means.

use super::find::{Candidate, FindOptions, find_values};
use super::{Choice, FoundChoice};
use crate::recognize::{Found, Language, Number, Ordinal, numbers, ordinals};

/// Finds choices in an answer: by their words, else by "the second one", else by "2" or "two".
///
/// The first of the answer is the one that a prompt takes. Offsets are bytes of `text`.
///
/// # Example
/// ```
/// use sayso_dialog::choice::{recognize_choices, Choice, FindOptions};
/// use sayso_dialog::recognize::Language;
///
/// let choices: [Choice; 3] = ["red", "green", "blue"].map(Into::into);
/// for answer in ["Green, please", "2", "the second one"] {
///     let found = recognize_choices(answer, &choices, &FindOptions::default(), Language::English);
///     assert_eq!(found[0].value.value, "green");
/// }
/// ```
#[must_use]
pub fn recognize_choices(
    text: &str,
    choices: &[Choice],
    options: &FindOptions,
    language: Language,
) -> Vec<Found<FoundChoice>> {
    let found = find_choices(text, choices, options);
    if !found.is_empty() {
        return found;
    }
    if options.recognize_ordinals {
        let named = ordinals(text, language);
        // An ordinal that names no choice ends the search too, as in C# and Python. JavaScript goes
        // on to the numbers, and picks the first choice for "the tenth one".
        if !named.is_empty() {
            let pick = |ordinal: Ordinal| ordinal.index(choices.len());
            return named.into_iter().filter_map(|one| picked(choices, one, pick)).collect();
        }
    }
    if !options.recognize_numbers {
        return Vec::new();
    }
    numbers(text, language).into_iter().filter_map(|one| picked(choices, one, place)).collect()
}

/// Finds choices in an answer by their words only: their values, the titles of their actions, and
/// their synonyms.
///
/// Offsets are bytes of `text`; see [`find_values`] for the rules.
///
/// # Example
/// ```
/// use sayso_dialog::choice::{find_choices, Choice, FindOptions};
///
/// let choices = [Choice::from("red"), Choice::from("blue").with_synonym("sky")];
/// let found = find_choices("like the sky", &choices, &FindOptions::default());
/// assert_eq!(found[0].value.to_string(), "blue");
/// assert_eq!(found[0].value.synonym.as_deref(), Some("sky"));
/// ```
#[must_use]
pub fn find_choices(
    text: &str,
    choices: &[Choice],
    options: &FindOptions,
) -> Vec<Found<FoundChoice>> {
    let mut candidates = Vec::new();
    for (index, choice) in choices.iter().enumerate() {
        let value = (!options.no_value).then_some(&*choice.value);
        let title = choice.action.as_ref().and_then(|action| action.title.as_deref());
        let title = title.filter(|_| !options.no_action);
        let texts = value.into_iter().chain(title).chain(choice.synonyms.iter().map(|s| &**s));
        candidates.extend(texts.map(|text| Candidate { text, index }));
    }
    let named = find_values(text, &candidates, options).into_iter().filter_map(|found| {
        let Found { value: named, start, end } = found;
        let value = FoundChoice {
            value: choices.get(named.index)?.value.clone(),
            index: named.index,
            score: named.score,
            synonym: Some(named.value),
        };
        Some(Found { value, start, end })
    });
    named.collect()
}

/// The place in a list that a number names, from 0. People count from 1.
fn place(number: Number) -> Option<usize> {
    usize::try_from(number.integer()?).ok()?.checked_sub(1)
}

/// The choice that was picked by its place, if there is one.
fn picked<T>(
    choices: &[Choice],
    named: Found<T>,
    place: impl Fn(T) -> Option<usize>,
) -> Option<Found<FoundChoice>> {
    let Found { value, start, end } = named;
    let index = place(value)?;
    let value = choices.get(index)?.value.clone();
    Some(Found { value: FoundChoice { value, index, score: 1.0, synonym: None }, start, end })
}

#[cfg(test)]
mod tests;

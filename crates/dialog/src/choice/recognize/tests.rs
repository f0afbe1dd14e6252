//! Answers and the choices that they mean.

use super::{FindOptions, find_choices, recognize_choices};
use crate::choice::{CardAction, Choice};
use crate::recognize::Language;

fn colors() -> Vec<Choice> {
    vec![
        Choice::from("red").with_synonym("crimson"),
        Choice::from("light green").with_action(CardAction::im_back("Lime")),
        Choice::from("blue"),
    ]
}

#[track_caller]
fn check(text: &str, indexes: &[usize]) {
    check_with(text, FindOptions::default(), Language::English, indexes);
}

#[track_caller]
fn check_with(text: &str, options: FindOptions, language: Language, indexes: &[usize]) {
    let choices = colors();
    let found = recognize_choices(text, &choices, &options, language);
    let seen: Vec<_> = found.iter().map(|found| found.value.index).collect();
    assert_eq!(seen, indexes, "{text:?}");
    for found in &found {
        assert_eq!(found.value.value, choices[found.value.index].value);
        assert!(text.get(found.start..found.end).is_some_and(|part| !part.is_empty()), "{found:?}");
    }
}

#[test]
fn a_choice_is_found_by_its_value_title_or_synonym() {
    check("red", &[0]);
    check("I would like BLUE", &[2]);
    check("crimson, please", &[0]);
    check("lime", &[1]);
    check("light or so green", &[1]);
    check("green", &[]);
    check("cat", &[]);
    check("", &[]);
    let found = find_choices("the crimson", &colors(), &FindOptions::default());
    assert_eq!(found[0].value.synonym.as_deref(), Some("crimson"));
    assert_eq!((found[0].start, found[0].end), (4, 11));
}

#[test]
fn options_limit_the_search() {
    let only = |options| {
        move |text: &str, indexes: &[usize]| {
            check_with(text, options, Language::English, indexes);
        }
    };
    let check = only(FindOptions { no_value: true, ..FindOptions::default() });
    check("blue", &[]);
    check("lime", &[1]);
    check("crimson", &[0]);
    let check = only(FindOptions { no_action: true, ..FindOptions::default() });
    check("lime", &[]);
    check("light green", &[1]);
    let check = only(FindOptions { allow_partial_matches: true, ..FindOptions::default() });
    check("the green one", &[1]);
    let check = only(FindOptions { recognize_numbers: false, ..FindOptions::default() });
    check("2", &[]);
    check("the second", &[1]);
    let check = only(FindOptions { recognize_ordinals: false, ..FindOptions::default() });
    check("2", &[1]);
    check("the second", &[]);
}

#[test]
fn two_choices_come_in_the_order_of_the_answer() {
    check("blue or red", &[2, 0]);
    check("red red crimson", &[0]);
    check("1 and 3", &[0, 2]);
    check("the third or the first", &[2, 0]);
}

#[test]
fn a_number_picks_by_place() {
    check("1", &[0]);
    check("3", &[2]);
    check("(2)", &[1]);
    check("number two please", &[1]);
    check("0", &[]);
    check("4", &[]);
    check("-1", &[]);
    check("1.5", &[]);
    check("12345678901234567890123", &[]);
}

#[test]
fn an_ordinal_picks_by_place() {
    check("the first one", &[0]);
    check("2nd", &[1]);
    check("third", &[2]);
    check("the last one", &[2]);
    check("the second to last", &[1]);
}

#[test]
fn an_ordinal_that_names_no_choice_picks_none() {
    check("the tenth one", &[]);
    check("fourth", &[]);
}

#[test]
fn a_word_of_a_choice_goes_before_its_number() {
    check("2 red", &[0]);
    let choices = ["three", "two", "one"].map(Choice::from);
    let options = FindOptions::default();
    let found = recognize_choices("one", &choices, &options, Language::English);
    assert_eq!((found.len(), found[0].value.index), (1, 2));
    // Digits are no word of these, so they count.
    let found = recognize_choices("1", &choices, &options, Language::English);
    assert_eq!((found.len(), found[0].value.index), (1, 0));
    assert_eq!(found[0].value.synonym, None);
}

#[test]
fn numbers_and_ordinals_are_those_of_the_language() {
    for (language, text, index) in [
        (Language::German, "zwei", 1),
        (Language::French, "le deuxième", 1),
        (Language::Spanish, "el tercero", 2),
        (Language::Chinese, "第二个", 1),
        (Language::Russian, "три", 2),
    ] {
        check_with(text, FindOptions::default(), language, &[index]);
    }
}

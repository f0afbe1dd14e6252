//! Texts and the candidates that are found in them.

use super::{Candidate, FindOptions, find_values};
use crate::choice::TOKENS_MAX;

const STRICT: FindOptions = FindOptions {
    allow_partial_matches: false,
    max_token_distance: 2,
    no_value: false,
    no_action: false,
    recognize_ordinals: true,
    recognize_numbers: true,
};
const PARTIAL: FindOptions = FindOptions { allow_partial_matches: true, ..STRICT };

/// Checks what is found: the number of the candidate, the text it was found in, and the score.
#[track_caller]
fn check(text: &str, candidates: &[&str], options: FindOptions, expected: &[(usize, &str, f64)]) {
    let list: Vec<_> =
        candidates.iter().enumerate().map(|(index, text)| Candidate { text, index }).collect();
    let found = find_values(text, &list, &options);
    let seen: Vec<_> = found.iter().map(|f| (f.value.index, &text[f.start..f.end])).collect();
    let places: Vec<_> = expected.iter().map(|(index, part, _)| (*index, *part)).collect();
    assert_eq!(seen, places, "{text:?} in {candidates:?}");
    for (found, (index, _, score)) in found.iter().zip(expected) {
        assert!((found.value.score - score).abs() < 1e-9, "{text:?}: {}", found.value.score);
        assert_eq!(found.value.value, candidates[*index]);
    }
}

#[test]
fn the_whole_text_wins_alone() {
    check("red", &["red", "green"], STRICT, &[(0, "red", 1.0)]);
    check("  RED  ", &["red", "green"], STRICT, &[(0, "RED", 1.0)]);
    check("red wine", &["red", "red wine", "wine"], STRICT, &[(1, "red wine", 1.0)]);
    check("c#", &["c++", "c#", "c"], STRICT, &[(1, "c#", 1.0)]);
    check("❤️", &["☀️", "❤️"], STRICT, &[(1, "❤️", 1.0)]);
    check("ÉTÉ", &["été"], STRICT, &[(0, "ÉTÉ", 1.0)]);
    check("same", &["Same", "same"], STRICT, &[(0, "same", 1.0)]);
}

#[test]
fn nothing_is_found_in_nothing() {
    for text in ["", "   ", "?!", "☀️"] {
        check(text, &["red", "", "  ", "❤️"], PARTIAL, &[]);
    }
    check("red", &[], PARTIAL, &[]);
}

#[test]
fn words_are_found_in_their_order_and_near_to_each_other() {
    check("the red one", &["red", "green"], STRICT, &[(0, "red", 1.0)]);
    check(
        "the second from last one",
        &["second last"],
        STRICT,
        &[(0, "second from last", 2.0 / 3.0)],
    );
    check("the last from the second one", &["second last"], STRICT, &[]);
    check("a x x b", &["a b"], STRICT, &[(0, "a x x b", 0.5)]);
    check("a x x x b", &["a b"], STRICT, &[]);
    check("a x b", &["a b"], FindOptions { max_token_distance: 0, ..STRICT }, &[]);
    check("so a b!", &["a b"], FindOptions { max_token_distance: 0, ..STRICT }, &[(0, "a b", 1.0)]);
    check("reddish", &["red"], STRICT, &[]);
}

#[test]
fn two_candidates_are_found_in_the_order_of_the_text() {
    let both = [(1, "green", 1.0), (0, "red", 1.0)];
    check("green and red", &["red", "green"], STRICT, &both);
    check("red red red", &["red", "green"], STRICT, &[(0, "red", 1.0)]);
}

#[test]
fn a_word_belongs_to_the_longest_candidate() {
    let sizes = ["common area", "area", "common"];
    check("the common area please", &sizes, STRICT, &[(0, "common area", 1.0)]);
    let both = [(0, "common area", 1.0), (1, "area", 1.0)];
    check("the common area or an area", &sizes, STRICT, &both);
}

#[test]
fn a_better_score_wins_over_a_longer_text() {
    let found = [(1, "b", 1.0)];
    check("a x b", &["a b", "b"], STRICT, &found);
}

#[test]
fn partial_matches_score_their_share() {
    check("a red thing", &["red hot chili"], STRICT, &[]);
    check("a red thing", &["red hot chili"], PARTIAL, &[(0, "red", 1.0 / 3.0)]);
    check("red chili", &["red hot chili"], PARTIAL, &[(0, "red chili", 2.0 / 3.0)]);
    check("red, very chili", &["red hot chili"], PARTIAL, &[(0, "red, very chili", 4.0 / 9.0)]);
    check("hot stuff", &["red hot chili", "hot dog"], PARTIAL, &[(1, "hot", 0.5)]);
    check("hot dog", &["red hot chili", "big hot dog"], PARTIAL, &[(1, "hot dog", 2.0 / 3.0)]);
}

#[test]
fn the_search_goes_on_behind_a_match() {
    let text = "the last time I chose the last one";
    check(text, &["the last one"], STRICT, &[(0, "the last one", 1.0)]);
    check(text, &["the last one"], PARTIAL, &[(0, "the last one", 1.0)]);
    let wine = [(1, "red", 1.0), (0, "red wine", 1.0)];
    check("red, or no, some red wine", &["red wine", "red"], STRICT, &wine);
}

#[test]
fn emoji_and_other_scripts_are_found() {
    check("I want 🍕 now", &["🍔", "🍕"], STRICT, &[(1, "🍕", 1.0)]);
    check("🍕🍔", &["🍔", "🍕"], STRICT, &[(1, "🍕", 1.0), (0, "🍔", 1.0)]);
    check("Хочу КРАСНЫЙ!", &["красный"], STRICT, &[(0, "КРАСНЫЙ", 1.0)]);
    check("我要红色", &["绿色", "红色"], STRICT, &[(1, "红色", 1.0)]);
    check("红色或者绿色", &["绿色", "红色"], STRICT, &[(1, "红色", 1.0), (0, "绿色", 1.0)]);
    check("大概", &["大", "小"], STRICT, &[]);
    check("เอาสีแดง", &["สีแดง"], STRICT, &[(0, "สีแดง", 1.0)]);
    check("redcar", &["red"], STRICT, &[]);
}

#[test]
fn a_very_long_text_is_read_to_the_limit() {
    let long = "a ".repeat(TOKENS_MAX - 1);
    check(&format!("{long} red"), &["red"], STRICT, &[(0, "red", 1.0)]);
    check(&format!("a {long} red"), &["red"], STRICT, &[]);
    // The slowest text there is: every word begins a match that never gets on.
    check(&"a ".repeat(1_000_000), &["c b a d"], PARTIAL, &[(0, "a", 0.25)]);
    check(&"a ".repeat(1_000_000), &["a b", "b a"], STRICT, &[]);
}

//! Scores of the recognisers on a public set of cases, by kind and language, with floors.
//!
//! The set is read from beside the repository when it is there; without it only the few cases
//! written here are checked. `SAYSO_SCORES=all` prints the cases that fail.

use std::path::Path;

use sayso_recognize::{Language, dates, numbers, numbers_in_locale, ordinals, yes_or_no};
use serde_json::{Value, json};

/// The findings in a text, comparable: the matched text in lower case, and its value.
type Answer = Vec<(String, String)>;

/// A set of cases: its file, how it is recognised, and the least share of cases that must be right.
struct Set {
    file: String,
    floor_percent: usize,
    recognise: Box<dyn Fn(&str) -> Answer>,
}

struct Score {
    right: usize,
    all: usize,
    wrong: Vec<String>,
}

#[test]
#[expect(clippy::print_stdout, reason = "the scores are for people to read")]
fn recognisers_reach_their_floors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/specs/recognizers");
    if !folder.is_dir() {
        println!("{} is not there; only the cases of this test are checked", folder.display());
        return;
    }
    let mut below = Vec::new();
    for set in sets() {
        let score = score(&folder.join(&set.file), &set);
        let percent = 100.0 * score.right as f64 / score.all as f64;
        println!(
            "{:<45} {:>4} of {:>4}  {percent:>5.1} %  (floor {} %)",
            set.file, score.right, score.all, set.floor_percent
        );
        if std::env::var("SAYSO_SCORES").is_ok_and(|value| value == "all") {
            score.wrong.iter().for_each(|wrong| println!("    {wrong}"));
        }
        if percent < set.floor_percent as f64 {
            below.push(format!("{}: {percent:.1} %", set.file));
        }
    }
    assert!(below.is_empty(), "below their floors: {below:?}");
}

/// Dates are seen from a moment that each case names, so they are scored by themselves.
#[test]
#[expect(clippy::print_stdout, reason = "the scores are for people to read")]
fn dates_reach_their_floor() {
    const FLOOR_PERCENT: usize = 95;
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/specs/recognizers/DateTime/English/DateTimeModel.json");
    if !file.is_file() {
        println!("{} is not there; nothing is checked", file.display());
        return;
    }
    let mut score = Score { right: 0, all: 0, wrong: Vec::new() };
    for case in cases(&file) {
        let text = case["Input"].as_str().expect("a case has a text");
        let results = case["Results"].as_array().expect("a case has results");
        let expected: Vec<Value> = results.iter().map(expected_dates).collect();
        let found = found_dates(text, case["Context"]["ReferenceDateTime"].as_str());
        score.all += 1;
        if found == expected {
            score.right += 1;
        } else {
            score.wrong.push(format!("{text:?}: expected {expected:?}, found {found:?}"));
        }
    }
    let percent = 100.0 * score.right as f64 / score.all as f64;
    println!("dates: {} of {}  {percent:.1} %  (floor {FLOOR_PERCENT} %)", score.right, score.all);
    if std::env::var("SAYSO_SCORES").is_ok_and(|value| value == "all") {
        score.wrong.iter().for_each(|wrong| println!("    {wrong}"));
    }
    assert!(percent >= FLOOR_PERCENT as f64, "{percent:.1} % of the dates are right");
}

/// The dates found: the text, the kind, and all resolutions as they are sent.
fn found_dates(text: &str, reference: Option<&str>) -> Vec<Value> {
    // Cases without a moment hang on none.
    let reference = reference.unwrap_or("2016-11-07T00:00:00");
    let reference = reference.parse().expect("a case names a moment");
    let found = dates(text, Language::English, reference);
    let tell = |found: &sayso_recognize::Found<sayso_recognize::Dates>| {
        let values = &found.value.resolutions;
        json!([plain(&text[found.start..found.end]), found.value.kind, values])
    };
    found.iter().map(tell).collect()
}

/// The dates that a case expects, without the members that the prompts do not hand on.
fn expected_dates(result: &Value) -> Value {
    let kind = result["TypeName"].as_str().unwrap_or_default();
    let mut values = result["Resolution"]["values"].clone();
    for value in values.as_array_mut().into_iter().flatten() {
        let members = value.as_object_mut().expect("a resolution has members");
        members.retain(|name, _| ["timex", "type", "value", "start", "end"].contains(&&**name));
    }
    let text = plain(result["Text"].as_str().unwrap_or_default());
    json!([text, kind.trim_start_matches("datetimeV2."), values])
}

/// A few cases that need no public set.
#[test]
fn a_few_cases_of_each_kind() {
    let number = |text: &str, language| numbers(text, language)[0].value.to_string();
    assert_eq!(number("four hundred and two", Language::English), "402");
    assert_eq!(number("quatre-vingt-dix-sept", Language::French), "97");
    assert_eq!(number("zweiundvierzig", Language::German), "42");
    assert_eq!(number("dos millones y medio", Language::Spanish), "2500000");
    assert_eq!(number("四十二", Language::Chinese), "42");
    assert!(yes_or_no("sure, go ahead", Language::English)[0].value);
    assert!(!yes_or_no("лучше не надо", Language::Russian)[0].value);
    assert_eq!(ordinals("the second one", Language::English)[0].value.to_string(), "2");
}

fn sets() -> Vec<Set> {
    let mut sets: Vec<Set> = Language::ALL.into_iter().filter_map(yes_no_set).collect();
    sets.extend(Language::ALL.into_iter().filter_map(number_set));
    sets.push(Set {
        file: "Number/SpanishMexican/NumberModel.json".to_owned(),
        floor_percent: 95,
        recognise: Box::new(|text| {
            let found = numbers_in_locale(text, "es-MX").unwrap_or_default();
            answer(
                text,
                found.iter().map(|found| (found.start, found.end, found.value.to_string())),
            )
        }),
    });
    sets.push(Set {
        file: "Number/English/OrdinalModel.json".to_owned(),
        floor_percent: 95,
        recognise: Box::new(|text| {
            let found = ordinals(text, Language::English);
            answer(
                text,
                found.iter().map(|found| (found.start, found.end, found.value.to_string())),
            )
        }),
    });
    sets
}

fn yes_no_set(language: Language) -> Option<Set> {
    // Russian is not in the set.
    (language != Language::Russian).then(|| Set {
        file: format!("Choice/{language:?}/BooleanModel.json"),
        floor_percent: 95,
        recognise: Box::new(move |text| {
            let found = yes_or_no(text, language);
            answer(
                text,
                found.iter().map(|found| (found.start, found.end, found.value.to_string())),
            )
        }),
    })
}

fn number_set(language: Language) -> Option<Set> {
    // Neither is in the set.
    let is_scored = ![Language::Russian, Language::Bulgarian].contains(&language);
    is_scored.then(|| Set {
        file: format!("Number/{language:?}/NumberModel.json"),
        floor_percent: 95,
        recognise: Box::new(move |text| {
            let found = numbers(text, language);
            answer(
                text,
                found.iter().map(|found| (found.start, found.end, found.value.to_string())),
            )
        }),
    })
}

fn answer(text: &str, found: impl Iterator<Item = (usize, usize, String)>) -> Answer {
    found.map(|(start, end, value)| (plain(&text[start..end]), value)).collect()
}

/// As the set writes what it found: small letters, and narrow forms of wide digits and signs.
fn plain(text: &str) -> String {
    let narrow = |letter: char| match letter {
        '\u{ff01}'..='\u{ff5e}' => {
            u8::try_from(u32::from(letter) - 0xfee0).map_or(letter, char::from)
        }
        '−' => '-',
        '、' => ',',
        other => other,
    };
    text.to_lowercase().chars().map(narrow).collect()
}

fn score(file: &Path, set: &Set) -> Score {
    let mut score = Score { right: 0, all: 0, wrong: Vec::new() };
    for case in cases(file) {
        let text = case["Input"].as_str().expect("a case has a text");
        let results = case["Results"].as_array().expect("a case has results");
        let expected: Answer = results.iter().map(expected).collect();
        let found = (set.recognise)(text);
        score.all += 1;
        if found == expected {
            score.right += 1;
        } else {
            score.wrong.push(format!("{text:?}: expected {expected:?}, found {found:?}"));
        }
    }
    score
}

/// The cases of a file, without those that the reference itself does not get right; all of them
/// where it gets none right.
fn cases(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()));
    let cases: Vec<Value> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .expect("a file has a list of cases");
    let is_supported = |case: &Value| {
        !case["NotSupported"].as_str().is_some_and(|who| who.to_lowercase().contains("dotnet"))
    };
    assert!(!cases.is_empty(), "{} has no cases", file.display());
    match cases.iter().any(is_supported) {
        true => cases.into_iter().filter(is_supported).collect(),
        false => cases,
    }
}

/// The finding that a case expects. The set writes decimals as its cultures do; values here are the
/// same in every language.
fn expected(result: &Value) -> (String, String) {
    let text = plain(result["Text"].as_str().unwrap_or_default());
    let value = match &result["Resolution"]["value"] {
        Value::String(value) => value.replace(',', "."),
        value => value.to_string(),
    };
    (text, value)
}

//! Numbers, language by language.

use super::{Kind, Number, numbers, numbers_in_locale};
use crate::Language;

#[test]
fn numbers_are_shown_the_same_everywhere() {
    let shown = |value, kind| Number::new(value, kind).unwrap().to_string();
    assert_eq!(shown(2.0 / 3.0, Kind::Fraction), "0.666666666666667");
    assert_eq!(shown(1e-7, Kind::Fraction), "1E-07");
    assert_eq!(shown(0.000_623, Kind::Decimal), "0.000623");
    assert_eq!(shown(1.5e-5, Kind::Fraction), "1.5E-05");
    assert_eq!(shown(12.32e14, Kind::Power), "1.232E+15");
    assert_eq!(shown(-0.5, Kind::Decimal), "-0.5");
    assert_eq!(shown(-5.0, Kind::Decimal), "-5");
    assert_eq!(shown(1e18, Kind::Integer), "1E+18");
    assert_eq!(Number::whole(123_456_789_012_345_678).to_string(), "123456789012345678");
    assert_eq!(Number::whole(i128::from(i64::MIN)).to_string(), i64::MIN.to_string());
    assert_eq!(Number::whole(0).to_string(), "0");
    assert!(Number::new(f64::NAN, Kind::Decimal).is_none());
    assert!(Number::new(f64::INFINITY, Kind::Power).is_none());
}

#[test]
fn whole_numbers_are_exact() {
    let found = numbers("9007199254740993 and -1", Language::English);
    assert_eq!(found[0].value.integer(), Some(9_007_199_254_740_993));
    assert_eq!(found[1].value.integer(), Some(-1));
    assert_eq!(numbers("2.5", Language::English)[0].value.integer(), None);
    assert_eq!(numbers("1e30", Language::English)[0].value.integer(), None);
}

#[test]
fn kinds_are_told_apart() {
    let kind = |text| numbers(text, Language::English)[0].value.kind();
    assert_eq!(kind("2 million"), Kind::Integer);
    assert_eq!(kind("two point five"), Kind::Decimal);
    assert_eq!(kind("1/2"), Kind::Fraction);
    assert_eq!(kind("two halves"), Kind::Fraction);
    assert_eq!(kind("2^5"), Kind::Power);
}

#[test]
fn places_decide_how_digits_are_read() {
    let shown = |text, locale| numbers_in_locale(text, locale).unwrap()[0].value.to_string();
    assert_eq!(shown("1,234.5", "es-MX"), "1234.5");
    assert_eq!(shown("1.234,5", "es-MX"), "1234.5");
    assert_eq!(shown("1.234,5", "es"), "1234.5");
    assert_eq!(shown("1,5", "de-DE"), "1.5");
    assert!(numbers_in_locale("1", "tlh").is_none());
}

/// Texts made to break something.
const ODD: &[&str] = &[
    "",
    " ",
    "-",
    "--",
    "- -5",
    ".",
    ",",
    ".,.,",
    "1.",
    "1..2",
    "1,,2",
    ",1,",
    "1e",
    "1e+",
    "1e99999",
    "2^",
    "2^^2",
    "2^-",
    "9^999",
    "0^-1",
    "1/0",
    "0/0",
    "1/",
    "/1",
    "1 2/0",
    "½½½",
    "1½½",
    "½e5",
    "٣",
    "१२",
    "1٣",
    "一",
    "👍1👍",
    "1️⃣",
    "a\u{301}1",
    "\u{301}",
    "İ",
    "ß",
    "one\u{0}two",
    "and",
    "and and",
    "a a a",
    "point",
    "point point",
    "over",
    "one over zero",
    "zero over one",
    "one over",
    "half half",
    "and a half",
    "zero hundred",
    "hundred hundred hundred",
    "million million",
    "thousand thousand thousand thousand thousand thousand thousand",
    "trillion trillion trillion trillion",
    "-½",
    "−5",
    "first first",
    "zeroth",
    "minus",
    "minus minus one",
    "1'234'567",
    "'1'",
    "1_000",
    "0x1F",
    "1 000 000 000 000 000 000 000",
    "170141183460469231731687303715884105728",
    "1e38k",
    "99999999999999999999999999999999999999 million",
    "0.00000000000000000000000000000000000000000000000000001",
    "eins zwei",
    "einundeinundein",
    "undundund",
    "tjugotjugotjugo",
    "millemillemille",
    "üçteüçte",
    "vingt vingt vingt",
    "et un",
    "avos",
    "un avos",
    "целых",
];

/// None may panic, and every place must be one of the text.
#[test]
fn odd_texts_are_no_trouble() {
    let long_digits = "9".repeat(5000);
    for language in Language::ALL {
        for text in ODD.iter().copied().chain([long_digits.as_str()]) {
            for found in numbers(text, language) {
                assert!(
                    text.get(found.start..found.end).is_some_and(|text| !text.is_empty()),
                    "{text}"
                );
                assert!(found.value.value().is_finite(), "{text}");
                assert!(!found.value.to_string().is_empty());
            }
        }
    }
}

/// Every text that two short ones make, so that what ends one number and begins the next is tried
/// in all ways.
#[test]
fn pairs_of_parts_are_no_trouble() {
    let parts = [
        "1", "2.5", "1/2", "half", "a", "and", "one", "twenty", "hundred", "million", "fifth",
        "fifths", "point", "over", "-", "/", "½", "k", "dozen", "minus", "quarters", "the",
    ];
    for first in parts {
        for second in parts {
            for third in parts {
                let text = format!("{first} {second}{third}");
                for found in numbers(&text, Language::English) {
                    assert!(text.get(found.start..found.end).is_some(), "{text}");
                }
            }
        }
    }
}

#[test]
fn too_long_a_text_has_no_numbers() {
    let just = format!("{:>10000}", "7");
    assert_eq!(numbers(&just, Language::English).len(), 1);
    assert!(numbers(&format!(" {just}"), Language::English).is_empty());
}

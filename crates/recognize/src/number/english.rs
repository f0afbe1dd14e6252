//! English numbers.

use super::digits::Separators;
use super::grammar::{Grammar, Split, Term, ends_with_word};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    separators: Separators::POINT,
    endings: &[("", false), ("s", true)],
    phrases: &[("out", "of", Term::OutOf)],
    has_bare_thousands: false,
    split: Split::English,
    is_excluded: is_pronoun,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

/// Reports whether "one" is a pronoun here: "this one".
fn is_pronoun(before: &str, word: &str) -> bool {
    let pronouns = ["the", "this", "that", "which"];
    word.eq_ignore_ascii_case("one") && pronouns.iter().any(|known| ends_with_word(before, known))
}

const WORDS: &[(&str, Term)] = &[
    ("a", Term::Article),
    ("an", Term::Article),
    ("and", Term::And),
    ("billion", Term::Times(1_000_000_000)),
    ("billions", Term::Many(1_000_000_000)),
    ("bln", Term::Times(1_000_000_000)),
    ("crore", Term::Times(10_000_000)),
    ("crores", Term::Many(10_000_000)),
    ("dot", Term::Point),
    ("doz", Term::Dozen(12)),
    ("dozen", Term::Dozen(12)),
    ("dozens", Term::Dozen(12)),
    ("dozs", Term::Dozen(12)),
    ("dz", Term::Dozen(12)),
    ("eight", Term::Small(8)),
    ("eighteen", Term::Small(18)),
    ("eighty", Term::Small(80)),
    ("eleven", Term::Small(11)),
    ("fifteen", Term::Small(15)),
    ("fifty", Term::Small(50)),
    ("five", Term::Small(5)),
    ("forty", Term::Small(40)),
    ("four", Term::Small(4)),
    ("fourteen", Term::Small(14)),
    ("fourty", Term::Small(40)),
    ("gross", Term::Dozen(144)),
    ("half", Term::Half),
    ("halves", Term::Half),
    ("hundred", Term::Times(100)),
    ("hundreds", Term::Many(100)),
    ("in", Term::OneIn),
    ("lac", Term::Times(100_000)),
    ("lakh", Term::Times(100_000)),
    ("lakhs", Term::Many(100_000)),
    ("mil", Term::Times(1_000_000)),
    ("million", Term::Times(1_000_000)),
    ("millions", Term::Many(1_000_000)),
    ("minus", Term::Minus),
    ("mln", Term::Times(1_000_000)),
    ("naught", Term::Small(0)),
    ("negative", Term::Minus),
    ("nil", Term::Small(0)),
    ("nine", Term::Small(9)),
    ("nineteen", Term::Small(19)),
    ("ninety", Term::Small(90)),
    ("nought", Term::Small(0)),
    ("of", Term::Of),
    ("one", Term::Small(1)),
    ("over", Term::Over),
    ("point", Term::Point),
    ("quadrillion", Term::Times(1_000_000_000_000_000)),
    ("quarter", Term::Quarter),
    ("quarters", Term::Quarter),
    ("quintillion", Term::Times(1_000_000_000_000_000_000)),
    ("seven", Term::Small(7)),
    ("seventeen", Term::Small(17)),
    ("seventy", Term::Small(70)),
    ("six", Term::Small(6)),
    ("sixteen", Term::Small(16)),
    ("sixty", Term::Small(60)),
    ("ten", Term::Small(10)),
    ("thirteen", Term::Small(13)),
    ("thirty", Term::Small(30)),
    ("thousand", Term::Times(1_000)),
    ("thousands", Term::Many(1_000)),
    ("three", Term::Small(3)),
    ("tln", Term::Times(1_000_000_000_000)),
    ("trillion", Term::Times(1_000_000_000_000)),
    ("trillions", Term::Many(1_000_000_000_000)),
    ("twelve", Term::Small(12)),
    ("twenty", Term::Small(20)),
    ("two", Term::Small(2)),
    ("zero", Term::Small(0)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("billionth", 1_000_000_000),
    ("eighteenth", 18),
    ("eighth", 8),
    ("eightieth", 80),
    ("eleventh", 11),
    ("fifteenth", 15),
    ("fifth", 5),
    ("fiftieth", 50),
    ("first", 1),
    ("fortieth", 40),
    ("fourteenth", 14),
    ("fourth", 4),
    ("fourtieth", 40),
    ("hundredth", 100),
    ("millionth", 1_000_000),
    ("nineteenth", 19),
    ("nineth", 9),
    ("ninetieth", 90),
    ("ninth", 9),
    ("second", 2),
    ("seventeenth", 17),
    ("seventh", 7),
    ("seventieth", 70),
    ("sixteenth", 16),
    ("sixth", 6),
    ("sixtieth", 60),
    ("tenth", 10),
    ("third", 3),
    ("thirteenth", 13),
    ("thirtieth", 30),
    ("thousandth", 1_000),
    ("trillionth", 1_000_000_000_000),
    ("twelfth", 12),
    ("twelveth", 12),
    ("twentieth", 20),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::English as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "42", &["42"]);
        check(LANGUAGE, "four", &["4"]);
        check(LANGUAGE, "one hundred and twenty-three", &["123"]);
        check(LANGUAGE, "a million", &["1000000"]);
        check(LANGUAGE, "minus three point one four", &["-3.14"]);
        check(LANGUAGE, "two and a half", &["2.5"]);
        check(LANGUAGE, "three quarters of a million", &["750000"]);
        check(LANGUAGE, "the one", &[]);
        check(LANGUAGE, "twenty one and two hundred three hundred", &["21", "200", "300"]);
        check(LANGUAGE, "the twenty-first", &[]);
        check(LANGUAGE, "twenty seconds", &["20"]);
        check(LANGUAGE, "half a dozen", &["6"]);
        check(LANGUAGE, "1.5 thousand", &["1500"]);
        check(LANGUAGE, "12,34,567", &["1234567"]);
        check(LANGUAGE, "two point five million", &["2500000"]);
        check(LANGUAGE, "one in ten", &["0.1"]);
    }
}

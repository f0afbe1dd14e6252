//! French numbers, of Belgium and Switzerland too.

use super::grammar::{Grammar, Term, ends_with_word, tens_and_units};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    endings: &[("e", false), ("es", true), ("", true)],
    join,
    has_and: false,
    is_excluded: is_percent,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

/// Reports whether `cent` is part of a percentage, `pour cent`.
fn is_percent(before: &str, word: &str) -> bool {
    word.eq_ignore_ascii_case("cent") && ends_with_word(before, "pour")
}

/// Sixty and ten are seventy; four twenties are eighty. "Et" stands before one and eleven only.
fn join(first: u8, second: u8, with_and: bool) -> Option<u8> {
    match (first, second) {
        (20 | 30 | 40 | 50 | 60 | 70 | 80 | 90, 1) | (60, 11) => Some(first + second),
        _ if with_and => None,
        (4, 20) => Some(80),
        (60 | 80, 10..=19) | (10, 7..=9) => Some(first + second),
        _ => tens_and_units(first, second, false),
    }
}

const WORDS: &[(&str, Term)] = &[
    ("billiard", Term::Times(1_000_000_000_000_000)),
    ("billion", Term::Times(1_000_000_000_000)),
    ("billions", Term::Many(1_000_000_000_000)),
    ("cent", Term::Times(100)),
    ("cents", Term::Many(100)),
    ("cinq", Term::Small(5)),
    ("cinquante", Term::Small(50)),
    ("de", Term::Of),
    ("demi", Term::Half),
    ("demie", Term::Half),
    ("demies", Term::Half),
    ("demis", Term::Half),
    ("deux", Term::Small(2)),
    ("dix", Term::Small(10)),
    ("dizaine", Term::Dozen(10)),
    ("dizaines", Term::Dozen(10)),
    ("douzaine", Term::Dozen(12)),
    ("douzaines", Term::Dozen(12)),
    ("douze", Term::Small(12)),
    ("et", Term::And),
    ("huit", Term::Small(8)),
    ("huitante", Term::Small(80)),
    ("mil", Term::Times(1_000)),
    ("mille", Term::Times(1_000)),
    ("milles", Term::Times(1_000)),
    ("milliard", Term::Times(1_000_000_000)),
    ("milliards", Term::Many(1_000_000_000)),
    ("million", Term::Times(1_000_000)),
    ("millions", Term::Many(1_000_000)),
    ("moins", Term::Minus),
    ("moitie", Term::Half),
    ("negatif", Term::Minus),
    ("negative", Term::Minus),
    ("neuf", Term::Small(9)),
    ("nonante", Term::Small(90)),
    ("octante", Term::Small(80)),
    ("onze", Term::Small(11)),
    ("point", Term::Point),
    ("quarante", Term::Small(40)),
    ("quart", Term::Quarter),
    ("quarts", Term::Quarter),
    ("quatorze", Term::Small(14)),
    ("quatre", Term::Small(4)),
    ("quinzaine", Term::Dozen(15)),
    ("quinze", Term::Small(15)),
    ("seize", Term::Small(16)),
    ("sept", Term::Small(7)),
    ("septante", Term::Small(70)),
    ("six", Term::Small(6)),
    ("soixante", Term::Small(60)),
    ("sur", Term::OutOf),
    ("treize", Term::Small(13)),
    ("trente", Term::Small(30)),
    ("trillion", Term::Times(1_000_000_000_000_000_000)),
    ("trillions", Term::Many(1_000_000_000_000_000_000)),
    ("trois", Term::Small(3)),
    ("un", Term::Small(1)),
    ("une", Term::Small(1)),
    ("vingt", Term::Small(20)),
    ("vingtaine", Term::Dozen(20)),
    ("vingts", Term::Small(20)),
    ("virgule", Term::Point),
    ("zero", Term::Small(0)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("billioniem", 1_000_000_000_000),
    ("centiem", 100),
    ("cinquantiem", 50),
    ("cinquiem", 5),
    ("deuxiem", 2),
    ("dixiem", 10),
    ("douziem", 12),
    ("huitantiem", 80),
    ("huitiem", 8),
    ("milliardiem", 1_000_000_000),
    ("milliem", 1_000),
    ("millioniem", 1_000_000),
    ("neuviem", 9),
    ("nonantiem", 90),
    ("octantiem", 80),
    ("onziem", 11),
    ("quarantiem", 40),
    ("quatorziem", 14),
    ("quatriem", 4),
    ("quinziem", 15),
    ("seiziem", 16),
    ("septantiem", 70),
    ("septiem", 7),
    ("sixiem", 6),
    ("soixantiem", 60),
    ("tiers", 3),
    ("treiziem", 13),
    ("trentiem", 30),
    ("trillioniem", 1_000_000_000_000_000_000),
    ("troisiem", 3),
    ("uniem", 1),
    ("vingtiem", 20),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::French as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "quatre-vingt-dix-sept", &["97"]);
        check(LANGUAGE, "soixante et onze", &["71"]);
        check(LANGUAGE, "deux mille vingt-quatre", &["2024"]);
        check(LANGUAGE, "moins cinq virgule zéro deux", &["-5.02"]);
        check(LANGUAGE, "deux cents et trois quarts", &["200.75"]);
        check(LANGUAGE, "un million et demi", &["1500000"]);
        check(LANGUAGE, "1.234.567,8", &["1234567.8"]);
        check(LANGUAGE, "1000 sur 3", &["1000", "3"]);
        check(LANGUAGE, "trois et deux", &["3", "2"]);
        check(LANGUAGE, "une douzaine", &["12"]);
        check(LANGUAGE, "le vingtième", &[]);
    }
}

//! Turkish numbers. Ten is a word like the other tens, so eleven is `on bir`.

use super::digits::Separators;
use super::grammar::{Grammar, Term};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    separators: Separators { lenient: false, ..Separators::COMMA },
    join,
    is_compound: true,
    has_and: false,
    has_digits_after_words: false,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

/// Any tens and units: `on bir`, `yirmi bir`.
fn join(first: u8, second: u8, with_and: bool) -> Option<u8> {
    let fits = first >= 10 && first.is_multiple_of(10) && (1..10).contains(&second);
    (fits && !with_and).then(|| first + second)
}

const WORDS: &[(&str, Term)] = &[
    ("alti", Term::Small(6)),
    ("altida", Term::Among(6)),
    ("altmis", Term::Small(60)),
    ("bes", Term::Small(5)),
    ("beste", Term::Among(5)),
    ("bin", Term::Times(1_000)),
    ("bir", Term::Small(1)),
    ("bolu", Term::Over),
    ("bucuk", Term::AndHalf),
    ("ceyrek", Term::Quarter),
    ("deste", Term::Dozen(10)),
    ("doksan", Term::Small(90)),
    ("dokuz", Term::Small(9)),
    ("dokuzda", Term::Among(9)),
    ("dort", Term::Small(4)),
    ("dortte", Term::Among(4)),
    ("duzine", Term::Dozen(12)),
    ("eksi", Term::Minus),
    ("elli", Term::Small(50)),
    ("ellide", Term::Among(50)),
    ("iki", Term::Small(2)),
    ("ikide", Term::Among(2)),
    ("katrilyon", Term::Times(1_000_000_000_000_000)),
    ("kirk", Term::Small(40)),
    ("kirkta", Term::Among(40)),
    ("milyar", Term::Times(1_000_000_000)),
    ("milyon", Term::Times(1_000_000)),
    ("negatif", Term::Minus),
    ("nokta", Term::Point),
    ("on", Term::Small(10)),
    ("onda", Term::Among(10)),
    ("otuz", Term::Small(30)),
    ("otuzda", Term::Among(30)),
    ("sekiz", Term::Small(8)),
    ("sekizde", Term::Among(8)),
    ("seksen", Term::Small(80)),
    ("sifir", Term::Small(0)),
    ("trilyon", Term::Times(1_000_000_000_000)),
    ("uc", Term::Small(3)),
    ("ucte", Term::Among(3)),
    ("virgul", Term::Point),
    ("yari", Term::Half),
    ("yarim", Term::Half),
    ("yarisi", Term::Half),
    ("yedi", Term::Small(7)),
    ("yedide", Term::Among(7)),
    ("yetmis", Term::Small(70)),
    ("yirmi", Term::Small(20)),
    ("yirmide", Term::Among(20)),
    ("yuz", Term::Times(100)),
];

const ORDINALS: &[(&str, u64)] = &[];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::Turkish as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "kırk iki", &["42"]);
        check(LANGUAGE, "iki bin yirmi dört", &["2024"]);
        check(LANGUAGE, "ikibinyirmidört", &["2024"]);
        check(LANGUAGE, "eksi üç virgül on dört", &["-3.14"]);
        check(LANGUAGE, "iki buçuk milyon", &["2500000"]);
        check(LANGUAGE, "beşte bir", &["0.2"]);
        check(LANGUAGE, "KIRK İKİ", &["42"]);
        check(LANGUAGE, "yarım", &["0.5"]);
        check(LANGUAGE, "beş ve altı", &["5", "6"]);
    }
}

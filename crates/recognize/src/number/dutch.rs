//! Dutch numbers, which are written as one word up to a thousand.

use super::grammar::{Grammar, Split, Term, units_and_tens};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    endings: &[("", false), ("n", true)],
    phrases: &[
        ("van", "de", Term::OutOf),
        ("op", "de", Term::OutOf),
        ("uit", "de", Term::OutOf),
        ("gedeeld", "door", Term::Over),
    ],
    join: units_and_tens,
    is_compound: true,
    split: Split::TwoWords,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

const WORDS: &[(&str, Term)] = &[
    ("acht", Term::Small(8)),
    ("achttien", Term::Small(18)),
    ("anderhalf", Term::Mixed(3, 2)),
    ("anderhalve", Term::Mixed(3, 2)),
    ("biljard", Term::Times(1_000_000_000_000_000)),
    ("biljoen", Term::Times(1_000_000_000_000)),
    ("biljoenen", Term::Many(1_000_000_000_000)),
    ("dertien", Term::Small(13)),
    ("dertig", Term::Small(30)),
    ("dozijn", Term::Dozen(12)),
    ("dozijnen", Term::Dozen(12)),
    ("drie", Term::Small(3)),
    ("driekwart", Term::Mixed(3, 4)),
    ("duizend", Term::Times(1_000)),
    ("een", Term::Small(1)),
    ("eens", Term::Small(1)),
    ("elf", Term::Small(11)),
    ("en", Term::And),
    ("eneenhalf", Term::AndHalf),
    ("eneenhalve", Term::AndHalf),
    ("enhalf", Term::AndHalf),
    ("enhalve", Term::AndHalf),
    ("gedeelddoor", Term::Over),
    ("gros", Term::Dozen(144)),
    ("half", Term::Half),
    ("halve", Term::Half),
    ("halven", Term::Half),
    ("helft", Term::Half),
    ("honderd", Term::Times(100)),
    ("komma", Term::Point),
    ("kwart", Term::Quarter),
    ("kwarten", Term::Quarter),
    ("miljard", Term::Times(1_000_000_000)),
    ("miljarden", Term::Many(1_000_000_000)),
    ("miljoen", Term::Times(1_000_000)),
    ("miljoenen", Term::Many(1_000_000)),
    ("min", Term::Minus),
    ("minus", Term::Minus),
    ("mld", Term::Times(1_000_000_000)),
    ("mln", Term::Times(1_000_000)),
    ("negatief", Term::Minus),
    ("negen", Term::Small(9)),
    ("negentien", Term::Small(19)),
    ("negentig", Term::Small(90)),
    ("nul", Term::Small(0)),
    ("op", Term::OutOf),
    ("punt", Term::Point),
    ("tachtig", Term::Small(80)),
    ("tien", Term::Small(10)),
    ("triljoen", Term::Times(1_000_000_000_000_000_000)),
    ("twaalf", Term::Small(12)),
    ("twee", Term::Small(2)),
    ("twintig", Term::Small(20)),
    ("uit", Term::OutOf),
    ("veertien", Term::Small(14)),
    ("veertig", Term::Small(40)),
    ("vier", Term::Small(4)),
    ("vijf", Term::Small(5)),
    ("vijftien", Term::Small(15)),
    ("vijftig", Term::Small(50)),
    ("vijv", Term::Small(5)),
    ("zes", Term::Small(6)),
    ("zestien", Term::Small(16)),
    ("zestig", Term::Small(60)),
    ("zeven", Term::Small(7)),
    ("zeventien", Term::Small(17)),
    ("zeventig", Term::Small(70)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("achtste", 8),
    ("achttiende", 18),
    ("biljoenste", 1_000_000_000_000),
    ("derde", 3),
    ("dertiende", 13),
    ("dertigste", 30),
    ("duizendste", 1_000),
    ("eerste", 1),
    ("elfde", 11),
    ("honderdste", 100),
    ("miljardste", 1_000_000_000),
    ("miljoenste", 1_000_000),
    ("negende", 9),
    ("negentiende", 19),
    ("negentigste", 90),
    ("tachtigste", 80),
    ("tiende", 10),
    ("twaalfde", 12),
    ("tweede", 2),
    ("twintigste", 20),
    ("veertiende", 14),
    ("veertigste", 40),
    ("vierde", 4),
    ("vijfde", 5),
    ("vijftiende", 15),
    ("vijftigste", 50),
    ("zesde", 6),
    ("zestiende", 16),
    ("zestigste", 60),
    ("zevende", 7),
    ("zeventiende", 17),
    ("zeventigste", 70),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::Dutch as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "tweeënveertig", &["42"]);
        check(LANGUAGE, "duizend tweehonderdvierendertig", &["1234"]);
        check(LANGUAGE, "min drie komma een vier", &["-3.14"]);
        check(LANGUAGE, "twee en een half miljoen", &["2500000"]);
        check(LANGUAGE, "vijf en zes", &["5", "6"]);
        check(LANGUAGE, "anderhalf miljoen", &["1500000"]);
        check(LANGUAGE, "1.234,5", &["1234.5"]);
        check(LANGUAGE, "de eenentwintigste", &[]);
        check(LANGUAGE, "drie tiende", &["0.3"]);
    }
}

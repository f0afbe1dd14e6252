//! Swedish numbers, which are often written as one word.

use super::grammar::{Grammar, Term};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    endings: &[("", false), ("ar", true), ("arna", true), ("en", false), ("s", false)],
    phrases: &[
        ("delat", "med", Term::Over),
        ("delat", "på", Term::Over),
        ("dividerat", "med", Term::Over),
        ("utav", "de", Term::OutOf),
    ],
    is_compound: true,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

const WORDS: &[(&str, Term)] = &[
    ("arton", Term::Small(18)),
    ("atta", Term::Small(8)),
    ("atti", Term::Small(80)),
    ("attio", Term::Small(80)),
    ("av", Term::OutOf),
    ("biljard", Term::Times(1_000_000_000_000_000)),
    ("biljarder", Term::Many(1_000_000_000_000_000)),
    ("biljon", Term::Times(1_000_000_000_000)),
    ("biljoner", Term::Many(1_000_000_000_000)),
    ("dussin", Term::Dozen(12)),
    ("elva", Term::Small(11)),
    ("en", Term::Small(1)),
    ("enhalv", Term::AndHalf),
    ("et", Term::Small(1)),
    ("ett", Term::Small(1)),
    ("etthalvt", Term::AndHalf),
    ("fem", Term::Small(5)),
    ("femti", Term::Small(50)),
    ("femtio", Term::Small(50)),
    ("femton", Term::Small(15)),
    ("fjorton", Term::Small(14)),
    ("fyra", Term::Small(4)),
    ("fyrti", Term::Small(40)),
    ("fyrtio", Term::Small(40)),
    ("genom", Term::Over),
    ("halft", Term::Half),
    ("halften", Term::Half),
    ("halv", Term::Half),
    ("halva", Term::Half),
    ("halvannan", Term::Mixed(3, 2)),
    ("halvannat", Term::Mixed(3, 2)),
    ("halvt", Term::Half),
    ("hundra", Term::Times(100)),
    ("komma", Term::Point),
    ("kvart", Term::Quarter),
    ("kvartar", Term::Quarter),
    ("kvarts", Term::Quarter),
    ("md", Term::Times(1_000_000_000)),
    ("miljard", Term::Times(1_000_000_000)),
    ("miljarder", Term::Many(1_000_000_000)),
    ("miljon", Term::Times(1_000_000)),
    ("miljoner", Term::Many(1_000_000)),
    ("minus", Term::Minus),
    ("mn", Term::Times(1_000_000)),
    ("negativ", Term::Minus),
    ("negativt", Term::Minus),
    ("nio", Term::Small(9)),
    ("nitti", Term::Small(90)),
    ("nittio", Term::Small(90)),
    ("nitton", Term::Small(19)),
    ("noll", Term::Small(0)),
    ("och", Term::And),
    ("punkt", Term::Point),
    ("sex", Term::Small(6)),
    ("sexti", Term::Small(60)),
    ("sextio", Term::Small(60)),
    ("sexton", Term::Small(16)),
    ("sju", Term::Small(7)),
    ("sjutti", Term::Small(70)),
    ("sjuttio", Term::Small(70)),
    ("sjutton", Term::Small(17)),
    ("tio", Term::Small(10)),
    ("tjog", Term::Dozen(20)),
    ("tjugi", Term::Small(20)),
    ("tjugo", Term::Small(20)),
    ("tolv", Term::Small(12)),
    ("tre", Term::Small(3)),
    ("tretti", Term::Small(30)),
    ("trettio", Term::Small(30)),
    ("tretton", Term::Small(13)),
    ("triljon", Term::Times(1_000_000_000_000_000_000)),
    ("triljoner", Term::Many(1_000_000_000_000_000_000)),
    ("tusen", Term::Times(1_000)),
    ("tva", Term::Small(2)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("andradel", 2),
    ("andredel", 2),
    ("artondedel", 18),
    ("artondel", 18),
    ("attiondedel", 80),
    ("attiondel", 80),
    ("attondedel", 8),
    ("attondel", 8),
    ("biljondedel", 1_000_000_000_000),
    ("biljondel", 1_000_000_000_000),
    ("biljontedel", 1_000_000_000_000),
    ("elftedel", 11),
    ("femtedel", 5),
    ("femtiondedel", 50),
    ("femtiondel", 50),
    ("femtondedel", 15),
    ("femtondel", 15),
    ("fjardedel", 4),
    ("fjardedels", 4),
    ("fjortondedel", 14),
    ("fjortondel", 14),
    ("forsta", 1),
    ("forstedel", 1),
    ("fyrtiondedel", 40),
    ("fyrtiondel", 40),
    ("hundrade", 100),
    ("hundradedel", 100),
    ("hundradel", 100),
    ("hundratedel", 100),
    ("miljarddedel", 1_000_000_000),
    ("miljarddel", 1_000_000_000),
    ("miljardtedel", 1_000_000_000),
    ("miljondedel", 1_000_000),
    ("miljondel", 1_000_000),
    ("miljontedel", 1_000_000),
    ("niondedel", 9),
    ("niondel", 9),
    ("nittiondedel", 90),
    ("nittiondel", 90),
    ("nittondedel", 19),
    ("nittondel", 19),
    ("sextiondedel", 60),
    ("sextiondel", 60),
    ("sextondedel", 16),
    ("sextondel", 16),
    ("sjattedel", 6),
    ("sjundedel", 7),
    ("sjundel", 7),
    ("sjuttiondedel", 70),
    ("sjuttiondel", 70),
    ("sjuttondedel", 17),
    ("sjuttondel", 17),
    ("tiondedel", 10),
    ("tiondel", 10),
    ("tjugondedel", 20),
    ("tjugondel", 20),
    ("tolftedel", 12),
    ("tredjedel", 3),
    ("tredjedels", 3),
    ("trettiondedel", 30),
    ("trettiondel", 30),
    ("trettondedel", 13),
    ("trettondel", 13),
    ("triljondedel", 1_000_000_000_000_000_000),
    ("triljondel", 1_000_000_000_000_000_000),
    ("triljontedel", 1_000_000_000_000_000_000),
    ("tusende", 1_000),
    ("tusendedel", 1_000),
    ("tusendel", 1_000),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::Swedish as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "fyrtiotvå", &["42"]);
        check(LANGUAGE, "tvåtusen tjugofyra", &["2024"]);
        check(LANGUAGE, "minus tre komma fjorton", &["-3.14"]);
        check(LANGUAGE, "två och en halv miljon", &["2500000"]);
        check(LANGUAGE, "fem och sex", &["5", "6"]);
        check(LANGUAGE, "två tredjedelar", &["0.666666666666667"]);
        check(LANGUAGE, "1 234,5", &["1234.5"]);
        check(LANGUAGE, "ett och ett halvt", &["1.5"]);
    }
}

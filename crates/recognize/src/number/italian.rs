//! Italian numbers, which are written as one word below a million.

use super::grammar::{Grammar, Term, ends_with_word};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    endings: &[("o", false), ("i", true), ("a", false), ("e", true)],
    is_compound: true,
    is_excluded: is_no_hundred,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

/// Reports whether `cent` or `cento` has another meaning than a hundred: `cent` counts only inside
/// a word, `centotto`, and `per cento` is a percentage.
fn is_no_hundred(before: &str, word: &str) -> bool {
    let is_percent = word.eq_ignore_ascii_case("cento") && ends_with_word(before, "per");
    is_percent || word.eq_ignore_ascii_case("cent")
}

const WORDS: &[(&str, Term)] = &[
    ("bilione", Term::Times(1_000_000_000_000)),
    ("bilioni", Term::Many(1_000_000_000_000)),
    ("cent", Term::Times(100)),
    ("cento", Term::Times(100)),
    ("cinquanta", Term::Small(50)),
    ("cinquantotto", Term::Small(58)),
    ("cinquantun", Term::Small(51)),
    ("cinquantuno", Term::Small(51)),
    ("cinque", Term::Small(5)),
    ("decina", Term::Dozen(10)),
    ("decine", Term::Dozen(10)),
    ("di", Term::Of),
    ("diciannove", Term::Small(19)),
    ("diciassette", Term::Small(17)),
    ("diciotto", Term::Small(18)),
    ("dieci", Term::Small(10)),
    ("dodici", Term::Small(12)),
    ("dozzina", Term::Dozen(12)),
    ("dozzine", Term::Dozen(12)),
    ("due", Term::Small(2)),
    ("e", Term::And),
    ("meno", Term::Minus),
    ("meta", Term::Half),
    ("mezza", Term::Half),
    ("mezze", Term::Half),
    ("mezzi", Term::Half),
    ("mezzo", Term::Half),
    ("mila", Term::Many(1_000)),
    ("miliardi", Term::Many(1_000_000_000)),
    ("miliardo", Term::Times(1_000_000_000)),
    ("milione", Term::Times(1_000_000)),
    ("milioni", Term::Many(1_000_000)),
    ("mille", Term::Times(1_000)),
    ("negativo", Term::Minus),
    ("novanta", Term::Small(90)),
    ("novantotto", Term::Small(98)),
    ("novantun", Term::Small(91)),
    ("novantuno", Term::Small(91)),
    ("nove", Term::Small(9)),
    ("ottanta", Term::Small(80)),
    ("ottantotto", Term::Small(88)),
    ("ottantun", Term::Small(81)),
    ("ottantuno", Term::Small(81)),
    ("otto", Term::Small(8)),
    ("punto", Term::Point),
    ("quaranta", Term::Small(40)),
    ("quarantotto", Term::Small(48)),
    ("quarantun", Term::Small(41)),
    ("quarantuno", Term::Small(41)),
    ("quattordici", Term::Small(14)),
    ("quattro", Term::Small(4)),
    ("quindici", Term::Small(15)),
    ("sedici", Term::Small(16)),
    ("sei", Term::Small(6)),
    ("sessanta", Term::Small(60)),
    ("sessantotto", Term::Small(68)),
    ("sessantun", Term::Small(61)),
    ("sessantuno", Term::Small(61)),
    ("settanta", Term::Small(70)),
    ("settantotto", Term::Small(78)),
    ("settantun", Term::Small(71)),
    ("settantuno", Term::Small(71)),
    ("sette", Term::Small(7)),
    ("su", Term::OutOf),
    ("tre", Term::Small(3)),
    ("tredici", Term::Small(13)),
    ("trenta", Term::Small(30)),
    ("trentotto", Term::Small(38)),
    ("trentun", Term::Small(31)),
    ("trentuno", Term::Small(31)),
    ("trilione", Term::Times(1_000_000_000_000_000_000)),
    ("trilioni", Term::Many(1_000_000_000_000_000_000)),
    ("un", Term::Small(1)),
    ("una", Term::Small(1)),
    ("undici", Term::Small(11)),
    ("uno", Term::Small(1)),
    ("venti", Term::Small(20)),
    ("ventotto", Term::Small(28)),
    ("ventun", Term::Small(21)),
    ("ventuno", Term::Small(21)),
    ("virgola", Term::Point),
    ("zero", Term::Small(0)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("bilionesim", 1_000_000_000_000),
    ("centesim", 100),
    ("cinquantesim", 50),
    ("cinquantottesim", 58),
    ("cinquantunesim", 51),
    ("cinquesim", 5),
    ("decim", 10),
    ("diciannovesim", 19),
    ("diciassettesim", 17),
    ("diciottesim", 18),
    ("diecesim", 10),
    ("dodicesim", 12),
    ("duesim", 2),
    ("miliardesim", 1_000_000_000),
    ("milionesim", 1_000_000),
    ("millesim", 1_000),
    ("non", 9),
    ("novantesim", 90),
    ("novantottesim", 98),
    ("novantunesim", 91),
    ("novesim", 9),
    ("ottantesim", 80),
    ("ottantottesim", 88),
    ("ottantunesim", 81),
    ("ottav", 8),
    ("ottesim", 8),
    ("quarantesim", 40),
    ("quarantottesim", 48),
    ("quarantunesim", 41),
    ("quart", 4),
    ("quattordicesim", 14),
    ("quattresim", 4),
    ("quindicesim", 15),
    ("quint", 5),
    ("sedicesim", 16),
    ("seesim", 6),
    ("seiesim", 6),
    ("sessantesim", 60),
    ("sessantottesim", 68),
    ("sessantunesim", 61),
    ("sest", 6),
    ("settantesim", 70),
    ("settantottesim", 78),
    ("settantunesim", 71),
    ("settesim", 7),
    ("settim", 7),
    ("terz", 3),
    ("tredicesim", 13),
    ("treesim", 3),
    ("trentesim", 30),
    ("trentottesim", 38),
    ("trentunesim", 31),
    ("tresim", 3),
    ("trilionesim", 1_000_000_000_000_000_000),
    ("undicesim", 11),
    ("unesim", 1),
    ("ventesim", 20),
    ("ventottesim", 28),
    ("ventunesim", 21),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::Italian as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "ventotto", &["28"]);
        check(LANGUAGE, "centotto", &["108"]);
        check(LANGUAGE, "milleduecentotrentaquattro", &["1234"]);
        check(LANGUAGE, "meno tre virgola quattordici", &["-3.14"]);
        check(LANGUAGE, "due milioni e mezzo", &["2500000"]);
        check(LANGUAGE, "uno e due", &["1", "2"]);
        check(LANGUAGE, "un trentunesimo", &["0.032258064516129"]);
        check(LANGUAGE, "1.234,5", &["1234.5"]);
        check(LANGUAGE, "tre quarti", &["0.75"]);
    }
}

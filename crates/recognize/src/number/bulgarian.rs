//! Bulgarian numbers.

use super::grammar::{Grammar, Term, tens_perhaps_and_units};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    endings: &[("и", true), ("а", false)],
    join: tens_perhaps_and_units,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

const WORDS: &[(&str, Term)] = &[
    ("върху", Term::Over),
    ("два", Term::Small(2)),
    ("двадесет", Term::Small(20)),
    ("двайсет", Term::Small(20)),
    ("двама", Term::Small(2)),
    ("дванадесет", Term::Small(12)),
    ("дванайсет", Term::Small(12)),
    ("две", Term::Small(2)),
    ("двеста", Term::Hundreds(200)),
    ("девет", Term::Small(9)),
    ("деветдесет", Term::Small(90)),
    ("деветнадесет", Term::Small(19)),
    ("деветнайсет", Term::Small(19)),
    ("деветстотин", Term::Hundreds(900)),
    ("десет", Term::Small(10)),
    ("дузина", Term::Dozen(12)),
    ("дузини", Term::Dozen(12)),
    ("един", Term::Small(1)),
    ("единадесет", Term::Small(11)),
    ("единайсет", Term::Small(11)),
    ("една", Term::Small(1)),
    ("едно", Term::Small(1)),
    ("едното", Term::Small(1)),
    ("запетая", Term::Point),
    ("и", Term::And),
    ("милиард", Term::Times(1_000_000_000)),
    ("милиарда", Term::Many(1_000_000_000)),
    ("милиарди", Term::Many(1_000_000_000)),
    ("милион", Term::Times(1_000_000)),
    ("милиона", Term::Many(1_000_000)),
    ("милиони", Term::Many(1_000_000)),
    ("минус", Term::Minus),
    ("млн", Term::Times(1_000_000)),
    ("млрд", Term::Times(1_000_000_000)),
    ("нула", Term::Small(0)),
    ("осем", Term::Small(8)),
    ("осемдесет", Term::Small(80)),
    ("осемнадесет", Term::Small(18)),
    ("осемнайсет", Term::Small(18)),
    ("осемстотин", Term::Hundreds(800)),
    ("от", Term::OutOf),
    ("пет", Term::Small(5)),
    ("петдесет", Term::Small(50)),
    ("петнадесет", Term::Small(15)),
    ("петнайсет", Term::Small(15)),
    ("петстотин", Term::Hundreds(500)),
    ("половин", Term::Half),
    ("половина", Term::Half),
    ("половината", Term::Half),
    ("седем", Term::Small(7)),
    ("седемдесет", Term::Small(70)),
    ("седемнадесет", Term::Small(17)),
    ("седемнайсет", Term::Small(17)),
    ("седемстотин", Term::Hundreds(700)),
    ("сто", Term::Hundreds(100)),
    ("точка", Term::Point),
    ("три", Term::Small(3)),
    ("тридесет", Term::Small(30)),
    ("трийсет", Term::Small(30)),
    ("трилион", Term::Times(1_000_000_000_000)),
    ("трилиона", Term::Many(1_000_000_000_000)),
    ("трилиони", Term::Many(1_000_000_000_000)),
    ("трима", Term::Small(3)),
    ("тринадесет", Term::Small(13)),
    ("тринайсет", Term::Small(13)),
    ("триста", Term::Hundreds(300)),
    ("хил", Term::Many(1_000)),
    ("хиляда", Term::Times(1_000)),
    ("хиляди", Term::Many(1_000)),
    ("цяла", Term::With),
    ("цяло", Term::With),
    ("четвърт", Term::Quarter),
    ("четиресет", Term::Small(40)),
    ("четири", Term::Small(4)),
    ("четиридесет", Term::Small(40)),
    ("четирийсет", Term::Small(40)),
    ("четирима", Term::Small(4)),
    ("четиринадесет", Term::Small(14)),
    ("четиринайсет", Term::Small(14)),
    ("четиристотин", Term::Hundreds(400)),
    ("шейсет", Term::Small(60)),
    ("шест", Term::Small(6)),
    ("шестдесет", Term::Small(60)),
    ("шестнадесет", Term::Small(16)),
    ("шестнайсет", Term::Small(16)),
    ("шестстотин", Term::Hundreds(600)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("двадесет", 20),
    ("девет", 9),
    ("десет", 10),
    ("осм", 8),
    ("пет", 5),
    ("седм", 7),
    ("стот", 100),
    ("стотн", 100),
    ("трет", 3),
    ("хилядн", 1_000),
    ("четвърт", 4),
    ("шест", 6),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::Bulgarian as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "четиридесет и две", &["42"]);
        check(LANGUAGE, "две хиляди двадесет и четири", &["2024"]);
        check(LANGUAGE, "минус три цяло и четиринадесет", &["-3.14"]);
        check(LANGUAGE, "милион и половина", &["1500000"]);
        check(LANGUAGE, "пет и шест", &["5", "6"]);
        check(LANGUAGE, "две трети", &["0.666666666666667"]);
        check(LANGUAGE, "сто и пет", &["105"]);
        check(LANGUAGE, "два и половина", &["2.5"]);
    }
}

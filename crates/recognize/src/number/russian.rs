//! Russian numbers, in the cases in which people write them.

use super::grammar::{Grammar, Term};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    endings: &[
        ("ая", false),
        ("ую", false),
        ("ой", false),
        ("ых", true),
        ("ые", true),
        ("ый", false),
        ("ого", false),
        ("ье", false),
        ("ьи", true),
        ("ья", false),
        ("ий", false),
        ("ей", true),
        ("ь", false),
        ("и", true),
    ],
    phrases: &[("с", "половиной", Term::AndHalf)],
    has_and: false,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

const WORDS: &[(&str, Term)] = &[
    ("восемнадцати", Term::Small(18)),
    ("восемнадцать", Term::Small(18)),
    ("восемь", Term::Small(8)),
    ("восемьдесят", Term::Small(80)),
    ("восемьсот", Term::Hundreds(800)),
    ("восьми", Term::Small(8)),
    ("восьмидесяти", Term::Small(80)),
    ("восьмисот", Term::Hundreds(800)),
    ("восьмью", Term::Small(8)),
    ("два", Term::Small(2)),
    ("двадцати", Term::Small(20)),
    ("двадцать", Term::Small(20)),
    ("двадцатью", Term::Small(20)),
    ("две", Term::Small(2)),
    ("двенадцати", Term::Small(12)),
    ("двенадцать", Term::Small(12)),
    ("двести", Term::Hundreds(200)),
    ("двум", Term::Small(2)),
    ("двумя", Term::Small(2)),
    ("двух", Term::Small(2)),
    ("двухсот", Term::Hundreds(200)),
    ("девяноста", Term::Small(90)),
    ("девяносто", Term::Small(90)),
    ("девяти", Term::Small(9)),
    ("девятисот", Term::Hundreds(900)),
    ("девятнадцати", Term::Small(19)),
    ("девятнадцать", Term::Small(19)),
    ("девять", Term::Small(9)),
    ("девятьсот", Term::Hundreds(900)),
    ("девятью", Term::Small(9)),
    ("делитьна", Term::Over),
    ("десяти", Term::Small(10)),
    ("десятка", Term::Dozen(10)),
    ("десятков", Term::Dozen(10)),
    ("десяток", Term::Dozen(10)),
    ("десять", Term::Small(10)),
    ("десятью", Term::Small(10)),
    ("дюжин", Term::Dozen(12)),
    ("дюжина", Term::Dozen(12)),
    ("дюжину", Term::Dozen(12)),
    ("дюжины", Term::Dozen(12)),
    ("запятая", Term::Point),
    ("и", Term::And),
    ("из", Term::OutOf),
    ("лям", Term::Times(1_000_000)),
    ("ляма", Term::Many(1_000_000)),
    ("лямов", Term::Many(1_000_000)),
    ("миллиард", Term::Times(1_000_000_000)),
    ("миллиарда", Term::Many(1_000_000_000)),
    ("миллиардов", Term::Many(1_000_000_000)),
    ("миллион", Term::Times(1_000_000)),
    ("миллиона", Term::Many(1_000_000)),
    ("миллионов", Term::Many(1_000_000)),
    ("минус", Term::Minus),
    ("млн", Term::Times(1_000_000)),
    ("млрд", Term::Times(1_000_000_000)),
    ("ноль", Term::Small(0)),
    ("нуль", Term::Small(0)),
    ("нуля", Term::Small(0)),
    ("один", Term::Small(1)),
    ("одиннадцати", Term::Small(11)),
    ("одиннадцать", Term::Small(11)),
    ("одна", Term::Small(1)),
    ("одним", Term::Small(1)),
    ("одно", Term::Small(1)),
    ("одного", Term::Small(1)),
    ("одной", Term::Small(1)),
    ("одном", Term::Small(1)),
    ("одну", Term::Small(1)),
    ("пол", Term::Half),
    ("половина", Term::Half),
    ("половину", Term::Half),
    ("половины", Term::Half),
    ("полтора", Term::Mixed(3, 2)),
    ("полторы", Term::Mixed(3, 2)),
    ("полутора", Term::Mixed(3, 2)),
    ("пяти", Term::Small(5)),
    ("пятидесяти", Term::Small(50)),
    ("пятисот", Term::Hundreds(500)),
    ("пятнадцати", Term::Small(15)),
    ("пятнадцать", Term::Small(15)),
    ("пять", Term::Small(5)),
    ("пятьдесят", Term::Small(50)),
    ("пятьсот", Term::Hundreds(500)),
    ("пятью", Term::Small(5)),
    ("семи", Term::Small(7)),
    ("семидесяти", Term::Small(70)),
    ("семисот", Term::Hundreds(700)),
    ("семнадцати", Term::Small(17)),
    ("семнадцать", Term::Small(17)),
    ("семь", Term::Small(7)),
    ("семьдесят", Term::Small(70)),
    ("семьсот", Term::Hundreds(700)),
    ("семью", Term::Small(7)),
    ("сорок", Term::Small(40)),
    ("сорока", Term::Small(40)),
    ("споловиной", Term::AndHalf),
    ("ста", Term::Hundreds(100)),
    ("сто", Term::Hundreds(100)),
    ("точка", Term::Point),
    ("трем", Term::Small(3)),
    ("тремя", Term::Small(3)),
    ("трех", Term::Small(3)),
    ("трехсот", Term::Hundreds(300)),
    ("три", Term::Small(3)),
    ("тридцати", Term::Small(30)),
    ("тридцать", Term::Small(30)),
    ("триллион", Term::Times(1_000_000_000_000)),
    ("триллиона", Term::Many(1_000_000_000_000)),
    ("триллионов", Term::Many(1_000_000_000_000)),
    ("тринадцати", Term::Small(13)),
    ("тринадцать", Term::Small(13)),
    ("триста", Term::Hundreds(300)),
    ("трлн", Term::Times(1_000_000_000_000)),
    ("тыс", Term::Times(1_000)),
    ("тысяч", Term::Many(1_000)),
    ("тысяча", Term::Times(1_000)),
    ("тысячам", Term::Many(1_000)),
    ("тысячами", Term::Many(1_000)),
    ("тысячи", Term::Many(1_000)),
    ("тысячу", Term::Times(1_000)),
    ("тыщ", Term::Many(1_000)),
    ("тыща", Term::Times(1_000)),
    ("тыщу", Term::Times(1_000)),
    ("целая", Term::With),
    ("целые", Term::With),
    ("целых", Term::With),
    ("четвертей", Term::Quarter),
    ("четверти", Term::Quarter),
    ("четверть", Term::Quarter),
    ("четыре", Term::Small(4)),
    ("четырем", Term::Small(4)),
    ("четыреста", Term::Hundreds(400)),
    ("четырех", Term::Small(4)),
    ("четырехсот", Term::Hundreds(400)),
    ("четырнадцати", Term::Small(14)),
    ("четырнадцать", Term::Small(14)),
    ("четырьмя", Term::Small(4)),
    ("шести", Term::Small(6)),
    ("шестидесяти", Term::Small(60)),
    ("шестисот", Term::Hundreds(600)),
    ("шестнадцати", Term::Small(16)),
    ("шестнадцать", Term::Small(16)),
    ("шесть", Term::Small(6)),
    ("шестьдесят", Term::Small(60)),
    ("шестьсот", Term::Hundreds(600)),
    ("шестью", Term::Small(6)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("восемнадцат", 18),
    ("восьм", 8),
    ("восьмидесят", 80),
    ("двадцат", 20),
    ("двенадцат", 12),
    ("девяност", 90),
    ("девят", 9),
    ("девятнадцат", 19),
    ("десят", 10),
    ("миллиардн", 1_000_000_000),
    ("миллионн", 1_000_000),
    ("одиннадцат", 11),
    ("пят", 5),
    ("пятидесят", 50),
    ("пятнадцат", 15),
    ("седьм", 7),
    ("семидесят", 70),
    ("семнадцат", 17),
    ("сороков", 40),
    ("сот", 100),
    ("трет", 3),
    ("тридцат", 30),
    ("тринадцат", 13),
    ("тысячн", 1_000),
    ("четверт", 4),
    ("четырнадцат", 14),
    ("шест", 6),
    ("шестидесят", 60),
    ("шестнадцат", 16),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::Russian as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "сорок два", &["42"]);
        check(LANGUAGE, "две тысячи двадцать четыре", &["2024"]);
        check(LANGUAGE, "минус три целых четырнадцать сотых", &["-3.14"]);
        check(LANGUAGE, "полтора миллиона", &["1500000"]);
        check(LANGUAGE, "пять и шесть", &["5", "6"]);
        check(LANGUAGE, "две трети", &["0.666666666666667"]);
        check(LANGUAGE, "1 234,5", &["1234.5"]);
        check(LANGUAGE, "два с половиной миллиона", &["2500000"]);
        check(LANGUAGE, "одна пятая", &["0.2"]);
        check(LANGUAGE, "дюжина", &["12"]);
        check(LANGUAGE, "ноль целых пять десятых", &["0.5"]);
        check(LANGUAGE, "три запятая один четыре", &["3.14"]);
    }
}

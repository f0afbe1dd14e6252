//! German numbers, which are written as one word below a million.

use super::grammar::{Grammar, Split, Term, units_and_tens};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    endings: &[("", false), ("n", true), ("s", false)],
    join: units_and_tens,
    is_compound: true,
    split: Split::TwoWords,
    is_excluded: is_noun,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

/// A large capital inside a text is a noun or a name: "ein paar Tausend", "Frau Tausend".
fn is_noun(before: &str, word: &str) -> bool {
    matches!(word, "Hundert" | "Tausend") && !before.trim().is_empty()
}

const WORDS: &[(&str, Term)] = &[
    ("acht", Term::Small(8)),
    ("achtzehn", Term::Small(18)),
    ("achtzig", Term::Small(80)),
    ("anderthalb", Term::Mixed(3, 2)),
    ("anderthalbe", Term::Mixed(3, 2)),
    ("billiarde", Term::Times(1_000_000_000_000_000)),
    ("billiarden", Term::Many(1_000_000_000_000_000)),
    ("billion", Term::Times(1_000_000_000_000)),
    ("billionen", Term::Many(1_000_000_000_000)),
    ("bio", Term::Times(1_000_000_000_000)),
    ("drei", Term::Small(3)),
    ("dreissig", Term::Small(30)),
    ("dreiviertel", Term::Mixed(3, 4)),
    ("dreizehn", Term::Small(13)),
    ("durch", Term::Over),
    ("dutzend", Term::Dozen(12)),
    ("dutzende", Term::Dozen(12)),
    ("ein", Term::Small(1)),
    ("eine", Term::Small(1)),
    ("eineinhalb", Term::Mixed(3, 2)),
    ("einem", Term::Small(1)),
    ("einen", Term::Small(1)),
    ("einer", Term::Small(1)),
    ("eines", Term::Small(1)),
    ("einhalb", Term::AndHalf),
    ("eins", Term::Small(1)),
    ("elf", Term::Small(11)),
    ("fuenf", Term::Small(5)),
    ("fuenfzehn", Term::Small(15)),
    ("fuenfzig", Term::Small(50)),
    ("funf", Term::Small(5)),
    ("funfzehn", Term::Small(15)),
    ("funfzig", Term::Small(50)),
    ("geteiltdurch", Term::Over),
    ("halb", Term::Half),
    ("halbe", Term::Half),
    ("halbem", Term::Half),
    ("halben", Term::Half),
    ("halber", Term::Half),
    ("halbes", Term::Half),
    ("hundert", Term::Times(100)),
    ("komma", Term::Point),
    ("milliarde", Term::Times(1_000_000_000)),
    ("milliarden", Term::Many(1_000_000_000)),
    ("million", Term::Times(1_000_000)),
    ("millionen", Term::Many(1_000_000)),
    ("minus", Term::Minus),
    ("mio", Term::Times(1_000_000)),
    ("mrd", Term::Times(1_000_000_000)),
    ("negativ", Term::Minus),
    ("neun", Term::Small(9)),
    ("neunzehn", Term::Small(19)),
    ("neunzig", Term::Small(90)),
    ("null", Term::Small(0)),
    ("punkt", Term::Point),
    ("sech", Term::Small(6)),
    ("sechs", Term::Small(6)),
    ("sechzehn", Term::Small(16)),
    ("sechzig", Term::Small(60)),
    ("sieben", Term::Small(7)),
    ("siebzehn", Term::Small(17)),
    ("siebzig", Term::Small(70)),
    ("tausend", Term::Times(1_000)),
    ("trillion", Term::Times(1_000_000_000_000_000_000)),
    ("trillionen", Term::Many(1_000_000_000_000_000_000)),
    ("und", Term::And),
    ("undeinhalb", Term::AndHalf),
    ("undeinhalbes", Term::AndHalf),
    ("undhalb", Term::AndHalf),
    ("vier", Term::Small(4)),
    ("vierzehn", Term::Small(14)),
    ("vierzig", Term::Small(40)),
    ("von", Term::OutOf),
    ("zehn", Term::Small(10)),
    ("zwanzig", Term::Small(20)),
    ("zwei", Term::Small(2)),
    ("zwo", Term::Small(2)),
    ("zwoelf", Term::Small(12)),
    ("zwolf", Term::Small(12)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("achtel", 8),
    ("achtzehntel", 18),
    ("achtzigstel", 80),
    ("billionstel", 1_000_000_000_000),
    ("dreissigstel", 30),
    ("dreizehntel", 13),
    ("drittel", 3),
    ("elftel", 11),
    ("fuenftel", 5),
    ("fuenfzehntel", 15),
    ("funftel", 5),
    ("funfzehntel", 15),
    ("funfzigstel", 50),
    ("hundertstel", 100),
    ("milliardstel", 1_000_000_000),
    ("millionstel", 1_000_000),
    ("neuntel", 9),
    ("neunzehntel", 19),
    ("neunzigstel", 90),
    ("sechstel", 6),
    ("sechzehntel", 16),
    ("sechzigstel", 60),
    ("siebentel", 7),
    ("siebtel", 7),
    ("siebzehntel", 17),
    ("siebzigstel", 70),
    ("tausendstel", 1_000),
    ("viertel", 4),
    ("vierzehntel", 14),
    ("vierzigstel", 40),
    ("zehntel", 10),
    ("zwanzigstel", 20),
    ("zwoelftel", 12),
    ("zwolftel", 12),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::German as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "zweiundvierzig", &["42"]);
        check(
            LANGUAGE,
            "siebenhundertsiebenundsiebzigtausendneunhundertachtundachtzig",
            &["777988"],
        );
        check(LANGUAGE, "eine Million und fünf", &["1000005"]);
        check(LANGUAGE, "zwei Drittel", &["0.666666666666667"]);
        check(LANGUAGE, "drei Komma eins vier", &["3.14"]);
        check(LANGUAGE, "minus 1.234,5", &["-1234.5"]);
        check(LANGUAGE, "zweieinhalb", &["2.5"]);
        check(LANGUAGE, "hundert", &["100"]);
        check(LANGUAGE, "ein paar Tausend", &["1"]);
        check(LANGUAGE, "fünf und sechs", &["5", "6"]);
        check(LANGUAGE, "1'234'567", &["1234567"]);
        check(LANGUAGE, "ein Fünfundzwanzigstel", &["0.04"]);
    }
}

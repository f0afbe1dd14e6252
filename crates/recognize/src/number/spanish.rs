//! Spanish numbers, with the long scale: a billion has twelve zeros.

use super::digits::Separators;
use super::grammar::{Grammar, Term, ends_with_word, tens_perhaps_and_units};
use super::in_words;
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &GRAMMAR)
}

pub(super) const GRAMMAR: Grammar = Grammar {
    endings: &[("o", false), ("os", true), ("a", false), ("as", true)],
    join: tens_perhaps_and_units,
    is_compound: true,
    has_and_before_fraction: false,
    is_excluded: is_percent,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

/// Reports whether `ciento` is part of a percentage, `por ciento`.
fn is_percent(before: &str, word: &str) -> bool {
    word.eq_ignore_ascii_case("ciento") && ends_with_word(before, "por")
}

/// The same where people write a decimal point, as in Mexico.
pub(super) fn find_with_point(text: &str) -> Vec<Found<Number>> {
    in_words::find(text, &Grammar { separators: Separators::POINT, ..GRAMMAR })
}

const WORDS: &[(&str, Term)] = &[
    ("ava", Term::Part),
    ("avas", Term::Part),
    ("avo", Term::Part),
    ("avos", Term::Part),
    ("billon", Term::Times(1_000_000_000_000)),
    ("billones", Term::Many(1_000_000_000_000)),
    ("catorce", Term::Small(14)),
    ("cero", Term::Small(0)),
    ("cien", Term::Hundreds(100)),
    ("ciento", Term::Hundreds(100)),
    ("cinco", Term::Small(5)),
    ("cincuenta", Term::Small(50)),
    ("coma", Term::Point),
    ("con", Term::With),
    ("cuarenta", Term::Small(40)),
    ("cuatro", Term::Small(4)),
    ("cuatrocientas", Term::Hundreds(400)),
    ("cuatrocientos", Term::Hundreds(400)),
    ("de", Term::Of),
    ("decena", Term::Dozen(10)),
    ("decenas", Term::Dozen(10)),
    ("diecinueve", Term::Small(19)),
    ("dieciocho", Term::Small(18)),
    ("dieciseis", Term::Small(16)),
    ("diecisiete", Term::Small(17)),
    ("diez", Term::Small(10)),
    ("doc", Term::Dozen(12)),
    ("doce", Term::Small(12)),
    ("docena", Term::Dozen(12)),
    ("docenas", Term::Dozen(12)),
    ("dos", Term::Small(2)),
    ("doscientas", Term::Hundreds(200)),
    ("doscientos", Term::Hundreds(200)),
    ("dz", Term::Dozen(12)),
    ("media", Term::Half),
    ("medias", Term::Half),
    ("medio", Term::Half),
    ("medios", Term::Half),
    ("menos", Term::Minus),
    ("mil", Term::Times(1_000)),
    ("miles", Term::Many(1_000)),
    ("millardo", Term::Times(1_000_000_000)),
    ("millardos", Term::Many(1_000_000_000)),
    ("millon", Term::Times(1_000_000)),
    ("millones", Term::Many(1_000_000)),
    ("mitad", Term::Half),
    ("negativo", Term::Minus),
    ("novecientas", Term::Hundreds(900)),
    ("novecientos", Term::Hundreds(900)),
    ("noventa", Term::Small(90)),
    ("nueve", Term::Small(9)),
    ("ochenta", Term::Small(80)),
    ("ocho", Term::Small(8)),
    ("ochocientas", Term::Hundreds(800)),
    ("ochocientos", Term::Hundreds(800)),
    ("once", Term::Small(11)),
    ("punto", Term::Point),
    ("quince", Term::Small(15)),
    ("quinientas", Term::Hundreds(500)),
    ("quinientos", Term::Hundreds(500)),
    ("seis", Term::Small(6)),
    ("seiscientas", Term::Hundreds(600)),
    ("seiscientos", Term::Hundreds(600)),
    ("sesenta", Term::Small(60)),
    ("setecientas", Term::Hundreds(700)),
    ("setecientos", Term::Hundreds(700)),
    ("setenta", Term::Small(70)),
    ("siete", Term::Small(7)),
    ("sobre", Term::Over),
    ("trece", Term::Small(13)),
    ("treinta", Term::Small(30)),
    ("tres", Term::Small(3)),
    ("trescientas", Term::Hundreds(300)),
    ("trescientos", Term::Hundreds(300)),
    ("trillon", Term::Times(1_000_000_000_000_000_000)),
    ("trillones", Term::Many(1_000_000_000_000_000_000)),
    ("un", Term::Small(1)),
    ("una", Term::Small(1)),
    ("uno", Term::Small(1)),
    ("veinte", Term::Small(20)),
    ("veinticinco", Term::Small(25)),
    ("veinticuatro", Term::Small(24)),
    ("veintidos", Term::Small(22)),
    ("veintinueve", Term::Small(29)),
    ("veintiocho", Term::Small(28)),
    ("veintiseis", Term::Small(26)),
    ("veintisiete", Term::Small(27)),
    ("veintitres", Term::Small(23)),
    ("veintiun", Term::Small(21)),
    ("veintiuna", Term::Small(21)),
    ("veintiuno", Term::Small(21)),
    ("y", Term::And),
];

const ORDINALS: &[(&str, u64)] = &[
    ("billonesim", 1_000_000_000_000),
    ("catorceav", 14),
    ("catorzav", 14),
    ("centav", 100),
    ("centesim", 100),
    ("cincuentav", 50),
    ("cuadragesim", 40),
    ("cuarentav", 40),
    ("cuart", 4),
    ("decim", 10),
    ("doceav", 12),
    ("dozav", 12),
    ("ducentesim", 200),
    ("duodecim", 12),
    ("milesim", 1_000),
    ("millonesim", 1_000_000),
    ("nonagesim", 90),
    ("noven", 9),
    ("noventav", 90),
    ("ochentav", 80),
    ("octav", 8),
    ("octogesim", 80),
    ("onceav", 11),
    ("onzav", 11),
    ("quinceav", 15),
    ("quincuagesim", 50),
    ("quint", 5),
    ("quinzav", 15),
    ("septim", 7),
    ("septuagesim", 70),
    ("sesentav", 60),
    ("setentav", 70),
    ("sexagesim", 60),
    ("sext", 6),
    ("tercer", 3),
    ("terci", 3),
    ("treceav", 13),
    ("treintav", 30),
    ("trezav", 13),
    ("trigesim", 30),
    ("trillonesim", 1_000_000_000_000_000_000),
    ("undecim", 11),
    ("veintav", 20),
    ("veinteav", 20),
    ("veintiunav", 21),
    ("vigesim", 20),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::Spanish as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "treinta y uno", &["31"]);
        check(LANGUAGE, "dos mil veinticuatro", &["2024"]);
        check(LANGUAGE, "mil millones", &["1000000000"]);
        check(LANGUAGE, "menos tres coma catorce", &["-3.14"]);
        check(LANGUAGE, "cinco y seis", &["5", "6"]);
        check(LANGUAGE, "quinientas treinta y una", &["531"]);
        check(LANGUAGE, "tres segundos", &["3"]);
        check(LANGUAGE, "la mitad de 1.234,5", &["0.5", "1234.5"]);
        check(LANGUAGE, "un millón y medio", &["1500000"]);
        check(LANGUAGE, "seis onceavos", &["0.545454545454545"]);
    }
}

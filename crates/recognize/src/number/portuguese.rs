//! Portuguese numbers of Brazil and Portugal, with the short scale of Brazil.

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
    has_and_before_fraction: false,
    is_excluded: is_percent,
    words: WORDS,
    ordinals: ORDINALS,
    ..Grammar::PLAIN
};

/// Reports whether `cento` is part of a percentage, `por cento`.
fn is_percent(before: &str, word: &str) -> bool {
    word.eq_ignore_ascii_case("cento") && ends_with_word(before, "por")
}

const WORDS: &[(&str, Term)] = &[
    ("avo", Term::Part),
    ("avos", Term::Part),
    ("bilhao", Term::Times(1_000_000_000)),
    ("bilhoes", Term::Many(1_000_000_000)),
    ("biliao", Term::Times(1_000_000_000)),
    ("bilioes", Term::Many(1_000_000_000)),
    ("catorze", Term::Small(14)),
    ("cem", Term::Hundreds(100)),
    ("cento", Term::Hundreds(100)),
    ("cinco", Term::Small(5)),
    ("cinquenta", Term::Small(50)),
    ("com", Term::With),
    ("de", Term::Of),
    ("dez", Term::Small(10)),
    ("dezanove", Term::Small(19)),
    ("dezasseis", Term::Small(16)),
    ("dezassete", Term::Small(17)),
    ("dezena", Term::Dozen(10)),
    ("dezenas", Term::Dozen(10)),
    ("dezenove", Term::Small(19)),
    ("dezesseis", Term::Small(16)),
    ("dezessete", Term::Small(17)),
    ("dezoito", Term::Small(18)),
    ("dois", Term::Small(2)),
    ("doze", Term::Small(12)),
    ("duas", Term::Small(2)),
    ("duzentas", Term::Hundreds(200)),
    ("duzentos", Term::Hundreds(200)),
    ("duzia", Term::Dozen(12)),
    ("duzias", Term::Dozen(12)),
    ("e", Term::And),
    ("meia", Term::Half),
    ("meias", Term::Half),
    ("meio", Term::Half),
    ("meios", Term::Half),
    ("menos", Term::Minus),
    ("metade", Term::Half),
    ("mil", Term::Times(1_000)),
    ("milhao", Term::Times(1_000_000)),
    ("milhares", Term::Many(1_000)),
    ("milhoes", Term::Many(1_000_000)),
    ("negativo", Term::Minus),
    ("nove", Term::Small(9)),
    ("novecentas", Term::Hundreds(900)),
    ("novecentos", Term::Hundreds(900)),
    ("noventa", Term::Small(90)),
    ("oitenta", Term::Small(80)),
    ("oito", Term::Small(8)),
    ("oitocentas", Term::Hundreds(800)),
    ("oitocentos", Term::Hundreds(800)),
    ("onze", Term::Small(11)),
    ("ponto", Term::Point),
    ("quarenta", Term::Small(40)),
    ("quatorze", Term::Small(14)),
    ("quatrilhao", Term::Times(1_000_000_000_000_000)),
    ("quatrilhoes", Term::Many(1_000_000_000_000_000)),
    ("quatro", Term::Small(4)),
    ("quatrocentas", Term::Hundreds(400)),
    ("quatrocentos", Term::Hundreds(400)),
    ("quinhentas", Term::Hundreds(500)),
    ("quinhentos", Term::Hundreds(500)),
    ("quinze", Term::Small(15)),
    ("seis", Term::Small(6)),
    ("seiscentas", Term::Hundreds(600)),
    ("seiscentos", Term::Hundreds(600)),
    ("sessenta", Term::Small(60)),
    ("sete", Term::Small(7)),
    ("setecentas", Term::Hundreds(700)),
    ("setecentos", Term::Hundreds(700)),
    ("setenta", Term::Small(70)),
    ("sobre", Term::Over),
    ("tres", Term::Small(3)),
    ("treze", Term::Small(13)),
    ("trezentas", Term::Hundreds(300)),
    ("trezentos", Term::Hundreds(300)),
    ("trilhao", Term::Times(1_000_000_000_000)),
    ("trilhoes", Term::Many(1_000_000_000_000)),
    ("triliao", Term::Times(1_000_000_000_000)),
    ("trilioes", Term::Many(1_000_000_000_000)),
    ("trinta", Term::Small(30)),
    ("um", Term::Small(1)),
    ("uma", Term::Small(1)),
    ("vinte", Term::Small(20)),
    ("virgula", Term::Point),
    ("zero", Term::Small(0)),
];

const ORDINALS: &[(&str, u64)] = &[
    ("bilionesim", 1_000_000_000),
    ("centesim", 100),
    ("decim", 10),
    ("milesim", 1_000),
    ("milionesim", 1_000_000),
    ("non", 9),
    ("nonagesim", 90),
    ("octogesim", 80),
    ("oitav", 8),
    ("quadragesim", 40),
    ("quart", 4),
    ("quinquagesim", 50),
    ("quint", 5),
    ("septuagesim", 70),
    ("setim", 7),
    ("sexagesim", 60),
    ("sext", 6),
    ("terc", 3),
    ("terceir", 3),
    ("trigesim", 30),
    ("trilionesim", 1_000_000_000_000),
    ("vigesim", 20),
];

#[cfg(test)]
mod tests {
    use super::GRAMMAR;
    use crate::Language::Portuguese as LANGUAGE;
    use crate::number::testing::check;

    #[test]
    fn tables_are_in_order() {
        super::super::token::check_order(&GRAMMAR);
    }

    #[test]
    fn finds_numbers() {
        check(LANGUAGE, "trinta e um", &["31"]);
        check(LANGUAGE, "mil e duzentos", &["1200"]);
        check(LANGUAGE, "dois mil e vinte e quatro", &["2024"]);
        check(LANGUAGE, "menos três vírgula catorze", &["-3.14"]);
        check(LANGUAGE, "cinco e seis", &["5", "6"]);
        check(LANGUAGE, "meia dúzia", &["6"]);
        check(LANGUAGE, "um milhão e meio", &["1500000"]);
        check(LANGUAGE, "vinte é cinco", &["20", "5"]);
        check(LANGUAGE, "dois terços", &["0.666666666666667"]);
    }
}

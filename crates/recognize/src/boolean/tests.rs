//! Yes and no, language by language.

use super::{Words, normalise, words, yes_or_no};
use crate::Language;

/// Checks that a text says yes, no or nothing.
fn check(language: Language, text: &str, expected: Option<bool>) {
    let found = yes_or_no(text, language);
    assert!(found.len() <= 1, "{text}");
    assert_eq!(found.first().map(|found| found.value), expected, "{language:?}: {text}");
}

#[test]
fn every_language_says_yes_and_no() {
    let cases = [
        (Language::Arabic, "نعم", "لا شكرا"),
        (Language::Bulgarian, "разбира се", "няма начин"),
        (Language::Chinese, "好的", "不行"),
        (Language::Dutch, "jazeker", "nee hoor"),
        (Language::English, "sure thing", "no way"),
        (Language::French, "bien sûr", "pas question"),
        (Language::German, "natürlich", "auf keinen Fall"),
        (Language::Hindi, "ज़रूर", "जी नहीं"),
        (Language::Italian, "certo", "non sono d'accordo"),
        (Language::Japanese, "もちろん", "いいえ"),
        (Language::Korean, "좋아요", "아니요"),
        (Language::Portuguese, "com certeza", "de jeito nenhum"),
        (Language::Russian, "Конечно", "лучше не надо"),
        (Language::Spanish, "sí", "para nada"),
        (Language::Swedish, "självklart", "absolut inte"),
        (Language::Turkish, "Tabii ki", "HAYIR"),
    ];
    assert_eq!(cases.len(), Language::ALL.len());
    for (language, yes, no) in cases {
        check(language, yes, Some(true));
        check(language, no, Some(false));
        check(language, "👍🏽", Some(true));
        check(language, "👎", Some(false));
        check(language, "ok", Some(true));
        check(language, "", None);
        check(language, "42 !? ...", None);
    }
}

#[test]
fn the_first_answer_counts_and_a_negation_turns_it() {
    let check = |text, expected| check(Language::English, text, expected);
    check("no. I said yes", Some(false));
    check("yes, no onions", Some(true));
    check("it is not ok, agree?", Some(false));
    check("I don't agree", Some(false));
    check("don't. yes", Some(true));
    check("no problem", Some(true));
    check("I'm not sure", None);
    check("y", Some(true));
    check("why", None);
    check("sounds good to me", Some(true));
    check("I don’t think so", Some(false));
    check("knowing", None);
    check("Noooooo!", Some(false));
    check("let's not", Some(false));
}

#[test]
fn a_word_inside_another_is_no_answer() {
    check(Language::Chinese, "但是", None);
    check(Language::Chinese, "你好", None);
    check(Language::Chinese, "我不同意", Some(false));
    check(Language::Japanese, "そうではありません", Some(false));
    check(Language::Russian, "дата", None);
}

#[test]
fn places_are_those_of_the_text() {
    let text = "Ой, ДА! 👌🏿";
    let found = yes_or_no(text, Language::Russian);
    assert_eq!(&text[found[0].start..found[0].end], "ДА");
    let text = "… 👌🏿 ok";
    let found = yes_or_no(text, Language::English);
    assert_eq!(&text[found[0].start..found[0].end], "👌🏿");
}

#[test]
fn words_are_in_the_form_that_is_looked_up() {
    for language in Language::ALL {
        let Words { yes, no, maybe_yes, maybe_no, neither, alone_yes, alone_no, negations, .. } =
            words(language);
        let lists = [yes, no, maybe_yes, maybe_no, neither, alone_yes, alone_no, negations];
        for entry in lists.into_iter().flat_map(|list| list.iter()) {
            for word in entry.split(' ') {
                let mut folded = String::new();
                normalise(word, &mut folded);
                assert_eq!(word, folded, "{language:?}");
            }
        }
        for entry in *yes {
            assert!(!no.contains(entry), "{entry} is both in {language:?}");
        }
    }
}

#[test]
fn odd_texts_and_long_ones_are_no_trouble() {
    let long = "yes ".repeat(3000);
    for language in Language::ALL {
        assert!(yes_or_no(&long, language).is_empty());
        for text in
            ["\u{1f3fb}", "👌👌", "''", "\u{301}", "ß", "İ", "न\u{94d}", "a\u{0}b", "👍\u{200d}👎"]
        {
            let found = yes_or_no(text, language);
            assert!(found.iter().all(|found| text.get(found.start..found.end).is_some()), "{text}");
        }
    }
}

//! Ordinals, language by language.

use super::phrases::Phrases;
use super::{
    bulgarian, dutch, french, german, italian, ordinals, portuguese, russian, spanish, swedish,
    turkish,
};
use crate::Language;
use crate::number::fold::fold;

fn check(language: Language, text: &str, expected: &[&str]) {
    let found = ordinals(text, language);
    let shown: Vec<_> = found.iter().map(|found| found.value.to_string()).collect();
    assert_eq!(shown, expected, "{language:?}: {text}");
    assert!(found.iter().all(|found| text.get(found.start..found.end).is_some()), "{text}");
}

#[test]
fn english_counts_from_the_start_the_end_and_here() {
    let check = |text, expected: &[&str]| check(Language::English, text, expected);
    check("the first and the 22nd", &["1", "22"]);
    check("two hundred and fifty-third", &["253"]);
    check("a thousandth", &["1000"]);
    check("the second to last", &["end-1"]);
    check("the one before the last one", &["end-1"]);
    check("last but two, then the last", &["end-2", "end+0"]);
    check("next, previous one, current", &["current+1", "current-1", "current+0"]);
    check("two thirds of the seconds", &[]);
    check("1.5th v2nd 3rdx 5", &[]);
    check("11TH", &["11"]);
}

#[test]
fn every_language_picks_from_a_list() {
    let cases = [
        (Language::Arabic, "الثاني", "الأخير"),
        (Language::Bulgarian, "вторият", "последната"),
        (Language::Chinese, "第二个", "最后一个"),
        (Language::Dutch, "de tweede", "de laatste"),
        (Language::English, "second", "last one"),
        (Language::French, "le 2ème", "la dernière"),
        (Language::German, "der Zweite", "das letzte"),
        (Language::Hindi, "दूसरा", "आखिरी"),
        (Language::Italian, "il secondo", "l'ultimo"),
        (Language::Japanese, "二番目", "最後"),
        (Language::Korean, "두 번째", "마지막"),
        (Language::Portuguese, "a segunda", "o último"),
        (Language::Russian, "второй", "последнее"),
        (Language::Spanish, "la 2ª", "el último"),
        (Language::Swedish, "den andra", "sista"),
        (Language::Turkish, "ikinci", "sonuncu"),
    ];
    assert_eq!(cases.len(), Language::ALL.len());
    for (language, second, last) in cases {
        check(language, second, &["2"]);
        check(language, last, &["end+0"]);
        check(language, "", &[]);
    }
}

#[test]
fn days_of_a_month_have_ordinals() {
    check(Language::French, "le vingt-deuxième, le trente et unième", &["22", "31"]);
    check(Language::German, "am einunddreißigsten", &["31"]);
    check(Language::Spanish, "vigésimo primero", &["21"]);
    check(Language::Italian, "ventitreesimo", &["23"]);
    check(Language::Dutch, "eenentwintigste", &["21"]);
    check(Language::Swedish, "tjugoförsta", &["21"]);
    check(Language::Turkish, "yirmi beşinci", &["25"]);
    check(Language::Russian, "двадцать девятого", &["29"]);
    check(Language::Bulgarian, "двайсет и пети", &["25"]);
    check(Language::Portuguese, "décimo terceiro", &["13"]);
}

#[test]
fn an_index_is_inside_the_list_or_none() {
    let index = |text, length| ordinals(text, Language::English)[0].value.index(length);
    assert_eq!(index("third", 3), Some(2));
    assert_eq!(index("fourth", 3), None);
    assert_eq!(index("penultimate", 3), Some(1));
    assert_eq!(index("last", 0), None);
    assert_eq!(index("next", 3), None);
}

#[test]
fn words_are_in_folded_form() {
    let lists = [
        &bulgarian::PHRASES,
        &dutch::PHRASES,
        &french::PHRASES,
        &german::PHRASES,
        &italian::PHRASES,
        &portuguese::PHRASES,
        &russian::PHRASES,
        &spanish::PHRASES,
        &swedish::PHRASES,
        &turkish::PHRASES,
    ];
    for Phrases { ranks, others, .. } in lists {
        let words = ranks.iter().map(|rank| rank.0).chain(others.iter().map(|other| other.0));
        for word in words.flat_map(|phrase| phrase.split(' ')) {
            let mut folded = String::new();
            fold(word, &mut folded);
            assert_eq!(word, folded);
        }
    }
}

#[test]
fn odd_texts_and_long_ones_are_no_trouble() {
    let long = "first ".repeat(2000);
    for language in Language::ALL {
        assert!(ordinals(&long, language).is_empty());
        for text in
            ["第", "第第第1", "1", "1º", "99999999999999999999th", "-\u{301}-", "🥇 first", "|"]
        {
            let found = ordinals(text, language);
            assert!(found.iter().all(|found| text.get(found.start..found.end).is_some()), "{text}");
        }
    }
}

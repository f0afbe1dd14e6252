//! Localized words around choices: yes, no, and the separators of a list.

use super::Choice;

/// The words of one culture.
///
/// # Example
/// ```
/// use sayso_dialog::choice::Words;
///
/// assert_eq!(Words::of("es-MX").yes, "Sí");
/// assert_eq!(Words::of("tlh").yes, "Yes");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The culture, such as `en-us`.
    pub culture: &'static str,
    /// Yes.
    pub yes: &'static str,
    /// No.
    pub no: &'static str,
    /// The separator of two choices.
    pub separator: &'static str,
    /// The separator of the only two choices.
    pub or: &'static str,
    /// The separator before the last of three or more.
    pub or_more: &'static str,
}

impl Words {
    /// The words for a locale: those of the culture, else of the first culture with the same
    /// language, else English.
    #[must_use]
    pub fn of(locale: &str) -> &'static Self {
        let locale = locale.trim().replace('_', "-").to_ascii_lowercase();
        let language = language_of(&locale);
        TABLE
            .iter()
            .find(|words| words.culture == locale)
            .or_else(|| TABLE.iter().find(|words| language_of(words.culture) == language))
            .unwrap_or(&ENGLISH)
    }

    /// The words of all cultures that have them.
    #[must_use]
    pub fn all() -> &'static [Self] {
        TABLE
    }
}

/// Yes and no as choices, in this order, in the language of a locale.
///
/// # Example
/// ```
/// use sayso_dialog::choice::confirm_choices;
///
/// let (yes, no) = confirm_choices("de-AT");
/// assert_eq!((yes.title(), no.title()), ("Ja", "Nein"));
/// ```
#[must_use]
pub fn confirm_choices(locale: &str) -> (Choice, Choice) {
    let words = Words::of(locale);
    (words.yes.into(), words.no.into())
}

fn language_of(locale: &str) -> &str {
    locale.split('-').next().unwrap_or_default()
}

const ENGLISH: Words = words("en-us", "Yes", "No", ", ", " or ", ", or ");

/// First the cultures of the SDKs, with the words that their bots write (the separator in Chinese
/// is that of the C# SDK; JavaScript has a plain comma). Then others.
const TABLE: &[Words] = &[
    ENGLISH,
    words("bg-bg", "да", "Не", ", ", " или ", ", или "),
    words("de-de", "Ja", "Nein", ", ", " oder ", ", oder "),
    words("es-es", "Sí", "No", ", ", " o ", ", o "),
    words("fr-fr", "Oui", "Non", ", ", " ou ", ", ou "),
    words("hi-in", "हां", "नहीं", ", ", " या ", ", या "),
    words("it-it", "Si", "No", ", ", " o ", " o "),
    words("ja-jp", "はい", "いいえ", "、 ", " または ", "、 または "),
    words("ko-kr", "예", "아니", ", ", " 또는 ", " 또는 "),
    words("nl-nl", "Ja", "Nee", ", ", " of ", ", of "),
    words("pt-br", "Sim", "Não", ", ", " ou ", ", ou "),
    words("sv-se", "Ja", "Nej", ", ", " eller ", " eller "),
    words("tr-tr", "Evet", "Hayır", ", ", " veya ", " veya "),
    words("zh-cn", "是的", "不", "， ", " 要么 ", "， 要么 "),
    words("ar-eg", "نعم", "لا", "، ", " أو ", "، أو "),
    words("cs-cz", "Ano", "Ne", ", ", " nebo ", " nebo "),
    words("da-dk", "Ja", "Nej", ", ", " eller ", " eller "),
    words("el-gr", "Ναι", "Όχι", ", ", " ή ", " ή "),
    words("fi-fi", "Kyllä", "Ei", ", ", " tai ", " tai "),
    words("he-il", "כן", "לא", ", ", " או ", " או "),
    words("hu-hu", "Igen", "Nem", ", ", " vagy ", " vagy "),
    words("id-id", "Ya", "Tidak", ", ", " atau ", ", atau "),
    words("nb-no", "Ja", "Nei", ", ", " eller ", " eller "),
    words("nn-no", "Ja", "Nei", ", ", " eller ", " eller "),
    words("no-no", "Ja", "Nei", ", ", " eller ", " eller "),
    words("pl-pl", "Tak", "Nie", ", ", " lub ", " lub "),
    words("ro-ro", "Da", "Nu", ", ", " sau ", " sau "),
    words("ru-ru", "да", "нет", ", ", " или ", ", или "),
    words("sk-sk", "Áno", "Nie", ", ", " alebo ", " alebo "),
    words("uk-ua", "так", "ні", ", ", " або ", " або "),
    words("vi-vn", "Có", "Không", ", ", " hoặc ", " hoặc "),
];

const fn words(
    culture: &'static str,
    yes: &'static str,
    no: &'static str,
    separator: &'static str,
    or: &'static str,
    or_more: &'static str,
) -> Words {
    Words { culture, yes, no, separator, or, or_more }
}

#[cfg(test)]
mod tests {
    use super::{Words, confirm_choices};

    #[test]
    fn a_locale_finds_its_culture_then_its_language_then_english() {
        for (locale, culture) in [
            ("pt-br", "pt-br"),
            ("pt-PT", "pt-br"),
            ("es-mx", "es-es"),
            ("ES_mx", "es-es"),
            (" zh-Hant-TW ", "zh-cn"),
            ("ru", "ru-ru"),
            ("ar-SA", "ar-eg"),
            ("en-GB", "en-us"),
            ("e", "en-us"),
            ("esperanto", "en-us"),
            ("-", "en-us"),
            ("", "en-us"),
        ] {
            assert_eq!(Words::of(locale).culture, culture, "{locale}");
        }
    }

    #[test]
    fn every_culture_stands_once_and_has_all_words() {
        let all = Words::all();
        for words in all {
            assert_eq!(Words::of(words.culture), words);
            assert_eq!(all.iter().filter(|w| w.culture == words.culture).count(), 1);
            for word in [words.yes, words.no, words.separator.trim(), words.or.trim()] {
                assert!(!word.is_empty(), "{}", words.culture);
            }
            assert_ne!(words.yes, words.no);
            assert!(words.or_more.ends_with(words.or.trim_start()), "{}", words.culture);
        }
    }

    #[test]
    fn yes_stands_before_no() {
        let (yes, no) = confirm_choices("ru-RU");
        assert_eq!((&*yes.value, &*no.value), ("да", "нет"));
    }
}

//! The words of Hindi numbers, in the spellings that people use.
//!
//! Hindi has a word of its own for each number up to 99, and English words in its script besides.
//! Spellings differ in dots, in long and short vowels and in doubled letters, so words are compared
//! without them.

use std::cmp::Ordering;
use std::sync::LazyLock;

use super::super::text::Folded;

/// The meaning of a word in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A number below a hundred.
    Number(u32),
    /// Tens that ones may follow, as in English.
    Tens(u32),
    /// A hundred.
    Hundred,
    /// A larger unit, as a power of ten.
    Unit(u32),
    /// An irregular ordinal.
    Ordinal(u32),
    /// One of so many parts.
    Part(u32),
    /// A half.
    Half,
    /// So many quarters, which take a unit: "सवा लाख" is a lakh and a quarter.
    Quarters(u32),
    /// Adds so many quarters to the number after it.
    More(u32),
    /// Takes a quarter from the number after it.
    Less,
    Point,
    Over,
    Of,
    In,
    From,
    And,
    Minus,
    Dozen,
}

/// A word that was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) word: Word,
    pub(super) is_ordinal: bool,
}

/// The numbers from 0 to 99; the spellings of one number are apart by spaces.
const NUMBERS: [&str; 100] = [
    "शून्य ज़ीरो सिफ़र",
    "एक वन",
    "दो टू",
    "तीन थ्री",
    "चार फोर",
    "पांच फाइव",
    "छह छः छे छै सिक्स",
    "सात सेवन सेवेन",
    "आठ एट",
    "नौ नाइन",
    "दस टेन",
    "ग्यारह इलेवन",
    "बारह ट्वेल्व",
    "तेरह थर्टीन",
    "चौदह फोर्टीन",
    "पंद्रह पन्द्रह पंदरह फिफ्टीन",
    "सोलह सिक्सटीन",
    "सत्रह सतरह सत्तरह सेवनटीन सेवेनटीन सेवेंटीन",
    "अठारह अट्ठारह एटीन",
    "उन्नीस नाइनटीन",
    "बीस",
    "इक्कीस",
    "बाईस",
    "तेईस",
    "चौबीस",
    "पच्चीस",
    "छब्बीस",
    "सत्ताईस",
    "अट्ठाईस",
    "उनतीस",
    "तीस",
    "इकतीस इकत्तीस",
    "बत्तीस",
    "तैंतीस तेंतीस",
    "चौंतीस",
    "पैंतीस",
    "छत्तीस",
    "सैंतीस",
    "अड़तीस",
    "उनतालीस उनचालीस",
    "चालीस",
    "इकतालीस",
    "बयालीस बियालीस ब्यालीस",
    "तैंतालीस तेंतालीस तिरतालीस",
    "चौवालीस चवालीस चौआलीस",
    "पैंतालीस",
    "छियालीस छयालीस",
    "सैंतालीस",
    "अड़तालीस",
    "उनचास",
    "पचास",
    "इक्यावन इकावन",
    "बावन",
    "तिरपन तिरेपन तरेपन",
    "चौवन चव्वन चौअन",
    "पचपन",
    "छप्पन",
    "सत्तावन",
    "अट्ठावन",
    "उनसठ",
    "साठ",
    "इकसठ एकसठ",
    "बासठ",
    "तिरसठ तरेसठ तिरेसठ",
    "चौंसठ",
    "पैंसठ",
    "छियासठ छाछठ",
    "सड़सठ सरसठ",
    "अड़सठ",
    "उनहत्तर",
    "सत्तर",
    "इकहत्तर",
    "बहत्तर",
    "तिहत्तर",
    "चौहत्तर",
    "पचहत्तर पिचहत्तर",
    "छिहत्तर छहत्तर छियत्तर",
    "सतहत्तर",
    "अठहत्तर",
    "उन्यासी उनासी",
    "अस्सी",
    "इक्यासी",
    "बयासी बियासी",
    "तिरासी",
    "चौरासी",
    "पचासी",
    "छियासी",
    "सत्तासी",
    "अट्ठासी",
    "नवासी",
    "नब्बे",
    "इक्यानवे इक्यानबे",
    "बानवे बानबे बयानवे",
    "तिरानवे तिरानबे",
    "चौरानवे चौरानबे",
    "पंचानवे पंचानबे पिचानवे",
    "छियानवे छियानबे",
    "सत्तानवे सत्तानबे",
    "अट्ठानवे अट्ठानबे",
    "निन्यानवे निन्यानबे निनानवे",
];

/// All other words.
const OTHERS: &[(&str, Word)] = &[
    ("ट्वेंटी ट्वेन्टी", Word::Tens(20)),
    ("थर्टी", Word::Tens(30)),
    ("फोर्टी", Word::Tens(40)),
    ("फिफ्टी", Word::Tens(50)),
    ("सिक्सटी", Word::Tens(60)),
    ("सेवंटी सेवेंटी सेवनटी", Word::Tens(70)),
    ("एटी", Word::Tens(80)),
    ("नाइनटी नाइंटी", Word::Tens(90)),
    ("सौ हंड्रेड", Word::Hundred),
    ("हज़ार थाउजेंड थाउज़ंड", Word::Unit(3)),
    ("लाख", Word::Unit(5)),
    ("मिलियन", Word::Unit(6)),
    ("करोड़", Word::Unit(7)),
    ("अरब बिलियन", Word::Unit(9)),
    ("खरब", Word::Unit(11)),
    ("ट्रिलियन", Word::Unit(12)),
    ("नील", Word::Unit(13)),
    ("पद्म", Word::Unit(15)),
    ("शंख", Word::Unit(17)),
    ("पहला पहली पहले", Word::Ordinal(1)),
    ("दूसरा दूसरी दूसरे", Word::Ordinal(2)),
    ("तीसरा तीसरी तीसरे", Word::Ordinal(3)),
    ("चौथा चौथी चौथे", Word::Ordinal(4)),
    ("छठा छठी छठे", Word::Ordinal(6)),
    ("नवां नवीं नवें", Word::Ordinal(9)),
    ("तिहाई", Word::Part(3)),
    ("चौथाई", Word::Part(4)),
    ("आधा आधे आधी हाफ", Word::Half),
    ("पौन पौना", Word::Quarters(3)),
    ("सवा", Word::Quarters(5)),
    ("डेढ़", Word::Quarters(6)),
    ("ढाई अढ़ाई", Word::Quarters(10)),
    ("साढ़े", Word::More(2)),
    ("पौने", Word::Less),
    ("पॉइंट पाइंट प्वाइंट दशमलव", Word::Point),
    ("बटा बटे", Word::Over),
    ("का के की", Word::Of),
    ("में", Word::In),
    ("से", Word::From),
    ("और एवं व तथा", Word::And),
    ("माइनस ऋण ऋणात्मक", Word::Minus),
    ("दर्जन डज़न", Word::Dozen),
];

/// All words as folded, sorted.
static TABLE: LazyLock<Vec<(String, Word)>> = LazyLock::new(|| {
    let numbers = (0..).zip(NUMBERS).map(|(number, words)| (words, Word::Number(number)));
    let mut table: Vec<_> = numbers
        .chain(OTHERS.iter().copied())
        .flat_map(|(words, meaning)| words.split(' ').map(move |word| (word, meaning)))
        .filter_map(|(word, meaning)| Some((fold(word)?.as_str().to_owned(), meaning)))
        .collect();
    table.sort_by(|(a, _), (b, _)| by_length(a, b));
    table
});

/// Looks up the meaning of a word.
pub(super) fn meaning(word: &str) -> Option<Meaning> {
    let folded = fold(word)?;
    let folded = folded.as_str();
    if let Some(word) = look_up(folded) {
        return Some(Meaning { word, is_ordinal: matches!(word, Word::Ordinal(_)) });
    }
    let stem = ["वा", "वि", "वे"].iter().find_map(|suffix| folded.strip_suffix(suffix))?;
    let word = look_up(stem)?;
    matches!(word, Word::Number(_) | Word::Hundred | Word::Unit(_))
        .then_some(Meaning { word, is_ordinal: true })
}

fn look_up(folded: &str) -> Option<Word> {
    let found = TABLE.binary_search_by(|(word, _)| by_length(word, folded)).ok()?;
    TABLE.get(found).map(|(_, word)| *word)
}

/// Lengths are quicker to compare than letters.
fn by_length(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// The word without dots, marks of nasal vowels, joined or doubled letters and long vowels.
fn fold(word: &str) -> Option<Folded> {
    let mut folded = Folded::new();
    let mut last = None;
    for c in word.chars() {
        let plain = match c {
            '\u{200c}' | '\u{200d}' | 'ँ' | 'ं' | 'ः' | '\u{93c}' | '्' => continue,
            // Letters that have their dot built in.
            '\u{958}' => 'क',
            '\u{959}' => 'ख',
            '\u{95a}' => 'ग',
            '\u{95b}' => 'ज',
            '\u{95c}' => 'ड',
            '\u{95d}' => 'ढ',
            '\u{95e}' => 'फ',
            'ी' => 'ि',
            'ई' => 'इ',
            'ू' => 'ु',
            'ऊ' => 'उ',
            'ॉ' => 'ो',
            // Doubled ठ is written ट्ठ too.
            'ठ' => 'ट',
            _ => c,
        };
        if last == Some(plain) {
            continue;
        }
        folded.push(plain)?;
        last = Some(plain);
    }
    Some(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_words_fold_to_the_same_and_mean_different_things() {
        for pair in TABLE.windows(2) {
            assert!(pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1, "{pair:?}");
        }
    }

    #[test]
    fn spellings_are_one_word() {
        for (a, b) in [("पाँच", "पांच"), ("हज़ार", "हजार"), ("अट्ठाइस", "अठ्ठाईस"), ("करोड़", "करोड")]
        {
            assert_eq!(meaning(a), meaning(b), "{a} {b}");
            assert!(meaning(a).is_some(), "{a}");
        }
    }

    #[test]
    fn ordinals_are_told_from_numbers() {
        let ordinal = |word| Some(Meaning { word, is_ordinal: true });
        assert_eq!(meaning("सातवाँ"), ordinal(Word::Number(7)));
        assert_eq!(meaning("लाखवें"), ordinal(Word::Unit(5)));
        assert_eq!(meaning("सवा"), Some(Meaning { word: Word::Quarters(5), is_ordinal: false }));
        assert_eq!(meaning("दीवा"), None);
    }
}

//! The words of Arabic numbers, in the spellings that people use.
//!
//! Words are compared without vowel marks, without the hamza of an alef and with one form of the
//! last letters, because people leave these out or mix them up. "And" is a letter that is written
//! together with the word after it.

use std::cmp::Ordering;
use std::sync::LazyLock;

use super::super::text::Folded;

/// The meaning of a word in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Zero to nine.
    Ones(u32),
    /// Five, seven or nine in the form that is also a fifth, a seventh or a ninth.
    OnesOrPart(u32),
    /// Ten, alone or after ones.
    Ten,
    /// The same in the form that is also a tenth.
    TenOrPart,
    Tens(u32),
    /// Tens in the form of parts ("twentieths").
    TensOfParts(u32),
    Hundred,
    /// So many hundreds in one word.
    Hundreds(u32),
    /// A unit, as a power of ten.
    Unit(u32),
    /// The same in a plural, which after a count above ten names parts ("trillionths").
    Units(u32),
    /// Two of a unit in one word.
    TwoUnits(u32),
    /// One of so many parts, or those parts.
    Part(u32),
    /// An eighth; the same word is "price".
    EighthOrPrice,
    /// Two thirds in one word.
    TwoThirds,
    /// "A part", which "of" follows.
    Piece,
    And,
    Over,
    Of,
    Point,
    Minus,
    Dozen,
    TwoDozens,
    /// A thing with its article, which may be what is parted.
    Thing,
}

/// "And" as a letter.
const AND: char = 'و';

const WORDS: &[(&str, Word)] = &[
    ("صفر", Word::Ones(0)),
    ("واحد واحدة احد احدى", Word::Ones(1)),
    ("اثنان اثنين اثنتان اثنتين اثنا اثني اثنتا اثنتي", Word::Ones(2)),
    ("ثلاث ثلاثة", Word::Ones(3)),
    ("اربع اربعة", Word::Ones(4)),
    ("خمسة", Word::Ones(5)),
    ("ست ستة", Word::Ones(6)),
    ("سبعة", Word::Ones(7)),
    ("ثمان ثماني ثمانية", Word::Ones(8)),
    ("تسعة", Word::Ones(9)),
    ("خمس", Word::OnesOrPart(5)),
    ("سبع", Word::OnesOrPart(7)),
    ("تسع", Word::OnesOrPart(9)),
    ("عشرة", Word::Ten),
    ("عشر", Word::TenOrPart),
    ("مئة مائة مية ماية", Word::Hundred),
    ("مئات", Word::Hundred),
    ("مئتان مئتين مائتان مائتين مئتا مئتي مائتا مائتي", Word::Hundreds(2)),
    ("الف الفا", Word::Unit(3)),
    ("الاف", Word::Unit(3)),
    ("الفان الفين الفي", Word::TwoUnits(3)),
    ("مليون مليونا ملايين", Word::Unit(6)),
    ("مليونات", Word::Units(6)),
    ("مليونان مليونين", Word::TwoUnits(6)),
    ("مليار مليارا بليون بلايين", Word::Unit(9)),
    ("مليارات بليونات", Word::Units(9)),
    ("ملياران مليارين", Word::TwoUnits(9)),
    ("تريليون تريليونا ترليون", Word::Unit(12)),
    ("تريليونات ترليونات", Word::Units(12)),
    ("تريليونان تريليونين", Word::TwoUnits(12)),
    ("نصف انصاف", Word::Part(2)),
    ("ثلث اثلاث", Word::Part(3)),
    ("ثلثان ثلثين ثلثا ثلثي", Word::TwoThirds),
    ("ربع ارباع", Word::Part(4)),
    ("اخماس", Word::Part(5)),
    ("سدس اسداس", Word::Part(6)),
    ("اسباع", Word::Part(7)),
    ("اثمان", Word::Part(8)),
    ("ثمن", Word::EighthOrPrice),
    ("اتساع", Word::Part(9)),
    ("اعشار", Word::Part(10)),
    ("جزء اجزاء جزءا", Word::Piece),
    ("و", Word::And),
    ("على", Word::Over),
    ("من", Word::Of),
    ("فاصلة نقطة", Word::Point),
    ("سالب ناقص", Word::Minus),
    ("دزينة دزينات دستة دستات درزن", Word::Dozen),
    ("دزينتان دزينتين دستتان دستتين", Word::TwoDozens),
];

/// The tens without their endings.
const TENS: &[(&str, u32)] = &[
    ("عشر", 20),
    ("ثلاث", 30),
    ("اربع", 40),
    ("خمس", 50),
    ("ست", 60),
    ("سبع", 70),
    ("ثمان", 80),
    ("تسع", 90),
];

/// The beginnings of hundreds that are one word.
const HUNDREDS: &[(&str, u32)] = &[
    ("ثلاث", 3),
    ("اربع", 4),
    ("خمس", 5),
    ("ست", 6),
    ("سبع", 7),
    ("ثمان", 8),
    ("ثماني", 8),
    ("تسع", 9),
];

/// All words as folded, sorted.
static TABLE: LazyLock<Vec<(String, Word)>> = LazyLock::new(|| {
    let mut table = Vec::new();
    let mut add = |word: &str, meaning: Word| {
        if let Some(folded) = fold(word) {
            table.push((folded.as_str().to_owned(), meaning));
        }
    };
    for (words, meaning) in WORDS {
        words.split(' ').for_each(|word| add(word, *meaning));
    }
    for (stem, tens) in TENS {
        ["ون", "ين"].iter().for_each(|end| add(&format!("{stem}{end}"), Word::Tens(*tens)));
        ["ونات", "ينات"]
            .iter()
            .for_each(|end| add(&format!("{stem}{end}"), Word::TensOfParts(*tens)));
    }
    for (stem, count) in HUNDREDS {
        ["مئة", "مائة", "مية"]
            .iter()
            .for_each(|end| add(&format!("{stem}{end}"), Word::Hundreds(*count)));
    }
    table.sort_by(|(a, _), (b, _)| by_length(a, b));
    table
});

/// The meaning of a word, and how many bytes of "and" it begins with.
pub(super) fn word(word: &str) -> Option<(Word, usize)> {
    let folded = fold(word)?;
    let folded = folded.as_str();
    if let Some(meaning) = look_up(folded) {
        return Some((meaning, 0));
    }
    if let Some(meaning) = folded.strip_prefix(AND).and_then(look_up) {
        return Some((meaning, AND.len_utf8()));
    }
    folded.starts_with("ال").then_some((Word::Thing, 0))
}

fn look_up(folded: &str) -> Option<Word> {
    let found = TABLE.binary_search_by(|(word, _)| by_length(word, folded)).ok()?;
    TABLE.get(found).map(|(_, word)| *word)
}

/// Lengths are quicker to compare than letters.
fn by_length(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn fold(word: &str) -> Option<Folded> {
    let mut folded = Folded::new();
    for c in word.chars() {
        let plain = match c {
            '\u{640}' | '\u{64b}'..='\u{655}' | '\u{670}' | '\u{200c}' | '\u{200d}' => continue,
            'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
            'ى' => 'ي',
            'ة' => 'ه',
            _ => c,
        };
        folded.push(plain)?;
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
    fn marks_and_endings_make_no_difference() {
        assert_eq!(word("أَرْبَعَة"), Some((Word::Ones(4), 0)));
        assert_eq!(word("مائه"), Some((Word::Hundred, 0)));
    }

    #[test]
    fn and_is_told_from_a_first_letter() {
        assert_eq!(word("واحد"), Some((Word::Ones(1), 0)));
        assert_eq!(word("وواحد"), Some((Word::Ones(1), 2)));
        assert_eq!(word("وتسعون"), Some((Word::Tens(90), 2)));
        assert_eq!(word("ولد"), None);
    }
}

//! Ordinals to pick from a list with, in languages that have scripts of their own.

use super::phrases::Phrases;
use super::{Anchor, Ordinal};
use crate::recognize::{Found, Language, numbers};

/// How far after its sign an ordinal is read, in characters.
const SIGN_REACH: usize = 16;

/// Numbers after 第, and in Japanese also before 番目.
pub(super) fn after_sign(text: &str, language: Language) -> Vec<Found<Ordinal>> {
    let mut found = Vec::new();
    for (start, sign) in text.match_indices('第') {
        let rest = text.get(start + sign.len()..).unwrap_or_default();
        let length = rest.char_indices().nth(SIGN_REACH).map_or(rest.len(), |(end, _)| end);
        let first = numbers(rest.get(..length).unwrap_or_default(), language).into_iter().next();
        if let Some(number) = first.filter(|number| number.start == 0)
            && let Some(rank) = number.value.integer()
        {
            let end = start + sign.len() + number.end;
            found.push(Found { value: Ordinal::start(rank), start, end });
        }
    }
    if language == Language::Japanese {
        found.extend(before_counter(text));
    }
    found
}

fn before_counter(text: &str) -> Vec<Found<Ordinal>> {
    let counter = "番目";
    let is_ordinal = |found: &Found<_>| text.get(found.end..).is_some_and(|rest| rest.starts_with(counter));
    let numbers = numbers(text, Language::Japanese).into_iter().filter(is_ordinal);
    let ordinal = |number: Found<crate::recognize::Number>| {
        let value = Ordinal::start(number.value.integer()?);
        Some(Found { value, start: number.start, end: number.end + counter.len() })
    };
    numbers.filter_map(ordinal).collect()
}

pub(super) const ARABIC: Phrases = Phrases {
    ranks: &[("الأول", 1), ("الاول", 1), ("الأولى", 1), ("الاولى", 1), ("أول", 1), ("اول", 1), ("الثاني", 2), ("الثانية", 2), ("ثاني", 2), ("الثالث", 3), ("الثالثة", 3), ("ثالث", 3), ("الرابع", 4), ("الرابعة", 4), ("رابع", 4), ("الخامس", 5), ("الخامسة", 5), ("خامس", 5), ("السادس", 6), ("السادسة", 6), ("سادس", 6), ("السابع", 7), ("السابعة", 7), ("سابع", 7), ("الثامن", 8), ("الثامنة", 8), ("ثامن", 8), ("التاسع", 9), ("التاسعة", 9), ("تاسع", 9), ("العاشر", 10), ("العاشرة", 10), ("عاشر", 10)],
    endings: &[""],
    others: &[("الأخير", Anchor::End, 0), ("الاخير", Anchor::End, 0), ("الأخيرة", Anchor::End, 0), ("الاخيرة", Anchor::End, 0), ("آخر", Anchor::End, 0), ("اخر", Anchor::End, 0), ("قبل الأخير", Anchor::End, -1), ("ما قبل الأخير", Anchor::End, -1), ("التالي", Anchor::Current, 1), ("التالية", Anchor::Current, 1), ("السابق", Anchor::Current, -1), ("السابقة", Anchor::Current, -1)],
    marks: &[],
    is_unspaced: false,
};

pub(super) const CHINESE: Phrases = Phrases {
    ranks: &[],
    endings: &[""],
    others: &[("最后一个", Anchor::End, 0), ("最後一個", Anchor::End, 0), ("最后", Anchor::End, 0), ("最後", Anchor::End, 0), ("倒数第二", Anchor::End, -1), ("倒数第二个", Anchor::End, -1), ("倒數第二", Anchor::End, -1), ("倒數第二個", Anchor::End, -1), ("倒数第三", Anchor::End, -2), ("倒数第三个", Anchor::End, -2), ("下一个", Anchor::Current, 1), ("下一個", Anchor::Current, 1), ("上一个", Anchor::Current, -1), ("上一個", Anchor::Current, -1), ("当前", Anchor::Current, 0)],
    marks: &[],
    is_unspaced: true,
};

pub(super) const HINDI: Phrases = Phrases {
    ranks: &[("पहला", 1), ("पहली", 1), ("पहले", 1), ("दूसरा", 2), ("दूसरी", 2), ("दूसरे", 2), ("तीसरा", 3), ("तीसरी", 3), ("तीसरे", 3), ("चौथा", 4), ("चौथी", 4), ("चौथे", 4), ("पांचवां", 5), ("पाँचवाँ", 5), ("पांचवीं", 5), ("पाँचवीं", 5), ("छठा", 6), ("छठी", 6), ("छठे", 6), ("सातवां", 7), ("सातवाँ", 7), ("सातवीं", 7), ("आठवां", 8), ("आठवाँ", 8), ("आठवीं", 8), ("नौवां", 9), ("नौवाँ", 9), ("नौवीं", 9), ("दसवां", 10), ("दसवाँ", 10), ("दसवीं", 10)],
    endings: &[""],
    others: &[("अंतिम", Anchor::End, 0), ("आखिरी", Anchor::End, 0), ("आख़िरी", Anchor::End, 0), ("अगला", Anchor::Current, 1), ("अगली", Anchor::Current, 1), ("अगले", Anchor::Current, 1), ("पिछला", Anchor::Current, -1), ("पिछली", Anchor::Current, -1), ("पिछले", Anchor::Current, -1)],
    marks: &["वां", "वाँ", "वीं"],
    is_unspaced: false,
};

pub(super) const JAPANESE: Phrases = Phrases {
    ranks: &[("最初", 1), ("一つ目", 1), ("ひとつ目", 1), ("二つ目", 2), ("ふたつ目", 2), ("三つ目", 3), ("みっつ目", 3), ("四つ目", 4), ("五つ目", 5)],
    endings: &[""],
    others: &[("最後", Anchor::End, 0), ("最後から二番目", Anchor::End, -1), ("次の", Anchor::Current, 1), ("次", Anchor::Current, 1), ("前の", Anchor::Current, -1), ("一つ前", Anchor::Current, -1)],
    marks: &["番目", "つ目", "個目"],
    is_unspaced: true,
};

pub(super) const KOREAN: Phrases = Phrases {
    ranks: &[("첫 번째", 1), ("첫번째", 1), ("첫째", 1), ("두 번째", 2), ("두번째", 2), ("두째", 2), ("세 번째", 3), ("세번째", 3), ("세째", 3), ("네 번째", 4), ("네번째", 4), ("네째", 4), ("다섯 번째", 5), ("다섯번째", 5), ("다섯째", 5), ("여섯 번째", 6), ("여섯번째", 6), ("여섯째", 6), ("일곱 번째", 7), ("일곱번째", 7), ("일곱째", 7), ("여덟 번째", 8), ("여덟번째", 8), ("여덟째", 8), ("아홉 번째", 9), ("아홉번째", 9), ("아홉째", 9), ("열 번째", 10), ("열번째", 10), ("열째", 10), ("열한 번째", 11), ("열한번째", 11), ("열한째", 11), ("열두 번째", 12), ("열두번째", 12), ("열두째", 12)],
    endings: &["", "의", "로", "요"],
    others: &[("마지막", Anchor::End, 0), ("맨 마지막", Anchor::End, 0), ("다음", Anchor::Current, 1), ("이전", Anchor::Current, -1)],
    marks: &["번째"],
    is_unspaced: false,
};

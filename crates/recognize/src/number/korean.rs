//! Numbers in Korean: Sino-Korean (삼십오), native (서른다섯), in figures, and mixed (3백21).
//!
//! Words are written together with what follows them, and most number words of one syllable are
//! also other words. So a number begins where a word begins, and a single syllable is one only
//! before what shows that it counts.

mod native;

use super::figures::Marks;
use super::myriad::{self, Read, Script, Sign, is_glued};
use super::text::{any_of, before, head, spaces};
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    myriad::find::<Korean>(text)
}

struct Korean;

/// Words that may follow a single syllable that is a number.
const AFTER_ONE: &[&str] =
    &["은 ", "는 ", "을 ", "를 ", "보다", "이다", "번", "점", "개", "명", "원", "년", "층"];

/// Syllables that are oftener other words: "day", "this", "four" in "apple", "oh", "ward", "ball".
const AMBIGUOUS: &str = "일이사오팔구공영천만";

/// Things counted, which may follow a short native number.
const COUNTED: &[&str] = &[
    "개", "명", "사람", "살", "마리", "권", "대", "번", "시", "잔", "병", "장", "송이", "그루",
    "채", "벌", "켤레", "자루", "달", "가지", "군데", "쌍", "배", "다스", "조각", "곳", "분",
    "시간", "주", "판", "통", "줄",
];

/// Words with another meaning that begin like numbers.
const NOT_NUMBERS: &[&str] = &["만일", "만사", "천사", "천만에", "구조", "하나님", "세대", "세상"];

/// Words that make figures a measure or a date.
const MEASURES: &[&str] = &["미터", "킬로", "센티", "밀리", "그램", "리터", "월", "일"];

impl Script for Korean {
    const MARKS: Marks =
        Marks { group: &[',', '，'], decimal: &['.', '．'], cents: false, pairs: false };
    const MINUS: &'static [&'static str] = &["마이너스", "음수"];
    const OVER: [&'static str; 2] = ["분", "의"];
    const AND: &'static [&'static str] = &["과", "와"];
    const JOIN: &'static [&'static str] = &["과 ", "와 "];
    const POINT: &'static [&'static str] = &["점", "쩜"];
    const DOZEN: &'static [&'static str] = &["다스", "타스"];
    const HALF: &'static [&'static str] = &["절반", "반"];
    const SPACE_BEFORE_POINT: bool = false;

    const SHORT_ROWS: bool = true;
    const SPACED_FIGURES: bool = true;

    fn sign(rest: &str) -> Option<(Sign, usize)> {
        let mut chars = rest.chars();
        let c = chars.next()?;
        let next = chars.next();
        let sign = match c {
            '영' | '공' => Sign::Digit(0),
            '일' => Sign::Digit(1),
            // "이다" is "to be", in its many forms.
            '이' if next.is_none_or(|c| !"다고며라란지에었므".contains(c)) => {
                Sign::Digit(2)
            }
            '삼' => Sign::Digit(3),
            '사' => Sign::Digit(4),
            '오' => Sign::Digit(5),
            '육' | '륙' => Sign::Digit(6),
            '칠' => Sign::Digit(7),
            '팔' => Sign::Digit(8),
            '구' => Sign::Digit(9),
            '십' => Sign::Small(1),
            '백' => Sign::Small(2),
            '천' => Sign::Small(3),
            // "만큼" is "as much as", "조각" is "piece".
            '만' if next != Some('큼') => Sign::Large(4),
            '억' => Sign::Large(8),
            '조' if next != Some('각') => Sign::Large(12),
            '경' => Sign::Large(16),
            '여' if next == Some('만') => Sign::About,
            _ => return None,
        };
        Some((sign, c.len_utf8()))
    }

    fn word(rest: &str) -> Option<(u32, usize)> {
        native::read(rest)
    }

    fn may_begin(text: &str, at: usize) -> bool {
        !before(text, at).is_some_and(|c| is_hangul(c) || c.is_numeric())
    }

    fn is_one(unit: u32, _rest: &str) -> bool {
        unit == 4
    }

    fn stands(text: &str, start: usize, read: &Read) -> Option<usize> {
        let is_number = if read.figures > 0 {
            let is_plain = !read.has_unit;
            !(is_plain && (is_glued(text, start, read.end) || is_measure(text, read.end)))
        } else if any_of(text, start, NOT_NUMBERS).is_some_and(|end| end >= read.end) {
            false
        } else if read.is_certain || (read.has_unit && read.signs + read.words > 1) {
            true
        } else if read.words > 0 {
            is_native(text, start, read.end)
        } else if read.signs > 1 {
            read.signs > 2
        } else {
            is_single(text, start, read.end)
        };
        let ordinal = any_of(text, spaces(text, read.end), &["번째"]);
        is_number.then(|| ordinal.filter(|_| read.figures == 0).unwrap_or(read.end))
    }
}

fn is_hangul(c: char) -> bool {
    matches!(c, '가'..='힣')
}

fn is_measure(text: &str, end: usize) -> bool {
    any_of(text, end, MEASURES).is_some()
}

/// Reports whether a native number word, or one for a half, is a number where it stands.
fn is_native(text: &str, start: usize, end: usize) -> bool {
    let word = text.get(start..end).unwrap_or_default();
    match word {
        "반" => {
            head(text, end).is_none() || any_of(text, end, &["이 ", "을 ", "은 ", "만 "]).is_some()
        }
        "두" | "세" | "네" | "서" | "너" | "석" | "넉" => {
            any_of(text, spaces(text, end), COUNTED).is_some()
        }
        "열" | "쉰" => {
            let is_free = head(text, end).is_none_or(|c| !is_hangul(c));
            is_free
                || any_of(text, end, COUNTED).is_some()
                || any_of(text, end, AFTER_ONE).is_some()
        }
        _ => true,
    }
}

/// Reports whether a single syllable is a number where it stands.
fn is_single(text: &str, start: usize, end: usize) -> bool {
    let left = text.get(..start).unwrap_or_default();
    if text.trim().len() == end - start || left.trim_end().ends_with("마이너스") {
        return true;
    }
    let Some(next) = head(text, end) else { return true };
    let is_unit = any_of(text, start, &["십", "백", "천", "만"]).is_some();
    if is_unit && any_of(text, spaces(text, end), &["원", "달러", "명", "개", "년"]).is_some()
    {
        return true;
    }
    if head(text, start).is_some_and(|c| AMBIGUOUS.contains(c)) {
        return !next.is_alphanumeric() && !next.is_whitespace()
            || any_of(text, end, &["년", "층"]).is_some();
    }
    !next.is_alphanumeric() || any_of(text, end, AFTER_ONE).is_some()
}

#[cfg(test)]
mod tests {
    use crate::Language::Korean;
    use crate::number::testing::check;

    #[test]
    fn sino_korean_native_and_mixed() {
        check(Korean, "칠백삼십팔", &["738"]);
        check(Korean, "구만 오천 원", &["95000"]);
        check(Korean, "만오천원", &["15000"]);
        check(Korean, "만 원", &["10000"]);
        check(Korean, "서른아홉 살", &["39"]);
        check(Korean, "네 명", &["4"]);
        check(Korean, "6천5백12", &["6512"]);
        check(Korean, "3.5억", &["350000000"]);
        check(Korean, "마이너스 칠십", &["-70"]);
        check(Korean, "공일공칠팔", &["1078"]);
    }

    #[test]
    fn fractions_decimals_and_dozens() {
        check(Korean, "팔분의 삼", &["0.375"]);
        check(Korean, "육과 이분의 일", &["6.5"]);
        check(Korean, "칠점 이오", &["7.25"]);
        check(Korean, "삼 다스", &["36"]);
        check(Korean, "반 다스", &["6"]);
        check(Korean, "절반", &["0.5"]);
        check(Korean, "백과 두 다스", &["124"]);
    }

    #[test]
    fn other_words_are_no_numbers() {
        check(Korean, "이 책은 사람이 많이 읽는다", &[]);
        check(Korean, "세계 일주", &[]);
        check(Korean, "천사와 백화점", &[]);
        check(Korean, "천사백이십", &["1420"]);
        check(Korean, "오백일일이 지났다", &["501"]);
        check(Korean, "오분의 삼이 남았다", &["0.6"]);
        check(Korean, "하나님", &[]);
        check(Korean, "3미터", &[]);
        check(Korean, "오분의 사조각", &["0.8"]);
        check(Korean, "네", &[]);
    }
}

//! Numbers in Japanese: in signs, in figures and in kana.
//!
//! A single sign is a number only where it counts something: 二つ has a two in it, 二次 ("secondary")
//! has not.

mod kana;

use super::figures::Marks;
use super::myriad::{self, Read, Script, Sign, is_glued};
use super::text::{any_of, before, head, spaces};
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    let mut found = myriad::find::<Japanese>(text);
    let spelled = kana::find(text);
    if !spelled.is_empty() {
        found.extend(spelled);
        found.sort_by_key(|number| number.start);
    }
    found
}

struct Japanese;

/// Signs that may follow a single sign that is a number, besides kana: counted things and times.
const AFTER_ONE: &str =
    "年月日時分秒本個箇个人名枚台匹冊杯歳才足着軒件社羽頭株棟対組種類点曲通切巻";

/// Katakana that make the figures before them a measure.
const MEASURES: &[&str] = &[
    "ミリ",
    "センチ",
    "メートル",
    "キロ",
    "リットル",
    "グラム",
    "トン",
    "デシ",
    "マイクロ",
    "ナノ",
    "マイル",
    "インチ",
    "フィート",
    "ヤード",
    "ポンド",
    "オンス",
    "ガロン",
    "パーセント",
];

impl Script for Japanese {
    const MARKS: Marks =
        Marks { group: &[',', '，', '、'], decimal: &['.', '．'], cents: true, pairs: false };
    const MINUS: &'static [&'static str] = &["マイナス", "負の"];
    const OVER: [&'static str; 2] = ["分", "の"];
    const AND: &'static [&'static str] = &["と", "は", "また", "又"];
    const POINT: &'static [&'static str] = &["・", "･", "点", "、"];
    const DOZEN: &'static [&'static str] = &["ダース"];
    const HALF: &'static [&'static str] = &["半分", "半数", "半"];
    const TENS_AFTER_POINT: bool = true;
    const SPACE_BEFORE_POINT: bool = false;

    fn sign(rest: &str) -> Option<(Sign, usize)> {
        if let Some(more) = ["余り", "あまり"].iter().find(|word| rest.starts_with(**word)) {
            return Some((Sign::About, more.len()));
        }
        let c = rest.chars().next()?;
        Some((sign(c)?, c.len_utf8()))
    }

    /// As in "万分の一".
    fn is_one(_unit: u32, rest: &str) -> bool {
        rest.starts_with("分の")
    }

    fn stands(text: &str, start: usize, read: &Read) -> Option<usize> {
        let is_number = if read.is_certain {
            true
        } else if read.figures > 0 {
            let is_plain = !read.has_unit;
            !(is_plain && (is_glued(text, start, read.end) || is_measure(text, read.end)))
        } else if read.words > 0 {
            any_of(text, start, &["半分", "半数"]).is_some() || text.trim() == "半"
        } else {
            read.signs > 1 || is_single(text, start, read.end)
        };
        let end = any_of(text, read.end, &["以上"]).filter(|_| ends_with_unit(text, read.end));
        is_number.then(|| end.unwrap_or(read.end))
    }
}

fn sign(c: char) -> Option<Sign> {
    Some(match c {
        '零' | '〇' | '○' => Sign::Digit(0),
        '一' | '壱' | '壹' => Sign::Digit(1),
        '二' | '弐' | '貳' => Sign::Digit(2),
        '三' | '参' | '參' | '叁' => Sign::Digit(3),
        '四' | '肆' => Sign::Digit(4),
        '五' | '伍' => Sign::Digit(5),
        '六' => Sign::Digit(6),
        '七' | '漆' => Sign::Digit(7),
        '八' | '捌' => Sign::Digit(8),
        '九' | '玖' => Sign::Digit(9),
        '十' | '拾' => Sign::Small(1),
        '百' | '佰' => Sign::Small(2),
        '千' | '阡' | '仟' => Sign::Small(3),
        '万' | '萬' => Sign::Large(4),
        '億' => Sign::Large(8),
        '兆' => Sign::Large(12),
        '京' => Sign::Large(16),
        '余' | '数' => Sign::About,
        _ => return None,
    })
}

fn ends_with_unit(text: &str, end: usize) -> bool {
    matches!(before(text, end).and_then(sign), Some(Sign::Small(_) | Sign::Large(_)))
}

fn is_measure(text: &str, end: usize) -> bool {
    any_of(text, spaces(text, end), MEASURES).is_some()
}

/// Reports whether a single sign is a number where it stands.
fn is_single(text: &str, start: usize, end: usize) -> bool {
    let is_part = |c| matches!(sign(c), Some(Sign::Digit(_) | Sign::Small(_) | Sign::Large(_)));
    if before(text, start).is_some_and(|c| "第統唯均随".contains(c) || is_part(c)) {
        return false;
    }
    let is_price = matches!(before(text, start), None | Some('ぁ'..='ん'));
    match head(text, end) {
        None => true,
        // "千円", but not a price right after what it is the price of.
        Some('円') => is_price,
        Some('%' | '％' | '‰') => false,
        Some('ぁ'..='ん' | 'ァ'..='ヺ' | 'ー') => any_of(text, end, &["パーセント"]).is_none(),
        Some(c) => !c.is_alphanumeric() || AFTER_ONE.contains(c),
    }
}

#[cfg(test)]
mod tests {
    use crate::Language::Japanese;
    use crate::number::testing::check;

    #[test]
    fn signs_and_figures() {
        check(Japanese, "六百八です", &["608"]);
        check(Japanese, "三万二千五百円", &["32500"]);
        check(Japanese, "１２億３４５６万", &["1234560000"]);
        check(Japanese, "４、３２１、０００", &["4321000"]);
        check(Japanese, "七八九", &["789"]);
        check(Japanese, "マイナス四十", &["-40"]);
        check(Japanese, "35キロメートル", &[]);
        check(Japanese, "5ダース", &["60"]);
        check(Japanese, "半ダース", &["6"]);
        check(Japanese, "百と三ダース", &["136"]);
    }

    #[test]
    fn fractions_and_decimals() {
        check(Japanese, "八分の三", &["0.375"]);
        check(Japanese, "６と２分の１", &["6.5"]);
        check(Japanese, "三・一四", &["3.14"]);
        check(Japanese, "三・二十五", &["3.25"]);
        check(Japanese, "4,50", &["4.5"]);
        check(Japanese, "りんごを半分", &["0.5"]);
    }

    #[test]
    fn single_signs_count_only_where_they_count() {
        check(Japanese, "三つください", &["3"]);
        check(Japanese, "五個", &["5"]);
        check(Japanese, "千円", &["1000"]);
        check(Japanese, "三重県", &[]);
        check(Japanese, "第一は", &[]);
        check(Japanese, "八％", &[]);
    }

    #[test]
    fn kana_only_where_nothing_else_is_meant() {
        check(Japanese, "ろっぴゃくはちじゅうよん", &["684"]);
        check(Japanese, "さんまんきゅうせんです", &["39000"]);
        check(Japanese, "ここ に はち", &["8"]);
        check(Japanese, "いちごをください", &[]);
        check(Japanese, "はちみつ", &[]);
        check(Japanese, "五 と ろく", &["5", "6"]);
    }
}

//! Numbers in Chinese: simplified, traditional and financial signs, and figures.
//!
//! A single sign is a number only where it counts something: 一只 has a one in it, 一切 ("all") has
//! not.

use super::figures::Marks;
use super::myriad::{self, Read, Script, Sign, is_glued};
use super::text::{any_of, before, head};
use super::value::Number;
use crate::Found;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    myriad::find::<Chinese>(text)
}

struct Chinese;

/// Signs that may follow a single sign that is a number: counted things, times, and words that go
/// on with the sentence.
const AFTER_ONE: &str = "个個箇只隻种種台臺对對双雙打张張本件条條名位年月日号號天岁歲周週次回倍分秒层層楼樓间間\
     辆輛部套支枝根块塊片棵朵把杯瓶碗盒袋包箱头頭匹家所座颗顆粒份封首项項届屆步级級\
     的是和与與及或而这這那还還跟吗嗎吧呢啊到至加减減乘除等";

/// Signs that give the digit after them another meaning, such as a day of the week or a rank.
const BEFORE_NONE: &str = "第期拜周週统統唯专專单單初老万萬数數";

/// Signs before a financial sign that has another meaning (陆 "land", 拾 "pick up").
const BEFORE_FINANCIAL: &str = "是为為的和与與或写寫作共计計";

impl Script for Chinese {
    const MARKS: Marks =
        Marks { group: &[',', '，'], decimal: &['.', '．'], cents: false, pairs: false };
    const MINUS: &'static [&'static str] = &["负", "負"];
    const OVER: [&'static str; 2] = ["分", "之"];
    const AND: &'static [&'static str] = &["又"];
    const POINT: &'static [&'static str] = &["点", "點"];
    const DOZEN: &'static [&'static str] = &["打"];
    const IS_DOZEN_A_NUMBER: bool = false;
    const HALF: &'static [&'static str] = &["一半", "半"];
    const TENTHS: bool = true;

    fn sign(rest: &str) -> Option<(Sign, usize)> {
        let c = rest.chars().next()?;
        Some((sign(c)?, c.len_utf8()))
    }

    fn is_decimal(rest: &str) -> bool {
        !rest.starts_with(['两', '兩', '俩', '倆', '仨'])
    }

    fn is_percent(rest: &str) -> bool {
        ["百分之", "百分点", "百分點", "百分比"].iter().any(|word| rest.starts_with(word))
    }

    /// As in "万分之一".
    fn is_one(_unit: u32, rest: &str) -> bool {
        rest.starts_with("分之")
    }

    fn stands(text: &str, start: usize, read: &Read) -> Option<usize> {
        let is_number = if is_by_all_means(text, start, read.end) {
            false
        } else if read.is_certain || (read.has_unit && read.signs + read.figures > 1) {
            true
        } else if read.figures > 0 {
            !is_glued(text, start, read.end)
        } else if read.words > 0 {
            text.trim().len() == read.end - start || any_of(text, start, &["一半"]).is_some()
        } else if read.signs > 1 {
            is_row(text, start, read)
        } else {
            is_single(text, start, read.end)
        };
        is_number.then_some(read.end)
    }
}

/// The meaning of a sign: simplified, traditional and financial ones, which cannot be changed by a
/// stroke.
fn sign(c: char) -> Option<Sign> {
    Some(match c {
        '零' | '〇' | '○' => Sign::Digit(0),
        '一' | '壹' | '壱' | '弌' => Sign::Digit(1),
        '二' | '贰' | '貳' | '弐' | '两' | '兩' | '俩' | '倆' => Sign::Digit(2),
        '三' | '叁' | '參' | '叄' | '仨' => Sign::Digit(3),
        '四' | '肆' => Sign::Digit(4),
        '五' | '伍' => Sign::Digit(5),
        '六' | '陆' | '陸' => Sign::Digit(6),
        '七' | '柒' => Sign::Digit(7),
        '八' | '捌' => Sign::Digit(8),
        '九' | '玖' => Sign::Digit(9),
        '十' | '拾' => Sign::Small(1),
        '百' | '佰' => Sign::Small(2),
        '千' | '仟' => Sign::Small(3),
        '万' | '萬' => Sign::Large(4),
        '亿' | '億' => Sign::Large(8),
        '兆' => Sign::Large(12),
        '多' | '余' | '餘' | '几' | '幾' | '来' | '來' => Sign::About,
        _ => return None,
    })
}

/// Reports whether digits in a row are one number, as in a year. Two of them rather mean "three or
/// four", or "each".
fn is_row(text: &str, start: usize, read: &Read) -> bool {
    let row = text.get(start..read.end).unwrap_or_default();
    read.signs > 2 && !row.contains(['两', '兩', '俩', '倆', '仨']) || row.contains(['零', '〇'])
}

/// Reports whether this is 千万 "by all means" and not ten million.
fn is_by_all_means(text: &str, start: usize, end: usize) -> bool {
    any_of(text, start, &["千万", "千萬"]) == Some(end)
        && head(text, end).is_some_and(|c| "不别別要记記注小".contains(c))
}

/// Reports whether a single sign is a number where it stands.
fn is_single(text: &str, start: usize, end: usize) -> bool {
    let previous = before(text, start);
    let is_part = |c| matches!(sign(c), Some(Sign::Digit(_) | Sign::Small(_) | Sign::Large(_)));
    if previous.is_some_and(|c| BEFORE_NONE.contains(c) || is_part(c)) {
        return false;
    }
    let is_ambiguous = head(text, start).is_some_and(|c| "陆陸伍肆拾".contains(c));
    let is_free = previous.is_none_or(|c| !c.is_alphabetic() || BEFORE_FINANCIAL.contains(c));
    if is_ambiguous && !is_free {
        return false;
    }
    let is_unit =
        head(text, start).and_then(sign).is_some_and(|sign| matches!(sign, Sign::Small(_)));
    match head(text, end) {
        None => true,
        Some('%' | '％' | '‰') => false,
        // "十分" alone is "very".
        Some('分') if is_unit => any_of(text, end, &["分钟", "分鐘", "分之"]).is_some(),
        Some(c) if is_unit && sign(c) == Some(Sign::About) => true,
        Some(c) => !c.is_alphanumeric() || AFTER_ONE.contains(c),
    }
}

#[cfg(test)]
mod tests {
    use crate::Language::Chinese;
    use crate::number::testing::check;

    #[test]
    fn signs_of_all_kinds() {
        check(Chinese, "七百三十八", &["738"]);
        check(Chinese, "柒佰叁拾捌", &["738"]);
        check(Chinese, "兩億六千萬", &["260000000"]);
        check(Chinese, "三万八", &["38000"]);
        check(Chinese, "三万零八", &["30008"]);
        check(Chinese, "二〇二六年", &["2026"]);
        check(Chinese, "六万万", &["600000000"]);
        check(Chinese, "三百五百", &["300", "500"]);
        check(Chinese, "三万五万", &["30000", "50000"]);
        check(Chinese, "九十多万人", &["900000"]);
    }

    #[test]
    fn figures_and_signs_together() {
        check(Chinese, "３２万５千", &["325000"]);
        check(Chinese, "6.25亿", &["625000000"]);
        check(Chinese, "12,345.6", &["12345.6"]);
        check(Chinese, "7, 8, 9", &["7", "8", "9"]);
        check(Chinese, "10.0.0.1", &["10", "0", "0", "1"]);
        check(Chinese, "12-34/56", &["12", "34", "56"]);
        check(Chinese, "35kg", &[]);
        check(Chinese, "8k", &["8000"]);
    }

    #[test]
    fn fractions_decimals_and_less_than_nothing() {
        check(Chinese, "八分之三", &["0.375"]);
        check(Chinese, "二又四分之三", &["2.75"]);
        check(Chinese, "万分之五", &["0.0005"]);
        check(Chinese, "负六点二五", &["-6.25"]);
        check(Chinese, "一点五亿", &["150000000"]);
        check(Chinese, "百分之七十", &["70"]);
        check(Chinese, "零分之一", &["0", "1"]);
        check(Chinese, "三打鸡蛋", &["36"]);
    }

    #[test]
    fn single_signs_count_only_where_they_count() {
        check(Chinese, "七个人", &["7"]);
        check(Chinese, "八", &["8"]);
        check(Chinese, "一起去", &[]);
        check(Chinese, "星期三", &[]);
        check(Chinese, "十分好", &[]);
        check(Chinese, "十分钟", &["10"]);
        check(Chinese, "大陆的", &[]);
        check(Chinese, "三三两两", &[]);
        check(Chinese, "千万不要", &[]);
        check(Chinese, "打电话", &[]);
    }
}

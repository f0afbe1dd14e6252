//! Dates in typical messages, and their meaning on Sunday the 15th of November 2026, at nine.

use super::{DATE_TEXT_BYTES_MAX, Kind, Language, Resolution, dates};

const NOW: &str = "2026-11-15T09:00:00";

/// All mentions: the text, the kind and each meaning as `timex value` or `timex start..end`.
fn told(text: &str, language: Language, now: &str) -> Vec<String> {
    let tell = |resolution: &Resolution| {
        let range = || {
            let side = |side: &Option<String>| side.clone().unwrap_or_default();
            format!("{}..{}", side(&resolution.start), side(&resolution.end))
        };
        let value = resolution.value.clone().unwrap_or_else(range);
        format!("{} {value}", resolution.timex)
    };
    let found = dates(text, language, now.parse().unwrap());
    let mention = |found: &crate::Found<super::Dates>| {
        let meanings: Vec<String> = found.value.resolutions.iter().map(tell).collect();
        let kind = serde_json::to_value(found.value.kind).unwrap();
        let kind = kind.as_str().unwrap().to_owned();
        format!("{} = {kind}: {}", &text[found.start..found.end], meanings.join(" | "))
    };
    found.iter().map(mention).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(told(text, Language::English, NOW), expected, "{text}");
}

#[test]
fn days_near_today() {
    check("see you today", &["today = date: 2026-11-15 2026-11-15"]);
    check("the day after tomorrow", &["the day after tomorrow = date: 2026-11-17 2026-11-17"]);
    check("in three weeks", &["in three weeks = date: 2026-12-06 2026-12-06"]);
    check("two years ago", &["two years ago = date: 2024-11-15 2024-11-15"]);
    check("a month before christmas", &["a month before christmas = date: 2026-11-25 2026-11-25"]);
    check("two fridays from now", &["two fridays from now = date: 2026-11-27 2026-11-27"]);
}

#[test]
fn a_weekday_is_the_last_and_the_next() {
    check("friday", &["friday = date: XXXX-WXX-5 2026-11-13 | XXXX-WXX-5 2026-11-20"]);
    check("sunday", &["sunday = date: XXXX-WXX-7 2026-11-08 | XXXX-WXX-7 2026-11-15"]);
    check("next friday", &["next friday = date: 2026-11-20 2026-11-20"]);
    check("last monday", &["last monday = date: 2026-11-02 2026-11-02"]);
    check("tuesday of next week", &["tuesday of next week = date: 2026-11-17 2026-11-17"]);
    check("friday the 20th", &["friday the 20th = date: 2026-11-20 2026-11-20"]);
    check(
        "the first monday of december",
        &["the first monday of december = date: XXXX-12-WXX-1-#1 2025-12-01 | \
           XXXX-12-WXX-1-#1 2026-12-07"],
    );
    check("The sun is up and the cat sat down", &[]);
}

#[test]
fn days_of_the_calendar() {
    check("January 5th 2027", &["January 5th 2027 = date: 2027-01-05 2027-01-05"]);
    check("5 jan. is fine", &["5 jan = date: XXXX-01-05 2026-01-05 | XXXX-01-05 2027-01-05"]);
    check("5/1", &["5/1 = date: XXXX-05-01 2026-05-01 | XXXX-05-01 2027-05-01"]);
    check("25/12/2026", &["25/12/2026 = date: 2026-12-25 2026-12-25"]);
    check("on the 20th", &["the 20th = date: XXXX-XX-20 2026-10-20 | XXXX-XX-20 2026-11-20"]);
    check("The 31st", &["The 31st = date: XXXX-XX-31 2026-10-31 | XXXX-XX-31 2026-12-31"]);
    check("12/11/36", &["12/11/36 = date: XX36-12-11 1936-12-11 | XX36-12-11 2036-12-11"]);
    check("2/29", &["2/29 = date: XXXX-02-29 2024-02-29 | XXXX-02-29 2028-02-29"]);
    check("feb 30 2027", &["feb 30 2027 = date: 2027-02-30 not resolved"]);
}

#[test]
fn times_of_day() {
    check("at 3", &["3 = time: T03 03:00:00 | T15 15:00:00"]);
    check("3:15 pm", &["3:15 pm = time: T15:15 15:15:00"]);
    check("half past six", &["half past six = time: T06:30 06:30:00 | T18:30 18:30:00"]);
    check("a quarter to one", &["a quarter to one = time: T12:45 12:45:00 | T00:45 00:45:00"]);
    check("8 in the evening", &["8 in the evening = time: T20 20:00:00"]);
    check("17:40:05", &["17:40:05 = time: T17:40:05 17:40:05"]);
    check("12am or noon", &["12am = time: T00 00:00:00", "noon = time: T12 12:00:00"]);
    check("Good evening, a table at 4 people", &[]);
}

#[test]
fn times_of_days() {
    check("tomorrow at 9pm", &["tomorrow at 9pm = datetime: 2026-11-16T21 2026-11-16 21:00:00"]);
    check(
        "at 9 tomorrow",
        &["9 tomorrow = datetime: 2026-11-16T09 2026-11-16 09:00:00 | \
           2026-11-16T21 2026-11-16 21:00:00"],
    );
    check("tonight at 7", &["tonight at 7 = datetime: 2026-11-15T19 2026-11-15 19:00:00"]);
    check("in 2 hours", &["in 2 hours = datetime: 2026-11-15T11:00:00 2026-11-15 11:00:00"]);
    check(
        "2026-11-20T08:30:00Z",
        &["2026-11-20T08:30:00Z = datetime: 2026-11-20T08:30:00 2026-11-20 08:30:00"],
    );
    check(
        "end of the day",
        &["end of the day = datetime: 2026-11-15T23:59:59 2026-11-15 23:59:59"],
    );
    check("now", &["now = datetime: PRESENT_REF 2026-11-15 09:00:00"]);
}

#[test]
fn hours() {
    check("from 4 to 6 pm", &["from 4 to 6 pm = timerange: (T16,T18,PT2H) 16:00:00..18:00:00"]);
    check("11-1pm", &["11-1pm = timerange: (T11,T13,PT2H) 11:00:00..13:00:00"]);
    check("11am to 2", &["11am to 2 = timerange: (T11,T14,PT3H) 11:00:00..14:00:00"]);
    check(
        "10:00-3:00",
        &["10:00-3:00 = timerange: (T10:00,T15:00,PT5H) 10:00:00..15:00:00 | \
           (T22:00,T03:00,PT5H) 22:00:00..03:00:00"],
    );
    check("in the evening", &["in the evening = timerange: TEV 16:00:00..20:00:00"]);
    check(
        "friday 10pm to 2am",
        &["friday 10pm to 2am = datetimerange: \
           (XXXX-WXX-5T22,XXXX-WXX-6T02,PT4H) 2026-11-13 22:00:00..2026-11-14 02:00:00 | \
           (XXXX-WXX-5T22,XXXX-WXX-6T02,PT4H) 2026-11-20 22:00:00..2026-11-21 02:00:00"],
    );
    check(
        "tomorrow morning",
        &["tomorrow morning = datetimerange: \
           2026-11-16TMO 2026-11-16 08:00:00..2026-11-16 12:00:00"],
    );
    check("four to six people", &[]);
}

#[test]
fn periods() {
    check("next week", &["next week = daterange: 2026-W47 2026-11-16..2026-11-23"]);
    check("this weekend", &["this weekend = daterange: 2026-W46-WE 2026-11-14..2026-11-16"]);
    check("last month", &["last month = daterange: 2026-10 2026-10-01..2026-11-01"]);
    check("q3 2027", &["q3 2027 = daterange: (2027-07-01,2027-10-01,P3M) 2027-07-01..2027-10-01"]);
    check(
        "next 3 days",
        &["next 3 days = daterange: (2026-11-16,2026-11-19,P3D) 2026-11-16..2026-11-19"],
    );
    check("in summer", &["summer = daterange: SU not resolved"]);
    check(
        "the last week of june",
        &["the last week of june = daterange: XXXX-06-W05 2026-06-22..2026-06-29 | \
           XXXX-06-W05 2027-06-21..2027-06-28"],
    );
    check("It may rain, or it may not", &[]);
    check(
        "in may",
        &["may = daterange: XXXX-05 2026-05-01..2026-06-01 | XXXX-05 2027-05-01..2027-06-01"],
    );
}

#[test]
fn from_one_day_to_another() {
    check(
        "from 12/28 to 1/3",
        &["from 12/28 to 1/3 = daterange: (XXXX-12-28,XXXX-01-03,P6D) 2025-12-28..2026-01-03 | \
           (XXXX-12-28,XXXX-01-03,P6D) 2026-12-28..2027-01-03"],
    );
    check(
        "between 3 and 5 june 2027",
        &["between 3 and 5 june 2027 = daterange: \
           (2027-06-03,2027-06-05,P2D) 2027-06-03..2027-06-05"],
    );
    check(
        "from march to june 2027",
        &["from march to june 2027 = daterange: \
           (2027-03-01,2027-06-01,P3M) 2027-03-01..2027-06-01"],
    );
}

#[test]
fn one_end_of_a_range() {
    check(
        "by friday",
        &["by friday = daterange: XXXX-WXX-5 ..2026-11-13 | XXXX-WXX-5 ..2026-11-20"],
    );
    check("after 2027", &["after 2027 = daterange: 2027 2028-01-01.."]);
    check("since june 2026", &["since june 2026 = daterange: 2026-06 2026-06-01.."]);
    check(
        "tomorrow before 4pm",
        &["tomorrow before 4pm = datetimerange: 2026-11-16T16 ..2026-11-16 16:00:00"],
    );
}

#[test]
fn durations_and_sets() {
    check("for 3 days", &["3 days = duration: P3D 259200"]);
    check("an hour and a half", &["an hour and a half = duration: PT1.5H 5400"]);
    check("1h30m", &["1h30m = duration: PT1H30M 5400"]);
    check("every monday", &["every monday = set: XXXX-WXX-1 not resolved"]);
    check("every other week", &["every other week = set: P2W not resolved"]);
    check("daily at 7am", &["daily at 7am = set: T07 not resolved"]);
}

#[test]
fn numbers_that_are_no_dates() {
    for text in ["call 555-2010-2015", "it costs $12.50", "a 4:3 screen", "37.1 degrees", "24/7"] {
        check(text, &[]);
    }
}

#[test]
fn an_approximate_time_is_told_as_a_range() {
    let found = dates("around 6pm", Language::English, NOW.parse().unwrap());
    assert_eq!(found[0].value.kind, Kind::Time);
    let json = serde_json::to_value(&found[0].value.resolutions).unwrap();
    let expected = serde_json::json!([{"timex": "T18", "type": "timerange", "value": "18:00:00"}]);
    assert_eq!(json, expected);
}

#[test]
fn plain_dates_in_other_languages() {
    let one = |text: &str, code: &str| told(text, Language::of(code).unwrap(), NOW);
    let day = |text: &str| vec![format!("{text} = date: 2026-11-16 2026-11-16")];
    for (text, code) in [
        ("morgen", "de"),
        ("16.11.2026", "de"),
        ("demain", "fr"),
        ("16/11/2026", "fr"),
        ("mañana", "es"),
        ("16/11/2026", "es"),
        ("amanhã", "pt"),
        ("domani", "it"),
        ("завтра", "ru"),
        ("16.11.2026", "ru"),
        ("明天", "zh"),
        ("2026年11月16日", "ja"),
        ("2026-11-16", "ko"),
    ] {
        assert_eq!(one(text, code), day(text), "{code}");
    }
    assert_eq!(one("我们明天见", "zh"), day("明天"));
    assert_eq!(one("Guten Morgen", "de"), Vec::<String>::new());
    assert_eq!(
        one("am 3.4.", "de"),
        ["3.4. = date: XXXX-04-03 2026-04-03 | XXXX-04-03 2027-04-03"]
    );
}

/// Words of the grammar in any order, at the ends of the calendar too: no panic, and every
/// mention lies in the text, after the one before.
#[test]
fn any_text_is_survived() {
    let words = "in on at the a of from to between and before after 1 12 31 99 2026 99999 999999 0930 \
                 1st 31st first second twenty - / . : , ' ( $ % ½ half quarter past am p next last \
                 this every other monday sat fridays morning tonight tomorrow now day weeks weekend \
                 month years decade century fortnight hours h q1 spring may feb 29 noon o'clock \
                 early late mid end eod ago later easter weekend business rest date ish T Z 年 ß İ";
    let words: Vec<&str> = words.split_whitespace().collect();
    let moments = [NOW, "9999-12-31T23:59:59", "-009999-01-01T00:00:00", "2024-02-29T12:00:00"];
    let mut seed = 7_u64;
    let mut pick = |len: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % len
    };
    let mut mentions = 0;
    for _ in 0..1000 {
        let mut text = String::new();
        for _ in 0..=pick(8) {
            text.push_str(words[pick(words.len())]);
            text.push_str(if pick(5) == 0 { "" } else { " " });
        }
        let language = if pick(4) == 0 { Language::ALL[pick(16)] } else { Language::English };
        let mut end = 0;
        for found in dates(&text, language, moments[pick(4)].parse().unwrap()) {
            assert!(end <= found.start && found.start < found.end, "{text:?}");
            assert!(text.get(found.start..found.end).is_some(), "{text:?}");
            end = found.end;
            mentions += 1;
        }
    }
    assert!(mentions > 300, "{mentions} mentions are too few to say anything");
}

#[test]
fn a_text_is_read_up_to_its_limit() {
    let mut text = "x ".repeat(DATE_TEXT_BYTES_MAX / 2 - 8);
    text.push_str("tomorrow");
    assert_eq!(told(&text, Language::English, NOW).len(), 1);
    let text = format!("{}tomorrow", "x ".repeat(DATE_TEXT_BYTES_MAX / 2));
    assert_eq!(told(&text, Language::English, NOW).len(), 0);
}

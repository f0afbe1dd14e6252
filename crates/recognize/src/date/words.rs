//! The words of the calendar in English.

/// The unit of a length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    BusinessDay,
    Week,
    Weekend,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Fortnight,
}

/// The month of a name, from 1.
pub(super) fn month(word: &str) -> Option<i8> {
    Some(match word {
        "january" | "jan" => 1,
        "february" | "feb" => 2,
        "march" | "mar" => 3,
        "april" | "apr" => 4,
        "may" => 5,
        "june" | "jun" => 6,
        "july" | "jul" => 7,
        "august" | "aug" => 8,
        "september" | "sept" | "sep" => 9,
        "october" | "oct" => 10,
        "november" | "nov" => 11,
        "december" | "dec" => 12,
        _ => return None,
    })
}

/// The day of the week of a name, Monday being 1.
pub(super) fn weekday(word: &str) -> Option<i8> {
    Some(match word {
        "monday" | "mon" => 1,
        "tuesday" | "tue" | "tues" => 2,
        "wednesday" | "wed" | "weds" => 3,
        "thursday" | "thu" | "thur" | "thurs" => 4,
        "friday" | "fri" => 5,
        "saturday" | "sat" => 6,
        "sunday" | "sun" => 7,
        _ => return None,
    })
}

/// The day of the week of a name in the plural.
pub(super) fn weekdays(word: &str) -> Option<i8> {
    word.strip_suffix("days").and_then(|stem| match stem {
        "mon" | "tues" | "wednes" | "thurs" | "fri" | "satur" | "sun" => {
            weekday(word.strip_suffix('s')?)
        }
        _ => None,
    })
}

/// The unit of a word.
pub(super) fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "second" | "seconds" | "sec" | "secs" => Unit::Second,
        "minute" | "minutes" | "min" | "mins" => Unit::Minute,
        "hour" | "hours" | "hr" | "hrs" | "h" => Unit::Hour,
        "day" | "days" | "night" | "nights" => Unit::Day,
        "week" | "weeks" | "wk" | "wks" => Unit::Week,
        "weekend" | "weekends" => Unit::Weekend,
        "month" | "months" | "mth" | "mths" => Unit::Month,
        "quarter" | "quarters" => Unit::Quarter,
        "year" | "years" | "yr" | "yrs" | "y" => Unit::Year,
        "decade" | "decades" => Unit::Decade,
        "century" | "centuries" => Unit::Century,
        "fortnight" | "fortnights" => Unit::Fortnight,
        _ => return None,
    })
}

/// The number below a hundred that one word names.
pub(super) fn cardinal(word: &str) -> Option<i64> {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] =
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let place = |words: &[&str]| words.iter().position(|one| *one == word);
    let small = place(&SMALL).map(|place| place as i64);
    small.or_else(|| place(&TENS).map(|place| place as i64 * 10 + 20))
}

/// The ordinal up to thirty that one word names.
pub(super) fn ordinal(word: &str) -> Option<i64> {
    const SMALL: [&str; 19] = [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
    ];
    match word {
        "twentieth" => Some(20),
        "thirtieth" => Some(30),
        _ => SMALL.iter().position(|one| *one == word).map(|place| place as i64 + 1),
    }
}

/// The number of weeks, months or years that a word points away from now.
pub(super) fn direction(word: &str) -> Option<i64> {
    Some(match word {
        "this" | "current" => 0,
        "next" | "coming" | "upcoming" | "following" => 1,
        "last" | "previous" | "past" => -1,
        _ => return None,
    })
}

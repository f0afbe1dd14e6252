//! Days seen from today: tomorrow, next Friday, Monday the 21st, on the 5th.

use jiff::civil::Date;

use super::place::{At, Read, longest};
use super::value::Day;
use super::{calendar, calendar_day, clock, hours, number, words};

/// The search range, in months around the reference, for a day that not every month has.
const MONTHS_AROUND: i64 = 60;

/// Days without a weekday: `today`, `the day after tomorrow`, `on the 5th`.
pub(super) fn relative(at: At<'_>) -> Read<'_, Day> {
    longest(at, &[named, told_twice, on_the, on_numbers, day_of_month, of_year])
}

/// Days with a weekday.
pub(super) fn weekday(at: At<'_>) -> Read<'_, Day> {
    longest(
        at,
        &[bare, counted, of_week, before_week, after_week, with_number, with_date, dated, nth],
    )
}

fn named(at: At<'_>) -> Read<'_, Day> {
    const WORDS: [(&str, i64); 23] = [
        ("last day", -1),
        ("today", 0),
        ("tomorrow", 1),
        ("tmr", 1),
        ("tmrw", 1),
        ("tomorow", 1),
        ("yesterday", -1),
        ("the day after tomorrow", 2),
        ("day after tomorrow", 2),
        ("the day before yesterday", -2),
        ("day before yesterday", -2),
        ("the next day", 1),
        ("next day", 1),
        ("the following day", 1),
        ("the day after", 1),
        ("the previous day", -1),
        ("the last day", -1),
        ("the day before", -1),
        ("current date", 0),
        ("today's date", 0),
        ("the current day", 0),
        ("otd", 0),
        ("the day", 0),
    ];
    let found = WORDS.iter().filter_map(|(phrase, days)| Some((at.phrase(phrase)?, *days)));
    let (after, days) = found.max_by_key(|(after, _)| after.index())?;
    // `the day of the launch` is a day, but not this one.
    let is_last = at.word() == "last" || at.phrase("the last").is_some();
    if (is_last || at.phrase("the day").is_some()) && after.word() == "of" {
        return None;
    }
    Some((Day::exact(calendar::days(at.now.date(), days)?), after))
}

/// `tomorrow, 13/04/21,`: the date decides.
fn told_twice(at: At<'_>) -> Read<'_, Day> {
    let (_, after) = named(at)?;
    let (day, after) = calendar_day::by_month(after.skip(&[","]))?;
    Some((day, after))
}

/// `the 5th` after `on`, or as all that is said: the last one and the next one.
fn on_the(at: At<'_>) -> Read<'_, Day> {
    let is_answer = at.index() == 0;
    if at.behind(1) != "on" && !is_answer {
        return None;
    }
    let article = at.eat(&["the"]);
    let start = article.unwrap_or(at);
    let (day, after) = match number::ordinal(start) {
        Some(read) => read,
        // A bare number is a day with an article, or when it counts nothing.
        None => start.digits(2).filter(|(_, after)| {
            let is_count = after.is_word() && !matches!(after.word(), "at" | "from" | "between");
            after.may_end_number() && (article.is_some() || !is_count)
        })?,
    };
    // Said without `on`, it is a day when it is the whole answer.
    let is_whole = after.is_end() && number::ordinal(start).is_some();
    if matches!(after.word(), "day" | "of") || is_answer && !is_whole {
        return None;
    }
    let day = i8::try_from(day).ok().filter(|day| (1..=31).contains(day))?;
    let today = at.now.date();
    let of = |months: i64| calendar::month_start(today, months)?.with().day(day).build().ok();
    let past = (0..MONTHS_AROUND).filter_map(|back| of(-back)).find(|date| *date < today);
    let future = (0..MONTHS_AROUND).filter_map(of).find(|date| *date >= today);
    Some((Day::open(format!("XXXX-XX-{day:02}"), past, future), after))
}

/// `4.22` and `4-22` after `on`.
fn on_numbers(at: At<'_>) -> Read<'_, Day> {
    let ((month, day), after) =
        calendar_day::numbers(at, ".").or_else(|| calendar_day::numbers(at, "-"))?;
    if at.behind(1) != "on" || clock::clock(after.next()).is_some() {
        return None;
    }
    let (month, day) = if month <= 12 { (month, day) } else { (day, month) };
    Some((calendar_day::of_year(at.now, None, month, day)?, after))
}

/// `the 15th day of next month`, `20th of next month`.
fn day_of_month(at: At<'_>) -> Read<'_, Day> {
    let start = at.skip(&["the"]);
    let (day, after) = number::ordinal(start).or_else(|| start.digits(2))?;
    let (months, after) = months_away(after.skip(&["day"]).eat(&["of", "in"])?)?;
    let start = calendar::month_start(at.now.date(), months)?;
    let date = start.with().day(i8::try_from(day).ok()?).build().ok()?;
    Some((Day::exact(date), after))
}

/// `next 5/12`, `this 5/12`: a day without a year, in the year that is pointed at.
fn of_year(at: At<'_>) -> Read<'_, Day> {
    let years = words::direction(at.word())?;
    let (day, after) =
        calendar_day::by_month(at.next()).filter(|(day, _)| day.timex.starts_with("XXXX-"))?;
    Some((in_year(&day, i64::from(at.now.year()) + years)?, after))
}

fn in_year(day: &Day, year: i64) -> Option<Day> {
    let date: Date = day.future.or(day.past)?;
    let date = date.with().year(i16::try_from(year).ok()?).build().ok()?;
    Some(Day::open(day.timex.clone(), Some(date), Some(date)))
}

/// `the month`, `next month`.
pub(super) fn months_away(at: At<'_>) -> Read<'_, i64> {
    if let Some(after) = at.phrase("the month") {
        return Some((0, after));
    }
    let start = at.skip(&["the"]);
    let months = words::direction(start.word())?;
    Some((months, start.next().eat(&["month"])?))
}

/// `this week`, `next week`.
fn weeks_away(at: At<'_>) -> Read<'_, i64> {
    let weeks = words::direction(at.word())?;
    Some((weeks, at.next().eat(&["week"])?))
}

/// A weekday; `sat` and `sun` are also other words, and need a word before them.
fn bare(at: At<'_>) -> Read<'_, Day> {
    let weekday = words::weekday(at.word())?;
    let is_word = matches!(at.word(), "sat" | "sun");
    let is_listed =
        matches!(at.behind(1), "," | "/" | "&") && words::weekday(at.behind(2)).is_some();
    let is_led = matches!(at.behind(1), "on" | "or" | "and" | "until" | "till" | "by" | "-" | "to");
    if is_word && !is_listed && !is_led {
        return None;
    }
    Some((Day::weekday(at.now, weekday)?, at.next()))
}

/// `two sundays from now`, `two mondays ago`: so many of them on or back.
fn counted(at: At<'_>) -> Read<'_, Day> {
    let (count, after) = number::count(at).filter(|(count, _)| (1..=1000).contains(count))?;
    let weekday = words::weekday(after.word()).or_else(|| words::weekdays(after.word()))?;
    let after = after.next();
    let near = Day::weekday(at.now, weekday)?;
    if let Some(after) = after.phrases(&["from now", "later"]) {
        let first = near.future?;
        let count = if first == at.now.date() { count } else { count - 1 };
        return Some((Day::exact(calendar::weeks(first, count)?), after));
    }
    let after = after.eat(&["ago"])?;
    Some((Day::exact(calendar::weeks(near.past?, 1 - count)?), after))
}

/// `next friday`, `this upcoming friday`, `last monday`.
fn of_week(at: At<'_>) -> Read<'_, Day> {
    let today = at.now.date();
    let nearest = at.skip(&["this"]);
    if let Some(ahead) = nearest.eat(&["upcoming", "coming"]) {
        let weekday = words::weekday(ahead.word())?;
        let date = Day::weekday(at.now, weekday)?.future?;
        let date = if date == today { calendar::weeks(date, 1)? } else { date };
        return Some((Day::exact(date), ahead.next()));
    }
    if let Some(back) = nearest.eat(&["past"]) {
        let weekday = words::weekday(back.word())?;
        return Some((Day::exact(Day::weekday(at.now, weekday)?.past?), back.next()));
    }
    let weeks = words::direction(at.word())?;
    let weekday = words::weekday(at.next().word())?;
    let date = calendar::weeks(calendar::in_week(today, weekday)?, weeks)?;
    Some((Day::exact(date), at.next().next()))
}

/// `next week on tuesday`.
fn before_week(at: At<'_>) -> Read<'_, Day> {
    let (weeks, after) = weeks_away(at)?;
    let after = after.skip(&[","]).skip(&["on"]);
    let date = calendar::in_week(at.now.date(), words::weekday(after.word())?)?;
    Some((Day::exact(calendar::weeks(date, weeks)?), after.next()))
}

/// `tuesday of last week`.
fn after_week(at: At<'_>) -> Read<'_, Day> {
    let date = calendar::in_week(at.now.date(), words::weekday(at.word())?)?;
    let (weeks, after) = weeks_away(at.next().skip(&["of", ","]))?;
    Some((Day::exact(calendar::weeks(date, weeks)?), after))
}

/// `monday 21`, `tue 13th`: such days before and after; `monday the 21st`: the one of this month.
fn with_number(at: At<'_>) -> Read<'_, Day> {
    let weekday = words::weekday(at.word())?;
    let after = at.next().skip(&[","]);
    let article = after.eat(&["the"]);
    let start = article.unwrap_or(after);
    let read = number::ordinal(start).or_else(|| start.digits(2));
    let (day, after) = read.filter(|_| clock::clock(start).is_none())?;
    if hours::ends(start).is_some() {
        return None;
    }
    let day = i8::try_from(day).ok()?;
    let today = at.now.date();
    let of = |months: i64| {
        let date = calendar::month_start(today, months)?.with().day(day).build().ok()?;
        (calendar::weekday(date) == weekday).then_some(date)
    };
    if article.is_some() {
        return Some((Day::exact((0..MONTHS_AROUND).find_map(of)?), after));
    }
    let past = (0..MONTHS_AROUND).filter_map(|back| of(-back)).find(|date| *date < today)?;
    let future = (0..MONTHS_AROUND).filter_map(of).find(|date| *date >= today)?;
    Some((Day::open(format!("XXXX-WXX-{weekday}"), Some(past), Some(future)), after))
}

/// `tue may 9`, `this friday (jun-15)`: the date decides, and `this` or `next` means this year.
fn with_date(at: At<'_>) -> Read<'_, Day> {
    let pointed = words::direction(at.word()).map(|_| at.next());
    let at_weekday = pointed.unwrap_or(at);
    words::weekday(at_weekday.word())?;
    let after = at_weekday.next().skip(&[",", "."]).skip(&["the"]);
    let open = after.eat(&["("]);
    let start = open.unwrap_or(after);
    let dotted = || {
        let ((month, day), after) = calendar_day::numbers(start, ".")?;
        Some((calendar_day::of_year(at.now, None, month, day)?, after))
    };
    let (day, after) = calendar_day::by_month(start).or_else(dotted)?;
    let after = if open.is_some() { after.eat(&[")"])? } else { after };
    if pointed.is_some() && day.timex.starts_with("XXXX-") {
        return Some((in_year(&day, i64::from(at.now.year()))?, after));
    }
    Some((day, after))
}

/// `may/22(tue)`: the date decides.
fn dated(at: At<'_>) -> Read<'_, Day> {
    let (day, after) = calendar_day::by_month(at)?;
    let after = after.eat(&["("])?;
    words::weekday(after.word())?;
    Some((day, after.next().eat(&[")"])?))
}

/// `the first monday of next month`, `last friday of july 2026`.
fn nth(at: At<'_>) -> Read<'_, Day> {
    let start = at.skip(&["the"]);
    let last = start.eat(&["last"]).map(|after| (None, after));
    let ordinal = || number::ordinal(start).map(|(nth, after)| (i8::try_from(nth).ok(), after));
    let (nth, after) = last.or_else(ordinal)?;
    let weekday = words::weekday(after.word())?;
    let after = after.next().eat(&["of", "in"])?;
    let timex =
        |year: &str, month: i8| format!("{year}-{month:02}-WXX-{weekday}-#{}", nth.unwrap_or(5));
    if let Some((months, after)) = months_away(after) {
        let start = calendar::month_start(at.now.date(), months)?;
        let date = calendar::nth_weekday(start.year(), start.month(), weekday, nth)?;
        return Some((Day::open(timex("XXXX", start.month()), Some(date), Some(date)), after));
    }
    let month = words::month(after.word())?;
    let of = |year: i16| calendar::nth_weekday(year, month, weekday, nth);
    match calendar_day::year_tail(after.next())? {
        (Some(number::Year::Full(year)), after) => {
            let day = Day::open(timex(&format!("{year:04}"), month), of(year), of(year));
            Some((day, after))
        }
        _ => Some((Day::of_any_year(at.now, timex("XXXX", month), of), after.next())),
    }
}

//! A request to the core bot, understood: the stand-in for a language service, for both forms.

use std::time::Duration;

use sayso::{
    activity::{Activity, Attachment},
    dialog::recognize::{DateTime, Language, dates},
    turn::clock::Timestamp,
};
use serde::{Deserialize, Serialize};

pub(crate) const INTRODUCTION: &str = "What can I help you with today?\nSay something like \"Book \
    a flight from Paris to Berlin on March 22, 2027\"";

pub(crate) const NOT_UNDERSTOOD: &str =
    "Sorry, I didn't get that. Please try asking in a different way (intent was None)";

/// The airports there are.
const AIRPORTS: [&str; 5] = ["Berlin", "London", "New York", "Paris", "Seattle"];

/// A flight as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(crate) struct Booking {
    pub(crate) destination: Option<String>,
    pub(crate) origin: Option<String>,
    /// As TIMEX: `2027-03-22`, or `XXXX-03-22` without the year.
    pub(crate) travel_date: Option<String>,
}

impl Booking {
    fn words(&self) -> [&str; 3] {
        [&self.destination, &self.origin, &self.travel_date]
            .map(|part| part.as_deref().unwrap_or("?"))
    }

    pub(crate) fn question(&self) -> String {
        let [to, from, on] = self.words();
        format!(
            "Please confirm, I have you traveling to: {to} from: {from} on: {on}. Is this correct?"
        )
    }

    pub(crate) fn sentence(&self) -> String {
        let [to, from, on] = self.words();
        format!("I have you booked to {to} from {from} on {on}")
    }
}

/// A request as it was understood.
pub(crate) enum Request {
    Flight {
        booking: Booking,
        /// Cities without an airport.
        unsupported: Vec<String>,
    },
    Weather,
    Other,
}

/// Understands a request, at a time that `tomorrow` is seen from.
pub(crate) fn read(text: &str, now: Timestamp) -> Request {
    let lower = text.to_lowercase();
    if lower.contains("weather") {
        return Request::Weather;
    }
    if !["book", "flight", "fly", "travel"].iter().any(|word| lower.contains(word)) {
        return Request::Other;
    }
    let mut unsupported = Vec::new();
    let mut place = |word: &str| {
        let place = after(text, word)?;
        let is_it = |airport: &&str| place.to_lowercase().starts_with(&airport.to_lowercase());
        let airport = AIRPORTS.into_iter().find(is_it);
        if airport.is_none() {
            unsupported.push(place.split([' ', ',', '.']).next().unwrap_or_default().to_owned());
        }
        airport.map(str::to_owned)
    };
    let (origin, destination) = (place("from"), place("to"));
    let today = "1970-01-01T00:00:00".parse::<DateTime>().ok();
    let today = today.and_then(|day| day.checked_add(Duration::from_millis(now.as_millis())).ok());
    let found = dates(text, Language::English, today.unwrap_or_default());
    let first =
        found.into_iter().next().and_then(|found| found.value.resolutions.into_iter().next());
    let travel_date = first.map(|date| day_of(&date.timex).to_owned());
    Request::Flight { booking: Booking { destination, origin, travel_date }, unsupported }
}

/// The text after a word, if it begins with a capital letter.
fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let mut parts = text.match_indices(word).filter_map(|(at, _)| {
        let before = text.get(..at)?;
        let rest = text.get(at + word.len()..)?.strip_prefix(' ')?;
        let is_word = before.is_empty() || before.ends_with(' ');
        (is_word && rest.starts_with(char::is_uppercase)).then_some(rest)
    });
    parts.next()
}

/// The day of a TIMEX, without a time.
pub(crate) fn day_of(timex: &str) -> &str {
    timex.split('T').next().unwrap_or_default()
}

/// Reports whether a TIMEX names a day with its month and year.
pub(crate) fn is_definite(timex: &str) -> bool {
    let parts: Vec<&str> = day_of(timex).split('-').collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(is_number)
}

pub(crate) fn unsupported(cities: &[String]) -> String {
    format!("Sorry but the following airports are not supported: {}", cities.join(","))
}

/// The card with which the bot welcomes.
pub(crate) fn welcome_card() -> Activity {
    let card = serde_json::json!({
        "type": "AdaptiveCard",
        "version": "1.3",
        "body": [{ "type": "TextBlock", "size": "large", "text": "Welcome to the core bot!" }],
    });
    let attachment = Attachment::with_content("application/vnd.microsoft.card.adaptive", &card);
    Activity::message("").with_attachment(attachment.expect("a card is JSON"))
}

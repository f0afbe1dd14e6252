//! Date-time prompt: asks for a date or a time.

use super::{Inbound, Prompt, PromptOptions};
use crate::recognize::{DateTime, Resolution, dates};

/// Asks for a date or a time: what the first mention in the answer can mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Date;

impl Prompt for Date {
    type Value = Vec<Resolution>;

    const KIND: &'static str = "datetime";

    fn recognize(&self, inbound: &Inbound<'_>, _: &PromptOptions) -> Option<Vec<Resolution>> {
        let found = dates(inbound.text(), inbound.language(), reference(inbound));
        found.into_iter().next().map(|found| found.value.resolutions)
    }
}

/// The moment that `tomorrow` is seen from: the user's own time if the channel tells it, else the
/// time of arrival, in UTC.
fn reference(inbound: &Inbound<'_>) -> DateTime {
    let local = inbound.activity.local_timestamp.as_deref();
    let local = local.and_then(|text| text.get(..19)).and_then(|text| text.parse().ok());
    local.unwrap_or_else(|| {
        let millis = i64::try_from(inbound.now.as_millis()).unwrap_or(i64::MAX);
        let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
        jiff::tz::TimeZone::UTC.to_datetime(moment)
    })
}

//! An inbound activity with its locale and time of arrival.

use sayso_activity::Activity;
use sayso_turn::clock::Timestamp;

use crate::recognize::Language;

/// An inbound activity, and how to read it.
#[derive(Clone, Copy, Debug)]
pub struct Inbound<'a> {
    /// The activity.
    pub activity: &'a Activity,
    /// The locale to read it in, such as `en-us`.
    pub locale: &'a str,
    /// The time at which it came.
    pub now: Timestamp,
}

impl<'a> Inbound<'a> {
    /// The locale is the first that is given: the prompt's, the activity's, the default, `en-us`.
    #[must_use]
    pub fn new(
        activity: &'a Activity,
        asked: Option<&'a str>,
        default: Option<&'a str>,
        now: Timestamp,
    ) -> Self {
        let given = [asked, activity.locale.as_deref(), default];
        let locale = given.into_iter().flatten().find(|locale| !locale.is_empty());
        Self { activity, locale: locale.unwrap_or("en-us"), now }
    }

    /// The language to read it in: English where the locale's is not understood.
    #[must_use]
    pub fn language(&self) -> Language {
        Language::of(self.locale).unwrap_or_default()
    }

    /// The text, empty when there is none.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.activity.text()
    }
}

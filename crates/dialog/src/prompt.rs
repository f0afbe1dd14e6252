//! Prompts: rendering of a question, and recognition of its answer.
//!
//! A [`Prompt`] is pure: it makes the question and reads the answer. Two things stand on it: the
//! classic prompts ([`PromptDialog`] and its names, such as [`NumberPrompt`]), which are dialogs on
//! a stack, and the questions of straight-line conversations.

mod choice;
mod confirm;
mod date;
mod dialog;
mod number;
mod options;
mod validate;
mod verbatim;

use std::fmt;

use sayso_activity::Activity;
use sayso_turn::clock::Timestamp;
use serde::{Serialize, de::DeserializeOwned};

use crate::recognize::Language;

pub use choice::Choose;
pub use confirm::Confirm;
pub use date::Date;
pub use dialog::{DEADLINE, PromptDialog};
pub use number::{Count, FromNumber};
pub use options::{Deadline, Late, PromptOptions};
pub use validate::{Check, Validator};
pub use verbatim::{Any, Attach, Text};

/// Asks for a text.
pub type TextPrompt = PromptDialog<Text>;
/// Asks for a number: of any type, `f64` unless another is named; whole types take no fractions.
pub type NumberPrompt<T = f64> = PromptDialog<Count<T>>;
/// Asks for yes or no.
pub type ConfirmPrompt = PromptDialog<Confirm>;
/// Asks for one of several things.
pub type ChoicePrompt = PromptDialog<Choose>;
/// Asks for a date or a time.
pub type DateTimePrompt = PromptDialog<Date>;
/// Asks for files.
pub type AttachmentPrompt = PromptDialog<Attach>;
/// Asks for an activity of any kind, which a validator recognises.
pub type ActivityPrompt = PromptDialog<Any>;

/// A kind of question: renders it and recognises its answer. Both must be pure: they may run more
/// than once for one answer.
pub trait Prompt: fmt::Debug + Send + Sync + 'static {
    /// The type of an answer.
    type Value: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;

    /// Its name among prompts.
    const KIND: &'static str;

    /// True if recognising an answer needs the options. If not, they are not even parsed.
    const NEEDS_OPTIONS: bool = false;

    /// Makes the question of what the author wrote.
    fn render(
        &self,
        asked: Activity,
        _options: &PromptOptions,
        _inbound: &Inbound<'_>,
    ) -> Activity {
        asked
    }

    /// Reads the answer; `None` when it is none.
    fn recognize(&self, inbound: &Inbound<'_>, options: &PromptOptions) -> Option<Self::Value>;

    /// Reports whether an activity can be an answer at all. Messages are.
    fn takes(&self, activity: &Activity) -> bool {
        activity.is_message()
    }
}

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

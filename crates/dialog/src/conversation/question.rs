//! Questions of a conversation: rendering, and recognition of the answer.

use sayso_activity::Activity;
use sayso_turn::clock::Timestamp;
use serde::{Serialize, de::DeserializeOwned};

use crate::recognize::Language;

/// A question: renders itself, and recognises its answer.
///
/// Everything around it (other words after a wrong answer, checks, attempts, deadlines) is in
/// [`Ask`](super::Ask), so a question of one's own is small.
///
/// # Example
/// ```
/// use sayso_activity::Activity;
/// use sayso_dialog::conversation::{Ask, QuestionContext, Conversation, Question, Result};
///
/// /// Asks for a colour as a hash sign and six digits.
/// struct Colour;
///
/// impl Question for Colour {
///     type Answer = u32;
///     const KIND: &'static str = "colour";
///
///     fn text(&self) -> &str {
///         "Which colour, such as #ff8800?"
///     }
///
///     fn recognize(&self, activity: &Activity, _: &QuestionContext<'_>) -> Option<u32> {
///         u32::from_str_radix(activity.text().trim().strip_prefix('#')?, 16).ok()
///     }
/// }
///
/// async fn paint(c: Conversation) -> Result<u32> {
///     Ok(c.ask(Ask::new(Colour).retry("A hash sign and six digits, please.")).await?)
/// }
/// ```
pub trait Question: Send + Sync {
    /// The type of an answer. It goes into the journal as JSON.
    type Answer: Serialize + DeserializeOwned + Send;

    /// The sort of question, for labels: `text`.
    const KIND: &'static str;

    /// The words of the question. They tell it from others in the journal, by a hash.
    fn text(&self) -> &str;

    /// Renders the question: the words of [`QuestionContext::words`] or [`text`](Self::text),
    /// unless more is to be shown.
    fn render(&self, context: &QuestionContext<'_>) -> Activity {
        Activity::message(context.words.unwrap_or_else(|| self.text()))
            .with_input_hint("expectingInput")
    }

    /// Understands an activity as an answer; `None` if it is not one. It is not always a message.
    fn recognize(&self, activity: &Activity, context: &QuestionContext<'_>)
    -> Option<Self::Answer>;
}

/// The moment in which something is asked or answered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct QuestionContext<'a> {
    /// The activity of this turn: where it came from says how to show things, its locale what is
    /// meant.
    pub inbound: &'a Activity,
    /// The time at which it arrived.
    pub now: Timestamp,
    /// The number of answers that were not understood so far.
    pub attempts: u32,
    /// Other words than those of the question: a retry text, or what a check objected to.
    pub words: Option<&'a str>,
}

impl QuestionContext<'_> {
    /// The locale of the inbound activity, empty when it has none.
    #[must_use]
    pub fn locale(&self) -> &str {
        self.inbound.locale.as_deref().unwrap_or_default()
    }

    /// Its language, English when it has none that is known.
    #[must_use]
    pub fn language(&self) -> Language {
        Language::of(self.locale()).unwrap_or_default()
    }
}

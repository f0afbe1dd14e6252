//! The trait of a kind of question.

use std::fmt;

use sayso_activity::Activity;
use serde::{Serialize, de::DeserializeOwned};

use super::{Inbound, PromptOptions};

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

    /// Parses the answer; `None` if the activity is not one.
    fn recognize(&self, inbound: &Inbound<'_>, options: &PromptOptions) -> Option<Self::Value>;

    /// Reports whether an activity can be an answer at all. Messages are.
    fn takes(&self, activity: &Activity) -> bool {
        activity.is_message()
    }
}

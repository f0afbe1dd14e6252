//! Settings of a conversation that do not depend on the type of its result.

use std::borrow::Cow;

use super::{Limits, words::Words};
use crate::Changed;

/// Settings of a conversation.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) property: Cow<'static, str>,
    pub(super) changed: Changed,
    pub(super) limits: Limits,
    pub(super) cancel_words: Words,
    pub(super) on_cancel: String,
    pub(super) help_words: Words,
    pub(super) help: Option<String>,
    pub(super) busy: Option<String>,
}

impl Settings {
    /// Reports whether steps are found by their labels instead of by their places.
    pub(super) fn is_lenient(&self) -> bool {
        self.changed == Changed::Continue
    }

    /// The name of the policy.
    pub(super) fn policy(&self) -> &'static str {
        match self.changed {
            Changed::Continue => "continue",
            Changed::Restart(_) => "restart",
            Changed::Fail => "fail",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            property: "Conversation".into(),
            changed: Changed::Continue,
            limits: Limits::default(),
            cancel_words: Words::default(),
            on_cancel: "Cancelled.".to_owned(),
            help_words: Words::new(["help", "?"]),
            help: None,
            busy: None,
        }
    }
}

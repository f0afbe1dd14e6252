//! Event for dialogs: something that happened, by name.

use std::borrow::Cow;

use serde_json::Value;

/// Something that happened, for dialogs to take care of.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name: one of the constants here, or the author's own.
    pub name: Cow<'static, str>,
    /// The value that goes with it, or null.
    pub value: Value,
    /// True if the dialogs around get it when it was not taken care of.
    pub bubbles: bool,
}

impl Event {
    /// A dialog is to be cancelled.
    pub const CANCEL: &'static str = "cancelDialog";
    /// A dialog is to ask again.
    pub const REPROMPT: &'static str = "repromptDialog";
    /// An activity came; once in a turn, before any dialog goes on.
    pub const ACTIVITY: &'static str = "activityReceived";
    /// A container was changed while a conversation was inside it.
    pub const CHANGED: &'static str = "versionChanged";
    /// A dialog failed.
    pub const ERROR: &'static str = "error";
}

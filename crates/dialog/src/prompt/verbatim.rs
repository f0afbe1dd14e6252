//! Prompts that take the answer verbatim: a text, files, or any activity.

use sayso_activity::{Activity, Attachment};

use super::{Inbound, Prompt, PromptOptions};

/// Text prompt; rejects an empty answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text;

impl Prompt for Text {
    type Value = String;

    const KIND: &'static str = "text";

    fn recognize(&self, inbound: &Inbound<'_>, _: &PromptOptions) -> Option<String> {
        Some(inbound.text()).filter(|text| !text.is_empty()).map(str::to_owned)
    }
}

/// Asks for files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attach;

impl Prompt for Attach {
    type Value = Vec<Attachment>;

    const KIND: &'static str = "attachment";

    fn recognize(&self, inbound: &Inbound<'_>, _: &PromptOptions) -> Option<Vec<Attachment>> {
        inbound.activity.attachments.clone().filter(|attachments| !attachments.is_empty())
    }
}

/// Asks for an activity of any kind. Give it a validator, or the next activity is the answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Any;

impl Prompt for Any {
    type Value = Activity;

    const KIND: &'static str = "activity";

    fn recognize(&self, inbound: &Inbound<'_>, _: &PromptOptions) -> Option<Activity> {
        Some(inbound.activity.clone())
    }

    fn takes(&self, _: &Activity) -> bool {
        true
    }
}

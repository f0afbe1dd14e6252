//! Writer of the Python SDK's format.
//!
//! `jsonpickle` makes its objects without calling their constructors, so each must have all the
//! attributes that the SDK's code asks for.

use serde_json::{Value, json};

use super::kept::{found_choices, is_prompt, is_waterfall, whole};
use crate::state::{decimal::number, members::Members};

pub(super) const STATE: &str = "botbuilder.dialogs.dialog_state.DialogState";
pub(super) const INSTANCE: &str = "botbuilder.dialogs.dialog_instance.DialogInstance";
const LIST_STYLE: &str = "botbuilder.dialogs.choices.list_style.ListStyle";

/// A class: its name and its attributes.
type Class = (&'static str, &'static [&'static str]);

const OPTIONS: Class = (
    "botbuilder.dialogs.prompts.prompt_options.PromptOptions",
    &["prompt", "retry_prompt", "choices", "style", "validations", "number_of_attempts"],
);
const CHOICE: Class =
    ("botbuilder.dialogs.choices.choice.Choice", &["value", "action", "synonyms"]);
const FOUND: Class = (
    "botbuilder.dialogs.choices.found_choice.FoundChoice",
    &["value", "index", "score", "synonym"],
);
const ACTIVITY: Class = (
    "botbuilder.schema._models_py3.Activity",
    &[
        "type",
        "id",
        "timestamp",
        "local_timestamp",
        "local_timezone",
        "service_url",
        "channel_id",
        "from_property",
        "conversation",
        "recipient",
        "text_format",
        "attachment_layout",
        "members_added",
        "members_removed",
        "reactions_added",
        "reactions_removed",
        "topic_name",
        "history_disclosed",
        "locale",
        "text",
        "speak",
        "input_hint",
        "summary",
        "suggested_actions",
        "attachments",
        "entities",
        "channel_data",
        "action",
        "reply_to_id",
        "label",
        "value_type",
        "value",
        "name",
        "relates_to",
        "code",
        "expiration",
        "importance",
        "delivery_mode",
        "listen_for",
        "text_highlights",
        "semantic_action",
        "caller_id",
    ],
);
const ATTACHMENT: Class = (
    "botbuilder.schema._models_py3.Attachment",
    &["content_type", "content_url", "content", "name", "thumbnail_url"],
);
const SUGGESTED_ACTIONS: Class =
    ("botbuilder.schema._models_py3.SuggestedActions", &["to", "actions"]);
const CARD_ACTION: Class = (
    "botbuilder.schema._models_py3.CardAction",
    &["type", "title", "image", "text", "display_text", "value", "channel_data", "image_alt_text"],
);

/// Gives what a dialog keeps the names and types of the SDK.
pub(super) fn kept(kept: &mut Members, decimals: Option<Value>) {
    if is_waterfall(kept) {
        found_choices(kept).for_each(|found| object(found, FOUND));
    }
    if is_prompt(kept) {
        prompt(kept);
    }
    if let Some(Value::Object(decimals)) = decimals {
        put_decimals(kept, &decimals);
    }
}

fn prompt(kept: &mut Members) {
    let attempts = match kept.get_mut("state") {
        Some(Value::Object(inner)) => inner.remove("attemptCount"),
        _ => None,
    };
    let Some(Value::Object(options)) = kept.get_mut("options") else { return };
    whole(options);
    for (from, to) in [("retryPrompt", "retry_prompt"), ("recognizeLanguage", "recognize_language")]
    {
        if let Some(value) = options.remove(from) {
            options.insert(to.to_owned(), value);
        }
    }
    for name in ["prompt", "retry_prompt"] {
        if let Some(Value::Object(activity)) = options.get_mut(name) {
            self::activity(activity);
        }
    }
    for choice in items(options, "choices") {
        if let Some(Value::Object(action)) = choice.get_mut("action") {
            model(action, CARD_ACTION);
        }
        object(choice, CHOICE);
    }
    if let Some(style) = options.get_mut("style")
        && let Some(number) = style.as_u64()
    {
        *style = called(LIST_STYLE, &number.to_string());
    }
    options.insert("number_of_attempts".to_owned(), attempts.unwrap_or_else(|| 0.into()));
    object(options, OPTIONS);
}

fn activity(activity: &mut Members) {
    model(activity, ACTIVITY);
    items(activity, "attachments").for_each(|attachment| model(attachment, ATTACHMENT));
    if let Some(Value::Object(suggested)) = activity.get_mut("suggested_actions") {
        model(suggested, SUGGESTED_ACTIONS);
        items(suggested, "actions").for_each(|action| model(action, CARD_ACTION));
    }
}

fn items<'a>(members: &'a mut Members, name: &str) -> impl Iterator<Item = &'a mut Members> {
    let items = members.get_mut(name).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// An object of the schema: what it has no attribute for goes into one that they all have.
fn model(members: &mut Members, class: Class) {
    let (mut known, mut more) = (Members::new(), Members::new());
    for (name, value) in std::mem::take(members) {
        let attribute = snake(&name);
        match class.1.contains(&attribute.as_str()) {
            true => known.insert(attribute, value),
            false => more.insert(name, value),
        };
    }
    known.insert("additional_properties".to_owned(), more.into());
    *members = known;
    object(members, class);
}

/// An object of a class, with all its attributes.
fn object(members: &mut Members, (name, attributes): Class) {
    for attribute in attributes {
        members.entry(*attribute).or_insert(Value::Null);
    }
    members.insert("py/object".to_owned(), name.into());
}

/// Numbers that were decimals, and did not change, become decimals again: Python does not mix them
/// with its other fractions.
fn put_decimals(kept: &mut Members, decimals: &Members) {
    let mut all = Value::Object(std::mem::take(kept));
    for (place, digits) in decimals {
        let Some(digits) = digits.as_str() else { continue };
        if let Some(value) = all.pointer_mut(place)
            && number(digits).is_some_and(|number| *value == Value::Number(number))
        {
            *value = called("decimal.Decimal", digits);
        }
    }
    if let Value::Object(members) = all {
        *kept = members;
    }
}

fn called(kind: &str, text: &str) -> Value {
    json!({ "py/reduce": [{ "py/type": kind }, { "py/tuple": [text] }] })
}

fn snake(name: &str) -> String {
    if name == "from" {
        return "from_property".to_owned();
    }
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

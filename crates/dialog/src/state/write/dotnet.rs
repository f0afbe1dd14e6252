//! Writer of the .NET SDK's format.

use serde_json::{Value, json};

use super::kept::{found_choices, is_prompt, is_waterfall, whole};
use crate::{choice::ListStyle, state::members::Members};

pub(super) const STATE: &str =
    "Microsoft.Bot.Builder.Dialogs.DialogState, Microsoft.Bot.Builder.Dialogs";
pub(super) const INSTANCE: &str =
    "Microsoft.Bot.Builder.Dialogs.DialogInstance, Microsoft.Bot.Builder.Dialogs";
pub(super) const INSTANCES: &str = "System.Collections.Generic.List`1[[Microsoft.Bot.Builder.Dialogs.DialogInstance, Microsoft.Bot.Builder.Dialogs]], System.Private.CoreLib";
const OPTIONS: &str = "Microsoft.Bot.Builder.Dialogs.PromptOptions, Microsoft.Bot.Builder.Dialogs";
const ACTIVITY: &str = "Microsoft.Bot.Schema.Activity, Microsoft.Bot.Schema";
const CHOICE: &str = "Microsoft.Bot.Builder.Dialogs.Choices.Choice, Microsoft.Bot.Builder.Dialogs";
const CHOICES: &str = "System.Collections.Generic.List`1[[Microsoft.Bot.Builder.Dialogs.Choices.Choice, Microsoft.Bot.Builder.Dialogs]], System.Private.CoreLib";
const FOUND: &str =
    "Microsoft.Bot.Builder.Dialogs.Choices.FoundChoice, Microsoft.Bot.Builder.Dialogs";
const DICTIONARY: &str = "System.Collections.Generic.Dictionary`2[[System.String, System.Private.CoreLib],[System.Object, System.Private.CoreLib]], System.Private.CoreLib";

/// Gives what a dialog keeps the names and types of the SDK.
pub(super) fn kept(kept: &mut Members) {
    if is_waterfall(kept) {
        found_choices(kept).for_each(|found| {
            found.entry("synonym").or_insert(Value::Null);
            typed(found, FOUND);
        });
        if let Some(Value::Object(values)) = kept.get_mut("values") {
            typed(values, DICTIONARY);
        }
    }
    if is_prompt(kept) {
        prompt(kept);
    }
    typed(kept, DICTIONARY);
}

fn prompt(kept: &mut Members) {
    if let Some(Value::Object(inner)) = kept.get_mut("state") {
        let attempts = inner.remove("attemptCount").unwrap_or_else(|| 0.into());
        inner.insert("AttemptCount".to_owned(), attempts);
        typed(inner, DICTIONARY);
    }
    let Some(Value::Object(options)) = kept.get_mut("options") else { return };
    whole(options);
    for name in ["prompt", "retryPrompt"] {
        if let Some(Value::Object(activity)) = options.get_mut(name) {
            typed(activity, ACTIVITY);
        }
    }
    if let Some(Value::Array(choices)) = options.remove("choices") {
        let named = choices.into_iter().map(|mut choice| {
            if let Some(members) = choice.as_object_mut() {
                typed(members, CHOICE);
            }
            choice
        });
        let choices = json!({ "$type": CHOICES, "$values": named.collect::<Vec<_>>() });
        options.insert("choices".to_owned(), choices);
    }
    if let Some(style) = options.get_mut("style")
        && let Ok(known) = serde_json::from_value::<ListStyle>(style.clone())
    {
        *style = known.name().into();
    }
    for (from, to) in [
        ("prompt", "Prompt"),
        ("retryPrompt", "RetryPrompt"),
        ("choices", "Choices"),
        ("style", "Style"),
        ("validations", "Validations"),
        ("recognizeLanguage", "RecognizeLanguage"),
    ] {
        let value = options.remove(from).unwrap_or_default();
        options.insert(to.to_owned(), value);
    }
    typed(options, OPTIONS);
}

/// Gives an object its type name.
pub(super) fn typed(members: &mut Members, name: &str) {
    members.insert("$type".to_owned(), name.into());
}

//! Parts of a dialog's stored state that more than one writer changes.

use serde_json::{Value, json};

use crate::state::members::Members;

/// A waterfall keeps the index of its step.
pub(super) fn is_waterfall(kept: &Members) -> bool {
    kept.contains_key("stepIndex")
}

/// A prompt keeps something beside its options.
pub(super) fn is_prompt(kept: &Members) -> bool {
    kept.get("state").is_some_and(Value::is_object)
}

/// The values of a waterfall that are choices the user made, which every SDK stores alike.
pub(super) fn found_choices(kept: &mut Members) -> impl Iterator<Item = &mut Members> {
    let values = kept.get_mut("values").and_then(Value::as_object_mut);
    values.into_iter().flat_map(Members::values_mut).filter_map(Value::as_object_mut).filter(
        |one| {
            let is_known =
                |name: &String| ["value", "index", "score", "synonym"].contains(&name.as_str());
            one.keys().all(is_known)
                && one.get("value").is_some_and(Value::is_string)
                && one.get("index").is_some_and(Value::is_u64)
                && one.get("score").is_some_and(Value::is_number)
        },
    )
}

/// Makes objects of a prompt's questions and choices that are bare texts, as JavaScript allows.
pub(super) fn whole(options: &mut Members) {
    for name in ["prompt", "retryPrompt"] {
        if let Some(asked) = options.get_mut(name)
            && let Some(text) = asked.as_str()
        {
            *asked = json!({ "type": "message", "text": text });
        }
    }
    if let Some(Value::Array(choices)) = options.get_mut("choices") {
        for choice in choices {
            if let Some(text) = choice.as_str() {
                *choice = json!({ "value": text });
            }
        }
    }
}

//! Reader of a stack in any SDK's format.
//!
//! Type names are taken off, lists that hide behind them become lists, and the members of
//! waterfalls and prompts get the names of the JavaScript SDK. What is not known stays as it is.

mod python;

use serde_json::Value;

use super::{
    members::{Members, rename},
    stack::{DEPTH_MAX, DialogState, Instance, Shape},
};

pub(super) fn state(value: Value) -> Result<DialogState, &'static str> {
    nested(value, 0)
}

fn nested(value: Value, depth: usize) -> Result<DialogState, &'static str> {
    if depth > DEPTH_MAX {
        return Err("dialogs are nested too deeply");
    }
    let mut members = match value {
        Value::Null => return Ok(DialogState::default()),
        Value::Object(members) => members,
        _ => return Err("the state of dialogs is not an object"),
    };
    let is_python = members.contains_key("_dialog_stack") || members.contains_key("py/object");
    let stack = members.remove("dialogStack").or_else(|| members.remove("_dialog_stack"));
    let (items, is_annotated) = match stack {
        None | Some(Value::Null) => (Vec::new(), false),
        Some(Value::Array(items)) => (items, false),
        Some(Value::Object(mut list)) => match list.remove("$values") {
            Some(Value::Array(items)) => (items, true),
            _ => return Err("the stack of dialogs is not a list"),
        },
        Some(_) => return Err("the stack of dialogs is not a list"),
    };
    let is_dotnet = is_annotated || members.contains_key("$type") || items.iter().any(is_of_dotnet);
    let shape = match (is_python, is_dotnet) {
        (true, _) => Shape::Python,
        (_, true) => Shape::DotNet,
        _ => Shape::JavaScript,
    };
    let instances = items.into_iter().map(|item| instance(item, shape, depth));
    let mut stack = instances.collect::<Result<Vec<_>, _>>()?;
    if shape != Shape::JavaScript {
        stack.reverse();
    }
    members.retain(|name, _| !is_type(name));
    Ok(DialogState { stack, shape, is_foreign: true, rest: members })
}

/// Only .NET writes this member, and it always does.
fn is_of_dotnet(item: &Value) -> bool {
    ["StackIndex", "stackIndex", "$type"].iter().any(|name| item.get(name).is_some())
}

fn instance(item: Value, shape: Shape, depth: usize) -> Result<Instance, &'static str> {
    let Value::Object(mut members) = item else {
        return Err("a dialog on the stack is not an object");
    };
    let Some(Value::String(id)) = members.remove("id") else {
        return Err("a dialog on the stack has no id");
    };
    let version = members.remove("version").or_else(|| members.remove("Version"));
    for name in ["StackIndex", "stackIndex"] {
        drop(members.remove(name));
    }
    members.retain(|name, _| !is_type(name));
    let mut state = match members.remove("state") {
        Some(Value::Object(state)) => state,
        None | Some(Value::Null) => Members::new(),
        Some(_) => return Err("the state of a dialog is not an object"),
    };
    let inner = state.remove("dialogs");
    let inner = inner.map(|inner| nested(inner, depth + 1)).transpose()?.map(|mut inner| {
        inner.shape = shape;
        Box::new(inner)
    });
    if shape != Shape::JavaScript {
        state = plain(state);
    }
    if shape == Shape::Python {
        python::decimals(&mut state, &mut members);
    }
    canonical(&mut state, shape);
    let version = version.and_then(|version| version.as_str().map(str::to_owned));
    Ok(Instance { id, state, options: None, inner, version, rest: members })
}

/// Gives the members of waterfalls and prompts the names of the JavaScript SDK.
fn canonical(state: &mut Members, shape: Shape) {
    if shape == Shape::JavaScript {
        return javascript(state);
    }
    // A prompt keeps something beside its options. The options of other dialogs are their authors'.
    let Some(Value::Object(kept)) = state.get_mut("state") else { return };
    rename(kept, "AttemptCount", "attemptCount");
    let mut attempts = None;
    if let Some(Value::Object(options)) = state.get_mut("options") {
        for (from, to) in [
            ("Prompt", "prompt"),
            ("RetryPrompt", "retryPrompt"),
            ("retry_prompt", "retryPrompt"),
            ("Choices", "choices"),
            ("Style", "style"),
            ("Validations", "validations"),
            ("RecognizeLanguage", "recognizeLanguage"),
            ("recognize_language", "recognizeLanguage"),
        ] {
            rename(options, from, to);
        }
        if shape == Shape::Python {
            attempts = python::options(options);
        }
    }
    if let (Some(attempts), Some(Value::Object(kept))) = (attempts, state.get_mut("state")) {
        kept.insert("attemptCount".to_owned(), attempts);
    }
}

/// It alone keeps the id of a waterfall among the author's own values, and writes no options as
/// empty ones.
fn javascript(state: &mut Members) {
    if !state.contains_key("stepIndex") {
        return;
    }
    if let Some(Value::Object(values)) = state.get_mut("values")
        && let Some(id) = values.remove("instanceId")
    {
        state.insert("instanceId".to_owned(), id);
    }
    if let Some(options) = state.get_mut("options")
        && options.as_object().is_some_and(Members::is_empty)
    {
        *options = Value::Null;
    }
}

/// Type names off, lists out of their wrapping, empty members left out.
fn plain(members: Members) -> Members {
    let named = members.into_iter().filter(|(name, _)| !is_type(name));
    named.map(|(name, value)| (name, plain_value(value))).collect()
}

fn plain_value(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(plain_value).collect()),
        Value::Object(mut members) => match members.remove("$values") {
            Some(Value::Array(items)) => plain_value(Value::Array(items)),
            _ => Value::Object(plain(members)),
        },
        other => other,
    }
}

fn is_type(name: &str) -> bool {
    matches!(
        name,
        "$type" | "$typeAssembly" | "$collectionType" | "$collectionTypeAssembly" | "py/object"
    )
}

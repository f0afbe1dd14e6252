//! Reader of the Python SDK's format: objects as `jsonpickle` writes them.

use serde_json::Value;

use crate::state::{
    decimal::{DECIMALS, number},
    members::{Members, rename},
};

/// A prompt's options, by the names of the JavaScript SDK; the attempts so far are among them here.
pub(super) fn options(options: &mut Members) -> Option<Value> {
    for name in ["prompt", "retryPrompt"] {
        if let Some(activity) = options.get_mut(name) {
            camel(activity);
        }
    }
    if let Some(Value::Array(choices)) = options.get_mut("choices") {
        choices.iter_mut().for_each(camel);
    }
    if let Some(style) = options.get_mut("style").filter(|style| style.is_object()) {
        let number = enumeration(style).and_then(|style| style.parse::<u8>().ok());
        *style = number.map_or(Value::Null, Into::into);
    }
    options.remove("number_of_attempts")
}

/// `input_hint` to `inputHint`: Python writes the attributes of its objects, all of them.
fn camel(value: &mut Value) {
    if let Some(text) = enumeration(value) {
        *value = text.into();
    } else if value.get("py/id").is_some() {
        // A reference to what was written elsewhere: it cannot be followed from here. The stores'
        // layouts follow those in messages before we get to see them.
        *value = Value::Null;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(camel),
        Value::Object(members) => {
            let old = std::mem::take(members);
            for (name, mut value) in old {
                match (name.as_str(), &mut value) {
                    // What the SDK's classes have no attribute for.
                    ("additional_properties", Value::Object(more)) => members.append(more),
                    // The author's own.
                    ("channel_data" | "value" | "content" | "properties", _) => {
                        members.insert(camel_name(&name), value);
                    }
                    _ => {
                        camel(&mut value);
                        members.insert(camel_name(&name), value);
                    }
                }
            }
            members.retain(|_, value| !value.is_null());
            rename(members, "fromProperty", "from");
        }
        _ => {}
    }
}

fn camel_name(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// Makes numbers of decimals, which is what a number prompt of Python gives, and notes where they
/// were.
pub(super) fn decimals(state: &mut Members, rest: &mut Members) {
    let mut notes = Members::new();
    for (name, value) in state {
        decimals_at(value, &format!("/{}", escaped(name)), &mut notes);
    }
    if !notes.is_empty() {
        rest.insert(DECIMALS.to_owned(), notes.into());
    }
}

fn decimals_at(value: &mut Value, place: &str, notes: &mut Members) {
    if let Some(digits) = constructed(value, "decimal.Decimal")
        && let Some(number) = number(digits)
    {
        notes.insert(place.to_owned(), digits.into());
        *value = number.into();
    }
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                decimals_at(item, &format!("{place}/{index}"), notes);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                decimals_at(value, &format!("{place}/{}", escaped(name)), notes);
            }
        }
        _ => {}
    }
}

/// As a JSON pointer wants it.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The text of an enumeration's member, of whatever enumeration.
fn enumeration(value: &Value) -> Option<String> {
    let (_, text) = called(value)?;
    Some(text.to_owned())
}

/// The argument that an object of this type was constructed from, if it is one text.
fn constructed<'a>(value: &'a Value, kind: &str) -> Option<&'a str> {
    called(value).filter(|(own, _)| *own == kind).map(|(_, text)| text)
}

/// `jsonpickle` writes many values as a call of their type:
/// `{"py/reduce": [{"py/type": t}, {"py/tuple": [x]}]}`.
fn called(value: &Value) -> Option<(&str, &str)> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    let [kind, arguments] = members.get("py/reduce")?.as_array()?.as_slice() else { return None };
    let [text] = arguments.get("py/tuple")?.as_array()?.as_slice() else { return None };
    Some((kind.get("py/type")?.as_str()?, text.as_str()?))
}

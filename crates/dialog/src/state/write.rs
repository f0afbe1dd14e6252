//! Writer of a stack in any SDK's format.
//!
//! .NET and Python make objects of what they read by the type names in it, so every object that
//! they must find again gets one: only names of the dialog library and of lists and dictionaries.
//! The stores' layouts know these names and let no others pass.

mod dotnet;
mod kept;
mod python;

use serde::ser::Error as _;
use serde_json::{Value, json};

use self::{dotnet::typed, kept::is_waterfall};
use super::{
    decimal::DECIMALS,
    members::Members,
    stack::{DialogState, Instance, Shape},
};

const REFERENCE: &str = "a value of a dialog refers to another part of the document by its number \
    (`py/id`), and after this change the number would mean another part; only the Python SDK can go on \
    with this conversation";

pub(super) fn state(state: &DialogState) -> Result<Value, serde_json::Error> {
    let shape = state.shape;
    let instances = state.stack.iter().map(|one| instance(one, shape));
    let mut items = instances.collect::<Result<Vec<_>, _>>()?;
    let mut members = state.rest.clone();
    match shape {
        Shape::JavaScript => drop(members.insert("dialogStack".to_owned(), items.into())),
        Shape::DotNet => {
            items.reverse();
            typed(&mut members, dotnet::STATE);
            let list = json!({ "$type": dotnet::INSTANCES, "$values": items });
            members.insert("dialogStack".to_owned(), list);
        }
        Shape::Python => {
            items.reverse();
            members.insert("py/object".to_owned(), python::STATE.into());
            members.insert("_dialog_stack".to_owned(), items.into());
        }
    }
    Ok(Value::Object(members))
}

fn instance(instance: &Instance, shape: Shape) -> Result<Value, serde_json::Error> {
    let mut members = instance.rest.clone();
    let decimals = members.remove(DECIMALS);
    let mut kept = instance.state.clone();
    if kept.values().any(has_reference) {
        return Err(serde_json::Error::custom(REFERENCE));
    }
    match shape {
        Shape::JavaScript => javascript(&mut kept),
        Shape::DotNet => dotnet::kept(&mut kept),
        Shape::Python => python::kept(&mut kept, decimals),
    }
    if let Some(inner) = &instance.inner {
        kept.insert("dialogs".to_owned(), state(inner)?);
    }
    members.insert("id".to_owned(), instance.id.as_str().into());
    let version = instance.version.as_deref().map_or(Value::Null, Value::from);
    match shape {
        Shape::JavaScript if version.is_null() => {}
        Shape::JavaScript => drop(members.insert("version".to_owned(), version)),
        Shape::DotNet => {
            typed(&mut members, dotnet::INSTANCE);
            members.insert("StackIndex".to_owned(), Value::Null);
            members.insert("Version".to_owned(), version);
        }
        Shape::Python => {
            members.insert("py/object".to_owned(), python::INSTANCE.into());
        }
    }
    members.insert("state".to_owned(), kept.into());
    Ok(Value::Object(members))
}

/// Python's `jsonpickle` counts the parts of the document, and we see only one.
fn has_reference(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_reference),
        Value::Object(members) => {
            members.contains_key("py/id") || members.values().any(has_reference)
        }
        _ => false,
    }
}

fn javascript(kept: &mut Members) {
    if !is_waterfall(kept) {
        return;
    }
    let id = kept.remove("instanceId");
    if let (Some(id), Some(Value::Object(values))) = (id, kept.get_mut("values")) {
        values.insert("instanceId".to_owned(), id);
    }
    if let Some(options) = kept.get_mut("options").filter(|options| options.is_null()) {
        *options = Members::new().into();
    }
}

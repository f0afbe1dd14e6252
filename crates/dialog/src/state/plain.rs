//! Single-pass codec of the JavaScript SDK's stack format.
//!
//! It builds no JSON tree of the whole and keeps the options of a dialog as text. A text with
//! members that this format does not have is left to the general reader.

use sayso_activity::{ObjectText, Raw};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::Value;

use super::stack::{DEPTH_MAX, DialogState, Instance, OPTIONS, Shape};

const STACK: &str = "dialogStack";
const INSTANCE_ID: &str = "instanceId";
const VALUES: &str = "values";
const STEP: &str = "stepIndex";

/// Reads the plain form; `None` when it is another one.
pub(super) fn read(raw: &Raw) -> Option<DialogState> {
    let Plain(state) = serde_json::from_str(raw.as_str()).ok()?;
    (depth(&state) <= DEPTH_MAX).then_some(state)
}

pub(super) fn depth(state: &DialogState) -> usize {
    let inner = state.stack.iter().filter_map(Instance::inner);
    inner.map(|inner| 1 + depth(inner)).max().unwrap_or_default()
}

struct Plain(DialogState);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(StateVisitor)
    }
}

struct StateVisitor;

impl<'de> Visitor<'de> for StateVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a plain stack of dialogs")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Plain, A::Error> {
        let mut state = DialogState::of(Shape::JavaScript);
        let mut is_found = false;
        while let Some(name) = map.next_key::<&str>()? {
            if name != STACK || is_found {
                return Err(A::Error::custom("not the plain form"));
            }
            let stack: Vec<PlainInstance> = map.next_value()?;
            state.stack = stack.into_iter().map(|PlainInstance(instance)| instance).collect();
            is_found = true;
        }
        Ok(Plain(state))
    }
}

struct PlainInstance(Instance);

impl<'de> Deserialize<'de> for PlainInstance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InstanceVisitor)
    }
}

struct InstanceVisitor;

impl<'de> Visitor<'de> for InstanceVisitor {
    type Value = PlainInstance;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a dialog on a plain stack")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PlainInstance, A::Error> {
        let mut instance = Instance::default();
        let mut has_id = false;
        while let Some(name) = map.next_key::<&str>()? {
            match name {
                "id" if !has_id => {
                    instance.id = map.next_value()?;
                    has_id = true;
                }
                "version" => instance.version = Some(map.next_value()?),
                "state" => PlainState(&mut instance).fill(&mut map)?,
                _ => return Err(A::Error::custom("not the plain form")),
            }
        }
        if !has_id {
            return Err(A::Error::custom("not the plain form"));
        }
        Ok(PlainInstance(instance))
    }
}

/// Fills what an instance keeps.
struct PlainState<'i>(&'i mut Instance);

impl PlainState<'_> {
    fn fill<'de, A: MapAccess<'de>>(self, map: &mut A) -> Result<(), A::Error> {
        map.next_value_seed(self)
    }
}

impl<'de> serde::de::DeserializeSeed<'de> for PlainState<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for PlainState<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("what a dialog keeps")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(instance) = self;
        while let Some(name) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            match &*name {
                OPTIONS => instance.options = Some(map.next_value()?),
                "dialogs" => {
                    let Plain(inner) = map.next_value()?;
                    instance.inner = Some(Box::new(inner));
                }
                _ => drop(instance.state.insert(name.into_owned(), map.next_value()?)),
            }
        }
        if !instance.state.contains_key(STEP) {
            return Ok(());
        }
        // The SDK keeps the id of a waterfall among the author's own values, and no options as
        // empty ones.
        if let Some(Value::Object(values)) = instance.state.get_mut(VALUES)
            && let Some(id) = values.remove(INSTANCE_ID)
        {
            instance.state.insert(INSTANCE_ID.to_owned(), id);
        }
        if instance.options.as_ref().is_some_and(|options| options.as_str() == "{}") {
            instance.options = Some(Raw::null());
        }
        Ok(())
    }
}

/// Returns `true` if a stack and all stacks inside it are written in this format.
pub(super) fn fits(state: &DialogState) -> bool {
    let is_plain = state.shape == Shape::JavaScript && !state.is_foreign;
    is_plain && state.stack.iter().filter_map(Instance::inner).all(fits)
}

/// Writes the plain form.
pub(super) fn write(state: &DialogState) -> Raw {
    Raw::object(|to| write_stack(state, to))
}

fn write_stack(state: &DialogState, to: &mut ObjectText<'_>) {
    for (name, value) in &state.rest {
        to.value(name, value);
    }
    to.list(STACK, |list| {
        for instance in &state.stack {
            list.object(|to| write_instance(instance, to));
        }
    });
}

fn write_instance(instance: &Instance, to: &mut ObjectText<'_>) {
    to.string("id", &instance.id);
    for (name, value) in &instance.rest {
        to.value(name, value);
    }
    to.object("state", |to| write_kept(instance, to));
    if let Some(version) = &instance.version {
        to.string("version", version);
    }
}

fn write_kept(instance: &Instance, to: &mut ObjectText<'_>) {
    let is_waterfall = instance.state.contains_key(STEP);
    let id = instance.state.get(INSTANCE_ID).filter(|_| is_waterfall);
    match &instance.options {
        Some(options) if options.is_null() && is_waterfall => to.object(OPTIONS, |_| {}),
        Some(options) => to.raw(OPTIONS, options),
        None => {}
    }
    for (name, value) in &instance.state {
        match (name.as_str(), value, id) {
            (INSTANCE_ID, _, Some(_)) => {}
            (OPTIONS, Value::Null, _) if is_waterfall => to.object(OPTIONS, |_| {}),
            // The values of a waterfall, with its id among them.
            (VALUES, Value::Object(values), Some(id)) => to.object(VALUES, |to| {
                for (name, value) in values {
                    to.value(name, value);
                }
                to.value(INSTANCE_ID, id);
            }),
            _ => to.value(name, value),
        }
    }
    if let Some(inner) = &instance.inner {
        to.object("dialogs", |to| write_stack(inner, to));
    }
}

//! Reading a TOML file into settings, with the line of each.
//!
//! The library's own errors show the line that is wrong, and there may be a secret on it: only what
//! it says of the line is repeated, never the line.

use std::{fs::File, io::Read as _, path::Path};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    did_you_mean,
    error::ConfigError,
    limits::Unit,
    setting::{Kind, Spec, of_key, settings},
};

/// No configuration is longer.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// A setting in a file.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) spec: &'static Spec,
    pub(super) text: String,
    /// Line number, from 1.
    pub(super) line: usize,
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Vec<Found>, ConfigError> {
    let text = text(path)?;
    understand(&text).map_err(|(line, reason)| ConfigError::Setting {
        place: format!("{}:{line}", path.display()),
        reason,
    })
}

/// Reads a file that must be a short text.
pub(super) fn text(path: &Path) -> Result<String, ConfigError> {
    let fail = |reason| ConfigError::Read { path: path.to_owned(), reason };
    let mut text = String::new();
    let file = File::open(path).map_err(fail)?;
    let length = file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(fail)?;
    if length as u64 > FILE_BYTES_MAX {
        let reason = "it is longer than 1 MB, so it is something else".to_owned();
        return Err(ConfigError::Setting { place: path.display().to_string(), reason });
    }
    Ok(text)
}

/// The settings in a text, or a line and what is wrong with it.
fn understand(text: &str) -> Result<Vec<Found>, (usize, String)> {
    let line = |offset: usize| {
        let before = text.as_bytes().get(..offset).unwrap_or_default();
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    };
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        (line(offset), format!("it is not TOML: {}", error.message()))
    })?;
    let mut found = Vec::new();
    collect("", table.get_ref(), &mut found).map_err(|(offset, reason)| (line(offset), reason))?;
    Ok(found
        .into_iter()
        .map(|(spec, text, offset)| Found { spec, text, line: line(offset) })
        .collect())
}

type Collected = Vec<(&'static Spec, String, usize)>;

fn collect(
    before: &str,
    table: &DeTable<'_>,
    found: &mut Collected,
) -> Result<(), (usize, String)> {
    for (name, value) in table {
        let (key, offset) = (format!("{before}{}", name.get_ref()), name.span().start);
        let is_table = settings()
            .any(|spec| spec.key.strip_prefix(&key).is_some_and(|rest| rest.starts_with('.')));
        match (of_key(&key), value.get_ref()) {
            (Some(spec), value) => {
                let text = in_text(spec.kind, value).ok_or_else(|| {
                    let (must, is) = (spec.kind.example(), kind_of(value));
                    (offset, format!("`{key}` must be {must}, and it is {is}"))
                })?;
                found.push((spec, text, offset));
            }
            (None, DeValue::Table(inner)) if is_table => {
                collect(&format!("{key}."), inner, found)?;
            }
            (None, _) if is_table => {
                return Err((offset, format!("`{key}` must be a table: write [{key}]")));
            }
            (None, DeValue::Table(inner)) if before.is_empty() && !inner.is_empty() => {
                // Of an unknown table, its first key shows best which setting was meant.
                let first = inner.keys().map(|key| (key.span().start, key.get_ref())).min();
                let inner = first.map(|(_, name)| format!("{key}.{name}")).unwrap_or_default();
                return Err((offset, did_you_mean::not_a_setting(&inner)));
            }
            (None, _) => return Err((offset, did_you_mean::not_a_setting(&key))),
        }
    }
    Ok(())
}

/// A value as the text that the environment would have, if it is of the right type.
fn in_text(kind: Kind, value: &DeValue<'_>) -> Option<String> {
    match (kind, value) {
        (Kind::Bool, DeValue::Boolean(value)) => Some(value.to_string()),
        (Kind::List | Kind::Callers, DeValue::Array(entries)) => {
            let entries: Option<Vec<&str>> =
                entries.iter().map(Spanned::get_ref).map(DeValue::as_str).collect();
            Some(entries?.join(","))
        }
        (Kind::Rate | Kind::Limit(Unit::Count | Unit::Bytes), DeValue::Integer(number)) => {
            Some(number.to_string())
        }
        (Kind::Bool | Kind::List | Kind::Callers, _) => None,
        (_, DeValue::String(text)) => Some(text.clone().into_owned()),
        _ => None,
    }
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list, or one of other things",
        DeValue::Table(_) => "a table",
    }
}

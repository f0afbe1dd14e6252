//! Values to and from JSON, with errors that name the value.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::error::Error;

/// Reads a value.
pub(crate) fn from_json<T: DeserializeOwned>(
    value: &Value,
    what: impl FnOnce() -> String,
) -> Result<T, Error> {
    T::deserialize(value).map_err(|source| Error::Type { what: what(), source })
}

/// Writes a value.
pub(crate) fn to_json<T: Serialize>(value: T, what: &str) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|source| Error::Type { what: what.to_owned(), source })
}

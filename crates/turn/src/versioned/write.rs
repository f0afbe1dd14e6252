//! Serialisation of versioned state: the version first, so that a reader gets it first.

use serde::{Serialize, Serializer};

use super::{BotState, ttl::declare};

/// Writes a value with its version.
pub fn write<T: BotState, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let (version, value) = (T::VERSION, Inside(value));
    let written = match T::IS_WRAPPED {
        true => Wrapped { version, value }.serialize(serializer),
        false => Beside { version, value }.serialize(serializer),
    };
    // Last, because a part of it may be another one.
    declare::<T>();
    written
}

#[derive(Serialize)]
struct Wrapped<'a, T: BotState> {
    #[serde(rename = "$version")]
    version: u32,
    value: Inside<'a, T>,
}

#[derive(Serialize)]
struct Beside<'a, T: BotState> {
    #[serde(rename = "$version")]
    version: u32,
    #[serde(flatten)]
    value: Inside<'a, T>,
}

/// The value without its version.
struct Inside<'a, T>(&'a T);

impl<T: BotState> Serialize for Inside<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write_fields(serializer)
    }
}

//! Names that types fix for themselves: how the runtime learns them.
//!
//! State is any type that serde can read, so no bound tells whether it is a [`BotState`]. One with
//! a fixed name says so in a thread-local when it is asked to read itself; a deserialiser that
//! refuses everything asks.

use std::{any::type_name, cell::Cell, fmt};

use serde::{
    Deserializer,
    de::{DeserializeOwned, Error, Visitor},
    forward_to_deserialize_any,
};

use super::BotState;

thread_local! {
    /// Path and fixed name of the type that was asked last.
    static SAID: Cell<Option<(&'static str, &'static str)>> = const { Cell::new(None) };
}

/// Returns the fixed name of a type, if it has one.
pub(crate) fn fixed_name<T: DeserializeOwned>() -> Option<&'static str> {
    SAID.set(None);
    drop(T::deserialize(Refusing));
    let (path, name) = SAID.take()?;
    // A type that only has one inside has its own name.
    (path == type_name::<T>()).then_some(name)
}

/// Says the fixed name of a type that is asked to read itself.
pub(super) fn say<T: BotState>() {
    if let Some(name) = T::FIXED_NAME {
        SAID.set(Some((type_name::<T>(), name)));
    }
}

/// Deserialiser that refuses to read anything.
struct Refusing;

/// Its only error.
#[derive(Debug)]
struct Refused;

impl<'de> Deserializer<'de> for Refusing {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refused> {
        Err(Refused)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

impl Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl std::error::Error for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing is read")
    }
}

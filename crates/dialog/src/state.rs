//! The stack of running dialogs, as it is stored.
//!
//! In memory there is one form, top last. Stored, there are three, because each SDK writes its
//! own: all are read, whatever was written is recognised, and by default it is written back as it
//! was.

mod decimal;
mod members;
mod plain;
mod read;
mod stack;
mod stack_cache;
mod write;

use sayso_activity::Raw;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

pub use self::members::Members;
pub(crate) use self::stack::OPTIONS;
pub use self::stack::{DialogState, Instance, Shape};
pub(crate) use self::stack_cache::StackCache;

impl DialogState {
    /// Reads a stack in any SDK's format. The JavaScript format, which this crate writes by
    /// default, goes through the single-pass codec.
    pub(crate) fn read(raw: &Raw) -> Result<Self, serde_json::Error> {
        match plain::read(raw) {
            Some(state) => Ok(state),
            None => read::state(raw.get()?).map_err(<serde_json::Error as de::Error>::custom),
        }
    }

    /// Writes the stack in its format; the JavaScript format through the single-pass codec.
    pub(crate) fn to_raw(&self) -> Result<Raw, serde_json::Error> {
        if plain::fits(self) {
            return Ok(plain::write(self));
        }
        let mut whole = self.clone();
        whole.load_options();
        Raw::of(&write::state(&whole)?)
    }
}

impl<'de> Deserialize<'de> for DialogState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        Self::read(&raw).map_err(de::Error::custom)
    }
}

impl Serialize for DialogState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_raw().map_err(ser::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests;

//! State by reference: a document's properties as the author's own types, for the length of one
//! attempt.
//!
//! A property is parsed when it is first asked for and written back only if it changed, so reading
//! costs nothing at the end and properties that nobody touched are never even parsed.

use std::any::{Any, type_name};

use sayso_activity::Raw;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Bag, Key,
    document::RESERVED,
    versioned::{self, Newer, Unreadable},
};

/// What a type must be able to do to live in a bot's state.
///
/// It is implemented for everything that fits; derive `Default`, `Serialize` and `Deserialize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be kept as state",
    note = "derive `Default`, `serde::Serialize` and `serde::Deserialize` for it; it must also be `Send`, `Sync` and own its data"
)]
pub trait Property: Default + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Default + Serialize + DeserializeOwned + Send + Sync + 'static> Property for T {}

/// Why a property cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// What is stored does not fit the type.
    #[error("the property `{name}` of {key} does not fit the type it is read as")]
    Shape {
        /// The document.
        key: Key,
        /// The property.
        name: String,
        /// What does not fit.
        #[source]
        source: serde_json::Error,
    },
    /// A newer build wrote what is stored. The turn is refused, whatever the logic makes of this.
    #[error("the property `{name}` of {key} was written by a newer build")]
    Newer {
        /// The document.
        key: Key,
        /// The property.
        name: String,
        /// Which versions are meant.
        #[source]
        source: Newer,
    },
    /// Two types were used for one property in one turn.
    #[error("the property `{name}` of {key} is in use as another type in this turn")]
    Type {
        /// The document.
        key: Key,
        /// The property.
        name: String,
    },
    /// The name is empty or the runtime's own.
    #[error("a property cannot be named `{0}`: the name is empty or reserved")]
    Name(String),
    /// The activity lacks what the key is made of.
    #[error(transparent)]
    Key(#[from] crate::KeyError),
    /// The document could not be loaded.
    #[error(transparent)]
    Store(#[from] std::sync::Arc<crate::store::Error>),
}

/// One document's properties during a turn.
#[derive(Debug)]
pub struct State {
    key: Key,
    bag: Bag,
    live: Vec<Slot>,
    /// Something here was written by a newer build: this attempt cannot count.
    newer: Option<Newer>,
}

#[derive(Debug)]
struct Slot {
    name: String,
    value: Box<dyn Live>,
}

/// A parsed property whose type is known only to the one who asked for it.
trait Live: Send + Sync + std::fmt::Debug {
    fn to_raw(&self) -> Result<Raw, serde_json::Error>;
    /// What the value would be if nobody had changed it.
    fn unchanged(&self, before: Option<&Raw>) -> Result<Raw, serde_json::Error>;
    fn as_any(&mut self) -> &mut dyn Any;
}

struct Parsed<T>(T);

impl<T: Property> Live for Parsed<T> {
    fn to_raw(&self) -> Result<Raw, serde_json::Error> {
        Raw::of(&self.0)
    }

    fn unchanged(&self, before: Option<&Raw>) -> Result<Raw, serde_json::Error> {
        Raw::of(&before.map(Raw::get::<T>).transpose()?.unwrap_or_default())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

impl<T> std::fmt::Debug for Parsed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(type_name::<T>())
    }
}

impl State {
    pub(crate) fn new(key: Key, bag: Bag) -> Self {
        Self { key, bag, live: Vec::new(), newer: None }
    }

    /// The document's key.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The property named like the type `T`, without its path: `Order` for `pizza::Order`.
    ///
    /// # Errors
    /// When what is stored does not fit `T`.
    pub fn get<T: Property>(&mut self) -> Result<&mut T, StateError> {
        self.named(short_name::<T>())
    }

    /// The property of this name, `T::default()` when there is none.
    ///
    /// # Errors
    /// When what is stored does not fit `T`, the property is in use as another type, or the name is
    /// empty or reserved.
    pub fn named<T: Property>(&mut self, name: &str) -> Result<&mut T, StateError> {
        if name.is_empty() || name == RESERVED {
            return Err(StateError::Name(name.to_owned()));
        }
        let at = match self.live.iter().position(|slot| slot.name == name) {
            Some(at) => at,
            None => self.open::<T>(name)?,
        };
        let value = self.live.get_mut(at).and_then(|slot| slot.value.as_any().downcast_mut());
        value.ok_or_else(|| StateError::Type { key: self.key.clone(), name: name.to_owned() })
    }

    /// Takes the property named like the type `T` out of this turn's hands, to be
    /// [put](Self::put) back. Until then, and if that never happens, it is as it is stored.
    ///
    /// # Errors
    /// When what is stored does not fit `T`, or the property is in use as another type.
    pub fn take<T: Property>(&mut self) -> Result<T, StateError> {
        let name = short_name::<T>();
        let value = std::mem::take(self.named::<T>(name)?);
        self.live.retain(|slot| slot.name != name);
        Ok(value)
    }

    /// Sets the property named like the type `T`.
    pub fn put<T: Property>(&mut self, value: T) {
        let name = short_name::<T>();
        self.live.retain(|slot| slot.name != name);
        self.live.push(Slot { name: name.to_owned(), value: Box::new(Parsed(value)) });
    }

    /// A property as it is stored, for those who read it themselves; `None` when there is none, or
    /// when it is in use as a type in this turn.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&Raw> {
        let is_live = self.live.iter().any(|slot| slot.name == name);
        self.bag.get_raw(name).filter(|_| !is_live && name != RESERVED)
    }

    /// Sets a property to a JSON text, whatever it was in use as.
    ///
    /// # Errors
    /// When the name is empty or reserved.
    pub fn set_raw(&mut self, name: &str, raw: Raw) -> Result<(), StateError> {
        if name.is_empty() || name == RESERVED {
            return Err(StateError::Name(name.to_owned()));
        }
        self.live.retain(|slot| slot.name != name);
        self.bag.set_raw(name, raw);
        Ok(())
    }

    /// What was met here that a newer build wrote.
    pub(crate) fn newer(&self) -> Option<&Newer> {
        self.newer.as_ref()
    }

    /// Removes a property.
    pub fn remove(&mut self, name: &str) {
        self.live.retain(|slot| slot.name != name);
        drop(self.bag.remove(name));
    }

    /// Removes every property.
    pub fn clear(&mut self) {
        self.live.clear();
        self.bag = Bag::default();
    }

    fn open<T: Property>(&mut self, name: &str) -> Result<usize, StateError> {
        let value: T = match self.bag.get_raw(name) {
            None => T::default(),
            Some(raw) => versioned::read(raw).map_err(|error| {
                let (key, name) = (self.key.clone(), name.to_owned());
                match error {
                    Unreadable::Shape(source) => StateError::Shape { key, name, source },
                    Unreadable::Newer(source) => {
                        self.newer = Some(source.clone());
                        StateError::Newer { key, name, source }
                    }
                }
            })?,
        };
        self.live.push(Slot { name: name.to_owned(), value: Box::new(Parsed(value)) });
        Ok(self.live.len() - 1)
    }

    /// Writes back what changed and gives the bag.
    pub(crate) fn close(mut self) -> Result<(Key, Bag), serde_json::Error> {
        for Slot { name, value } in self.live {
            let after = value.to_raw()?;
            let before = self.bag.get_raw(&name);
            if before == Some(&after) {
                continue;
            }
            // The text may differ only because another writer lays JSON out differently or knows
            // members that `T` does not: what nobody changed stays as it came.
            if !self.bag.is_ours(&name) && value.unchanged(before)? == after {
                continue;
            }
            self.bag.set_raw(&name, after);
        }
        Ok((self.key, self.bag))
    }
}

/// The last part of a type's path, without parameters.
fn short_name<T>() -> &'static str {
    let path = type_name::<T>();
    let plain = path.split('<').next().unwrap_or(path);
    plain.rsplit(':').next().unwrap_or(plain)
}

//! Typed state: a document's properties as the author's own types, by reference, during one
//! attempt.
//!
//! A property is parsed on first access and written back only if it changed; properties that are
//! not accessed are never parsed.

mod name;

use std::{
    any::{Any, type_name},
    sync::Arc,
    time::Duration,
};

use sayso_activity::Raw;
use serde::{Serialize, de::DeserializeOwned};

use self::name::name_of;
use crate::{
    Bag, DocumentTtl, Key, KeyKind,
    document::RESERVED,
    property_owners::PropertyOwners,
    versioned::{self, Newer, Unreadable},
};

/// Trait bounds of a type that can be stored in a bot's state.
///
/// Implemented for every type that derives `Default`, `Serialize` and `Deserialize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be kept as state",
    note = "derive `Default`, `serde::Serialize` and `serde::Deserialize` for it; it must also be `Send`, `Sync` and own its data"
)]
pub trait Property: Default + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Default + Serialize + DeserializeOwned + Send + Sync + 'static> Property for T {}

/// Error of reading or writing a property.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The stored value does not fit the type.
    #[error("the property `{name}` of {key} does not fit the type it is read as")]
    Shape {
        /// Key of the document.
        key: Key,
        /// Name of the property.
        name: String,
        /// The error of the parser.
        #[source]
        source: serde_json::Error,
    },
    /// The stored value was written by a newer build. The turn is refused, even if the logic
    /// catches this error.
    #[error("the property `{name}` of {key} was written by a newer build")]
    Newer {
        /// Key of the document.
        key: Key,
        /// Name of the property.
        name: String,
        /// The versions.
        #[source]
        source: Newer,
    },
    /// Two types were used for one property in one turn.
    #[error("the property `{name}` of {key} is in use as another type in this turn")]
    Type {
        /// Key of the document.
        key: Key,
        /// Name of the property.
        name: String,
    },
    /// Two types, or two conversations, of one bot keep their state under one name: each would
    /// overwrite the other's.
    #[error(
        "two of this bot's own kinds of state are kept under the name `{name}`: `{first}` and \
         `{second}`; give one of them another name: `#[state(name = \"...\", version = 1)]` with \
         `#[derive(BotState)]` for a type, `.property(\"...\")` for a conversation"
    )]
    Clash {
        /// Name of the property.
        name: String,
        /// Owner of the name so far: the path of a type, or a conversation.
        first: String,
        /// The one that came later.
        second: String,
    },
    /// The type has no name of its own, such as a container.
    #[error(
        "`{type_path}` has no name of its own to be kept under, since every bot has many of it; \
         make it the field of a struct with a name, or name the property: \
         `turn.state().named::<...>(\"toppings\")?`"
    )]
    Unnamed {
        /// The type, with its path.
        type_path: &'static str,
    },
    /// The name is empty or reserved.
    #[error("a property cannot be named `{0}`: the name is empty or reserved")]
    Name(String),
    /// The activity lacks a part of the key.
    #[error(transparent)]
    Key(#[from] crate::KeyError),
    /// The document could not be loaded.
    #[error(transparent)]
    Store(#[from] Arc<crate::store::Error>),
}

impl StateError {
    fn clash(name: &str, first: String, second: &str) -> Self {
        Self::Clash { name: name.to_owned(), first, second: second.to_owned() }
    }
}

/// One document's properties during a turn.
#[derive(Debug)]
pub struct State {
    key: Key,
    bag: Bag,
    live: Vec<Slot>,
    /// Set when a value written by a newer build was met: the attempt is discarded.
    newer: Option<Newer>,
    /// Owners of the names in documents of this kind.
    owners: Option<(KeyKind, Arc<PropertyOwners>)>,
}

#[derive(Debug)]
struct Slot {
    name: String,
    value: Box<dyn Live>,
}

/// Type-erased parsed property.
trait Live: Send + Sync + std::fmt::Debug {
    fn to_raw(&self) -> Result<Raw, serde_json::Error>;
    /// Returns the TTL that its type declares, if the value was serialised just now.
    fn declared_ttl(&self) -> Option<Option<Duration>>;
    /// Serialises the value as it was before any change.
    fn unchanged(&self, before: Option<&Raw>) -> Result<Raw, serde_json::Error>;
    fn as_any(&mut self) -> &mut dyn Any;
}

struct Parsed<T>(T);

impl<T: Property> Live for Parsed<T> {
    fn to_raw(&self) -> Result<Raw, serde_json::Error> {
        Raw::of(&self.0)
    }

    fn declared_ttl(&self) -> Option<Option<Duration>> {
        versioned::declared::<T>()
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
        Self { key, bag, live: Vec::new(), newer: None, owners: None }
    }

    /// Has the names that types and conversations claim checked.
    pub(crate) fn check_owners(&mut self, kind: KeyKind, owners: &Arc<PropertyOwners>) {
        self.owners = Some((kind, Arc::clone(owners)));
    }

    /// Returns the owners of names in the bot's documents.
    pub(crate) fn owners(&self) -> Option<&Arc<PropertyOwners>> {
        self.owners.as_ref().map(|(_, owners)| owners)
    }

    /// Returns the document's key.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the property of the type `T`. It is named by `#[state(name = "order")]`, else like
    /// the type without its path: `Order` for `pizza::Order`.
    ///
    /// # Errors
    /// When the stored value does not fit `T`, another type of this bot has the same name, or `T`
    /// has no name of its own: `Vec`, `HashMap`, `String` and the like, see
    /// [`named`](Self::named).
    pub fn get<T: Property>(&mut self) -> Result<&mut T, StateError> {
        let name = self.own_name::<T>()?;
        self.named(name)
    }

    /// Name of the property that `T` is kept as.
    fn own_name<T: Property>(&self) -> Result<&'static str, StateError> {
        let path = type_name::<T>();
        let known = self.owners.as_ref().and_then(|(kind, owners)| owners.name_of(*kind, path));
        if let Some(name) = known {
            return Ok(name);
        }
        let name = name_of::<T>().ok_or(StateError::Unnamed { type_path: path })?;
        if let Some((kind, owners)) = &self.owners {
            let claimed = owners.claim_for_type(*kind, name, path);
            claimed.map_err(|first| StateError::clash(name, first, path))?;
        }
        Ok(name)
    }

    /// Claims a name of a property for an owner: a type by its path, or something that keeps its
    /// state under a name that its author chooses. Cheap enough for every turn.
    ///
    /// # Errors
    /// [`StateError::Clash`] when something else of this bot has claimed it before.
    #[doc(hidden)]
    pub fn claim(&self, name: &str, owner: &str) -> Result<(), StateError> {
        let Some((kind, owners)) = &self.owners else { return Ok(()) };
        owners.claim(*kind, name, owner).map_err(|first| StateError::clash(name, first, owner))
    }

    /// Returns the property of this name, `T::default()` when there is none.
    ///
    /// # Errors
    /// When the stored value does not fit `T`, the property is in use as another type, or the name
    /// is empty or reserved.
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

    /// Takes the property of the type `T` out of this turn's state, to be [put](Self::put)
    /// back. If that never happens, the stored value stays unchanged.
    ///
    /// # Errors
    /// When the stored value does not fit `T`, or the property is in use as another type.
    pub fn take<T: Property>(&mut self) -> Result<T, StateError> {
        let name = self.own_name::<T>()?;
        let value = std::mem::take(self.named::<T>(name)?);
        self.live.retain(|slot| slot.name != name);
        Ok(value)
    }

    /// Sets the property of the type `T`, which [`take`](Self::take) has given.
    ///
    /// # Panics
    /// When `T` has no name of its own, for which `take` is an error.
    pub fn put<T: Property>(&mut self, value: T) {
        let name = name_of::<T>().expect("what is put back was taken, and had a name");
        self.live.retain(|slot| slot.name != name);
        self.live.push(Slot { name: name.to_owned(), value: Box::new(Parsed(value)) });
    }

    /// Returns a property as stored JSON; `None` when there is none, or when it is in use as a type
    /// in this turn.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&Raw> {
        let is_live = self.live.iter().any(|slot| slot.name == name);
        self.bag.get_raw(name).filter(|_| !is_live && name != RESERVED)
    }

    /// Sets a property to a JSON text, even if it is in use as a type.
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

    /// Returns the value written by a newer build that was met, if any.
    pub(crate) fn newer(&self) -> Option<&Newer> {
        self.newer.as_ref()
    }

    /// Removes a property.
    pub fn remove(&mut self, name: &str) {
        self.live.retain(|slot| slot.name != name);
        drop(self.bag.remove(name));
    }

    /// Removes every property. A TTL that a turn has set stays.
    pub fn clear(&mut self) {
        self.live.clear();
        self.bag.clear();
    }

    /// Lets the document expire this long after its last turn, whatever its properties and the
    /// [`Ttl`](crate::Ttl) of its kind say. Durable with this turn; it counts on every instance and
    /// for later turns, until one of them changes it or the document is gone.
    ///
    /// A time below a minute counts as a minute. A document that something waits in (replies,
    /// timers, turns) does not expire.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{BotError, Turn};
    /// use std::time::Duration;
    ///
    /// const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    ///
    /// async fn goodbye(mut turn: Turn) -> Result<(), BotError> {
    ///     turn.state().expire_after(DAY);
    ///     turn.private_state().await?.expire_after(DAY);
    ///     turn.user_state().await?.never_expire();
    ///     turn.say("Bye!");
    ///     Ok(())
    /// }
    /// ```
    pub fn expire_after(&mut self, ttl: Duration) {
        self.bag.set_own_ttl(Some(DocumentTtl::after(ttl)));
    }

    /// Keeps the document for ever, whatever its properties and the kind of document say.
    pub fn never_expire(&mut self) {
        self.bag.set_own_ttl(Some(DocumentTtl::Never));
    }

    /// Leaves the TTL to the properties and the kind of document again.
    pub fn expire_by_default(&mut self) {
        self.bag.set_own_ttl(None);
    }

    /// Returns the TTL that a turn has set for the document, if one has.
    #[must_use]
    pub fn own_ttl(&self) -> Option<DocumentTtl> {
        self.bag.own_ttl()
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

    /// Writes back changed properties and returns the bag.
    pub(crate) fn close(mut self) -> Result<(Key, Bag), serde_json::Error> {
        for Slot { name, value } in self.live {
            let after = value.to_raw()?;
            let ttl = value.declared_ttl();
            let before = self.bag.get_raw(&name);
            // The text may differ only because another writer formats JSON differently or knows
            // members that `T` does not: an unchanged value keeps its text.
            let is_unchanged = before == Some(&after)
                || (!self.bag.is_ours(&name) && value.unchanged(before)? == after);
            if !is_unchanged {
                self.bag.set_raw(&name, after);
            }
            if let Some(ttl) = ttl {
                self.bag.declare(&name, ttl);
            }
        }
        Ok((self.key, self.bag))
    }
}

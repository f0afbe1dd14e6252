//! Owners of a bot's properties: the type or conversation that keeps each name, so that a second
//! one of the same name is noticed before it overwrites the first.
//!
//! Types are used where handlers name them, so the bot learns of one when it is used first.

use std::fmt;

use crate::{
    KeyKind,
    sync::{Mutex, lock},
};

/// Owners of the properties of one bot, by kind of document and name.
#[derive(Default)]
pub(crate) struct PropertyOwners(Mutex<Owners>);

#[derive(Default)]
struct Owners {
    all: Vec<Owned>,
    /// Types that have claimed their names: most turns use one of these.
    types: Vec<KnownType>,
}

struct Owned {
    kind: KeyKind,
    name: String,
    owner: String,
}

struct KnownType {
    kind: KeyKind,
    path: &'static str,
    name: &'static str,
}

impl PropertyOwners {
    /// Claims a name in a kind of document for an owner; fails with the owner that has it already.
    pub(crate) fn claim(&self, kind: KeyKind, name: &str, owner: &str) -> Result<(), String> {
        let all = &mut lock(&self.0).all;
        match all.iter().find(|owned| owned.kind == kind && owned.name == name) {
            Some(owned) if owned.owner == owner => Ok(()),
            Some(owned) => Err(owned.owner.clone()),
            None => {
                all.push(Owned { kind, name: name.to_owned(), owner: owner.to_owned() });
                Ok(())
            }
        }
    }

    /// Returns the name that a type has claimed, by the path of the type.
    pub(crate) fn name_of(&self, kind: KeyKind, path: &'static str) -> Option<&'static str> {
        // By address, which is quick; a path that has two is only claimed once more.
        let is_it = |known: &&KnownType| known.kind == kind && std::ptr::eq(known.path, path);
        lock(&self.0).types.iter().find(is_it).map(|known| known.name)
    }

    /// Claims a name for a type, as [`claim`](Self::claim) does, and remembers it.
    pub(crate) fn claim_for_type(
        &self,
        kind: KeyKind,
        name: &'static str,
        path: &'static str,
    ) -> Result<(), String> {
        self.claim(kind, name, path)?;
        lock(&self.0).types.push(KnownType { kind, path, name });
        Ok(())
    }
}

impl fmt::Debug for PropertyOwners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owners = lock(&self.0);
        f.debug_map().entries(owners.all.iter().map(|owned| (&owned.name, &owned.owner))).finish()
    }
}

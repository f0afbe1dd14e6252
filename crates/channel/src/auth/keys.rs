//! JSON Web Key Set (JWKS) of an issuer, with the endorsements of each key.

use std::collections::{BTreeMap, btree_map::Entry};

use jsonwebtoken::DecodingKey;
use serde::Deserialize;
use serde_json::Value;

/// A public key with the issuer's metadata.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) decoding: DecodingKey,
    /// The only algorithm that it is for, if the issuer names one.
    pub(super) algorithm: Option<jsonwebtoken::Algorithm>,
    /// Endorsements: ids of the channels whose activities it may sign for.
    pub(super) endorsements: Vec<String>,
}

/// The keys of an issuer by id (`kid`). `None` marks an id that two keys share, which is ambiguous.
#[derive(Debug)]
pub(super) struct Keys(BTreeMap<String, Option<Key>>);

impl Keys {
    /// Keeps the keys that can verify a signature here, and leaves out the others.
    pub(super) fn of(set: KeySet) -> Self {
        let mut keys = BTreeMap::new();
        for (kid, key) in set.keys.into_iter().filter_map(read) {
            match keys.entry(kid) {
                Entry::Vacant(free) => drop(free.insert(Some(key))),
                Entry::Occupied(mut taken) => drop(taken.insert(None)),
            }
        }
        Self(keys)
    }

    pub(super) fn get(&self, kid: &str) -> Option<&Key> {
        self.0.get(kid)?.as_ref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The key set as published. A key that cannot be parsed must not hide the others.
#[derive(Deserialize)]
pub(super) struct KeySet {
    pub(super) keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Published {
    kty: String,
    kid: String,
    n: String,
    e: String,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    #[serde(default)]
    endorsements: Vec<String>,
}

fn read(key: Value) -> Option<(String, Key)> {
    let key: Published = serde_json::from_value(key).ok()?;
    if key.kty != "RSA" || key.purpose.is_some_and(|purpose| purpose != "sig") {
        return None;
    }
    let algorithm = match key.alg {
        Some(name) => Some(name.parse().ok()?),
        None => None,
    };
    let decoding = DecodingKey::from_rsa_components(&key.n, &key.e).ok()?;
    Some((key.kid, Key { decoding, algorithm, endorsements: key.endorsements }))
}

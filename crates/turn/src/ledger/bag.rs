//! Property bag: names and JSON values, in order, each value kept as text until it is read.

use std::{fmt, sync::Arc, time::Duration};

use sayso_activity::{Raw, json::write_string};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor},
};
use smol_str::SmolStr;

use super::{DocumentTtl, Lifetime};

/// Property bag: JSON values by name. Cloning does not copy values.
///
/// # Example
/// ```
/// use sayso_turn::Bag;
///
/// let mut bag = Bag::from_json(r#"{"count": 1, "name": "Ada"}"#)?;
/// assert_eq!(bag.get::<u32>("count")?, Some(1));
/// bag.set("count", &2)?;
/// assert_eq!(bag.to_json(), r#"{"count":2,"name":"Ada"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Bag {
    properties: Vec<Member>,
    /// TTL of the document's own; it is stored in the ledger.
    lifetime: Option<Arc<Lifetime>>,
}

#[derive(Clone)]
struct Member {
    name: SmolStr,
    raw: Raw,
    /// True if this process wrote the text, so that writing the same value returns the same text.
    is_ours: bool,
}

impl Bag {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// When the text is not a JSON object.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        // The parser's own error would show the value, which may be user text.
        if !text.trim_ascii_start().starts_with('{') {
            return Err(serde_json::Error::custom("expected a JSON object"));
        }
        serde_json::from_str(text)
    }

    /// Writes a JSON object.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(self.bytes() + 2);
        text.push('{');
        self.write_members(&mut text);
        text.push('}');
        text
    }

    /// Reads a property, `None` when there is none.
    ///
    /// # Errors
    /// When the property does not have the shape of `T`.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, serde_json::Error> {
        self.get_raw(name).map(Raw::get).transpose()
    }

    /// Returns a property as stored.
    #[must_use]
    pub fn get_raw(&self, name: &str) -> Option<&Raw> {
        self.member(name).map(|member| &member.raw)
    }

    /// Reports whether this process wrote the property's text.
    pub(crate) fn is_ours(&self, name: &str) -> bool {
        self.member(name).is_some_and(|member| member.is_ours)
    }

    fn member(&self, name: &str) -> Option<&Member> {
        self.properties.iter().find(|member| &*member.name == name)
    }

    /// Sets a property.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn set<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), serde_json::Error> {
        self.set_raw(name, Raw::of(value)?);
        Ok(())
    }

    /// Sets a property to a JSON text.
    pub fn set_raw(&mut self, name: &str, raw: Raw) {
        match self.properties.iter_mut().find(|member| &*member.name == name) {
            Some(member) => (member.raw, member.is_ours) = (raw, true),
            None => self.properties.push(Member { name: name.into(), raw, is_ours: true }),
        }
    }

    /// Removes a property and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Raw> {
        let at = self.properties.iter().position(|member| &*member.name == name)?;
        self.declare(name, None);
        Some(self.properties.remove(at).raw)
    }

    /// Reports whether the bag has no properties.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Returns the properties in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.properties.iter().map(|member| (&*member.name, &member.raw))
    }

    /// Removes every property.
    pub(crate) fn clear(&mut self) {
        self.properties.clear();
        if self.lifetime.is_some() {
            self.change_lifetime(|lifetime| lifetime.of.clear());
        }
    }

    /// Returns the TTL that a turn has set for the document, if one has.
    #[must_use]
    pub fn own_ttl(&self) -> Option<DocumentTtl> {
        self.lifetime.as_ref()?.own
    }

    /// Returns the TTL of the document, given that of its kind: what a turn has set for it, else
    /// the longest of its properties', of which those without one have that of the kind. `None`
    /// means for ever.
    #[must_use]
    pub fn ttl(&self, of_kind: Option<Duration>) -> Option<Duration> {
        match &self.lifetime {
            None => of_kind,
            Some(lifetime) => lifetime.ttl(self.iter().map(|(name, _)| name), of_kind),
        }
    }

    /// Sets the TTL of the document, or leaves it to its properties and its kind.
    pub(crate) fn set_own_ttl(&mut self, own: Option<DocumentTtl>) {
        if self.own_ttl() != own {
            self.change_lifetime(|lifetime| lifetime.own = own);
        }
    }

    /// Sets the TTL that the type of a property declares, if there is such a property.
    pub(crate) fn declare(&mut self, name: &str, ttl: Option<Duration>) {
        let ttl = ttl.map(|ttl| ttl.as_secs());
        let known = self.lifetime.as_ref().and_then(|lifetime| lifetime.of.get(name)).copied();
        if known != ttl && self.member(name).is_some() {
            self.change_lifetime(|lifetime| match ttl {
                Some(ttl) => drop(lifetime.of.insert(name.into(), ttl)),
                None => drop(lifetime.of.remove(name)),
            });
        }
    }

    fn change_lifetime(&mut self, change: impl FnOnce(&mut Lifetime)) {
        let mut lifetime = self.lifetime.take().unwrap_or_default();
        change(Arc::make_mut(&mut lifetime));
        self.lifetime = Some(lifetime).filter(|lifetime| !lifetime.is_empty());
    }

    /// Returns the bag as another process reads it.
    pub(crate) fn read_again(&self) -> Self {
        let mut bag = Self::from_json(&self.to_json()).expect("a bag can read what it writes");
        bag.set_lifetime(self.lifetime.clone());
        bag
    }

    /// Returns the TTL of the document's own, to be stored.
    #[doc(hidden)]
    #[must_use]
    pub fn lifetime(&self) -> Option<&Arc<Lifetime>> {
        self.lifetime.as_ref()
    }

    /// Sets the TTL of the document's own, as it was stored.
    pub(super) fn set_lifetime(&mut self, lifetime: Option<Arc<Lifetime>>) {
        self.lifetime = lifetime;
    }

    /// Approximate size of the members as JSON, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let lifetime = self.lifetime.as_ref().map_or(0, |lifetime| lifetime.bytes());
        let properties = self.iter().map(|(name, raw)| name.len() + raw.as_str().len() + 4);
        lifetime + properties.sum::<usize>()
    }

    /// Writes `"name":value,...` without the braces.
    pub(crate) fn write_members(&self, text: &mut String) {
        for (index, (name, raw)) in self.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            write_string(text, name);
            text.push(':');
            text.push_str(raw.as_str());
        }
    }
}

impl PartialEq for Bag {
    fn eq(&self, other: &Self) -> bool {
        // What types declare is stored with the next change, and is none by itself.
        self.iter().eq(other.iter()) && self.own_ttl() == other.own_ttl()
    }
}

impl Eq for Bag {}

impl fmt::Debug for Bag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names only: values may be user text.
        f.debug_list().entries(self.iter().map(|(name, _)| name)).finish()
    }
}

impl<'de> Deserialize<'de> for Bag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Bag;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bag, A::Error> {
        let mut properties: Vec<Member> = Vec::new();
        while let Some((name, raw)) = map.next_entry::<SmolStr, Raw>()? {
            if properties.iter().any(|member| member.name == name) {
                return Err(A::Error::custom("a property occurs twice"));
            }
            properties.push(Member { name, raw, is_ours: false });
        }
        Ok(Bag { properties, lifetime: None })
    }
}

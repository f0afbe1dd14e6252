//! Time to live (TTL) of one document: what a turn has set, and what the types of its properties
//! declare.
//!
//! Types live together in a document, and the document goes as a whole. So its TTL is the longest
//! of its properties', where a property without one has that of the document's kind: nothing goes
//! earlier than any of its types allows. What a turn has set for the document goes before that.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// TTL that a turn has set for one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentTtl {
    /// It never expires.
    Never,
    /// It expires this long after its last turn. Kept in whole seconds.
    After(#[serde(with = "seconds")] Duration),
}

impl DocumentTtl {
    /// The shortest TTL that a turn can set: a minute.
    ///
    /// A document is also the memory of the messages that were handled, which a channel may send
    /// again; and one that has expired must be found before its time is doubted.
    pub const MIN: Duration = Duration::from_secs(60);
    /// The longest TTL that a turn can set: about a hundred years.
    pub const MAX: Duration = Duration::from_secs(36_500 * 24 * 60 * 60);

    /// Makes one of a duration, between the shortest and the longest, in whole seconds.
    pub(crate) fn after(ttl: Duration) -> Self {
        let up = u64::from(ttl.subsec_nanos() > 0);
        let ttl = Duration::from_secs(ttl.as_secs().saturating_add(up));
        Self::After(ttl.clamp(Self::MIN, Self::MAX))
    }

    /// Returns the duration; `None` for a document that never expires.
    #[must_use]
    pub fn duration(self) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::After(ttl) => Some(ttl),
        }
    }
}

/// TTL of a document's own, as it is stored. Most documents have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifetime {
    /// TTL that a turn has set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<DocumentTtl>,
    /// TTLs of those properties whose types declare one, in seconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub of: BTreeMap<SmolStr, u64>,
}

impl Lifetime {
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_none() && self.of.is_empty()
    }

    /// Approximate size as JSON, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let of: usize = self.of.keys().map(|name| name.len() + 14).sum();
        48 + of
    }

    /// TTL of a document with these properties; `None` if it never expires.
    pub(super) fn ttl<'a>(
        &self,
        properties: impl Iterator<Item = &'a str>,
        of_kind: Option<Duration>,
    ) -> Option<Duration> {
        if let Some(own) = self.own {
            return own.duration();
        }
        let mut longest = None;
        for name in properties {
            let ttl = self.of.get(name).map(|seconds| Duration::from_secs(*seconds)).or(of_kind)?;
            longest = longest.max(Some(ttl));
        }
        longest.or(of_kind)
    }
}

/// Whole seconds as a number.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(ttl: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(ttl.as_secs())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_secs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn lifetime(own: Option<DocumentTtl>, of: &[(&str, u64)]) -> Lifetime {
        let days = |(name, days): &(&str, u64)| ((*name).into(), days * DAY.as_secs());
        Lifetime { own, of: of.iter().map(days).collect() }
    }

    #[test]
    fn a_document_lives_as_long_as_the_property_that_lives_longest() {
        let order = lifetime(None, &[("Order", 1), ("Basket", 3), ("Gone", 900)]);
        let ttl = |names: &[&str], of_kind: Option<u32>| {
            order.ttl(names.iter().copied(), of_kind.map(|days| days * DAY))
        };
        assert_eq!(ttl(&["Order"], None), Some(DAY));
        assert_eq!(ttl(&["Order"], Some(7)), Some(DAY), "what declares less goes sooner");
        assert_eq!(ttl(&["Order", "Basket"], Some(7)), Some(3 * DAY));
        assert_eq!(ttl(&["Order", "DialogState"], Some(7)), Some(7 * DAY));
        assert_eq!(ttl(&["Basket", "DialogState"], Some(2)), Some(3 * DAY));
        assert_eq!(ttl(&["DialogState", "Order"], None), None, "a property is kept for ever");
        assert_eq!(ttl(&[], Some(7)), Some(7 * DAY));
    }

    #[test]
    fn what_a_turn_has_set_goes_before_the_properties_and_the_kind() {
        for (own, wanted) in [
            (DocumentTtl::Never, None),
            (DocumentTtl::After(2 * DAY), Some(2 * DAY)),
            (DocumentTtl::after(Duration::ZERO), Some(DocumentTtl::MIN)),
            (DocumentTtl::after(Duration::from_millis(90_001)), Some(Duration::from_secs(91))),
            (DocumentTtl::after(Duration::MAX), Some(DocumentTtl::MAX)),
        ] {
            let lifetime = lifetime(Some(own), &[("Order", 30)]);
            assert_eq!(lifetime.ttl(["Order"].into_iter(), Some(7 * DAY)), wanted, "{own:?}");
        }
    }
}

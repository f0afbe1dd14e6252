//! Records of two-phase commit: prepare records in further documents, commit records in
//! conversations.

use std::sync::Arc;

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};

use super::{Bag, Lifetime};

/// Prepare record: a change that applies if the deciding write commits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// Id of the deciding write.
    pub id: String,
    /// Key of the document that decides.
    pub by: String,
    /// Revision that the deciding write replaces.
    pub rev: u64,
    /// The new properties.
    pub bag: Raw,
    /// The new TTL of the document's own; without one it stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Arc<Lifetime>>,
}

impl Prepared {
    /// Makes the TTL to prepare for a change of properties.
    pub(crate) fn ttl(before: &Bag, after: &Bag) -> Option<Arc<Lifetime>> {
        match (before.lifetime(), after.lifetime()) {
            (None, None) => None,
            (Some(_), None) => Some(Arc::default()),
            (_, Some(after)) => Some(Arc::clone(after)),
        }
    }

    /// Returns the properties as they are after the change.
    pub(crate) fn after(&self, before: &Bag) -> Result<Bag, serde_json::Error> {
        let mut bag = Bag::from_json(self.bag.as_str())?;
        let lifetime = self.ttl.as_ref().or_else(|| before.lifetime());
        bag.set_lifetime(lifetime.filter(|lifetime| !lifetime.is_empty()).cloned());
        Ok(bag)
    }
}

/// Commit record: a write that decided about other documents.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// Id of the deciding write.
    pub id: String,
    /// The other documents, each with the revision under which its change was prepared.
    pub documents: Vec<(String, u64)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::DocumentTtl;

    fn bag(own: Option<DocumentTtl>) -> Bag {
        let mut bag = Bag::from_json(r#"{"count":1}"#).unwrap();
        bag.set_own_ttl(own);
        bag
    }

    #[test]
    fn a_prepared_change_is_one_of_the_ttl_too_unless_an_older_build_has_prepared_it() {
        let never = Some(DocumentTtl::Never);
        for (before, after) in [(None, never), (never, None), (never, never), (None, None)] {
            let (before, after) = (bag(before), bag(after));
            let mut prepared = Prepared {
                id: "gone.1".into(),
                by: "c".into(),
                rev: 0,
                bag: Raw::from_text(after.to_json()).unwrap(),
                ttl: Prepared::ttl(&before, &after),
            };
            let stored = serde_json::to_string(&prepared).unwrap();
            prepared = serde_json::from_str(&stored).unwrap();
            assert_eq!(prepared.after(&before).unwrap().own_ttl(), after.own_ttl(), "{stored}");
            prepared.ttl = None;
            assert_eq!(prepared.after(&before).unwrap().own_ttl(), before.own_ttl(), "{stored}");
        }
    }
}

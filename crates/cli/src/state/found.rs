//! Reading documents: parsed, absent, or damaged with the reason.

use sayso::{
    DocumentTtl,
    turn::{
        Key,
        clock::{Clock as _, SystemClock, Timestamp},
        document::Document,
        store::{ETag, Error, Expect, Store, Stored, Write},
    },
};

use super::{json, patience::patiently};

/// Result of reading a key.
#[derive(Debug)]
pub(super) enum Looked {
    Absent,
    Found(Box<Found>),
    /// Not ours, or damaged. It is left alone.
    Damaged {
        /// One sentence.
        reason: String,
        /// Its version, where the store could tell.
        etag: Option<ETag>,
    },
}

/// A document and the text that it was read from.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) key: Key,
    pub(super) body: String,
    pub(super) etag: ETag,
    pub(super) document: Document,
}

/// Reads and parses a document.
pub(super) async fn look(store: &dyn Store, key: &Key) -> Result<Looked, Error> {
    match patiently(|| store.load(key)).await {
        Ok(None) => Ok(Looked::Absent),
        Ok(Some(Stored { body, etag })) => Ok(match Found::new(key, body, etag.clone()) {
            Ok(found) => Looked::Found(Box::new(found)),
            Err(reason) => Looked::Damaged { reason, etag: Some(etag) },
        }),
        Err(error @ Error::Corrupt { .. }) => {
            Ok(Looked::Damaged { reason: error.to_string(), etag: None })
        }
        Err(error) => Err(error),
    }
}

/// Current time of the system clock.
pub(super) fn now() -> Timestamp {
    SystemClock::new().now()
}

impl Found {
    /// Parses a document; the error is one sentence.
    pub(super) fn new(key: &Key, body: String, etag: ETag) -> Result<Self, String> {
        let document = Document::parse(key, &body).map_err(|error| error.to_string())?;
        Ok(Self { key: key.clone(), body, etag, document })
    }

    /// Returns the write of an exact copy, with the times and the participants that belong to it.
    pub(super) fn write(&self, expect: Expect) -> Write {
        Write {
            key: self.key.clone(),
            expect,
            body: self.body.clone(),
            due: self.document.ledger.due(),
            expires: self.document.ledger.expires,
            participants: self.document.ledger.participants.hint(&self.key),
        }
    }

    /// Reports whether it has expired, so that the runtime takes it for absent.
    pub(super) fn is_expired(&self) -> bool {
        // A build that does not know TTLs of documents dates them all.
        let is_dated = self.document.bag.own_ttl() != Some(DocumentTtl::Never);
        is_dated && self.document.ledger.expires.is_some_and(|at| at <= now())
    }

    /// Compares both bodies as JSON: a layout of another SDK may space or order members
    /// differently.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        json::is_same(&self.body, &other.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Found {
        Found::new(&Key::new("k").unwrap(), body.to_owned(), ETag::new("1")).unwrap()
    }

    #[test]
    fn a_copy_carries_when_it_is_due_and_when_it_expires() {
        let body = r#"{"$sayso":{"v":1,"expires":9,"timers":[{"id":"t","at":7,"activity":{}}]}}"#;
        let write = found(body).write(Expect::Absent);
        assert_eq!(write.due, Some(Timestamp::from_millis(7)));
        assert_eq!(write.expires, Some(Timestamp::from_millis(9)));
        assert!(found(body).is_expired());
        assert!(!found("{}").is_expired());
    }
}

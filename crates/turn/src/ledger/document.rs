//! Stored document: a property bag as the Bot Framework SDKs write it, and the ledger beside it.
//!
//! All metadata of the runtime is under one reserved property, `$sayso`. A document of another SDK
//! lacks it and is read as one without turns. Serialisation happens here: a store gets text.

use super::{Bag, Ledger};
use crate::{Key, store::Error};

/// Reserved property of the runtime's metadata.
pub const RESERVED: &str = "$sayso";

/// Stored document: properties and ledger.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The bot's properties.
    pub bag: Bag,
    /// The runtime's metadata.
    pub ledger: Ledger,
}

impl Document {
    /// Parses a stored text.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when it is not a document, or has a newer format. The stored text is left
    /// unchanged.
    pub fn parse(key: &Key, body: &str) -> Result<Self, Error> {
        let corrupt = |reason: String| Error::Corrupt { key: key.clone(), reason };
        let mut bag = Bag::from_json(body).map_err(|error| corrupt(error.to_string()))?;
        let ledger = match bag.remove(RESERVED) {
            Some(raw) => {
                let (ledger, lifetime) = Ledger::parse(&raw).map_err(corrupt)?;
                bag.set_lifetime(lifetime);
                ledger
            }
            None => Ledger::of_another_sdk(),
        };
        Ok(Self { bag, ledger })
    }

    /// Approximate size of the document as JSON, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bag.bytes() + self.ledger.bytes()
    }

    /// Serialises the document, in one pass over parts that are text already.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(self.bytes());
        text.push('{');
        self.bag.write_members(&mut text);
        if !self.bag.is_empty() {
            text.push(',');
        }
        text.push_str("\"$sayso\":");
        self.ledger.write(self.bag.lifetime(), &mut text);
        text.push('}');
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ledger::DocumentTtl;

    fn key() -> Key {
        Key::new("k").unwrap()
    }

    #[test]
    fn properties_of_other_sdks_and_unknown_ledger_members_survive() {
        let body = r#"{"DialogState":{"$type":"x","dialogStack":[1.0,1e400]},"é\n":null,"$sayso":{"v":1,"turn":3,"write":"w","seen":"","later":{"a":[1]}}}"#;
        let document = Document::parse(&key(), body).unwrap();
        assert_eq!(document.ledger.turn, 3);
        let again = document.to_json();
        assert!(again.contains(r#""later":{"a":[1]}"#), "{again}");
        assert!(again.contains(r#"{"$type":"x","dialogStack":[1.0,1e400]}"#), "{again}");
        let twice = Document::parse(&key(), &again).unwrap();
        assert_eq!(twice.to_json(), again);
        assert!(twice.bag.get_raw("é\n").is_some());
    }

    #[test]
    fn the_ttl_of_a_document_is_a_member_of_the_ledger_that_most_documents_lack() {
        let mut document = Document::parse(&key(), r#"{"Order":{},"n":1}"#).unwrap();
        assert!(!document.to_json().contains("ttl"));
        document.bag.declare("Order", Some(Duration::from_secs(60)));
        document.bag.declare("None", Some(Duration::from_secs(60)));
        document.bag.set_own_ttl(Some(DocumentTtl::after(Duration::from_secs(90))));
        let body = document.to_json();
        assert!(body.contains(r#""ttl":{"own":{"after":90},"of":{"Order":60}}"#), "{body}");
        let mut again = Document::parse(&key(), &body).unwrap();
        assert_eq!(again.to_json(), body);
        again.bag.set_own_ttl(None);
        assert_eq!(again.bag.ttl(None), None, "`n` has none");
        drop(again.bag.remove("n"));
        assert_eq!(again.bag.ttl(None), Some(Duration::from_secs(60)));
        drop(again.bag.remove("Order"));
        assert!(!again.to_json().contains("ttl"));
    }

    #[test]
    fn a_newer_format_or_a_damaged_text_is_refused() {
        let newer = Document::parse(&key(), r#"{"$sayso":{"v":2}}"#).unwrap_err().to_string();
        assert!(newer.contains("newer"), "{newer}");
        for body in ["", "[]", "{", "null", r#"{"$sayso":7}"#, r#"{"$sayso":{"v":1,"seen":"abc"}}"#]
        {
            assert!(matches!(Document::parse(&key(), body), Err(Error::Corrupt { .. })), "{body}");
        }
    }

    #[test]
    fn an_error_does_not_repeat_what_is_stored() {
        let error = Document::parse(&key(), r#""said in private""#).unwrap_err().to_string();
        assert!(error.contains("expected a JSON object") && !error.contains("private"), "{error}");
    }

    #[test]
    fn what_cannot_be_ids_is_refused_before_it_is_written_between_quotes() {
        for id in [r#"\"bcdefghijklmnop"#, r"\\bcdefghijklmnop", r"\nbcdefghijklmnop", "éééééééé"]
        {
            let body = format!(r#"{{"$sayso":{{"v":1,"seen":"{id}"}}}}"#);
            assert!(matches!(Document::parse(&key(), &body), Err(Error::Corrupt { .. })), "{body}");
        }
        let body = r#"{"$sayso":{"v":1,"seen":"-_09azAZijklmnop"}}"#;
        assert_eq!(Document::parse(&key(), body).unwrap().ledger.seen.len(), 1);
    }
}

//! ETags of documents: the one of Cosmos DB, and the item's id where it is not ours.

use sayso_turn::store::ETag;

/// The content of an ETag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// The ETag of Cosmos DB.
    pub(super) etag: String,
    /// The id of the item when another SDK gave it one of its own.
    pub(super) other_id: Option<String>,
}

impl Version {
    /// Parses an ETag; `None` when this store never gave it. Above all `*` is refused: Cosmos DB
    /// takes it for any version.
    pub(super) fn of(etag: &ETag, may_have_other_id: bool) -> Option<Self> {
        let (text, other_id) = match etag.as_str().split_once(' ') {
            Some((text, id)) if may_have_other_id => (text, Some(id.to_owned())),
            _ => (etag.as_str(), None),
        };
        let is_one = !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'*' && byte != b',');
        is_one.then(|| Self { etag: text.to_owned(), other_id })
    }

    pub(super) fn to_etag(&self) -> ETag {
        match &self.other_id {
            Some(id) => ETag::new(format!("{} {id}", self.etag)),
            None => ETag::new(self.etag.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_and_an_id_are_read_back() {
        for other_id in [None, Some("a b/*".to_owned())] {
            let version = Version { etag: "\"0-1\"".into(), other_id };
            assert_eq!(Version::of(&version.to_etag(), true), Some(version));
        }
    }

    #[test]
    fn an_etag_with_a_meaning_of_its_own_to_cosmos_is_refused() {
        for text in ["", "*", "\"*\"", "\"1\", \"2\"", "\"1\",\"2\"", "a\nb", "žluť", "a b"] {
            assert_eq!(Version::of(&ETag::new(text), false), None, "{text}");
        }
    }
}

//! Names in Redis: documents, shards (hash tags) and the indexes of a shard.
//!
//! A document and the index that knows when it is due change together, in one script. On a cluster
//! a script may touch one slot only, so the documents are spread over a fixed number of shards, and
//! the names of a shard share a hash tag: `sayso:{s7}:d:webchat/conversations/c1`,
//! `sayso:{s7}:waiting`.

use std::sync::Arc;

use sayso_turn::Key;

/// The number of shards. It is part of the layout: another number finds other names.
pub(super) const SHARDS: usize = 64;

/// The names of one store.
#[derive(Clone, Debug)]
pub(super) struct Names {
    prefix: Arc<str>,
    /// The prefix of the documents of each shard.
    documents: Arc<[String]>,
}

/// A shard: names with one hash tag, and so in one hash slot of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard(usize);

impl Shard {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..SHARDS).map(Self)
    }

    /// The first shard, for calls that are about no document.
    pub(super) const FIRST: Self = Self(0);

    pub(super) fn of(key: &Key) -> Self {
        // FNV-1a: tiny, and the same for ever.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in key.as_str().bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // The low bits alone are the weakest.
        let folded = usize::try_from((hash ^ (hash >> 32)) & 0xffff_ffff).unwrap_or_default();
        Self(folded % SHARDS)
    }

    /// A shard for a call that may go to any; another one for the next number.
    pub(super) fn any(number: usize) -> Self {
        Self(number % SHARDS)
    }

    pub(super) fn number(self) -> usize {
        self.0
    }

    /// A name in the same hash slot as everything of this shard.
    pub(super) fn tag(self) -> String {
        format!("{{s{}}}", self.0)
    }
}

impl Names {
    /// Names with a prefix. The configuration has checked it: it holds no brace and no wildcard.
    pub(super) fn new(prefix: &str) -> Self {
        let documents = Shard::all().map(|shard| format!("{prefix}:{}:d:", shard.tag()));
        Self { prefix: prefix.into(), documents: documents.collect() }
    }

    /// Name of a document, which is a hash of `etag` and `body`.
    pub(super) fn document(&self, key: &Key) -> String {
        let mut name = String::new();
        self.write_document(key, &mut name);
        name
    }

    /// Overwrites a text with the name of a document.
    pub(super) fn write_document(&self, key: &Key, name: &mut String) {
        let beginning = self.documents(Shard::of(key));
        name.clear();
        name.reserve(beginning.len() + key.as_str().len());
        name.push_str(beginning);
        name.push_str(key.as_str());
    }

    /// The prefix of all documents of a shard.
    pub(super) fn documents(&self, shard: Shard) -> &str {
        self.documents.get(shard.0).map_or("", String::as_str)
    }

    /// Name of the sorted set by time: documents that become due some day.
    pub(super) fn waiting(&self, shard: Shard) -> String {
        format!("{}:{}:waiting", self.prefix, shard.tag())
    }

    /// Name of the mark that a load writes when it waits for replicas.
    pub(super) fn mark(&self, shard: Shard) -> String {
        format!("{}:{}:mark", self.prefix, shard.tag())
    }

    /// Name of the sorted set by key: documents that were found due and may still be.
    pub(super) fn ready(&self, shard: Shard) -> String {
        format!("{}:{}:ready", self.prefix, shard.tag())
    }

    /// A pattern for the documents whose keys have a prefix, of one shard or of all. It may match
    /// more than these: [`key_of`](Self::key_of) tells.
    pub(super) fn pattern(&self, shard: Option<Shard>, beginning: &str) -> String {
        let tag = shard.map_or_else(|| "{s*}".to_owned(), Shard::tag);
        let mut pattern = format!("{}:{tag}:d:", self.prefix);
        for char in beginning.chars() {
            if matches!(char, '*' | '?' | '[' | ']' | '\\') {
                pattern.push('\\');
            }
            pattern.push(char);
        }
        pattern.push('*');
        pattern
    }

    /// The key of a document with this name; `None` for a foreign name.
    pub(super) fn key_of(&self, name: &[u8]) -> Option<Key> {
        let rest = std::str::from_utf8(name).ok()?.strip_prefix(&*self.prefix)?;
        let (_, key) = rest.strip_prefix(":{s")?.split_once("}:d:")?;
        let key = Key::new(key).ok()?;
        (self.document(&key).as_bytes() == name).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn key(text: &str) -> Key {
        Key::new(text).unwrap()
    }

    #[test]
    fn a_name_tells_its_key() {
        let names = Names::new("sayso");
        for text in ["a", "{x}", "}:d:", "}:d:a", "s1}:d:x", "\0", "é", "a:b", "{", "*"] {
            let name = names.document(&key(text));
            assert_eq!(names.key_of(name.as_bytes()), Some(key(text)), "{name}");
        }
        let name = names.document(&key("a"));
        assert_eq!(Names::new("say").key_of(name.as_bytes()), None);
        assert_eq!(names.key_of(name.replace("{s", "{t").as_bytes()), None);
        let shard = Shard::of(&key("a"));
        let other = Shard::all().find(|other| *other != shard).unwrap();
        assert_eq!(names.key_of(format!("{}a", names.documents(other)).as_bytes()), None);
        assert_eq!(names.key_of(names.documents(shard).as_bytes()), None, "no empty key");
        assert_eq!(names.key_of(b"sayso:{s1}:d:\xff"), None);
    }

    /// Pins the layout: a document written today is looked for under the same name tomorrow.
    #[test]
    fn names_never_change() {
        let names = Names::new("sayso");
        for (text, name) in [
            ("webchat/conversations/c1", "sayso:{s52}:d:webchat/conversations/c1"),
            ("msteams/users/29:1", "sayso:{s29}:d:msteams/users/29:1"),
            ("a", "sayso:{s0}:d:a"),
        ] {
            assert_eq!(names.document(&key(text)), name);
        }
        let shard = Shard::of(&key("a"));
        assert_eq!(names.waiting(shard), "sayso:{s0}:waiting");
        assert_eq!(names.ready(shard), "sayso:{s0}:ready");
    }

    #[test]
    fn keys_spread_over_the_shards() {
        let mut counts = BTreeMap::<usize, usize>::new();
        for number in 0..64_000 {
            let key = Key::conversation("webchat", &format!("c{number}")).unwrap();
            *counts.entry(Shard::of(&key).number()).or_default() += 1;
        }
        assert_eq!(counts.len(), SHARDS);
        assert!(counts.values().all(|count| (700..1_300).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_pattern_takes_the_beginning_as_text() {
        let names = Names::new("sayso");
        assert_eq!(names.pattern(None, "a*[b]?\\é"), "sayso:{s*}:d:a\\*\\[b\\]\\?\\\\é*");
        assert_eq!(names.pattern(Some(Shard(3)), ""), "sayso:{s3}:d:*");
    }
}

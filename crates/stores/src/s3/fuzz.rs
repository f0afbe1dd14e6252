//! Checks of the names for the fuzz target `names`.

use sayso_turn::clock::Timestamp;

use super::names::{Cut, Marker, Names};
use crate::fuzz::pair::Pair;

pub(crate) fn names(keys: &Pair) {
    let names = Names::new("sayso");
    let marker = Marker { at: Timestamp::from_millis(7), write: "a.1".to_owned() };
    for key in keys.each() {
        let name = names.document(key);
        let read = names.key_of(&name).expect("a name of ours");
        assert!(read.as_ref() == Ok(key) || read == Err(Cut), "{name}");
        assert!(name.starts_with(&names.documents(keys.beginning())), "{name} is not found");

        let marked = names.marker(key, &marker);
        let listed = names.marked(&marked).expect("a marker of ours");
        assert!(listed.marker == marker && listed.key.is_none_or(|read| read == *key), "{marked}");
        // Many servers keep objects in files.
        let is_file = |part: &str| (1..=255).contains(&part.len()) && part != "." && part != "..";
        assert!(name.split('/').all(is_file) && marked.split('/').all(is_file), "{name}, {marked}");
    }
    keys.check_distinct(|key| names.document(key));
    keys.check_distinct(|key| names.marker(key, &marker));
}

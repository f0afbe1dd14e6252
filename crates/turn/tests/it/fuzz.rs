//! Replay of the fuzzer's corpora as ordinary tests.

use sayso_turn::{activity::fuzz::replay, fuzz};

#[test]
fn whatever_is_stored_is_refused_or_kept_whole() {
    replay("document", fuzz::document);
}

#[test]
fn a_bag_changes_only_where_it_was_changed() {
    replay("bag", fuzz::bag);
}

#[test]
fn keys_of_different_parts_differ() {
    replay("key", fuzz::key);
}

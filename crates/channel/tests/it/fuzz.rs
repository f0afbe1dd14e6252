//! Replays the fuzzer's corpus on every run.

use sayso_channel::fuzz;
use sayso_turn::activity::fuzz::replay;

#[test]
fn whatever_a_channel_answers_has_a_verdict() {
    replay("connector", fuzz::connector);
}

#[test]
fn whatever_an_activity_names_a_reply_goes_where_it_may() {
    replay("address", fuzz::address);
}

#[test]
fn whatever_is_in_the_header_one_good_token_is_taken_or_none() {
    replay("bearer", fuzz::bearer);
}

#[test]
fn whatever_a_token_says_it_says_it_to_everybody_and_no_forgery_is_verified() {
    replay("jwt", fuzz::jwt);
}

#[test]
fn whatever_an_issuer_publishes_only_its_own_keys_for_signatures_count() {
    replay("jwks", fuzz::jwks);
}

#[test]
fn whatever_metadata_says_it_sends_nobody_inside() {
    replay("openid", fuzz::openid);
}

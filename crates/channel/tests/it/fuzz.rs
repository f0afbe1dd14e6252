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

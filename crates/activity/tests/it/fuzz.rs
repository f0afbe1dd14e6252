//! Regression tests from the fuzzer: the corpora are replayed on every run.

use sayso_activity::fuzz;

#[test]
fn whatever_body_comes_is_refused_or_kept_whole() {
    fuzz::replay("activity", fuzz::activity);
}

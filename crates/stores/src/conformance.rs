//! The contract of [`Store`](sayso_turn::store::Store), as tests that every engine must pass.
//!
//! Each check is a function over a store and stands for one claim.
//! [`conformance!`](crate::conformance!) makes a test of each of them. Every check works under a
//! key prefix of its own, so all may run at the same time on one shared server, and again on the
//! same server later.
//!
//! # Example
//! ```
//! mod memory {
//!     use std::sync::Arc;
//!
//!     use sayso_turn::store::{MemoryStore, Store};
//!
//!     async fn make() -> (Arc<dyn Store>, ()) {
//!         (Arc::new(MemoryStore::default()), ())
//!     }
//!
//!     sayso_stores::conformance!(make());
//! }
//! # fn main() {
//! #     use sayso_stores::conformance::{conditions, run};
//! #     run(async {
//! #         let store = std::sync::Arc::new(sayso_turn::store::MemoryStore::default());
//! #         conditions::one_of_many_creators_wins(store).await;
//! #     });
//! # }
//! ```
#![doc = include_str!("../CONFORMANCE.md")]

pub mod bodies;
pub mod conditions;
pub mod costs;
pub mod deletes;
pub mod dues;
pub mod keys;
pub mod lists;
pub mod model;
pub mod outcomes;
pub mod participants;
mod scene;
pub mod stats;
pub mod transactions;

use std::{future::Future, time::Duration};

/// The time limit of one check.
pub const CHECK_MAX: Duration = Duration::from_secs(240);

/// Runs a check on a runtime of its own, within [`CHECK_MAX`].
///
/// # Panics
/// If the check panics or does not end in time.
pub fn run(check: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .expect("a runtime starts");
    runtime.block_on(async {
        tokio::time::timeout(CHECK_MAX, check).await.expect("the check ends within CHECK_MAX");
    });
}

/// Makes one `#[test]` of every check, for one engine.
///
/// The argument is an expression that is evaluated anew for each test. It is a future that gives
/// `(Arc<dyn Store>, guard)`: the store is under test, the guard is dropped after the test (a
/// temporary folder, a server; `()` when there is nothing to keep).
///
/// `cases` and `operations` say how many random sequences of calls, and of about what length, are
/// compared with a model; without them it is 64 sequences of about 60 calls.
#[macro_export]
macro_rules! conformance {
    ($maker:expr) => {
        $crate::conformance!($maker, cases: 64, operations: 60);
    };
    ($maker:expr, cases: $cases:expr, operations: $operations:expr) => {
        $crate::conformance! { @tests $maker;
            bodies {
                a_body_comes_back_as_it_was_saved,
                a_document_of_one_mebibyte_is_kept,
                a_missing_document_is_none,
                body_and_etag_are_of_one_answer,
            }
            conditions {
                a_changed_document_has_another_etag,
                a_create_over_a_document_conflicts,
                a_save_at_a_missing_document_creates_nothing,
                a_stale_etag_changes_nothing,
                an_etag_never_comes_back,
                foreign_etags_match_nothing,
                increments_by_many_writers_all_count,
                one_of_many_creators_wins,
            }
            costs {
                pages_of_a_look_do_not_grow_with_what_is_not_due,
            }
            deletes {
                a_delete_at_a_stale_etag_changes_nothing,
                a_deleted_document_is_gone,
                a_document_made_anew_refuses_the_etags_of_its_former_life,
                a_missing_document_cannot_be_deleted,
                one_of_many_deleters_wins,
            }
            dues {
                a_delete_or_a_save_without_a_time_ends_the_wait,
                a_look_goes_on_while_time_does,
                a_save_replaces_the_time,
                an_etag_of_due_is_the_current_one,
                pages_of_due_name_each_document_once,
                what_is_due_is_named_from_its_time_on,
            }
            keys {
                keys_are_bytes_and_never_normalised,
                keys_of_every_alphabet_stand_side_by_side,
                keys_with_an_odd_beginning_are_kept,
                long_keys_are_never_cut,
            }
            lists {
                a_long_list_is_whole,
                a_prefix_is_text_and_no_pattern,
            }
            outcomes {
                a_dropped_delete_happened_or_did_not,
                a_dropped_save_happened_whole_or_not_at_all,
            }
            participants {
                a_deleted_document_is_nobodys,
                a_long_lookup_is_whole,
                a_save_without_participants_leaves_them,
                saves_at_the_same_time_tell_theirs,
                whoever_takes_part_is_found,
            }
            stats {
                each_call_is_counted_once,
            }
            transactions {
                a_conflict_in_one_write_undoes_the_others,
                a_dropped_transaction_happened_whole_or_not_at_all,
                a_transaction_writes_all_with_etags_in_order,
                a_transaction_sets_and_clears_the_times,
                an_empty_transaction_commits,
                transfers_in_both_directions_keep_the_sum,
            }
        }

        #[test]
        fn any_sequence_of_calls_answers_as_the_model_does() {
            $crate::conformance::run(async {
                let (store, guard) = $maker.await;
                $crate::conformance::model::any_sequence_of_calls_answers_as_the_model_does(
                    store,
                    $cases,
                    $operations,
                )
                .await;
                drop(guard);
            });
        }
    };
    (@tests $maker:expr; $($module:ident { $($check:ident,)* })*) => {
        $($(
            #[test]
            fn $check() {
                $crate::conformance::run(async {
                    let (store, guard) = $maker.await;
                    $crate::conformance::$module::$check(store).await;
                    drop(guard);
                });
            }
        )*)*
    };
}

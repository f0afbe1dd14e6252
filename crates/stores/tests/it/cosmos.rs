//! Cosmos DB: the conformance suite, and tests of this engine alone, on the emulator or on an
//! account of yours.

#[cfg(test)]
mod containers;
#[cfg(test)]
mod costs;
#[cfg(test)]
mod input;
#[cfg(test)]
mod items;
#[cfg(test)]
mod layouts;
#[cfg(test)]
mod scene;

mod one {
    use crate::cosmos::scene::{config, make};

    sayso_stores::conformance!(make(config()), cases: 64, operations: 40);
}

mod kind {
    use sayso_stores::cosmos::Containers;

    use crate::cosmos::scene::{config, make};

    sayso_stores::conformance!(
        make(config().containers(Containers::Kind)),
        cases: 8,
        operations: 40
    );
}

mod tenant {
    use sayso_stores::cosmos::Containers;

    use crate::cosmos::scene::{config, make};

    sayso_stores::conformance!(
        make(config().containers(Containers::Tenant)),
        cases: 8,
        operations: 40
    );
}

/// Another layout changes names and shapes, not the contract. Only a body that the other SDK could
/// not read is refused, so the check that saves such bodies is left out.
mod js {
    use sayso_stores::{
        Layout,
        conformance::{bodies, conditions, deletes, dues, keys, lists, model, outcomes, run},
    };

    use crate::cosmos::scene::{config, make};

    macro_rules! checks {
        ($($module:ident::$check:ident,)*) => {$(
            #[test]
            fn $check() {
                run(async {
                    let (store, ()) = make(config().layout(Layout::Js)).await;
                    $module::$check(store).await;
                });
            }
        )*};
    }

    checks! {
        bodies::a_document_of_one_mebibyte_is_kept,
        bodies::body_and_etag_are_of_one_answer,
        conditions::an_etag_never_comes_back,
        conditions::foreign_etags_match_nothing,
        conditions::increments_by_many_writers_all_count,
        conditions::one_of_many_creators_wins,
        deletes::a_document_made_anew_refuses_the_etags_of_its_former_life,
        deletes::one_of_many_deleters_wins,
        dues::a_look_goes_on_while_time_does,
        dues::pages_of_due_name_each_document_once,
        dues::what_is_due_is_named_from_its_time_on,
        keys::keys_are_bytes_and_never_normalised,
        keys::keys_of_every_alphabet_stand_side_by_side,
        keys::long_keys_are_never_cut,
        lists::a_long_list_is_whole,
        lists::a_prefix_is_text_and_no_pattern,
        outcomes::a_dropped_save_happened_whole_or_not_at_all,
    }

    #[test]
    fn any_sequence_of_calls_answers_as_the_model_does() {
        run(async {
            let (store, ()) = make(config().layout(Layout::Js)).await;
            model::any_sequence_of_calls_answers_as_the_model_does(store, 8, 40).await;
        });
    }
}

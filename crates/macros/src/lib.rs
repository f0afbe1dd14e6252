//! Derive macros of Sayso, in a crate of their own because Rust demands that of procedural macros.
//!
//! Use them through the crates that define their traits: `sayso_turn::BotState` and
//! `sayso_dialog::States`, or both from `sayso`. Each exists twice here, because a macro cannot
//! know which crate its caller depends on: one for callers of the parts, one (`Facade...`) for
//! callers of `sayso` alone, which exports it under the plain name.

mod bot_state;
mod root;
mod states;

use proc_macro::TokenStream;
use root::Root;

/// Derives versioned state: a version in the stored form, upcasters from older versions, and a
/// fence against newer ones. See the trait of the same name.
#[proc_macro_derive(BotState, attributes(state, serde))]
pub fn bot_state(input: TokenStream) -> TokenStream {
    expand(input, Root::Parts, bot_state::expand)
}

/// [`BotState`](macro@BotState) for those who depend on `sayso`.
#[proc_macro_derive(FacadeBotState, attributes(state, serde))]
pub fn facade_bot_state(input: TokenStream) -> TokenStream {
    expand(input, Root::Facade, bot_state::expand)
}

/// Derives a state machine: each variant of an enum calls its handler. See the trait of the same
/// name.
#[proc_macro_derive(States, attributes(handler))]
pub fn states(input: TokenStream) -> TokenStream {
    expand(input, Root::Parts, states::expand)
}

/// [`States`](macro@States) for those who depend on `sayso`.
#[proc_macro_derive(FacadeStates, attributes(handler))]
pub fn facade_states(input: TokenStream) -> TokenStream {
    expand(input, Root::Facade, states::expand)
}

fn expand(
    input: TokenStream,
    root: Root,
    with: fn(&syn::DeriveInput, Root) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    let expanded = syn::parse(input).and_then(|input| with(&input, root));
    expanded.unwrap_or_else(|error| error.into_compile_error()).into()
}

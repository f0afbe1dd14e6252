//! Under which name the caller has the runtime.

use proc_macro2::TokenStream;
use quote::quote;

/// What the caller depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Root {
    /// `sayso-turn` and `sayso-dialog`.
    Parts,
    /// `sayso`, which has both.
    Facade,
}

impl Root {
    /// The room of [`BotState`](macro@crate::BotState) in the engine.
    pub(crate) fn versioned(self) -> TokenStream {
        match self {
            Self::Parts => quote!(::sayso_turn::versioned),
            Self::Facade => quote!(::sayso::turn::versioned),
        }
    }

    /// The room of [`States`](macro@crate::States) among the dialogs.
    pub(crate) fn states(self) -> TokenStream {
        match self {
            Self::Parts => quote!(::sayso_dialog::states),
            Self::Facade => quote!(::sayso::dialog::states),
        }
    }
}

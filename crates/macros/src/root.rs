//! Paths of the runtime in generated code.

use proc_macro2::TokenStream;
use quote::quote;

/// The crate that the caller depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Root {
    /// `sayso-turn` and `sayso-dialog`.
    Parts,
    /// `sayso`, which has both.
    Facade,
}

impl Root {
    /// The engine.
    pub(crate) fn turn(self) -> TokenStream {
        match self {
            Self::Parts => quote!(::sayso_turn),
            Self::Facade => quote!(::sayso::turn),
        }
    }

    /// The dialogs.
    pub(crate) fn dialog(self) -> TokenStream {
        match self {
            Self::Parts => quote!(::sayso_dialog),
            Self::Facade => quote!(::sayso::dialog),
        }
    }
}

//! `#[derive(BotState)]`: a twin of the type that serde knows how to write, and around it the
//! version.
//!
//! The twin carries the caller's `#[serde(...)]` attributes and nothing else. It is a remote
//! definition (`#[serde(remote = "...")]`): it reads and writes the caller's type and never exists
//! at run time.

mod settings;
mod twin;

#[cfg(test)]
mod tests;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{DeriveInput, GenericParam, Generics, parse_quote, spanned::Spanned};

use crate::root::Root;
use settings::{Settings, Upcaster};
use twin::Twin;

pub(crate) fn expand(input: &DeriveInput, root: Root) -> syn::Result<TokenStream> {
    refuse_lifetimes(&input.generics)?;
    let engine = root.turn();
    let room = quote!(#engine::versioned);
    let settings = Settings::of(input)?;
    let twin = Twin::of(input, &room)?;
    let state = implement_state(input, &room, &settings, &twin);
    let serde = implement_serde(input, &room);
    let definition = &twin.definition;
    Ok(quote! {
        #[doc(hidden)]
        #[allow(dead_code, deprecated, clippy::all, clippy::pedantic, clippy::restriction)]
        const _: () = {
            #definition
            #state
            #serde
        };
    })
}

fn implement_state(
    input: &DeriveInput,
    room: &TokenStream,
    settings: &Settings,
    twin: &Twin,
) -> TokenStream {
    let (ident, version, is_wrapped) = (&input.ident, settings.version, twin.is_wrapped);
    let name = ident.to_string();
    let generics = with_bounds(&input.generics, room);
    let (impl_generics, ty_generics, bounds) = generics.split_for_impl();
    let twin_path = twin.path(&input.generics);
    let steps = settings.upcasters.iter().map(|Upcaster { from, with }| {
        // Errors in the function's signature are shown at its name.
        let span = Span::call_site().located_at(with.span());
        quote_spanned!(span=> #from => #room::private::step(#with, value),)
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #room::BotState for #ident #ty_generics #bounds {
            const NAME: &'static str = #name;
            const VERSION: u32 = #version;
            const IS_WRAPPED: bool = #is_wrapped;

            fn upcast(
                from: u32,
                value: #room::private::Value,
            ) -> ::core::result::Result<#room::private::Value, #room::private::BotError> {
                match from {
                    #(#steps)*
                    _ => #room::private::no_step::<Self>(from, value),
                }
            }

            fn write_fields<__S: #room::private::serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #twin_path::serialize(self, serializer)
            }

            fn read_fields<'de, __D: #room::private::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                #twin_path::deserialize(deserializer)
            }
        }
    }
}

fn implement_serde(input: &DeriveInput, room: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let generics = with_bounds(&input.generics, room);
    let (impl_generics, ty_generics, bounds) = generics.split_for_impl();
    let mut reading = generics.clone();
    reading.params.insert(0, parse_quote!('de));
    let (impl_reading, _, _) = reading.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #room::private::serde::Serialize for #ident #ty_generics #bounds {
            fn serialize<__S: #room::private::serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #room::private::write(self, serializer)
            }
        }

        #[automatically_derived]
        impl #impl_reading #room::private::serde::Deserialize<'de> for #ident #ty_generics #bounds {
            fn deserialize<__D: #room::private::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                #room::private::read(deserializer)
            }
        }
    }
}

/// State outlives the turn that made it, so it borrows nothing.
fn refuse_lifetimes(generics: &Generics) -> syn::Result<()> {
    match generics.lifetimes().next() {
        None => Ok(()),
        Some(lifetime) => Err(syn::Error::new_spanned(
            lifetime,
            "state owns its data: a type with a lifetime cannot be BotState",
        )),
    }
}

/// What a type parameter stands for must be able to be stored too.
fn with_bounds(generics: &Generics, room: &TokenStream) -> Generics {
    let mut generics = generics.clone();
    for param in &mut generics.params {
        if let GenericParam::Type(param) = param {
            param.bounds.push(parse_quote!(#room::private::serde::Serialize));
            param.bounds.push(parse_quote!(#room::private::serde::de::DeserializeOwned));
            param.default = None;
        }
    }
    generics
}

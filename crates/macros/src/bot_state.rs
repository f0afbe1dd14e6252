//! `#[derive(BotState)]`: serde's implementations for the fields, and the version around them.
//!
//! The fields are read and written by a remote definition (`#[serde(remote = "...")]`): a copy of
//! the type that carries the caller's `#[serde(...)]` attributes and nothing else. It never exists
//! at run time.

mod remote;
mod settings;

#[cfg(test)]
mod tests;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{DeriveInput, GenericParam, Generics, parse_quote, spanned::Spanned};

use crate::root::Root;
use remote::RemoteDefinition;
use settings::{Settings, Upcaster};

pub(crate) fn expand(input: &DeriveInput, root: Root) -> syn::Result<TokenStream> {
    refuse_lifetimes(&input.generics)?;
    let engine = root.turn();
    let versioned = quote!(#engine::versioned);
    let settings = Settings::of(input)?;
    let remote = RemoteDefinition::of(input, &versioned)?;
    let state = implement_state(input, &versioned, &settings, &remote);
    let serde = implement_serde(input, &versioned);
    let definition = &remote.definition;
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
    versioned: &TokenStream,
    settings: &Settings,
    remote: &RemoteDefinition,
) -> TokenStream {
    let (ident, version, is_wrapped) = (&input.ident, settings.version, remote.is_wrapped);
    let name = settings.name.clone().unwrap_or_else(|| ident.to_string());
    let fixed_name = settings.name.as_ref().map(|name| {
        quote! {
            const FIXED_NAME: ::core::option::Option<&'static str> =
                ::core::option::Option::Some(#name);
        }
    });
    let generics = with_bounds(&input.generics, versioned);
    let (impl_generics, ty_generics, bounds) = generics.split_for_impl();
    let ttl = settings.ttl.map(|seconds| {
        quote! {
            const TTL: ::core::option::Option<::core::time::Duration> =
                ::core::option::Option::Some(::core::time::Duration::from_secs(#seconds));
        }
    });
    let remote_path = remote.path(&input.generics);
    let steps = settings.upcasters.iter().map(|Upcaster { from, with }| {
        // Errors in the function's signature are shown at its name.
        let span = Span::call_site().located_at(with.span());
        quote_spanned!(span=> #from => #versioned::private::step(#with, value),)
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #versioned::BotState for #ident #ty_generics #bounds {
            const NAME: &'static str = #name;
            #fixed_name
            const VERSION: u32 = #version;
            const IS_WRAPPED: bool = #is_wrapped;
            #ttl

            fn upcast(
                from: u32,
                value: #versioned::private::Value,
            ) -> ::core::result::Result<#versioned::private::Value, #versioned::private::BotError> {
                match from {
                    #(#steps)*
                    _ => #versioned::private::no_step::<Self>(from, value),
                }
            }

            fn write_fields<__S: #versioned::private::serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #remote_path::serialize(self, serializer)
            }

            fn read_fields<'de, __D: #versioned::private::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                #remote_path::deserialize(deserializer)
            }
        }
    }
}

fn implement_serde(input: &DeriveInput, versioned: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let generics = with_bounds(&input.generics, versioned);
    let (impl_generics, ty_generics, bounds) = generics.split_for_impl();
    let mut reading = generics.clone();
    reading.params.insert(0, parse_quote!('de));
    let (impl_reading, _, _) = reading.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #versioned::private::serde::Serialize for #ident #ty_generics #bounds {
            fn serialize<__S: #versioned::private::serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #versioned::private::write(self, serializer)
            }
        }

        #[automatically_derived]
        impl #impl_reading #versioned::private::serde::Deserialize<'de>
            for #ident #ty_generics #bounds
        {
            fn deserialize<__D: #versioned::private::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                #versioned::private::read(deserializer)
            }
        }
    }
}

/// Refuses lifetimes: state outlives the turn that made it, so it borrows nothing.
fn refuse_lifetimes(generics: &Generics) -> syn::Result<()> {
    match generics.lifetimes().next() {
        None => Ok(()),
        Some(lifetime) => Err(syn::Error::new_spanned(
            lifetime,
            "state owns its data: a type with a lifetime cannot be BotState",
        )),
    }
}

/// Adds the bound that each type parameter can be stored, too.
fn with_bounds(generics: &Generics, versioned: &TokenStream) -> Generics {
    let mut generics = generics.clone();
    for param in &mut generics.params {
        if let GenericParam::Type(param) = param {
            param.bounds.push(parse_quote!(#versioned::private::serde::Serialize));
            param.bounds.push(parse_quote!(#versioned::private::serde::de::DeserializeOwned));
            param.default = None;
        }
    }
    generics
}

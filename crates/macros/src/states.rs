//! `#[derive(States)]`: the match that calls each variant's handler.

#[cfg(test)]
mod tests;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Data, DeriveInput, Field, Fields, Path, Token, Variant,
    parse::{Parse, ParseStream},
    spanned::Spanned,
};

use crate::root::Root;

/// The handler that is called for a variant.
enum Handler {
    /// `#[handler(size)]`: `size(turn, fields...)`.
    Function(Path),
    /// `#[handler(self.size)]`: `state.size(turn)`.
    Method(Ident),
}

pub(crate) fn expand(input: &DeriveInput, root: Root) -> syn::Result<TokenStream> {
    let (ident, engine, dialog) = (&input.ident, root.turn(), root.dialog());
    let Data::Enum(data) = &input.data else {
        let message = "States is derived for an enum: one variant for each state";
        return Err(syn::Error::new_spanned(ident, message));
    };
    if data.variants.is_empty() {
        let message = format!("`{ident}` has no variant, so a conversation could be in no state");
        return Err(syn::Error::new_spanned(ident, message));
    }
    // All errors are reported at once: an author who adds three variants learns of three handlers.
    let mut arms = Vec::with_capacity(data.variants.len());
    let mut wrong: Option<syn::Error> = None;
    for variant in &data.variants {
        match arm(variant) {
            Ok(arm) => arms.push(arm),
            Err(error) => match &mut wrong {
                Some(wrong) => wrong.combine(error),
                None => wrong = Some(error),
            },
        }
    }
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let (impl_generics, ty_generics, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics #dialog::States for #ident #ty_generics #bounds {
            async fn step(
                self,
                __turn: &mut #engine::Turn,
            ) -> ::core::result::Result<Self, #engine::BotError> {
                match self { #(#arms)* }
            }
        }
    })
}

fn arm(variant: &Variant) -> syn::Result<TokenStream> {
    let name = &variant.ident;
    // Errors of the generated call are reported at the handler's name, which the author wrote.
    let (pattern, call, span) = match handler(variant)? {
        Handler::Function(path) => {
            let (pattern, values) = bind_fields(&variant.fields);
            let span = located_at_call(path.span());
            let call = quote_spanned!(span=> #path(__turn, #(#values),*).await);
            (quote!(Self::#name #pattern), call, span)
        }
        Handler::Method(method) => {
            let span = located_at_call(method.span());
            let call = quote_spanned!(span=> __state.#method(__turn).await);
            (quote!(__state @ Self::#name { .. }), call, span)
        }
    };
    Ok(quote_spanned! {span=>
        #pattern => {
            let __next: ::core::result::Result<Self, _> = #call;
            __next.map_err(::core::convert::Into::into)
        }
    })
}

/// A span that is shown at this place, and that linters recognise as generated code.
fn located_at_call(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// A pattern that binds the fields, and the bound names in order of declaration.
fn bind_fields(fields: &Fields) -> (TokenStream, Vec<Ident>) {
    // A type mismatch is reported at the field.
    let value = |(at, field): (usize, &Field)| {
        format_ident!("__field_{at}", span = located_at_call(field.ty.span()))
    };
    let values: Vec<Ident> = fields.iter().enumerate().map(value).collect();
    let pattern = match fields {
        Fields::Named(named) => {
            let names = named.named.iter().map(|field| &field.ident);
            quote!({ #(#names: #values),* })
        }
        Fields::Unnamed(_) => quote!((#(#values),*)),
        Fields::Unit => TokenStream::new(),
    };
    (pattern, values)
}

fn handler(variant: &Variant) -> syn::Result<Handler> {
    let mut all = variant.attrs.iter().filter(|attr| attr.path().is_ident("handler"));
    let name = &variant.ident;
    let Some(first) = all.next() else {
        let message =
            format!("the state `{name}` has no handler: write `#[handler(function)]` above it");
        return Err(syn::Error::new_spanned(name, message));
    };
    if let Some(second) = all.next() {
        let message = format!("the state `{name}` has two handlers; one is called");
        return Err(syn::Error::new_spanned(second, message));
    }
    first.parse_args()
}

impl Parse for Handler {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![self]) && input.peek2(Token![.]) {
            input.parse::<Token![self]>()?;
            input.parse::<Token![.]>()?;
            return Ok(Self::Method(input.parse()?));
        }
        Ok(Self::Function(input.parse()?))
    }
}

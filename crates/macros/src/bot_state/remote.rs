//! Remote definition for serde: a copy of the type with the same `#[serde(...)]` attributes.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Field, Fields, Generics, ext::IdentExt, spanned::Spanned};

/// Serde's remote definition of the caller's type.
#[derive(Debug)]
pub(super) struct RemoteDefinition {
    ident: Ident,
    pub(super) definition: TokenStream,
    /// True if serde may write something else than an object of the fields.
    pub(super) is_wrapped: bool,
}

/// The container attributes of `#[serde(...)]` that matter here.
#[derive(Debug, Default)]
struct ContainerAttributes {
    is_renamed: bool,
    is_transparent: bool,
}

impl RemoteDefinition {
    pub(super) fn of(input: &DeriveInput, versioned: &TokenStream) -> syn::Result<Self> {
        let container = ContainerAttributes::of(&input.attrs)?;
        let ident = format_ident!("__Stored{}", input.ident.unraw());
        let attributes = attributes(input, versioned, &container);
        let generics = &input.generics;
        let (impl_generics, ty_generics, bounds) = generics.split_for_impl();
        let original = &input.ident;
        let myself = quote!(#original #ty_generics);
        let (body, is_wrapped) = match &input.data {
            Data::Struct(data) => {
                let fields = fields(&data.fields, &myself)?;
                let is_object =
                    matches!(data.fields, Fields::Named(_)) && !container.is_transparent;
                let body = match &data.fields {
                    Fields::Named(_) => quote!(struct #ident #impl_generics #bounds #fields),
                    _ => quote!(struct #ident #impl_generics #fields #bounds;),
                };
                (body, !is_object)
            }
            Data::Enum(data) => {
                let variants = data.variants.iter().map(|variant| {
                    let (name, serde) = (&variant.ident, serde_only(&variant.attrs));
                    let fields = fields(&variant.fields, &myself)?;
                    Ok(quote!(#(#serde)* #name #fields))
                });
                let variants = variants.collect::<syn::Result<Vec<_>>>()?;
                (quote!(enum #ident #impl_generics #bounds { #(#variants),* }), true)
            }
            Data::Union(data) => {
                let message = "a union cannot be state: nobody knows which of its fields is in use";
                return Err(syn::Error::new(data.union_token.span(), message));
            }
        };
        Ok(Self { ident, definition: quote!(#attributes #body), is_wrapped })
    }

    /// The path to the functions of the definition.
    pub(super) fn path(&self, generics: &Generics) -> TokenStream {
        let (ident, (_, ty_generics, _)) = (&self.ident, generics.split_for_impl());
        let turbofish = ty_generics.as_turbofish();
        quote!(#ident #turbofish)
    }
}

impl ContainerAttributes {
    fn of(attrs: &[Attribute]) -> syn::Result<Self> {
        let mut container = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
            attr.parse_nested_meta(|meta| {
                let refused = ["from", "try_from", "into", "remote", "crate"];
                if let Some(word) = refused.iter().find(|word| meta.path.is_ident(word)) {
                    return Err(meta.error(format!(
                        "`#[serde({word})]` on the type does not go together with BotState; it can \
                         stand on a type inside of it"
                    )));
                }
                container.is_renamed |= meta.path.is_ident("rename");
                container.is_transparent |= meta.path.is_ident("transparent");
                skip_value(&meta)
            })?;
        }
        Ok(container)
    }
}

/// Skips `= value` or `(...)`, which serde will parse.
fn skip_value(meta: &syn::meta::ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<TokenStream>()?;
    }
    Ok(())
}

fn attributes(
    input: &DeriveInput,
    versioned: &TokenStream,
    container: &ContainerAttributes,
) -> TokenStream {
    let (ident, serde) = (&input.ident, serde_only(&input.attrs));
    // Serde takes paths as text, and the type parameters from the definition.
    let remote = ident.to_string();
    let serde_path = quote!(#versioned::private::serde).to_string().replace(' ', "");
    let name = ident.unraw().to_string();
    // A tagged struct writes its name, which must be the caller's.
    let rename = (!container.is_renamed).then(|| quote!(#[serde(rename = #name)]));
    quote! {
        #[derive(#versioned::private::serde::Serialize, #versioned::private::serde::Deserialize)]
        #[serde(crate = #serde_path, remote = #remote)]
        #rename
        #(#serde)*
    }
}

fn serde_only(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("serde"))
}

/// The fields with their braces or parentheses.
fn fields(fields: &Fields, myself: &TokenStream) -> syn::Result<TokenStream> {
    let each = fields.iter().map(|field| one_field(field, myself));
    let each = each.collect::<syn::Result<Vec<_>>>()?;
    Ok(match fields {
        Fields::Named(_) => quote!({ #(#each),* }),
        Fields::Unnamed(_) => quote!((#(#each),*)),
        Fields::Unit => TokenStream::new(),
    })
}

fn one_field(field: &Field, myself: &TokenStream) -> syn::Result<TokenStream> {
    for attr in serde_only(&field.attrs) {
        if attr.to_token_stream().to_string().contains("\"$version\"") {
            let message =
                "the member `$version` is where the version is kept: name the field otherwise";
            return Err(syn::Error::new_spanned(attr, message));
        }
    }
    let (serde, name) = (serde_only(&field.attrs), &field.ident);
    let kind = without_self(field.ty.to_token_stream(), myself);
    let colon = field.colon_token;
    Ok(quote!(#(#serde)* #name #colon #kind))
}

/// Replaces `Self`, which would name the definition, by the caller's type.
fn without_self(tokens: TokenStream, myself: &TokenStream) -> TokenStream {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => myself.clone(),
        TokenTree::Group(group) => {
            let inside = without_self(group.stream(), myself);
            TokenTree::from(Group::new(group.delimiter(), inside)).into()
        }
        other => other.into(),
    });
    each.collect()
}

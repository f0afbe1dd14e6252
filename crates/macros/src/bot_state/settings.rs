//! `#[state(version = 3, upcast(1 = from_v1, 2 = from_v2))]`.

use syn::{
    DeriveInput, LitInt, Path, Token,
    meta::ParseNestedMeta,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

/// Arguments of `#[state(...)]`.
pub(super) struct Settings {
    pub(super) version: u32,
    /// One for each older version, in order.
    pub(super) upcasters: Vec<Upcaster>,
}

/// The function that makes the next version of an older one.
pub(super) struct Upcaster {
    pub(super) from: u32,
    pub(super) with: Path,
}

impl Settings {
    pub(super) fn of(input: &DeriveInput) -> syn::Result<Self> {
        let mut version = None;
        let mut upcasters = Vec::new();
        for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("state")) {
            attr.parse_nested_meta(|meta| read(&meta, &mut version, &mut upcasters))?;
        }
        let Some(version) = version else {
            let ident = &input.ident;
            let message =
                format!("`{ident}` has no version: write `#[state(version = 1)]` above it");
            return Err(syn::Error::new_spanned(ident, message));
        };
        let upcasters = one_for_each(&version, upcasters)?;
        Ok(Self { version: version.base10_parse()?, upcasters })
    }
}

fn read(
    meta: &ParseNestedMeta<'_>,
    version: &mut Option<LitInt>,
    upcasters: &mut Vec<(LitInt, Path)>,
) -> syn::Result<()> {
    if meta.path.is_ident("version") {
        if version.is_some() {
            return Err(meta.error("the version is given twice"));
        }
        let given: LitInt = meta.value()?.parse()?;
        if given.base10_parse::<u32>()? == 0 {
            return Err(syn::Error::new_spanned(given, "the first version is 1"));
        }
        *version = Some(given);
        return Ok(());
    }
    if meta.path.is_ident("upcast") {
        let content;
        syn::parenthesized!(content in meta.input);
        let given = Punctuated::<Pair, Token![,]>::parse_terminated(&content)?;
        upcasters.extend(given.into_iter().map(|Pair(from, with)| (from, with)));
        return Ok(());
    }
    Err(meta.error("there are `version = 3` and `upcast(1 = function, 2 = function)`"))
}

/// `1 = from_v1`.
struct Pair(LitInt, Path);

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let from = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self(from, input.parse()?))
    }
}

/// Checks that every version below the current one has exactly one upcaster, and no other has one.
fn one_for_each(version: &LitInt, given: Vec<(LitInt, Path)>) -> syn::Result<Vec<Upcaster>> {
    let current: u32 = version.base10_parse()?;
    let mut upcasters: Vec<Upcaster> = Vec::with_capacity(given.len());
    for (literal, with) in given {
        let from = literal.base10_parse()?;
        if from == 0 {
            return Err(syn::Error::new_spanned(literal, "the first version is 1"));
        }
        if from >= current {
            let message = format!(
                "an upcaster starts from an older version, and {current} is the current one"
            );
            return Err(syn::Error::new_spanned(literal, message));
        }
        if upcasters.iter().any(|known| known.from == from) {
            let message = format!("version {from} has an upcaster already");
            return Err(syn::Error::new_spanned(literal, message));
        }
        upcasters.push(Upcaster { from, with });
    }
    upcasters.sort_by_key(|upcaster| upcaster.from);
    let is_missing = |from: &u32| upcasters.iter().all(|known| known.from != *from);
    // Finds the first gap, so it takes no longer than the list that was given, however large the
    // version is.
    if let Some(missing) = (1..current).find(is_missing) {
        let message = format!(
            "version {missing} has no upcaster: add `{missing} = function` to `upcast(...)`; the \
             function makes version {} of it",
            missing + 1
        );
        return Err(syn::Error::new_spanned(version, message));
    }
    Ok(upcasters)
}

//! `#[state(name = "order", version = 3, upcast(1 = from_v1, 2 = from_v2), ttl = "30d")]`.

use syn::{
    DeriveInput, LitInt, LitStr, Path, Token,
    meta::ParseNestedMeta,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

/// Arguments of `#[state(...)]`.
pub(super) struct Settings {
    /// Name of the property, if it is fixed.
    pub(super) name: Option<String>,
    pub(super) version: u32,
    /// One for each older version, in order.
    pub(super) upcasters: Vec<Upcaster>,
    /// TTL of documents with this state, in seconds.
    pub(super) ttl: Option<u64>,
}

/// The shortest TTL, in seconds: that of `DocumentTtl::MIN`.
const TTL_MIN: u64 = 60;
/// The longest TTL, in seconds: that of `DocumentTtl::MAX`.
const TTL_MAX: u64 = 36_500 * 24 * 60 * 60;

/// Arguments as they are read.
#[derive(Default)]
struct Given {
    name: Option<String>,
    version: Option<LitInt>,
    upcasters: Vec<(LitInt, Path)>,
    ttl: Option<u64>,
}

/// The function that makes the next version of an older one.
pub(super) struct Upcaster {
    pub(super) from: u32,
    pub(super) with: Path,
}

impl Settings {
    pub(super) fn of(input: &DeriveInput) -> syn::Result<Self> {
        let mut given = Given::default();
        for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("state")) {
            attr.parse_nested_meta(|meta| given.read(&meta))?;
        }
        let Given { name, version, upcasters, ttl } = given;
        let Some(version) = version else {
            let ident = &input.ident;
            let message =
                format!("`{ident}` has no version: write `#[state(version = 1)]` above it");
            return Err(syn::Error::new_spanned(ident, message));
        };
        let upcasters = one_for_each(&version, upcasters)?;
        Ok(Self { name, version: version.base10_parse()?, upcasters, ttl })
    }
}

impl Given {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        if meta.path.is_ident("version") {
            if self.version.is_some() {
                return Err(meta.error("the version is given twice"));
            }
            let given: LitInt = meta.value()?.parse()?;
            if given.base10_parse::<u32>()? == 0 {
                return Err(syn::Error::new_spanned(given, "the first version is 1"));
            }
            self.version = Some(given);
            return Ok(());
        }
        if meta.path.is_ident("name") {
            if self.name.is_some() {
                return Err(meta.error("the name is given twice"));
            }
            let given: LitStr = meta.value()?.parse()?;
            if !is_name(&given.value()) {
                let message = "the name of a property is not empty and does not begin with `$`";
                return Err(syn::Error::new_spanned(given, message));
            }
            self.name = Some(given.value());
            return Ok(());
        }
        if meta.path.is_ident("upcast") {
            let content;
            syn::parenthesized!(content in meta.input);
            let given = Punctuated::<Pair, Token![,]>::parse_terminated(&content)?;
            self.upcasters.extend(given.into_iter().map(|Pair(from, with)| (from, with)));
            return Ok(());
        }
        if meta.path.is_ident("ttl") {
            if self.ttl.is_some() {
                return Err(meta.error("the TTL is given twice"));
            }
            let given: LitStr = meta.value()?.parse()?;
            let ttl = seconds(&given.value());
            self.ttl = Some(ttl.map_err(|reason| syn::Error::new_spanned(&given, reason))?);
            return Ok(());
        }
        Err(meta.error(
            "there are `name = \"order\"`, `version = 3`, `upcast(1 = function, 2 = function)` and \
             `ttl = \"30d\"`",
        ))
    }
}

/// Checks that a property can have this name: what begins with `$` is the runtime's.
fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && !text.starts_with('$')
}

/// Reads a TTL, or says what is wrong with it.
fn seconds(text: &str) -> Result<u64, &'static str> {
    const FORM: &str = "a TTL is a whole number and a unit: s, m, h, d or w, as in \"30d\"";
    let unit = match text.as_bytes().last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 60 * 60,
        Some(b'd') => 24 * 60 * 60,
        Some(b'w') => 7 * 24 * 60 * 60,
        _ => return Err(FORM),
    };
    let digits = text.get(..text.len() - 1).unwrap_or_default();
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(FORM);
    }
    match digits.parse().unwrap_or(u64::MAX).saturating_mul(unit) {
        ttl if ttl < TTL_MIN => Err("a TTL is at least a minute: write \"1m\""),
        ttl if ttl > TTL_MAX => Err("a TTL is at most 36500d, which is a hundred years"),
        ttl => Ok(ttl),
    }
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

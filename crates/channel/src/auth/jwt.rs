//! Reading a token's text: its form, its header, and what it claims, before and after the check of
//! its signature.
//!
//! The reading is strict where readers differ: one of each member, the right types, an object and
//! not a list. The signature is checked by `jsonwebtoken`, which reads the same text once more by
//! its own rules.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Validation, errors::ErrorKind};
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    claims::Claims,
    denial::{Denial, NOT_A_TOKEN},
    keys::Key,
    options::Algorithm,
};

/// No issuer has longer names for its keys.
const KID_BYTES_MAX: usize = 256;

/// A token as it came, with nothing proved yet.
#[derive(Debug)]
pub(super) struct Unverified<'a> {
    text: &'a str,
    /// How it says it was signed; one of those that are allowed.
    pub(super) algorithm: Algorithm,
    /// The name of the key that it says it was signed with.
    pub(super) kid: String,
    /// What it says.
    pub(super) claims: Claims,
}

/// The members of a token's header that decide something. `jku`, `jwk`, `x5u` and `x5c` would let
/// the sender choose the key; they are not even read.
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: String,
    typ: Option<String>,
    // Whoever sets one of these wants the token to be read in another way than here.
    crit: Option<serde::de::IgnoredAny>,
    b64: Option<serde::de::IgnoredAny>,
    cty: Option<serde::de::IgnoredAny>,
    enc: Option<serde::de::IgnoredAny>,
    zip: Option<serde::de::IgnoredAny>,
}

impl<'a> Unverified<'a> {
    /// Reads a token whose algorithm is one of these.
    pub(super) fn read(text: &'a str, algorithms: &[Algorithm]) -> Result<Self, Denial> {
        let mut parts = text.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NOT_A_TOKEN);
        };
        if signature.is_empty() {
            return Err(Denial::Unknown("the token is not signed"));
        }
        let header: Header = part(header)?;
        let algorithm = algorithms.iter().copied().find(|known| known.name() == header.alg);
        let algorithm = algorithm.ok_or(Denial::Unknown("the token's algorithm is not allowed"))?;
        let is_plain = header.crit.is_none()
            && header.b64.is_none()
            && header.cty.is_none()
            && header.enc.is_none()
            && header.zip.is_none()
            && header.typ.is_none_or(|typ| typ.eq_ignore_ascii_case("JWT"));
        if !is_plain {
            return Err(Denial::Unknown("the token is of a kind that is not understood"));
        }
        let is_name = (1..=KID_BYTES_MAX).contains(&header.kid.len())
            && header.kid.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_name {
            return Err(Denial::Unknown("the token's key has no proper name"));
        }
        Ok(Self { text, algorithm, kid: header.kid, claims: part(claims)? })
    }

    /// Checks the signature, and that the claims are there and for this issuer and audience.
    pub(super) fn verify(&self, key: &Key, issuer: &str, audience: &str) -> Result<Claims, Denial> {
        let algorithm = self.algorithm.into();
        if key.algorithm.is_some_and(|only| only != algorithm) {
            return Err(Denial::Unknown("the token's algorithm is not that of its key"));
        }
        let mut validation = Validation::new(algorithm);
        validation.set_required_spec_claims(&["exp", "nbf", "iss", "aud"]);
        validation.set_issuer(&[issuer]);
        validation.set_audience(&[audience]);
        // The library would ask the machine for the time; `Claims::check` asks the clock it is
        // given.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        let decoded = jsonwebtoken::decode::<Claims>(self.text, &key.decoding, &validation);
        decoded.map(|token| token.claims).map_err(|error| match error.kind() {
            ErrorKind::InvalidSignature => Denial::Unknown("the token's signature is not valid"),
            _ => NOT_A_TOKEN,
        })
    }
}

/// Reads one part of a token: an object in Base64.
fn part<T: DeserializeOwned>(text: &str) -> Result<T, Denial> {
    let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| NOT_A_TOKEN)?;
    // By itself serde would take a list for an object.
    if !json.trim_ascii_start().starts_with(b"{") {
        return Err(NOT_A_TOKEN);
    }
    serde_json::from_slice(&json).map_err(|_| NOT_A_TOKEN)
}

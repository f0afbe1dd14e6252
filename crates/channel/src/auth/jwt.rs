//! JSON Web Token parsing and signature verification.
//!
//! Parsing is strict where parsers differ: no duplicate members, the right types, an object and
//! not a list. `jsonwebtoken` verifies the signature and parses the same text once more by its own
//! rules.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Validation, errors::ErrorKind};
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    claims::Claims,
    keys::Key,
    options::Algorithm,
    rejection::{NOT_A_TOKEN, Rejection},
};

/// Limit on the length of a key id; no issuer has longer ones.
const KID_BYTES_MAX: usize = 256;

/// A token whose signature is not verified yet: nothing in it can be trusted.
#[derive(Debug)]
pub(super) struct Unverified<'a> {
    text: &'a str,
    /// The signature algorithm that it names; one of those that are allowed.
    pub(super) algorithm: Algorithm,
    /// The id of the key that it claims to be signed with.
    pub(super) kid: String,
    /// The claims, unverified.
    pub(super) claims: Claims,
}

/// The header members that matter. `jku`, `jwk`, `x5u` and `x5c` would let the sender choose the
/// key, so they are not even read.
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: String,
    typ: Option<String>,
    // Each of these asks for the token to be processed in a way that is not supported.
    crit: Option<serde::de::IgnoredAny>,
    b64: Option<serde::de::IgnoredAny>,
    cty: Option<serde::de::IgnoredAny>,
    enc: Option<serde::de::IgnoredAny>,
    zip: Option<serde::de::IgnoredAny>,
}

impl<'a> Unverified<'a> {
    /// Parses a token whose algorithm is one of these.
    pub(super) fn read(text: &'a str, algorithms: &[Algorithm]) -> Result<Self, Rejection> {
        let mut parts = text.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NOT_A_TOKEN);
        };
        if signature.is_empty() {
            return Err(Rejection::Unauthorized("the token is not signed"));
        }
        let header: Header = part(header)?;
        let algorithm = algorithms.iter().copied().find(|known| known.name() == header.alg);
        let algorithm =
            algorithm.ok_or(Rejection::Unauthorized("the token's algorithm is not allowed"))?;
        let is_plain = header.crit.is_none()
            && header.b64.is_none()
            && header.cty.is_none()
            && header.enc.is_none()
            && header.zip.is_none()
            && header.typ.is_none_or(|typ| typ.eq_ignore_ascii_case("JWT"));
        if !is_plain {
            return Err(Rejection::Unauthorized("the token is of an unsupported kind"));
        }
        let is_name = (1..=KID_BYTES_MAX).contains(&header.kid.len())
            && header.kid.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_name {
            return Err(Rejection::Unauthorized("the token's kid is not valid"));
        }
        Ok(Self { text, algorithm, kid: header.kid, claims: part(claims)? })
    }

    /// Verifies the signature, and that the required claims are present and name this issuer and
    /// audience.
    pub(super) fn verify(
        &self,
        key: &Key,
        issuer: &str,
        audience: &str,
    ) -> Result<Claims, Rejection> {
        let algorithm = self.algorithm.into();
        if key.algorithm.is_some_and(|only| only != algorithm) {
            return Err(Rejection::Unauthorized("the token's algorithm does not match its key"));
        }
        let mut validation = Validation::new(algorithm);
        validation.set_required_spec_claims(&["exp", "nbf", "iss", "aud"]);
        validation.set_issuer(&[issuer]);
        validation.set_audience(&[audience]);
        // The library would read the system time; `Claims::check` uses the injected clock.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        let decoded = jsonwebtoken::decode::<Claims>(self.text, &key.decoding, &validation);
        decoded.map(|token| token.claims).map_err(|error| match error.kind() {
            ErrorKind::InvalidSignature => {
                Rejection::Unauthorized("the token's signature is not valid")
            }
            _ => NOT_A_TOKEN,
        })
    }
}

/// Parses one part of a token: a JSON object in Base64.
fn part<T: DeserializeOwned>(text: &str) -> Result<T, Rejection> {
    let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| NOT_A_TOKEN)?;
    // serde would also accept a list for a struct.
    if !json.trim_ascii_start().starts_with(b"{") {
        return Err(NOT_A_TOKEN);
    }
    // In members that are not read, serde would pass over bytes that are no text.
    let text = str::from_utf8(&json).map_err(|_| NOT_A_TOKEN)?;
    serde_json::from_str(text).map_err(|_| NOT_A_TOKEN)
}

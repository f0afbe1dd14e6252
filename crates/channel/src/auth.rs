//! Authentication of callers by JSON Web Token, and of the bot by OAuth 2.0 client credentials.
//!
//! *Inbound*: a request that delivers an activity carries a bearer token. [`Authenticator`]
//! verifies its signature, issuer, audience and validity period, and that it fits the activity it
//! came with. *Outbound*: [`Tokens`] requests an access token from the login service, which the
//! connector presents to the channel. Only this module parses tokens or holds secrets.
//!
//! The checks of a token go from cheap to expensive: header line, syntax, claims, and only then the
//! signature, so that garbage never causes a fetch of the issuer's keys.

mod authenticator;
mod bearer;
mod certificate;
mod claims;
mod cloud;
mod error;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz;
mod http;
mod issuer;
mod jwt;
mod keys;
mod login;
mod options;
mod rejection;
mod secret;
mod settings;
mod ssrf_guard;
mod token_cache;
mod token_error;
mod tokens;
mod verified;

pub use self::{
    authenticator::Authenticator,
    certificate::Certificate,
    cloud::Cloud,
    error::AuthError,
    options::{Algorithm, AppType, AuthOptions, ManagedIdentity},
    secret::Secret,
    token_error::TokenError,
    tokens::Tokens,
};
pub(crate) use self::{
    rejection::Rejection,
    ssrf_guard::{SsrfGuard, look_up},
    token_cache::Bearer,
    verified::Verified,
};

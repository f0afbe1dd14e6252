//! Authentication, in and out: only this room reads a token or holds a secret.
//!
//! *In*: whoever posts an activity shows a token. [`Authenticator`] reads it, checks who signed it,
//! for whom and until when, and that it fits the activity it came with. *Out*: [`Tokens`] asks the
//! login service for a token of the bot's own, which the connector shows to the channel.
//!
//! A token is checked from the cheap to the dear: its header line, its form, its claims, and only
//! then its signature, so that garbage never makes us ask the issuer for keys.

mod address;
mod authenticator;
mod bearer;
mod certificate;
mod claims;
mod cloud;
mod denial;
mod http;
mod issuer;
mod jwt;
mod keys;
mod login;
mod options;
mod secret;
mod settings;
mod slot;
mod tokens;
mod verified;

pub(crate) use self::{
    address::{PublicOnly, look_up},
    denial::Denial,
    slot::Bearer,
    verified::Verified,
};
pub use self::{
    authenticator::Authenticator,
    certificate::Certificate,
    cloud::Cloud,
    options::{Algorithm, AppType, AuthError, AuthOptions, ManagedIdentity, Skills},
    secret::Secret,
    tokens::{TokenError, Tokens},
};

//! Inbound and outbound authentication, against an issuer and a login service on loopback.

mod accepted;
mod bad_tokens;
mod canary;
pub(crate) mod forge;
pub(crate) mod issuer;
mod keys;
mod listed;
mod outbound;
pub(crate) mod world;

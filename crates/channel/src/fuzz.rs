//! Properties that hold for any input: one function per fuzz target.
//!
//! The targets in `fuzz/` and the tests call the same functions, which panic when a property does
//! not hold. The feature `fuzzing` compiles them in; they are not part of the public interface.

pub use crate::{
    auth::fuzz::{bearer, jwks, jwt, openid},
    connector::fuzz::{address, connector},
};

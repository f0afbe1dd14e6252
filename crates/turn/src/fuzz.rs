//! What must hold for any bytes at all: one function per fuzz target.
//!
//! The targets in `fuzz/` and the tests call the same functions. They panic when something does not
//! hold. The feature `fuzzing` compiles them in; they are no part of the interface.

mod bag;
mod document;
mod key;

pub use bag::bag;
pub use document::document;
pub use key::key;

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The members of an object as text, read without our own reader.
type Members = BTreeMap<String, Box<RawValue>>;

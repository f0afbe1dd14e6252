//! Fuzz properties: what must hold for any bytes, one function per target.
//!
//! The targets in `fuzz/` and the tests call the same functions, which panic when a property does
//! not hold. The feature `fuzzing` compiles them in; they are not public API.

mod bag;
mod document;
mod key;

pub use bag::bag;
pub use document::document;
pub use key::key;

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Members of a JSON object as text, parsed without the crate's own reader.
type Members = BTreeMap<String, Box<RawValue>>;

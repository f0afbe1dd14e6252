//! Reading and writing of JSON text: the parser, the writers, and values kept as text.
//!
//! Wire types are read from text in one pass, what they do not know is kept as [`Raw`](crate::Raw),
//! and they are written straight as text. Nothing here knows what an activity is.

mod depth;
pub(crate) mod extra;
pub(crate) mod fast_path;
pub(crate) mod open_enum;
pub(crate) mod parse;
pub(crate) mod raw;
pub(crate) mod read;
mod string;
pub(crate) mod wire_struct;
pub(crate) mod write;

pub use self::depth::{DEPTH_MAX, depth_within};
pub use self::string::write_string;

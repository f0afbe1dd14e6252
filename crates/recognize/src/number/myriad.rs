//! Numbers that are counted in tens of thousands, as in Chinese, Japanese and Korean.
//!
//! A number is a row of sections, each counted in a large unit (万, 億, 兆); a section is a row of
//! digits, each counted in a small unit (十, 百, 千). Digits may be signs (三), figures (3) or both,
//! and there may be spaces between them. The languages differ in their signs and in the words
//! around numbers: that is their [`Script`].

mod phrase;
mod read;
mod script;
mod section;

pub(super) use phrase::{find, is_glued};
pub(super) use script::{Read, Script, Sign};

//! A recognised value and its place in the text.

/// Something recognised, and where it stands in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    /// Its meaning.
    pub value: T,
    /// The byte at which it begins.
    pub start: usize,
    /// The byte after its end.
    pub end: usize,
}

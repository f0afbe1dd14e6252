//! Limits of a journal.

/// The bounds of a conversation's journal. An error that comes from one names it.
///
/// # Example
/// ```
/// use sayso_dialog::conversation::Limits;
///
/// let limits = Limits { entries_max: 100, ..Limits::default() };
/// assert_eq!(limits.nested_max, 16);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most steps that a conversation may have in its journal.
    pub entries_max: usize,
    /// The most bytes of JSON that they may take, about.
    pub bytes_max: usize,
    /// The deepest nesting of conversations that call or interrupt one another.
    pub nested_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries_max: 1000, bytes_max: 256 << 10, nested_max: 16 }
    }
}

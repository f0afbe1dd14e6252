//! The word lists by which a language says yes and no.

/// The words of a language, in folded form; phrases have single spaces.
pub(super) struct Words {
    /// Clear answers.
    pub(super) yes: &'static [&'static str],
    pub(super) no: &'static [&'static str],
    /// Hints, for where no clear answer stands.
    pub(super) maybe_yes: &'static [&'static str],
    pub(super) maybe_no: &'static [&'static str],
    /// Phrases that contain a word of the others and mean neither: "not sure".
    pub(super) neither: &'static [&'static str],
    /// Words that mean it only if nothing else is said: `n`.
    pub(super) alone_yes: &'static [&'static str],
    pub(super) alone_no: &'static [&'static str],
    /// Words that turn the answer after them.
    pub(super) negations: &'static [&'static str],
    /// True if words are found inside a run of letters, because the language writes no spaces.
    pub(super) is_unspaced: bool,
}

impl Words {
    /// Empty lists: the base that each language fills in.
    pub(super) const NONE: Self = Self {
        yes: &[],
        no: &[],
        maybe_yes: &[],
        maybe_no: &[],
        neither: &[],
        alone_yes: &[],
        alone_no: &[],
        negations: &[],
        is_unspaced: false,
    };
}

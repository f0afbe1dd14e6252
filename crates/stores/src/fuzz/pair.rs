//! The input of the fuzz target `names`.

use sayso_turn::Key;

/// Two keys, which may be equal.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) first: Key,
    pub(crate) second: Key,
}

#[cfg_attr(
    not(any(feature = "azure-blob", feature = "cosmos", feature = "redis", feature = "s3")),
    expect(dead_code, reason = "without such an engine there is nothing to name")
)]
impl Pair {
    pub(crate) fn each(&self) -> [&Key; 2] {
        [&self.first, &self.second]
    }

    /// The common prefix of both.
    pub(crate) fn beginning(&self) -> &str {
        let [first, second] = self.each().map(Key::as_str);
        let same = first.chars().zip(second.chars()).take_while(|(a, b)| a == b);
        first.get(..same.map(|(letter, _)| letter.len_utf8()).sum()).unwrap_or_default()
    }

    /// Checks that the names are equal exactly when the keys are.
    pub(crate) fn check_distinct(&self, name: impl Fn(&Key) -> String) {
        let is_same = name(&self.first) == name(&self.second);
        assert_eq!(is_same, self.first == self.second, "two documents under one name");
    }
}

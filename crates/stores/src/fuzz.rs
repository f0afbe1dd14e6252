//! Fuzzed properties of keys and names: one function per fuzz target.
//!
//! The target in `fuzz/` and the test below call the same function. It panics when something does
//! not hold. The feature `fuzzing` compiles it in; it is not part of the interface.

pub(crate) mod pair;

use sayso_turn::Key;

use self::pair::Pair;

/// Names of engines map back to their keys, differ when the keys do, and are found by prefix.
///
/// The input is two keys; the byte between them is one that UTF-8 never has.
pub fn names(data: &[u8]) {
    let texts: Result<Vec<&str>, _> =
        data.split(|byte| *byte == 0xff).map(str::from_utf8).collect();
    let Ok(texts) = texts else { return };
    let mut keys = texts.into_iter().filter_map(|text| Key::new(text).ok());
    let Some(first) = keys.next() else { return };
    let pair = Pair { second: keys.next().unwrap_or_else(|| first.clone()), first };
    #[cfg(feature = "azure-blob")]
    crate::blob::fuzz::names(&pair);
    #[cfg(feature = "cosmos")]
    crate::cosmos::fuzz::names(&pair);
    #[cfg(feature = "redis")]
    crate::redis::fuzz::names(&pair);
    #[cfg(feature = "s3")]
    crate::s3::fuzz::names(&pair);
    #[cfg(not(any(
        feature = "azure-blob",
        feature = "cosmos",
        feature = "redis",
        feature = "s3"
    )))]
    drop(pair);
}

#[cfg(test)]
mod tests {
    use sayso_turn::activity::fuzz::replay;

    #[test]
    fn names_lead_back_to_their_keys() {
        replay("names", super::names);
    }
}

//! Replay of a fuzz target's corpus, for ordinary tests.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

/// The number of damaged copies of each file that are tried.
const COPIES: u64 = 100;

/// Runs a check on every file of `fuzz/corpus/<target>` and on damaged copies of each. The copies
/// are the same every time, so a failure is reproducible. Returns the number of inputs.
///
/// # Panics
///
/// When the folder is missing or empty, or the check panics; the message names the inputs.
pub fn replay(target: &str, check: fn(&[u8])) -> usize {
    let files = corpus(target);
    let mut failures = Vec::new();
    for (name, bytes) in &files {
        if catch_unwind(|| check(bytes)).is_err() {
            failures.push(format!("fuzz/corpus/{target}/{name}"));
        }
    }
    let mut inputs = files.len();
    for (index, (_, bytes)) in files.iter().enumerate() {
        let mut dice = Dice(index as u64);
        for _ in 0..COPIES {
            let other = files.get(dice.below(files.len())).map(|(_, bytes)| bytes.as_slice());
            let damaged = damage(bytes, other.unwrap_or_default(), &mut dice);
            inputs += 1;
            if catch_unwind(|| check(&damaged)).is_err() {
                failures.push(format!("b\"{}\"", damaged.escape_ascii()));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{target} does not hold for:\n{}", failures.join("\n"));
    inputs
}

/// The files of a corpus by name.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("each target has a folder fuzz/corpus/<target>");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("the folder can be listed");
            let bytes = fs::read(entry.path()).expect("a corpus holds files only");
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect();
    assert!(!files.is_empty(), "fuzz/corpus/{target} is empty, so nothing would be checked");
    files.sort();
    files
}

/// Mutates a copy: one to three bytes changed, parts cut out or parts of another file put in.
fn damage(bytes: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    for _ in 0..=dice.below(3) {
        let from = dice.below(copy.len() + 1);
        let to = from + dice.below((copy.len() - from).min(16) + 1);
        match dice.below(3) {
            0 => copy.iter_mut().skip(from).take(1).for_each(|byte| *byte = dice.byte()),
            1 => drop(copy.drain(from..to)),
            _ => {
                let start = dice.below(other.len() + 1);
                let part = other.iter().skip(start).take(dice.below(32)).copied();
                drop(copy.splice(from..to, part));
            }
        }
    }
    copy
}

/// Deterministic pseudo-random numbers: SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from zero to below `end`, which is not zero.
    fn below(&mut self, end: usize) -> usize {
        // The remainder is smaller than `end`, so it fits.
        usize::try_from(self.next() % end as u64).unwrap_or_default()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::replay;

    #[test]
    fn a_corpus_that_is_missing_or_fails_is_not_passed_over() {
        assert!(catch_unwind(|| replay("no-such-target", |_| ())).is_err());
        assert!(catch_unwind(|| replay("activity", |data| assert!(data.is_empty()))).is_err());
        assert!(replay("activity", |_| ()) > 0);
    }
}

//! Native Korean numbers, one to ninety-nine.

/// Tens.
const TENS: &[(&str, u32)] = &[
    ("열", 10),
    ("스물", 20),
    ("스무", 20),
    ("서른", 30),
    ("마흔", 40),
    ("쉰", 50),
    ("예순", 60),
    ("일흔", 70),
    ("여든", 80),
    ("아흔", 90),
];

/// Ones; longer words stand before those that they begin with.
const ONES: &[(&str, u32)] = &[
    ("하나", 1),
    ("다섯", 5),
    ("여섯", 6),
    ("일곱", 7),
    ("여덟", 8),
    ("아홉", 9),
    ("둘", 2),
    ("셋", 3),
    ("넷", 4),
    ("한", 1),
    ("두", 2),
    ("세", 3),
    ("네", 4),
    ("석", 3),
    ("넉", 4),
];

/// The native number that a text begins with, and its length. "한" alone is rather "a" than "one".
pub(super) fn read(rest: &str) -> Option<(u32, usize)> {
    let Some((tens, length)) = word(TENS, rest) else {
        return word(ONES, rest).filter(|_| !rest.starts_with('한'));
    };
    match rest.get(length..).and_then(|rest| word(ONES, rest)) {
        Some((ones, more)) => Some((tens + ones, length + more)),
        None => Some((tens, length)),
    }
}

fn word(words: &[(&str, u32)], rest: &str) -> Option<(u32, usize)> {
    words.iter().find(|(word, _)| rest.starts_with(word)).map(|(word, value)| (*value, word.len()))
}

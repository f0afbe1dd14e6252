//! Labels: the names of steps in the journal.
//!
//! The kind of the step and a name: `ask size`, `once pay`, `now`. A question without a name goes
//! by its kind and a hash of its text, `ask text#9f86d081`, so that a reworded or moved question is
//! noticed and the journal does not repeat the words.

/// `kind`, or `kind name`.
pub(super) fn named(kind: &str, name: &str) -> String {
    if name.is_empty() {
        return kind.to_owned();
    }
    let mut label = String::with_capacity(kind.len() + 1 + name.len());
    label.push_str(kind);
    label.push(' ');
    label.push_str(name);
    label
}

/// `ask sort#hash`.
pub(super) fn question(sort: &str, text: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let hash = hash(text);
    let mut label = String::with_capacity(13 + sort.len());
    label.push_str("ask ");
    label.push_str(sort);
    label.push('#');
    for shift in (0..32).step_by(4).rev() {
        let digit = DIGITS.get((hash >> shift & 0xf) as usize).copied().unwrap_or_default();
        label.push(char::from(digit));
    }
    label
}

/// The last part of a type's path, without parameters.
pub(super) fn short_name<T>() -> &'static str {
    let path = std::any::type_name::<T>();
    let plain = path.split('<').next().unwrap_or(path);
    plain.rsplit("::").next().unwrap_or(plain)
}

/// FNV-1a, folded to 32 bits: nobody gains by a collision, and it must be quick.
fn hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_tells_steps_apart_and_does_not_repeat_the_question() {
        assert_eq!(named("now", ""), "now");
        assert_eq!(named("once", "pay"), "once pay");
        // Stored journals hang on these: they must never change.
        assert_eq!(question("text", ""), "ask text#4fd0bfc1");
        assert_eq!(question("text", "Your name?"), question("text", "Your name?"));
        assert_ne!(question("text", "Your name?"), question("text", "Your town?"));
        assert_ne!(question("text", "Your name?"), question("number", "Your name?"));
    }
}

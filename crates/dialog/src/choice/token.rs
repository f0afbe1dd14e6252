//! Tokenizer: splits a text into words to compare choices with.

/// The most tokens that are looked at. Nobody picks a choice in more words, and the search for
/// partial matches takes time that grows with the square of the words.
pub const TOKENS_MAX: usize = 1_000;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The byte at which it begins.
    pub start: usize,
    /// The byte after its end.
    pub end: usize,
    /// The word in lower case.
    pub normalized: String,
}

/// The words of a text: what stands between white space and punctuation. A character beyond the
/// first 65,536, such as most emoji, is a word by itself.
///
/// # Limits
/// Writing without spaces makes one token of a sentence. Text after [`TOKENS_MAX`] tokens is not
/// looked at.
///
/// # Example
/// ```
/// use sayso_dialog::choice::tokenize;
///
/// let tokens = tokenize("The RED one, please!");
/// let words: Vec<_> = tokens.into_iter().map(|token| token.normalized).collect();
/// assert_eq!(words, ["the", "red", "one", "please"]);
/// ```
#[must_use]
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut begin = None;
    for (at, c) in text.char_indices() {
        if tokens.len() >= TOKENS_MAX {
            return tokens;
        }
        if !is_break(c) && c <= '\u{FFFF}' {
            begin.get_or_insert(at);
            continue;
        }
        tokens.extend(begin.take().and_then(|start| token(text, start, at)));
        if c > '\u{FFFF}' {
            tokens.extend(token(text, at, at + c.len_utf8()));
        }
    }
    tokens.extend(begin.and_then(|start| token(text, start, text.len())));
    tokens.truncate(TOKENS_MAX);
    tokens
}

fn token(text: &str, start: usize, end: usize) -> Option<Token> {
    Some(Token { start, end, normalized: text.get(start..end)?.to_lowercase() })
}

/// Reports whether a character stands between words.
fn is_break(c: char) -> bool {
    matches!(
        c,
        '\u{0000}'..='\u{002F}'
            | '\u{003A}'..='\u{0040}'
            | '\u{005B}'..='\u{0060}'
            | '\u{007B}'..='\u{00BF}'
            | '\u{02B9}'..='\u{036F}'
            | '\u{2000}'..='\u{2BFF}'
            | '\u{2E00}'..='\u{2E7F}'
    ) || is_break_unknown_to_the_sdks(c)
}

/// Breaks that the SDKs take for letters, so that they do not find a word before an Arabic or a
/// Chinese comma, which they themselves write between choices.
fn is_break_unknown_to_the_sdks(c: char) -> bool {
    matches!(
        c,
        // Arabic and Devanagari punctuation.
        '\u{060C}' | '\u{061B}' | '\u{061F}' | '\u{0964}' | '\u{0965}'
            // Chinese and Japanese punctuation, and the wide forms of ours.
            | '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}'
            | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}'
            | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}'
            // Marks that only choose how the sign before them looks. As words, they would make a
            // sun equal to a heart: both signs are breaks, and the mark is what is left of them.
            | '\u{FE00}'..='\u{FE0F}'
    )
}

#[cfg(test)]
mod tests {
    use super::{TOKENS_MAX, tokenize};

    #[track_caller]
    fn check(text: &str, words: &[&str]) {
        let tokens = tokenize(text);
        let normalized: Vec<_> = tokens.iter().map(|token| &*token.normalized).collect();
        assert_eq!(normalized, words, "{text:?}");
        for token in &tokens {
            assert_eq!(text[token.start..token.end].to_lowercase(), token.normalized, "{text:?}");
        }
    }

    #[test]
    fn words_stand_between_breaks() {
        check("", &[]);
        check("  ,.;!? ", &[]);
        check("food", &["food"]);
        check("fOoD", &["food"]);
        check("for-food", &["for", "food"]);
        check("food\t2\nGO", &["food", "2", "go"]);
        check("a_b[c]{d}e", &["a", "b", "c", "d", "e"]);
        check("¿Qué? «Às» ª", &["qué", "às"]);
        check("naïve œuvre Ünï", &["naïve", "œuvre", "ünï"]);
        check("it’s “that”…", &["it", "s", "that"]);
        check("a\u{2E3A}b aʹb a\u{2BFF}b", &["a", "b", "a", "b", "a", "b"]);
        check("2×3 and 4÷2", &["2×3", "and", "4÷2"]);
    }

    #[test]
    fn other_scripts_are_words_too() {
        check("Красный, ЗЕЛЁНЫЙ", &["красный", "зелёный"]);
        check("أحمر أو أخضر", &["أحمر", "أو", "أخضر"]);
        check("हां नहीं", &["हां", "नहीं"]);
        check("红色，绿色。", &["红色", "绿色"]);
        check("我要红色 绿色", &["我要红色", "绿色"]);
        check("「はい」、いいえ！人々", &["はい", "いいえ", "人々"]);
        check("أحمر، أخضر؟", &["أحمر", "أخضر"]);
    }

    #[test]
    fn each_emoji_is_a_word() {
        check("🍕", &["🍕"]);
        check("🍕🍔", &["🍕", "🍔"]);
        check("food 💥👍🏽 me", &["food", "💥", "👍", "🏽", "me"]);
        check("a🍕b", &["a", "🍕", "b"]);
        check("𠀋字", &["𠀋", "字"]);
        check("☀️ ❤️", &[]);
        check("👨‍👩‍👧", &["👨", "👩", "👧"]);
    }

    #[test]
    fn the_number_of_words_is_bounded() {
        for text in
            ["a ".repeat(TOKENS_MAX + 9), "🍕".repeat(TOKENS_MAX + 9), "a🍕".repeat(TOKENS_MAX)]
        {
            assert_eq!(tokenize(&text).len(), TOKENS_MAX);
        }
    }
}

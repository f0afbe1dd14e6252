//! Words as they are looked up: small letters without accents.
//!
//! People leave accents out, so `três` and `tres` are one word here. A word of one letter keeps its
//! accent: `é` (is) and `e` (and) are two words.

/// Writes the word in small letters without accents.
pub(crate) fn fold(word: &str, into: &mut String) {
    into.clear();
    if word.is_ascii() {
        into.push_str(word);
        into.make_ascii_lowercase();
        return;
    }
    let is_single = word.chars().nth(1).is_none();
    for letter in word.chars() {
        match letter {
            'A'..='Z' => into.push(letter.to_ascii_lowercase()),
            _ if letter.is_ascii() => into.push(letter),
            'İ' => into.push('i'),
            _ => letter.to_lowercase().for_each(|small| push(small, is_single, into)),
        }
    }
}

fn push(small: char, is_single: bool, into: &mut String) {
    if is_single {
        return into.push(small);
    }
    let plain = match small {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'ç' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' | 'ı' => 'i',
        'ñ' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ş' => 's',
        'ğ' => 'g',
        'ё' => 'е',
        'ß' => return into.push_str("ss"),
        'œ' => return into.push_str("oe"),
        '\u{300}'..='\u{36f}' => return,
        other => other,
    };
    into.push(plain);
}

/// Reports whether a character belongs to a word: letters, and the marks that stand on them.
pub(crate) fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphabetic()
        || (!letter.is_ascii()
            && (letter.is_alphabetic() || ('\u{300}'..='\u{36f}').contains(&letter)))
}

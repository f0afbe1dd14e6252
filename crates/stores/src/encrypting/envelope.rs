//! Envelope of an encrypted body: JSON text, because that is what engines keep.
//!
//! It claims to be a document of a format that no build understands. So a process without keys
//! refuses it, where it would otherwise take it for a new conversation and overwrite it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

/// Beginning of every envelope, of any version.
const MARK: &str = r#"{"$sayso":{"v":2147483648,"encrypted":"#;

/// Beginning of an envelope of the version that this build writes and reads.
const OPENING: &str = r#"{"$sayso":{"v":2147483648,"encrypted":1,"key":""#;

const MIDDLE: &str = r#"","data":""#;

const CLOSING: &str = r#""}}"#;

/// An envelope that was read.
#[derive(Debug)]
pub(super) struct Envelope<'a> {
    /// Id of the key.
    pub(super) key: &'a str,
    /// Nonce, ciphertext and tag.
    pub(super) sealed: Vec<u8>,
}

/// Writes the envelope of some bytes.
pub(super) fn write(key: &str, sealed: &[u8]) -> String {
    let length = OPENING.len() + key.len() + MIDDLE.len() + sealed.len() * 4 / 3 + CLOSING.len();
    let mut text = String::with_capacity(length + 4);
    text.push_str(OPENING);
    text.push_str(key);
    text.push_str(MIDDLE);
    URL_SAFE_NO_PAD.encode_string(sealed, &mut text);
    text.push_str(CLOSING);
    text
}

/// Reads an envelope; `None` if the text is something else, and the reason if it is damaged.
pub(super) fn read(text: &str) -> Result<Option<Envelope<'_>>, &'static str> {
    if !text.starts_with(MARK) {
        return Ok(None);
    }
    let Some(rest) = text.strip_prefix(OPENING) else {
        return Err("its encryption is of a newer version than this build understands");
    };
    let parts = rest.strip_suffix(CLOSING).and_then(|rest| rest.split_once(MIDDLE));
    let (key, data) = parts.ok_or("its envelope is damaged")?;
    if !super::keys::is_id(key) {
        return Err("its envelope is damaged");
    }
    let sealed = URL_SAFE_NO_PAD.decode(data).map_err(|_| "its envelope is damaged")?;
    Ok(Some(Envelope { key, sealed }))
}

/// The most bytes that may be sealed so that the envelope has at most so many.
pub(super) fn clear_bytes_max(bytes_max: usize, key: &str) -> usize {
    let around = OPENING.len() + key.len() + MIDDLE.len() + CLOSING.len();
    bytes_max.saturating_sub(around) / 4 * 3
}

#[cfg(test)]
mod tests {
    use sayso_turn::{Key, document::Document};

    use super::*;

    #[test]
    fn an_envelope_is_read_as_it_was_written_and_nothing_else_is_one() {
        let text = write("2026.a-b_c", &[0, 255, 7, 62, 63]);
        let envelope = read(&text).unwrap().unwrap();
        assert_eq!((envelope.key, &*envelope.sealed), ("2026.a-b_c", &[0, 255, 7, 62, 63][..]));
        for clear in ["{}", "", "null", r#"{"$sayso":{"v":1}}"#, " {\"$sayso\":"] {
            assert!(read(clear).unwrap().is_none(), "{clear}");
        }
        for damaged in [
            text.replace("\"encrypted\":1", "\"encrypted\":2"),
            text.replace("data", "date"),
            text[..text.len() - 1].to_owned(),
            text.replace("2026", "20\u{e9}6"),
            text.replacen("\"}}", "=\"}}", 1),
        ] {
            assert!(read(&damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn the_limit_is_what_fits() {
        for bytes_max in 80..200 {
            let fits = clear_bytes_max(bytes_max, "k");
            assert!(write("k", &vec![0; fits]).len() <= bytes_max, "{bytes_max}");
            assert!(write("k", &vec![0; fits + 4]).len() > bytes_max, "{bytes_max}");
        }
    }

    #[test]
    fn whoever_has_no_keys_refuses_an_envelope_and_does_not_take_it_for_a_new_document() {
        let error = Document::parse(&Key::new("k").unwrap(), &write("a", b"x")).unwrap_err();
        assert!(error.to_string().contains("newer than this build understands"), "{error}");
    }
}

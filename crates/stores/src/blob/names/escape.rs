//! Escapes: a character that is not plain becomes a sign and two hexadecimal digits for each byte.

/// One way to escape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escape {
    sign: u8,
    digits: &'static [u8; 16],
    /// Characters besides letters and digits that are not escaped.
    plain: &'static [u8],
    /// The character that stands for a space, where spaces are not escaped.
    space: Option<u8>,
}

/// Sayso's own: the result needs no escape in a URL, has no meaning in a path and is not empty.
pub(super) const OURS: Escape =
    Escape { sign: b'~', digits: b"0123456789ABCDEF", plain: b"-_", space: None };

/// `HttpUtility.UrlEncode` of .NET.
pub(super) const DOTNET: Escape =
    Escape { sign: b'%', digits: b"0123456789abcdef", plain: b"-_.!*()", space: Some(b'+') };

/// `encodeURIComponent` of JavaScript.
pub(super) const JS: Escape =
    Escape { sign: b'%', digits: b"0123456789ABCDEF", plain: b"-_.!~*'()", space: None };

impl Escape {
    pub(super) fn escape(self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len() + text.len() / 2);
        for byte in text.bytes() {
            match self.space {
                Some(space) if byte == b' ' => escaped.push(char::from(space)),
                _ if byte.is_ascii_alphanumeric() || self.plain.contains(&byte) => {
                    escaped.push(char::from(byte));
                }
                _ => {
                    escaped.push(char::from(self.sign));
                    escaped.push(self.digit(byte >> 4));
                    escaped.push(self.digit(byte & 15));
                }
            }
        }
        escaped
    }

    /// Unescapes; `None` when this way of escaping never produces such a text.
    pub(super) fn restore(self, escaped: &str) -> Option<String> {
        let text = String::from_utf8(self.bytes(escaped).0).ok()?;
        (self.escape(&text) == escaped).then_some(text)
    }

    /// Unescapes the beginning of a text whose end was cut off.
    pub(super) fn restore_start(self, escaped: &str) -> Option<String> {
        let mut bytes = self.bytes(escaped).0;
        if let Err(error) = std::str::from_utf8(&bytes) {
            // Broken in the middle, it was never a text.
            error.error_len().is_none().then_some(())?;
            bytes.truncate(error.valid_up_to());
        }
        let text = String::from_utf8(bytes).ok()?;
        escaped.starts_with(&self.escape(&text)).then_some(text)
    }

    /// Decodes bytes up to the first sign without its two digits; also tells if that was the end.
    fn bytes(self, escaped: &str) -> (Vec<u8>, bool) {
        let mut bytes = Vec::with_capacity(escaped.len());
        let mut rest = escaped.as_bytes();
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            if *first != self.sign {
                bytes.push(if self.space == Some(*first) { b' ' } else { *first });
                continue;
            }
            let Some((digits, after)) = rest.split_first_chunk::<2>() else {
                return (bytes, false);
            };
            let [high, low] = digits.map(|digit| self.value(digit));
            let (Some(high), Some(low)) = (high, low) else { return (bytes, false) };
            bytes.push(high << 4 | low);
            rest = after;
        }
        (bytes, true)
    }

    fn digit(self, value: u8) -> char {
        char::from(self.digits.get(usize::from(value)).copied().unwrap_or(b'0'))
    }

    fn value(self, digit: u8) -> Option<u8> {
        let place = self.digits.iter().position(|own| *own == digit)?;
        u8::try_from(place).ok()
    }
}

//! The URL that a reply is posted to.
//!
//! Service URLs come with and without a path and a final slash. The ids in the path are any text, so
//! each is one segment with everything escaped that a server could take for something else.

use reqwest::Url;

/// `{base}/v3/conversations/{conversation}/activities[/{reply_to}]`, or `None` when an id cannot be a
/// segment: it is empty, or a dot segment, which URLs resolve away even when escaped.
pub(super) fn activities(base: &Url, conversation: &str, reply_to: Option<&str>) -> Option<Url> {
    let mut text = base.as_str().trim_end_matches('/').to_owned();
    text.push_str("/v3/conversations/");
    push_segment(&mut text, conversation)?;
    text.push_str("/activities");
    if let Some(id) = reply_to.filter(|id| !id.is_empty()) {
        text.push('/');
        push_segment(&mut text, id)?;
    }
    Url::parse(&text).ok()
}

/// Escapes all but the unreserved characters of RFC 3986.
pub(crate) fn push_segment(text: &mut String, segment: &str) -> Option<()> {
    if matches!(segment, "" | "." | "..") {
        return None;
    }
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(byte.into());
        } else {
            text.push('%');
            text.extend([byte >> 4, byte & 15].map(hex));
        }
    }
    Some(())
}

fn hex(nibble: u8) -> char {
    char::from_digit(nibble.into(), 16).map_or('0', |digit| digit.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, conversation: &str, reply_to: Option<&str>, expected: Option<&str>) {
        let url = activities(&Url::parse(base).unwrap(), conversation, reply_to);
        assert_eq!(url.as_ref().map(Url::as_str), expected, "{base} {conversation} {reply_to:?}");
    }

    #[test]
    fn a_service_url_is_a_prefix_with_or_without_path_and_slash() {
        for (base, prefix) in [
            ("http://127.0.0.1:1", "http://127.0.0.1:1"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:1"),
            ("http://127.0.0.1:1/_connector", "http://127.0.0.1:1/_connector"),
            ("http://127.0.0.1:1/_connector/", "http://127.0.0.1:1/_connector"),
            ("http://127.0.0.1:1/_connector//", "http://127.0.0.1:1/_connector"),
            ("https://a.example/emea/x y/", "https://a.example/emea/x%20y"),
        ] {
            let send = format!("{prefix}/v3/conversations/c/activities");
            check(base, "c", None, Some(&send));
            check(base, "c", Some(""), Some(&send));
            check(base, "c", Some("7"), Some(&format!("{send}/7")));
        }
    }

    #[test]
    fn an_id_is_one_segment_whatever_it_contains() {
        for (id, segment) in [
            ("a/b", "a%2Fb"),
            ("19:x@thread.tacv2;messageid=1", "19%3Ax%40thread.tacv2%3Bmessageid%3D1"),
            ("abc|0000001", "abc%7C0000001"),
            ("a b", "a%20b"),
            ("é😀", "%C3%A9%F0%9F%98%80"),
            ("50%2F", "50%252F"),
            ("?q#f&", "%3Fq%23f%26"),
            ("..\\..", "..%5C.."),
            ("../..", "..%2F.."),
            ("%2e%2e", "%252e%252e"),
            ("...", "..."),
            ("a\n\0", "a%0A%00"),
            ("-._~", "-._~"),
        ] {
            let base = "http://127.0.0.1:1/_connector";
            let url = format!("{base}/v3/conversations/{segment}/activities/{segment}");
            check(base, id, Some(id), Some(&url));
        }
    }

    #[test]
    fn an_id_that_urls_resolve_away_has_no_url() {
        for id in ["", ".", ".."] {
            check("http://127.0.0.1:1/", id, None, None);
        }
        check("http://127.0.0.1:1/", "c", Some(".."), None);
    }
}

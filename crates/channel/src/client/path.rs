//! URL builder for calls: the service URL, then path segments of the protocol and escaped ids.
//!
//! Each id becomes one percent-encoded segment, so two calls have the same URL only if their ids
//! are the same.

use std::sync::Arc;

use axum::{
    body::Bytes,
    http::{
        HeaderValue,
        uri::{self, PathAndQuery, Uri},
    },
};

use form_urlencoded::Serializer;

use super::Error;
use crate::service_urls::ServiceUrl;

/// Reports whether an id is `history`, which has a meaning of its own in the place of an activity's
/// id. Servers may match it case-insensitively, and escaping does not change it.
pub(crate) fn is_history(id: &str) -> bool {
    id.eq_ignore_ascii_case("history")
}

/// The URI of a call and its `Host` header.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) uri: Uri,
    pub(crate) host: HeaderValue,
}

/// Builder of a URL.
#[derive(Debug)]
pub(crate) struct Path {
    base: Arc<ServiceUrl>,
    /// The path, starting with that of the service URL.
    text: String,
    query: Vec<(&'static str, String)>,
}

impl Path {
    pub(crate) fn new(base: &Arc<ServiceUrl>) -> Self {
        // Room for ids of usual length without another allocation.
        let mut text = String::with_capacity(256);
        text.push_str(&base.path);
        Self { base: Arc::clone(base), text, query: Vec::new() }
    }

    pub(crate) fn conversations(base: &Arc<ServiceUrl>) -> Self {
        Self::new(base).then("/v3/conversations")
    }

    pub(crate) fn conversation(base: &Arc<ServiceUrl>, id: &str) -> Result<Self, Error> {
        Self::conversations(base).id("conversation", id)
    }

    /// The activities of a conversation, or one of them.
    pub(crate) fn activities(
        base: &Arc<ServiceUrl>,
        conversation: &str,
        id: Option<&str>,
    ) -> Result<Self, Error> {
        let path = Self::conversation(base, conversation)?.then("/activities");
        match id {
            Some(id) => path.id("activity", id),
            None => Ok(path),
        }
    }

    /// Appends fixed segments of the protocol, each with its leading slash.
    pub(crate) fn then(mut self, words: &'static str) -> Self {
        self.text.push_str(words);
        self
    }

    /// Appends an id. `name` says in errors what it identifies.
    ///
    /// An empty id or a dot segment is an error: URL parsers remove those even when escaped.
    pub(crate) fn id(mut self, name: &'static str, id: &str) -> Result<Self, Error> {
        self.text.push('/');
        match push_segment(&mut self.text, id) {
            Some(()) => Ok(self),
            None => Err(Error::unfit(format!(
                "the id of the {name} is empty or consists of dots, so it cannot be part of a URL"
            ))),
        }
    }

    /// Adds a query parameter, if there is a value.
    pub(crate) fn query(mut self, name: &'static str, value: Option<impl Into<String>>) -> Self {
        self.query.extend(value.map(|value| (name, value.into())));
        self
    }

    pub(crate) fn address(self) -> Result<Address, Error> {
        let Self { base, mut text, query } = self;
        if !query.is_empty() {
            text.push('?');
            let length = text.len();
            text = Serializer::for_suffix(text, length).extend_pairs(query).finish();
        }
        let mut parts = uri::Parts::default();
        parts.scheme = Some(base.scheme.clone());
        parts.authority = Some(base.authority.clone());
        // Everything else is escaped, so only the length can be wrong.
        let too_long = |_| Error::unfit("the ids are too long for a URL");
        let path = PathAndQuery::from_maybe_shared(Bytes::from(text)).map_err(too_long)?;
        parts.path_and_query = Some(path);
        let unfit = |_| Error::unfit("the ids cannot be part of a URL");
        Ok(Address { uri: Uri::from_parts(parts).map_err(unfit)?, host: base.host.clone() })
    }
}

/// Percent-encodes all but the unreserved characters of RFC 3986.
fn push_segment(text: &mut String, segment: &str) -> Option<()> {
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

    fn base(url: &str) -> Arc<ServiceUrl> {
        Arc::new(ServiceUrl::of(&reqwest::Url::parse(url).unwrap()).unwrap())
    }

    fn member(url: &str, conversation: &str, id: &str) -> Result<String, Error> {
        let path = Path::new(&base(url)).then("/v3/conversations");
        let path = path.id("conversation", conversation)?.then("/members").id("member", id)?;
        Ok(path.address()?.uri.to_string())
    }

    #[test]
    fn a_service_url_is_a_prefix_with_or_without_path_and_slash() {
        for (base, prefix) in [
            ("http://localhost:56150", "http://localhost:56150"),
            ("http://localhost:56150/", "http://localhost:56150"),
            ("http://localhost:56150/_connector", "http://localhost:56150/_connector"),
            ("http://localhost:56150/_connector/", "http://localhost:56150/_connector"),
            ("https://a.example/emea//", "https://a.example/emea"),
        ] {
            let url = format!("{prefix}/v3/conversations/c/members/m");
            assert_eq!(member(base, "c", "m"), Ok(url));
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
            let url = format!("{base}/v3/conversations/{segment}/members/{segment}");
            assert_eq!(member(base, id, id), Ok(url));
        }
    }

    #[test]
    fn different_ids_have_different_urls() {
        let printed = "a A a/b a%2Fb a%2fb a%252Fb a\\b a+b a%20b a?b a#b a;b a:b a=b a&b a,b a@b a|b ... \
                       %2e %2e%2e é e\u{301} %C3%A9 😀 ~ - _ * ' ( ! $ members history a/members/a \
                       ../../v3 19:x@thread.tacv2;messageid=1";
        let others = ["a b", "a\0", "a\n", "a\r\n", "\u{202e}a"];
        let ids: Vec<&str> = printed.split(' ').chain(others).collect();
        let mut urls = Vec::new();
        for conversation in &ids {
            for id in &ids {
                urls.push(member("https://a.example/x", conversation, id).unwrap());
            }
        }
        assert!(urls.iter().all(|url| url.split('/').count() == 9));
        assert!(urls.iter().all(|url| !url.contains(['?', '#', '\\'])));
        urls.sort_unstable();
        urls.dedup();
        assert_eq!(urls.len(), ids.len() * ids.len());
    }

    #[test]
    fn an_id_that_urls_resolve_away_is_refused() {
        for id in ["", ".", ".."] {
            for (conversation, id) in [("c", id), (id, "m")] {
                let error = member("https://a.example", conversation, id).unwrap_err();
                assert!(matches!(error, Error::Refused { status: None, .. }), "{error:?}");
            }
        }
    }

    #[test]
    fn an_id_that_no_url_can_hold_is_refused() {
        assert!(member("https://a.example", "c", &"m".repeat(60_000)).is_ok());
        let error = member("https://a.example", "c", &"m".repeat(70_000)).unwrap_err();
        assert!(error.to_string().contains("too long"), "{error}");
    }

    #[test]
    fn a_parameter_is_escaped_and_left_out_when_there_is_none() {
        let base = base("https://a.example");
        let url = |token: Option<&str>| {
            let path = Path::new(&base).then("/x").query("n", Some("1")).query("token", token);
            path.address().unwrap().uri.to_string()
        };
        assert_eq!(url(None), "https://a.example/x?n=1");
        assert_eq!(url(Some("a+/= &#é")), "https://a.example/x?n=1&token=a%2B%2F%3D+%26%23%C3%A9");
        let bare = Path::new(&base).then("/x").query("token", None::<&str>).address();
        assert_eq!(bare.unwrap().uri.to_string(), "https://a.example/x");
    }
}

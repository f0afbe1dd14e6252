//! Properties of what reads answers and addresses of channels. [`crate::fuzz`] says who calls them.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Bytes,
    http::{self, HeaderName, HeaderValue, StatusCode},
};
use futures_util::FutureExt as _;
use http_body_util::Full;
use reqwest::Url;
use sayso_turn::{activity::fuzz::sentence, channel::Delivery, clock::SystemClock};
use serde_json::Value;

use crate::{
    ServiceUrls,
    client::{
        answer,
        path::{Address, Path},
    },
    service_urls::ServiceUrl,
};

/// Checks that the outcome of any answer fits its status and repeats nothing that the channel
/// wrote.
///
/// The input is a status, headers in lines and, after an empty line, a body.
pub fn connector(data: &[u8]) {
    let Some(answer) = Answer::read(data) else { return };
    let status = answer.status.as_u16();
    let body = answer.body.clone();
    let response = answer.into_response();
    let verdict = async {
        let clock = SystemClock::new();
        let (what, until) = ("sending the reply", tokio::time::Instant::now());
        match (answer::Answer { what, is_read: false, until, response }).sort(false, &clock).await {
            Ok(answer) => Delivery::Delivered { id: answer.id().await },
            Err(error) => error.into(),
        }
    };
    match verdict.now_or_never().expect("a body in memory is read without waiting") {
        Delivery::Delivered { id } => {
            assert!(matches!(status, 200..=299), "{status} is not a success");
            if let (Some(id), Ok(body)) = (id, serde_json::from_slice::<Value>(&body)) {
                assert!(!id.is_empty() && body.get("id").and_then(Value::as_str) == Some(&id));
            }
        }
        Delivery::Refused { reason } => {
            // A server that failed may have processed the reply before.
            assert!(
                matches!(status, 300..=407 | 409..=411 | 413..=428 | 430..=499 | 501),
                "{status} is not a refusal"
            );
            sentence(&reason);
        }
        Delivery::Later { after, reason } => {
            assert!(
                matches!(status, 412 | 429 | 503),
                "{status} does not mean that the reply did not arrive"
            );
            assert!(after.is_none_or(|wait| wait <= Duration::from_secs(3600)));
            sentence(&reason);
        }
        Delivery::Unknown { reason } => {
            assert!(
                matches!(status, 100..=199 | 408 | 500..=999),
                "{status} is a definite outcome"
            );
            sentence(&reason);
        }
    }
}

/// Checks that any service URL and ids lead to an allowed address or to an error.
///
/// The input is a service URL, a conversation's id and an activity's id.
pub fn address(data: &[u8]) {
    let parts: Result<Vec<&str>, _> =
        data.split(|byte| *byte == 0xff).map(str::from_utf8).collect();
    let Ok(parts) = parts else { return };
    let part = |at: usize| parts.get(at).copied().unwrap_or_default();
    let (service_url, conversation, reply_to) = (part(0), part(1), parts.get(2).copied());
    let teams = "https://smba.example/teams";
    for (urls, prefix) in
        [(ServiceUrls::Loopback, None), (ServiceUrls::Only(vec![teams.to_owned()]), Some(teams))]
    {
        let Some(base) = urls.resolve(service_url) else { continue };
        assert_eq!(
            urls.resolve(base.as_str()).as_ref(),
            Some(&base),
            "a second check gives another result"
        );
        check_base(&base, prefix);
        check_address(&base, conversation, reply_to);
    }
}

/// An HTTP response, parsed from the fuzzer's input.
struct Answer {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Vec<u8>,
}

impl Answer {
    fn read(data: &[u8]) -> Option<Self> {
        let (first, mut rest) = line(data);
        let status = StatusCode::from_bytes(first).ok()?;
        let mut headers = Vec::new();
        loop {
            let (header, after) = line(rest);
            rest = after;
            if header.is_empty() {
                return Some(Self { status, headers, body: rest.to_vec() });
            }
            let mut parts = header.splitn(2, |byte| *byte == b':');
            let name = HeaderName::from_bytes(parts.next()?).ok()?;
            headers.push((name, HeaderValue::from_bytes(parts.next()?.trim_ascii()).ok()?));
        }
    }

    fn into_response(self) -> http::Response<Full<Bytes>> {
        let mut response = http::Response::new(self.body.into());
        *response.status_mut() = self.status;
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        response
    }
}

/// Splits off the first line.
fn line(data: &[u8]) -> (&[u8], &[u8]) {
    let mut lines = data.splitn(2, |byte| *byte == b'\n');
    (lines.next().unwrap_or_default(), lines.next().unwrap_or_default())
}

fn check_base(base: &Url, prefix: Option<&str>) {
    assert!(base.username().is_empty() && base.password().is_none());
    match prefix {
        None => {
            let host = base.host_str().expect("an allowed URL has a host");
            let is_here = host == "localhost" || host == "[::1]" || host.starts_with("127.");
            assert!(is_here, "{base} is not on this machine");
        }
        Some(prefix) => {
            let rest = base.as_str().strip_prefix(prefix);
            let is_below = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            assert!(is_below, "{base} is not below {prefix}");
        }
    }
}

/// Checks that the URL is the service URL followed by each id as one segment, decoding to that id.
fn check_address(base: &Url, conversation: &str, reply_to: Option<&str>) {
    let reply_to = reply_to.filter(|id| !id.is_empty());
    let is_segment = |id: &str| !matches!(id, "" | "." | "..");
    let Some(called) = ServiceUrl::of(base).map(Arc::new) else { return };
    let address = Path::activities(&called, conversation, reply_to).and_then(Path::address);
    let Ok(Address { uri, host }) = address else {
        let is_long = conversation.len() + reply_to.unwrap_or_default().len() > 20_000;
        let is_unfit = !is_segment(conversation) || reply_to.is_some_and(|id| !is_segment(id));
        assert!(is_unfit || is_long, "{base} {conversation:?} {reply_to:?}");
        return;
    };
    // Parsing the URL again changes nothing and resolves nothing away.
    let url = Url::parse(&uri.to_string()).expect("the URI of a request is a valid URL");
    assert_eq!(url.as_str(), uri.to_string());
    assert_eq!(host, base.authority());
    assert!(url.query().is_none() && url.fragment().is_none());
    let rest = url.as_str().strip_prefix(base.as_str().trim_end_matches('/'));
    let segments: Vec<&str> =
        rest.expect("the address starts with the service URL").split('/').collect();
    let ids = match (segments.as_slice(), reply_to) {
        (["", "v3", "conversations", first, "activities"], None) => [first, ""],
        (["", "v3", "conversations", first, "activities", second], Some(_)) => [*first, *second],
        _ => ["", ""],
    };
    let wanted = [conversation, reply_to.unwrap_or_default()].map(str::as_bytes);
    assert_eq!(ids.map(unescape).each_ref().map(Vec::as_slice), wanted, "{url}");
}

/// Decodes percent-encoding.
fn unescape(segment: &str) -> Vec<u8> {
    let mut bytes = segment.bytes();
    let mut plain = Vec::new();
    while let Some(byte) = bytes.next() {
        let hex = |byte: Option<u8>| char::from(byte.unwrap_or_default()).to_digit(16);
        plain.push(match byte {
            b'%' => {
                let code = hex(bytes.next()).zip(hex(bytes.next()));
                let (high, low) = code.expect("a percent sign is followed by two digits");
                u8::try_from(high * 16 + low).expect("two hex digits fit into a byte")
            }
            _ => byte,
        });
    }
    plain
}

//! Properties of what reads tokens and issuers' documents. [`crate::fuzz`] says who calls them.
//!
//! There is one good key and one token signed with it; the private key was thrown away. So whatever
//! else verifies would be a forgery.

#![expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a property that does not hold is a panic, and that is what a fuzzer looks for"
)]

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::http::{HeaderMap, HeaderValue, header};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sayso_turn::{
    activity::fuzz::sentence,
    clock::{SystemClock, Timestamp},
};
use serde_json::{Value, value::RawValue};

use super::{
    bearer as header_line,
    http::{self, Http},
    issuer::{Issuer, Metadata},
    jwt::Unverified,
    keys::{KeySet, Keys},
    options::Algorithm,
    rejection::Rejection,
    ssrf_guard::is_public,
};
use crate::service_urls::is_loopback_name;

const GOOD_TOKEN: &str = include_str!("fuzz/good_token.txt");
const GOOD_KEYS: &[u8] = include_bytes!("fuzz/good_keys.json");
const ALGORITHMS: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Rs384, Algorithm::Rs512];
const LEEWAY: Duration = Duration::from_secs(300);

static GOOD: LazyLock<Keys> = LazyLock::new(|| {
    jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER.install_default().ok();
    Keys::of(http::object(GOOD_KEYS).expect("the good keys are a key set"))
});

/// Checks that a token is taken from one header of the right form, as it stands there, and from no
/// other. The input are the values of `Authorization`, in lines.
pub fn bearer(data: &[u8]) {
    let lines: Vec<&[u8]> = match data {
        [] => Vec::new(),
        data => data.split(|byte| *byte == b'\n').collect(),
    };
    let mut headers = HeaderMap::new();
    for line in &lines {
        let Ok(value) = HeaderValue::from_bytes(line) else { return };
        headers.append(header::AUTHORIZATION, value);
    }
    let expected = match lines.as_slice() {
        [only] => only.strip_prefix(b"Bearer ").filter(|token| is_token(token)),
        _ => None,
    };
    match header_line::token(&headers) {
        Ok(token) => assert_eq!(Some(token.as_bytes()), expected, "another token was taken"),
        Err(Rejection::Unauthorized(reason)) => {
            sentence(reason);
            assert_eq!(expected, None, "a good token was refused");
        }
        Err(other) => panic!("a header is no reason for {other:?}"),
    }
}

fn is_token(text: &[u8]) -> bool {
    let is_of_it =
        |byte: &u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.');
    (1..=16 * 1024).contains(&text.len()) && text.iter().all(is_of_it)
}

/// Checks that a token that is read says the same to any other reader, that its times count, and
/// that none but the good one verifies. The input is a token.
pub fn jwt(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let token = match Unverified::read(text, &ALGORITHMS) {
        Ok(token) => token,
        Err(Rejection::Unauthorized(reason)) => return sentence(reason),
        Err(other) => panic!("a token's form is no reason for {other:?}"),
    };
    let parts: Vec<&str> = text.split('.').collect();
    let [head, body, signature] = parts.as_slice() else { panic!("{} parts", parts.len()) };
    assert!(!signature.is_empty(), "read without a signature");
    let (head, claims) = (read_part(head), read_part(body));
    assert_eq!(head["alg"], token.algorithm.name());
    assert_eq!(head["kid"], *token.kid);
    for member in ["crit", "b64", "cty", "enc", "zip"] {
        assert!(head.get(member).is_none_or(Value::is_null), "read although it has {member}");
    }
    assert!((1..=256).contains(&token.kid.len()), "read with a kid of {}", token.kid.len());
    assert_eq!(claims["iss"], *token.claims.iss);
    assert_eq!(claims["aud"], *token.claims.aud);
    check_times(&token, &claims);
    let key = GOOD.get("good").expect("the good key set has this key");
    match token.verify(key, &token.claims.iss, &token.claims.aud) {
        Ok(verified) => {
            assert_eq!(text, GOOD_TOKEN, "a forgery was verified");
            assert_eq!(verified.aud, token.claims.aud);
        }
        Err(Rejection::Unauthorized(reason)) => {
            sentence(reason);
            assert_ne!(text, GOOD_TOKEN, "the good token was refused");
        }
        Err(other) => panic!("a signature is no reason for {other:?}"),
    }
}

/// Parses one part of a token, of the members that decide the last of each name, as most readers
/// do.
fn read_part(text: &str) -> Value {
    let json = URL_SAFE_NO_PAD.decode(text).expect("what was read is Base64");
    let json = str::from_utf8(&json).expect("what was read is UTF-8");
    let all: BTreeMap<String, &RawValue> =
        serde_json::from_str(json).expect("what was read is an object");
    let decides = |name: &str| {
        ["alg", "kid", "crit", "b64", "cty", "enc", "zip", "iss", "aud", "exp", "nbf"]
            .contains(&name)
    };
    let members = all.into_iter().filter(|(name, _)| decides(name)).map(|(name, raw)| {
        (name, serde_json::from_str::<Value>(raw.get()).expect("what decides can be read"))
    });
    members.collect()
}

/// Checks that a token counts exactly from five minutes before `nbf` to five minutes after `exp`.
fn check_times(token: &Unverified<'_>, claims: &Value) {
    let seconds = |name: &str| claims[name].as_u64().expect("a time is a whole number");
    let (from, until) = (seconds("nbf"), seconds("exp"));
    let year_9999: u64 = 253_402_300_799;
    for now in [0, from.saturating_sub(301), from, until, until.saturating_add(301), 1_800_000_000]
    {
        let now = now.min(year_9999);
        let is_valid =
            token.claims.check(&token.claims.aud, Timestamp::from_millis(now * 1000), LEEWAY);
        let is_expected = now <= until.saturating_add(300) && from <= now + 300;
        assert_eq!(is_valid.is_ok(), is_expected, "at {now}, from {from} until {until}");
    }
    let other = token.claims.check(
        "another app",
        Timestamp::from_millis(until.min(year_9999) * 1000),
        LEEWAY,
    );
    assert!(other.is_err() || token.claims.aud == "another app");
}

/// Checks that keys are kept only if they are for signatures and told apart by their ids, with
/// their own endorsements, and that only the good one verifies the good token. The input is a key
/// set.
pub fn jwks(data: &[u8]) {
    let Some(set) = http::object::<KeySet>(data) else { return };
    let published = set.keys.clone();
    let keys = Keys::of(set);
    assert!(
        keys.get("nobody published this").is_none()
            || contains(&published, "nobody published this")
    );
    let good = Unverified::read(GOOD_TOKEN, &ALGORITHMS).expect("the good token can be read");
    for kid in published.iter().filter_map(|key| key["kid"].as_str()) {
        let Some(key) = keys.get(kid) else { continue };
        let candidates: Vec<&Value> =
            published.iter().filter(|key| key["kid"] == kid && is_for_signatures(key)).collect();
        assert!(!candidates.is_empty(), "a key that is for nothing was kept");
        let endorsed = |key: &Value| -> Vec<String> {
            serde_json::from_value(key["endorsements"].clone()).unwrap_or_default()
        };
        assert!(candidates.iter().any(|published| endorsed(published) == key.endorsements));
        if good.verify(key, &good.claims.iss, &good.claims.aud).is_ok() {
            assert!(candidates.iter().any(|key| is_good(key)), "another key verifies");
        }
    }
}

fn contains(published: &[Value], kid: &str) -> bool {
    published.iter().any(|key| key["kid"] == kid)
}

fn is_for_signatures(key: &Value) -> bool {
    key["kty"] == "RSA" && (key["use"].is_null() || key["use"] == "sig")
}

/// Reports whether the numbers of a key are those of the good one.
fn is_good(key: &Value) -> bool {
    let number = |key: &Value, name: &str| -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(key[name].as_str()?).ok()?;
        Some(bytes.into_iter().skip_while(|byte| *byte == 0).collect())
    };
    let good: Value = serde_json::from_slice(GOOD_KEYS).expect("the good keys are JSON");
    ["n", "e"].iter().all(|name| number(key, name) == number(&good["keys"][0], name))
}

/// Checks that metadata sends us to HTTPS or to this machine, and never from outside to the inside.
/// The input is an issuer's metadata.
pub fn openid(data: &[u8]) {
    static ISSUERS: LazyLock<[(bool, Issuer); 3]> = LazyLock::new(|| {
        [
            (false, issuer("https://issuer.example/metadata", false)),
            (false, issuer("https://issuer.example/metadata", true)),
            (true, issuer("http://127.0.0.1:1/metadata", false)),
        ]
    });
    let Some(metadata) = http::object::<Metadata>(data) else { return };
    for (is_here, issuer) in &*ISSUERS {
        let Ok(url) = issuer.keys_address(&metadata.jwks_uri) else { continue };
        let host = url.host_str().expect("an address has a host");
        assert!(url.username().is_empty() && url.password().is_none(), "{url}");
        if is_loopback_name(host) {
            assert!(is_here, "{url} is on this machine");
        } else {
            assert_eq!(url.scheme(), "https", "{url}");
        }
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        if let (Ok(address), false) = (literal, issuer.private_addresses) {
            assert!(*is_here || is_public(address), "{url} is inside");
            assert!(!address.is_unspecified() && !address.is_multicast(), "{url} is nobody");
        }
        let again = issuer.keys_address(url.as_str()).expect("a second look allows it, too");
        assert_eq!(again, url);
    }
}

fn issuer(metadata: &str, private_addresses: bool) -> Issuer {
    let http = Http::new(Duration::from_secs(1), private_addresses).expect("a client starts");
    let metadata = http::secure(metadata).expect("our metadata are at an allowed address");
    Issuer::new(metadata, http, Arc::new(SystemClock::new()), private_addresses)
}

//! Secret leak test with canary values: the whole server logs at the highest level, and none shows.
//!
//! The secrets are the app's password, the key of its certificate, the header of its managed
//! identity, the tokens that come in and go out, what users say, and tokens in URLs. They go
//! through the server as they should and in every way that fails; then the log, both outputs of the
//! process, the bodies of errors and `Debug` are searched for them, as they are and as programs
//! like to write them.

#[allow(dead_code, reason = "not every forgery is needed here")]
#[path = "../../../channel/tests/it/auth/forge.rs"]
mod forge;
mod inside;
#[allow(dead_code, reason = "not every page is needed here")]
#[path = "../../../channel/tests/it/auth/issuer.rs"]
mod issuer;
mod lines;
mod outside;
mod pasted;
mod world;

use base64::{Engine as _, engine::general_purpose};

/// Text that users say.
const TEXT: &str = "c4n4ry-text-7f1e";
/// The app's password, and the header of its managed identity.
const PASSWORD: &str = "c4n4ry-password-93ab";
/// The token that the bot shows to channels.
const BEARER: &str = "c4n4ry-bearer-51cd";

/// Secrets, in every encoding in which they are looked for.
#[derive(Clone, Debug, Default)]
struct Secrets(Vec<String>);

impl Secrets {
    fn new() -> Self {
        let mut secrets = Self::default();
        for secret in [TEXT, PASSWORD, BEARER] {
            secrets.add(secret);
        }
        secrets
    }

    /// Adds a secret, also as Base64 and as a list of bytes.
    fn add(&mut self, secret: &str) {
        let bytes = format!("{:?}", secret.as_bytes());
        let start: Vec<_> = bytes.trim_matches(['[', ']']).split(", ").take(12).collect();
        self.0.push(start.join(", "));
        // Base64 depends on where in a group of three it begins; two letters at the ends hang on
        // others.
        for before in ["", "x", "xx"] {
            let text = general_purpose::STANDARD_NO_PAD.encode(format!("{before}{secret}"));
            let inner = text.get(4..text.len() - 2).unwrap_or_default();
            self.0.extend([inner.to_owned(), inner.replace('+', "-").replace('/', "_")]);
        }
        self.0.push(secret.to_owned());
        self.0.retain(|form| form.len() >= 12);
    }

    /// Adds a token: its claims and its signature; the header is the same in many and no secret.
    fn add_token(&mut self, token: &str) {
        self.0.extend(token.split('.').skip(1).filter(|part| part.len() >= 12).map(str::to_owned));
    }

    /// Adds the lines of a key.
    fn add_key(&mut self, pem: &str) {
        self.0.extend(pem.lines().filter(|line| !line.starts_with("--")).flat_map(|line| {
            line.as_bytes().chunks(48).map(|part| String::from_utf8(part.to_vec()).unwrap())
        }));
        self.0.retain(|form| form.len() >= 12);
    }

    /// Asserts that none of them is in a text.
    fn are_not_in(&self, place: &str, text: &str) {
        for secret in &self.0 {
            let Some(at) = text.find(secret) else { continue };
            let line = text[..at].lines().next_back().unwrap_or_default();
            panic!("{place} shows {secret} after: {line}");
        }
    }
}

#[test]
fn the_search_finds_what_it_looks_for() {
    let mut secrets = Secrets::new();
    secrets.add_token("eyJhbGciOiJSUzI1NiJ9.c2VjcmV0LWNsYWltcw.c2lnbmF0dXJlLW9m");
    let base64 = |text: &str| general_purpose::URL_SAFE.encode(text);
    for text in [
        format!("said {TEXT}."),
        format!("{:?}", PASSWORD.as_bytes()),
        format!("Basic {}", base64(&format!("app:{PASSWORD}"))),
        base64(&format!("{{\"t\":\"{BEARER}\"}}")),
        "Bearer x.c2VjcmV0LWNsYWltcw.y".to_owned(),
    ] {
        let shown = std::panic::catch_unwind(|| secrets.are_not_in("it", &text));
        assert!(shown.is_err(), "{text}");
    }
    secrets.are_not_in("it", "eyJhbGciOiJSUzI1NiJ9 [redacted]");
}

//! Redaction of values that are shown, by an allow-list.
//!
//! People paste connection strings of every form, and no list of secrets' names is ever complete.
//! So only what has a known form is shown: of a URL its scheme, a user, hosts, a path and the
//! parameters that are known to be harmless. Anything else is `...`.

/// Placeholder for text that may be secret.
const HIDDEN: &str = "...";

/// Query parameters that are never secret.
const PLAIN: [&str; 9] = [
    "connections",
    "containers",
    "create",
    "layout",
    "prefix",
    "region",
    "schema",
    "sslmode",
    "table",
];

/// Query parameters whose names are shown, and nothing else of them.
const NAMED: [&str; 12] = [
    "auth",
    "endpoint",
    "password",
    "se",
    "secret-file",
    "sig",
    "sp",
    "sslcert",
    "sslkey",
    "sslrootcert",
    "sv",
    "user",
];

/// Schemes whose URLs are shown, and whether a user's name in them is no secret.
const SCHEMES: [(&str, bool); 19] = [
    ("http", false),
    ("https", false),
    ("postgres", true),
    ("postgresql", true),
    ("redis", false),
    ("rediss", false),
    ("redis+cluster", false),
    ("rediss+cluster", false),
    ("redis+sentinel", false),
    ("rediss+sentinel", false),
    ("valkey", false),
    ("valkeys", false),
    ("valkey+cluster", false),
    ("valkeys+cluster", false),
    ("valkey+sentinel", false),
    ("valkeys+sentinel", false),
    ("cosmos", false),
    ("cosmos+http", false),
    ("s3", false),
];

/// Length beyond which a word is taken for a secret: a GUID has 36 characters.
const WORD_MAX: usize = 40;

/// Redacts the value of a setting.
pub(super) fn value(key: &str, text: &str) -> String {
    match key {
        "log.filter" => filter(text),
        // No store is named by a word: it may be a password.
        "store" if !text.contains(':') => HIDDEN.to_owned(),
        _ => url(text),
    }
}

/// Redacts a text that may be a URL.
///
/// A password may hold any character, so everything before the last `@` counts as user and
/// password.
pub(super) fn url(text: &str) -> String {
    if text == "memory://" {
        return text.to_owned();
    }
    if let Some(path) = text.strip_prefix("sqlite:") {
        return format!("sqlite:{}", file(path));
    }
    if let Some(rest) = text.strip_prefix("azblob:") {
        return format!("azblob:{}", if rest.contains("://") { url(rest) } else { place(rest) });
    }
    match text.split_once("://") {
        Some((scheme, rest)) => match SCHEMES.iter().find(|(known, _)| *known == scheme) {
            Some((_, shows_user)) => format!("{scheme}://{}", authority(rest, *shows_user)),
            None => HIDDEN.to_owned(),
        },
        None => word(text),
    }
}

/// Redacts a filter of the log: directives such as `sayso=debug`.
fn filter(text: &str) -> String {
    let is_level = |level: &str| {
        let levels = ["off", "error", "warn", "info", "debug", "trace"];
        levels.iter().any(|known| known.eq_ignore_ascii_case(level))
    };
    let directive = |text: &str| match text.split_once('=') {
        Some((target, level)) => is_module(target) && is_level(level),
        None => is_level(text) || is_module(text),
    };
    match text.split(',').all(|text| directive(text.trim())) {
        true => text.to_owned(),
        false => HIDDEN.to_owned(),
    }
}

/// A module's path, as a target of the log.
fn is_module(text: &str) -> bool {
    let is_of_module = |byte: u8| byte.is_ascii_alphanumeric() || b"_:-".contains(&byte);
    text.len() <= WORD_MAX && text.bytes().all(is_of_module)
}

/// A path of a file; a connection string in its place is hidden.
fn file(path: &str) -> String {
    let is_odd = path.contains([';', '=', '\n']) || path.contains("://");
    let has_user = path.starts_with("//") && path.contains('@');
    if is_odd || has_user { HIDDEN.to_owned() } else { path.to_owned() }
}

/// A single word, such as an id.
fn word(text: &str) -> String {
    if is_word(text) { text.to_owned() } else { HIDDEN.to_owned() }
}

/// Reports whether a text is a single word, such as an id.
pub(super) fn is_word(text: &str) -> bool {
    text.len() <= WORD_MAX && text.bytes().all(is_of_word)
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-".contains(&byte)
}

fn authority(rest: &str, shows_user: bool) -> String {
    let (user, rest) = match rest.rsplit_once('@') {
        Some((user, rest)) => (user_of(user, shows_user), rest),
        None => (String::new(), rest),
    };
    format!("{user}{}", place(rest))
}

fn user_of(text: &str, is_shown: bool) -> String {
    let (name, password) = match text.split_once(':') {
        Some((name, _)) => (name, ":..."),
        None => (text, ""),
    };
    // A token in place of a user is a secret.
    let name = match name {
        "" => String::new(),
        name if is_shown => word(name),
        _ => HIDDEN.to_owned(),
    };
    format!("{name}{password}@")
}

/// Hosts, a path, and parameters.
fn place(text: &str) -> String {
    let (text, fragment) = match text.split_once('#') {
        Some((text, _)) => (text, "#..."),
        None => (text, ""),
    };
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let (hosts, path) = match text.split_once('/') {
        Some((hosts, path)) => (hosts, Some(path)),
        None => (text, None),
    };
    if !hosts.split(',').all(is_host) {
        // What follows may be the rest of a key with a slash in it.
        return HIDDEN.to_owned();
    }
    let mut shown = hosts.to_owned();
    if let Some(path) = path {
        for segment in path.split('/') {
            shown.push('/');
            shown.push_str(&word(segment));
        }
    }
    if !query.is_empty() {
        shown.push('?');
        shown.push_str(&query.split('&').map(parameter).collect::<Vec<_>>().join("&"));
    }
    shown.push_str(fragment);
    shown
}

/// A name or an address, with a port or not. A port that is no number may be a password.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        Some((address, port)) => {
            let is_address = address.parse::<std::net::Ipv6Addr>().is_ok();
            (if is_address { "v6" } else { "[" }, port.strip_prefix(':').unwrap_or(port))
        }
        None => text.split_once(':').unwrap_or((text, "")),
    };
    let is_of_host = |byte: u8| is_of_word(byte) || byte == b'*';
    name.bytes().all(is_of_host) && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit())
}

fn parameter(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) if PLAIN.contains(&name) => {
            format!("{name}={}", value.split(',').map(word).collect::<Vec<_>>().join(","))
        }
        Some((name, _)) if NAMED.contains(&name) => format!("{name}={HIDDEN}"),
        _ => HIDDEN.to_owned(),
    }
}

#[cfg(test)]
mod tests;

//! Allow-list of service URLs, against server-side request forgery (SSRF).
//!
//! An inbound activity names the URL that its replies go to. Anybody who can post one could thus
//! make the bot call any address: a metadata service, an internal host, a server that collects
//! tokens. So a URL must be on this list, both when it comes in and when it is used.

mod service_url;
mod url_cache;

use std::{fmt, net::IpAddr};

use reqwest::Url;

pub(crate) use self::{service_url::ServiceUrl, url_cache::UrlCache};

/// Allow-list of the service URLs that activities may name.
///
/// # Guarantees
/// Only HTTPS leaves the machine: plain HTTP is for loopback only, and loopback means an IP literal
/// or the name `localhost`, which is never resolved by DNS. A URL with a user name, a query or a
/// fragment is not allowed.
///
/// # Example
/// ```
/// use sayso_channel::ServiceUrls;
///
/// assert!(ServiceUrls::Loopback.allows("http://localhost:56150/_connector"));
/// assert!(!ServiceUrls::Loopback.allows("http://169.254.169.254/"));
///
/// let teams = ServiceUrls::Only(vec!["https://smba.trafficmanager.net/teams".to_owned()]);
/// assert!(teams.allows("https://smba.trafficmanager.net/teams/"));
/// assert!(!teams.allows("https://smba.trafficmanager.net/teamsters"));
/// assert!(!teams.allows("http://localhost:56150/_connector"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServiceUrls {
    /// Any address on this machine: for development without authentication.
    #[default]
    Loopback,
    /// URLs that start with one of these: the same scheme, host and port, and a path that is equal
    /// or continues after a `/`. A host such as `*.botframework.com` matches all its subdomains.
    /// Each entry must be HTTPS or on loopback; one that is not matches nothing.
    Only(Vec<String>),
}

impl ServiceUrls {
    /// Reports whether an activity may name this URL.
    #[must_use]
    pub fn allows(&self, url: &str) -> bool {
        self.resolve(url).is_some()
    }

    /// Returns the normalized URL, if it is allowed.
    pub(crate) fn resolve(&self, url: &str) -> Option<Url> {
        let url = parse(url).filter(|url| !is_pattern(url))?;
        let is_allowed = match self {
            Self::Loopback => is_loopback(&url),
            Self::Only(prefixes) => {
                prefixes.iter().filter_map(|prefix| parse(prefix)).any(|base| covers(&base, &url))
            }
        };
        is_allowed.then_some(url)
    }

    /// Returns the first entry that can never match.
    pub(crate) fn first_invalid(&self) -> Option<&str> {
        match self {
            Self::Loopback => None,
            Self::Only(prefixes) => {
                let is_invalid = |prefix: &&str| !parse(prefix).is_some_and(|url| is_sound(&url));
                prefixes.iter().map(String::as_str).find(is_invalid)
            }
        }
    }
}

/// Describes the allowed URLs, as the end of a sentence.
impl fmt::Display for ServiceUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback => f.write_str("a loopback address such as http://localhost:56150"),
            Self::Only(prefixes) if prefixes.is_empty() => {
                f.write_str("no service URL at all, because the list is empty")
            }
            Self::Only(prefixes) => write!(f, "a URL that starts with {}", prefixes.join(" or ")),
        }
    }
}

/// Reports whether a host from a URL or from a `Host` header (without port) is this machine.
pub(crate) fn is_loopback_name(host: &str) -> bool {
    let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    match literal.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

/// Reports whether the value of an `Origin` header is a page of this machine.
pub(crate) fn is_loopback_origin(origin: &str) -> bool {
    Url::parse(origin)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && is_loopback(&url))
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_name)
}

/// Parses a URL and checks its form, on any host.
fn parse(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_private = match url.scheme() {
        "https" => url.host_str().is_some(),
        "http" => is_loopback(&url),
        _ => false,
    };
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    // Some servers decode these to path separators, which allows path traversal.
    let path = url.path().to_ascii_lowercase();
    let is_flat = !path.contains("%2f") && !path.contains("%5c");
    (is_private && is_plain && is_flat).then_some(url)
}

/// Reports whether an entry names one host, or subdomains of something below a top-level domain.
fn is_sound(base: &Url) -> bool {
    let host = base.host_str().unwrap_or_default();
    match host.strip_prefix("*.") {
        Some(domain) => domain.contains('.') && !domain.contains('*'),
        None => !is_pattern(base),
    }
}

fn is_pattern(url: &Url) -> bool {
    url.host_str().is_some_and(|host| host.contains('*'))
}

fn is_same_host(base: &Url, url: &Url) -> bool {
    let (Some(base), Some(host)) = (base.host_str(), url.host_str()) else { return false };
    match base.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|name| name.ends_with('.')),
        None => base == host,
    }
}

fn covers(base: &Url, url: &Url) -> bool {
    let is_same_origin = is_sound(base)
        && base.scheme() == url.scheme()
        && is_same_host(base, url)
        && base.port_or_known_default() == url.port_or_known_default();
    let rest = url.path().strip_prefix(base.path().trim_end_matches('/'));
    is_same_origin && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(urls: &ServiceUrls, allowed: &[&str], refused: &[&str]) {
        for url in allowed {
            assert!(urls.allows(url), "{url} should be allowed");
        }
        for url in refused {
            assert!(!urls.allows(url), "{url} should be refused");
        }
    }

    #[test]
    fn loopback_is_a_literal_or_localhost_and_nothing_that_looks_like_it() {
        check(
            &ServiceUrls::Loopback,
            &[
                "http://localhost:56150/_connector",
                "HTTP://LOCALHOST",
                "https://127.0.0.1/",
                "http://127.8.9.1:1",
                "http://[::1]:3978/a/b",
                "http://2130706433/",
            ],
            &[
                "",
                "localhost:3978",
                "//localhost/",
                "ftp://localhost/",
                "file:///etc/hosts",
                "data:text/plain,x",
                "http://localhost.example.com/",
                "http://localhost./",
                "http://a.localhost/",
                "http://127.0.0.1.example.com/",
                "http://127.0.0.1@example.com/",
                "http://example.com\\@127.0.0.1/",
                "http://user@127.0.0.1/",
                "http://:word@127.0.0.1/",
                "http://127.0.0.1/?a=b",
                "http://127.0.0.1/?",
                "http://127.0.0.1/#a",
                "http://0.0.0.0/",
                "http://[::]/",
                "http://[::ffff:127.0.0.1]/",
                "http://10.0.0.1/",
                "http://169.254.169.254/latest",
                "http://[fe80::1]/",
                "https://example.com/",
                "http://ⓛocalhost.example/",
            ],
        );
    }

    #[test]
    fn a_list_allows_the_same_origin_and_whole_segments_of_the_path() {
        let urls = ServiceUrls::Only(vec![
            "https://a.example/teams/".to_owned(),
            "https://b.example".to_owned(),
            "http://127.0.0.1:5000/_connector".to_owned(),
        ]);
        check(
            &urls,
            &[
                "https://a.example/teams",
                "https://A.example:443/teams/emea/",
                "https://b.example",
                "https://b.example/any/path",
                "http://127.0.0.1:5000/_connector/",
            ],
            &[
                "http://a.example/teams",
                "https://a.example/",
                "https://a.example/teamsters",
                "https://a.example/Teams",
                "https://a.example/teams/../other",
                "https://a.example/teams/%2e%2e/other",
                "https://a.example/teams/..%2fother",
                "https://a.example/teams/..%5Cother",
                "https://a.example:444/teams",
                "https://a.example.evil.example/teams",
                "https://a.example@evil.example/teams",
                "https://b.example.evil.example",
                "https://evil.example/https://b.example",
                "http://127.0.0.1:5001/_connector",
                "http://localhost:5000/_connector",
            ],
        );
    }

    #[test]
    fn a_host_with_a_star_stands_for_the_names_below_it() {
        let urls = ServiceUrls::Only(vec!["https://*.channel.example/v3".to_owned()]);
        check(
            &urls,
            &["https://a.channel.example/v3/", "https://A.B.channel.example/v3/x"],
            &[
                "https://channel.example/v3",
                "https://evilchannel.example/v3",
                "https://a.channel.example.evil.example/v3",
                "https://a.channel.example/",
                "https://*.channel.example/v3",
                "http://a.channel.example/v3",
            ],
        );
        for entry in ["https://*.example", "https://*", "https://a.*.example", "https://*.*.b.c"] {
            let urls = ServiceUrls::Only(vec![entry.to_owned()]);
            assert_eq!(urls.first_invalid(), Some(entry));
            assert!(!urls.allows("https://a.b.example/") && !urls.allows(entry), "{entry}");
        }
    }

    #[test]
    fn an_entry_without_https_allows_nothing_and_is_found() {
        for entry in
            ["http://a.example", "a.example", "https://a.example/?x", "https://u@a.example"]
        {
            let urls = ServiceUrls::Only(vec!["https://b.example".to_owned(), entry.to_owned()]);
            assert_eq!(urls.first_invalid(), Some(entry));
            assert!(!urls.allows(entry), "{entry}");
        }
        assert_eq!(ServiceUrls::Loopback.first_invalid(), None);
        assert!(!ServiceUrls::Only(vec![]).allows("http://localhost/"));
    }

    #[test]
    fn an_origin_is_a_page_of_this_machine_or_not() {
        for origin in ["http://localhost:56150", "https://127.0.0.1", "http://[::1]:8080"] {
            assert!(is_loopback_origin(origin), "{origin}");
        }
        for origin in ["null", "", "https://example.com", "http://localhost.example", "file://"] {
            assert!(!is_loopback_origin(origin), "{origin}");
        }
    }
}

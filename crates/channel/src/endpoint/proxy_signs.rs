//! Header names by which proxies, load balancers, tunnels and clouds give themselves away.
//!
//! The list is long because each vendor has names of its own, and a bot without authentication that
//! is reachable through one of them is open to the world. A name that clients send too, such as
//! `X-Request-Id` or `traceparent`, is no sign.
//!
//! Every header of every request is looked up, so names are sorted by their first letter: most
//! headers of a client meet none or three of the 84 entries.

use axum::http::HeaderName;

/// Entries of one first letter, each list in order.
#[derive(Debug)]
struct Signs {
    /// Whole names.
    names: &'static [&'static str],
    /// Beginnings of names. None is the beginning of another, which the search relies on.
    prefixes: &'static [&'static str],
}

const X_NAMES: &[&str] = &[
    "x-bluecoat-via",
    "x-client-cert",
    "x-client-ip",
    "x-client-verify",
    "x-coming-from",
    "x-custom-ip-authorization",
    "x-from-ip",
    "x-host",
    "x-http-host-override",
    "x-nginx-proxy",
    "x-request-start",
    "x-rewrite-url",
    "x-scheme",
    "x-site-deployment-id",
    "x-true-client-ip",
    "x-url-scheme",
    "x-varnish",
];

const X_PREFIXES: &[&str] = &[
    "x-accel-",
    "x-akamai-",
    "x-amz-apigw-",
    "x-amz-cf-",
    "x-amzn-",
    "x-appengine-",
    "x-appgw-",
    "x-arr-",
    "x-azure-",
    "x-cloud-trace-context",
    "x-cluster-",
    "x-envoy-",
    "x-fastly-",
    "x-fd-",
    "x-fly-",
    "x-forward",
    "x-gateway-",
    "x-gfe-",
    "x-google-",
    "x-haproxy-",
    "x-heroku-",
    "x-incap-",
    "x-istio-",
    "x-k8s-",
    "x-kong-",
    "x-ms-containerapp-",
    "x-ms-tunnel-",
    "x-nf-",
    "x-ngrok-",
    "x-original-",
    "x-originating-",
    "x-proxy",
    "x-railway-",
    "x-real-",
    "x-remote-",
    "x-render-",
    "x-ssl-",
    "x-sucuri-",
    "x-traefik-",
    "x-tunnel-",
    "x-vercel-",
    "x-waws-",
];

impl Signs {
    /// The entries that begin with this letter; header names are lower case.
    const fn of(first: u8) -> Self {
        let (names, prefixes): (&[&str], &[&str]) = match first {
            b'a' => (&["ali-cdn-real-ip", "apigw-requestid"], &["akamai-"]),
            b'c' => (&["client-ip"], &["cdn-", "cf-", "cloudfront-"]),
            b'd' => (&["disguised-host"], &[]),
            b'e' => (&["early-data"], &[]),
            b'f' => (&["front-end-https"], &["fastly-", "fly-", "forward"]),
            b'i' => (&[], &["incap-"]),
            b'm' => (&["max-forwards"], &[]),
            b'n' => (&[], &["ngrok-"]),
            b'p' => (&[], &["proxy-"]),
            b'r' => (&["remote-addr", "rndr-id"], &[]),
            b's' => (&["surrogate-capability"], &["ssl-client-"]),
            b't' => (&["true-client-ip"], &[]),
            b'v' => (&["via"], &[]),
            b'w' => (&["was-default-hostname", "wl-proxy-client-ip"], &[]),
            b'x' => (X_NAMES, X_PREFIXES),
            _ => (&[], &[]),
        };
        Self { names, prefixes }
    }

    fn contain(&self, name: &str) -> bool {
        // Of prefixes in order, only the last one that is not after the name can begin it.
        let last = self.prefixes.partition_point(|prefix| *prefix <= name).checked_sub(1);
        let prefix = last.and_then(|at| self.prefixes.get(at));
        prefix.is_some_and(|prefix| name.starts_with(prefix))
            || self.names.binary_search(&name).is_ok()
    }
}

/// Reports whether only something between a client and this server adds a header of this name.
pub(super) fn is_sign_of_a_proxy(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.as_bytes().first().is_some_and(|first| Signs::of(*first).contain(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_sign(name: &str) -> bool {
        is_sign_of_a_proxy(&name.parse().unwrap())
    }

    fn all() -> Vec<(u8, Signs)> {
        (0..=u8::MAX).map(|first| (first, Signs::of(first))).collect()
    }

    #[test]
    fn every_entry_is_found_and_so_is_whatever_begins_with_a_prefix() {
        let (mut names, mut prefixes) = (0, 0);
        for (first, signs) in all() {
            assert!(signs.names.is_sorted() && signs.prefixes.is_sorted());
            for name in signs.names {
                names += 1;
                assert!(name.as_bytes()[0] == first && is_sign(name), "{name}");
            }
            for prefix in signs.prefixes {
                prefixes += 1;
                assert_eq!(prefix.as_bytes()[0], first, "{prefix}");
                for rest in ["", "-", "0", "a", "ip", "zzz", "~"] {
                    assert!(is_sign(&format!("{prefix}{rest}")), "{prefix}{rest}");
                }
                let others = signs.prefixes.iter().filter(|other| other.starts_with(prefix));
                assert_eq!(others.count(), 1, "{prefix} begins another one");
            }
        }
        assert_eq!((names, prefixes), (31, 53));
    }

    #[test]
    fn the_search_says_what_a_look_at_every_entry_says() {
        let entries: Vec<_> =
            all().into_iter().flat_map(|(_, signs)| [signs.names, signs.prefixes]).collect();
        let prefixes: Vec<_> = all().into_iter().flat_map(|(_, signs)| signs.prefixes).collect();
        for entry in entries.iter().copied().flatten() {
            for end in 1..=entry.len() {
                for rest in ["", "-", "a", "z"] {
                    let name = format!("{}{rest}", &entry[..end]);
                    let is_name = entries.iter().step_by(2).any(|names| names.contains(&&*name));
                    let is_below = prefixes.iter().any(|prefix| name.starts_with(**prefix));
                    assert_eq!(is_sign(&name), is_name || is_below, "{name}");
                }
            }
        }
    }

    #[test]
    fn what_clients_send_is_no_sign() {
        for name in [
            "accept",
            "accept-encoding",
            "accept-language",
            "authorization",
            "cache-control",
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "cookie",
            "expect",
            "host",
            "origin",
            "pragma",
            "priority",
            "referer",
            "sec-fetch-mode",
            "sec-fetch-site",
            "te",
            "traceparent",
            "transfer-encoding",
            "upgrade",
            "user-agent",
            "x-ms-conversation-id",
            "x-request-id",
            "x-requested-with",
        ] {
            assert!(!is_sign(name), "{name}");
        }
    }
}

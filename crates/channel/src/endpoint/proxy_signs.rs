//! Header names by which proxies, load balancers, tunnels and clouds give themselves away.
//!
//! The list is long because each vendor has names of its own, and a bot without authentication that
//! is reachable through one of them is open to the world. A name that clients send too, such as
//! `X-Request-Id` or `traceparent`, is no sign.

use axum::http::HeaderName;

/// Whole names.
const NAMES: &[&str] = &[
    "ali-cdn-real-ip",
    "apigw-requestid",
    "client-ip",
    "disguised-host",
    "early-data",
    "front-end-https",
    "max-forwards",
    "remote-addr",
    "rndr-id",
    "surrogate-capability",
    "true-client-ip",
    "via",
    "was-default-hostname",
    "wl-proxy-client-ip",
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

/// Beginnings of names.
const PREFIXES: &[&str] = &[
    "akamai-",
    "cdn-",
    "cf-",
    "cloudfront-",
    "fastly-",
    "fly-",
    "forward",
    "incap-",
    "ngrok-",
    "proxy-",
    "ssl-client-",
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

/// Reports whether only something between a client and this server adds a header of this name.
pub(super) fn is_sign_of_a_proxy(name: &HeaderName) -> bool {
    let name = name.as_str();
    NAMES.binary_search(&name).is_ok() || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order_and_what_clients_send_is_no_sign() {
        assert!(NAMES.is_sorted() && PREFIXES.is_sorted());
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
            assert!(!is_sign_of_a_proxy(&HeaderName::from_static(name)), "{name}");
        }
    }
}

//! Requests that a proxy, a tunnel or a foreign page would send to a bot without authentication,
//! each with one sign of it; and requests of programs of this machine.

/// The sign by which a request is refused.
#[derive(Clone, Copy, Debug)]
pub(super) enum Why {
    Proxy,
    Page,
    Host,
}

/// One request: headers beside those of a well-behaved program.
pub(super) struct Row {
    pub(super) headers: Vec<(&'static str, &'static str)>,
    pub(super) why: Why,
}

impl Why {
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Proxy => "the request came through a proxy",
            Self::Page => "web pages of other hosts may not call this bot",
            Self::Host => "this bot accepts requests for localhost only",
        }
    }
}

const ADDRESS: &str = "203.0.113.7";

/// Headers of proxies, load balancers, tunnels and clouds.
const PROXIES: &[(&str, &str)] = &[
    ("forwarded", "for=203.0.113.7;proto=https"),
    ("forwarded", ""),
    ("via", "1.1 proxy"),
    ("x-forwarded-for", ADDRESS),
    ("x-forwarded-for", "127.0.0.1"),
    ("x-forwarded-for", ""),
    ("x-forwarded-host", "localhost"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-port", "443"),
    ("x-forwarded-server", "proxy"),
    ("x-forwarded-prefix", "/bot"),
    ("x-forwarded-scheme", "https"),
    ("x-forwarded-uri", "/api/messages"),
    ("x-forwarded-client-cert", "By=x"),
    ("x-forwarded", ADDRESS),
    ("forwarded-for", ADDRESS),
    ("x-real-ip", ADDRESS),
    ("x-client-ip", ADDRESS),
    ("x-cluster-client-ip", ADDRESS),
    ("client-ip", ADDRESS),
    ("x-remote-ip", ADDRESS),
    ("x-remote-addr", ADDRESS),
    ("x-originating-ip", ADDRESS),
    ("x-proxyuser-ip", ADDRESS),
    ("wl-proxy-client-ip", ADDRESS),
    ("proxy-client-ip", ADDRESS),
    ("proxy-connection", "keep-alive"),
    ("cf-connecting-ip", ADDRESS),
    ("cf-ray", "230b030023ae2822-SJC"),
    ("cf-visitor", "{}"),
    ("cdn-loop", "cloudflare"),
    ("true-client-ip", ADDRESS),
    ("akamai-origin-hop", "1"),
    ("fastly-client-ip", ADDRESS),
    ("fastly-ssl", "1"),
    ("x-azure-clientip", ADDRESS),
    ("x-azure-ref", "0"),
    ("x-azure-socketip", ADDRESS),
    ("x-fd-healthprobe", "1"),
    ("x-appgw-trace-id", "1"),
    ("x-arr-ssl", "2048"),
    ("x-arr-log-id", "1"),
    ("x-waws-unencoded-url", "/api/messages"),
    ("was-default-hostname", "bot.azurewebsites.net"),
    ("disguised-host", "bot.azurewebsites.net"),
    ("x-ms-containerapp-name", "bot"),
    ("x-original-for", ADDRESS),
    ("x-original-host", "bot.example"),
    ("x-original-url", "/api/messages"),
    ("x-original-proto", "https"),
    ("x-rewrite-url", "/api/messages"),
    ("x-envoy-external-address", ADDRESS),
    ("x-envoy-expected-rq-timeout-ms", "15000"),
    ("x-amzn-trace-id", "Root=1-1"),
    ("x-amz-cf-id", "1"),
    ("cloudfront-viewer-address", ADDRESS),
    ("x-cloud-trace-context", "1/1;o=1"),
    ("x-appengine-user-ip", ADDRESS),
    ("x-google-gfe-request-trace", "1"),
    ("fly-client-ip", ADDRESS),
    ("fly-forwarded-port", "443"),
    ("x-vercel-forwarded-for", ADDRESS),
    ("x-nf-client-connection-ip", ADDRESS),
    ("x-railway-edge", "1"),
    ("x-request-start", "t=1"),
    ("x-scheme", "https"),
    ("x-kong-request-id", "1"),
    ("x-sucuri-clientip", ADDRESS),
    ("incap-client-ip", ADDRESS),
    ("x-varnish", "1"),
];

/// Headers of browsers that show a page of another site.
const PAGES: &[(&str, &str)] = &[
    ("origin", "https://evil.example"),
    ("origin", "http://localhost.evil.example"),
    ("origin", "http://127.0.0.1.evil.example"),
    ("origin", "null"),
    ("origin", ""),
    ("origin", "file://"),
    ("origin", "chrome-extension://abc"),
    ("referer", "https://evil.example/page"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "Cross-Site"),
    ("sec-fetch-site", ""),
];

/// Names that are not of this machine.
const HOSTS: &[&str] = &[
    "evil.example",
    "evil.example:3978",
    "localhost.evil.example",
    "localhost@evil.example",
    "evil@localhost",
    "192.168.0.7:3978",
    "0.0.0.0:3978",
    "bot_upstream",
    "",
];

pub(super) fn rows() -> Vec<Row> {
    let proxies = PROXIES.iter().map(|header| Row { headers: vec![*header], why: Why::Proxy });
    let pages = PAGES.iter().map(|header| Row { headers: vec![*header], why: Why::Page });
    let hosts = HOSTS.iter().map(|host| Row { headers: vec![("host", *host)], why: Why::Host });
    let several = [
        Row {
            headers: vec![("origin", "http://localhost"), ("origin", "https://evil.example")],
            why: Why::Page,
        },
        Row {
            headers: vec![("origin", "http://localhost"), ("sec-fetch-site", "cross-site")],
            why: Why::Page,
        },
        Row { headers: vec![("host", "localhost"), ("host", "evil.example")], why: Why::Host },
        Row {
            headers: vec![("host", "evil.example"), ("origin", "http://evil.example")],
            why: Why::Host,
        },
    ];
    proxies.chain(pages).chain(hosts).chain(several).collect()
}

/// Requests of programs of this machine, and of pages that they show.
pub(super) fn neighbours() -> Vec<Vec<(&'static str, &'static str)>> {
    vec![
        vec![],
        vec![("host", "localhost")],
        vec![("host", "LocalHost:3978")],
        vec![("host", "127.0.0.1:3978")],
        vec![("host", "[::1]:3978")],
        vec![("origin", "http://localhost:56150")],
        vec![("origin", "https://127.0.0.1:1")],
        vec![("origin", "http://[::1]")],
        // curl.
        vec![("user-agent", "curl/8.5.0"), ("accept", "*/*")],
        // The Bot Framework Emulator (Electron's node-fetch).
        vec![
            ("accept", "application/json"),
            ("user-agent", "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)"),
            ("accept-encoding", "gzip,deflate"),
            ("connection", "close"),
        ],
        // The Agents Playground (undici in Node.js).
        vec![
            ("accept", "*/*"),
            ("accept-language", "*"),
            ("sec-fetch-mode", "cors"),
            ("user-agent", "node"),
            ("accept-encoding", "gzip, deflate"),
        ],
        // A page of this machine, in a browser.
        vec![
            ("origin", "http://localhost:3978"),
            ("referer", "http://localhost:3978/"),
            ("sec-fetch-site", "same-origin"),
            ("sec-fetch-mode", "cors"),
            ("sec-fetch-dest", "empty"),
        ],
        vec![("origin", "http://localhost:56150"), ("sec-fetch-site", "same-site")],
        vec![("sec-fetch-site", "none"), ("sec-fetch-mode", "navigate")],
        // Tracing, which programs send themselves.
        vec![("x-request-id", "1"), ("traceparent", "00-1-1-01"), ("x-ms-conversation-id", "1")],
    ]
}

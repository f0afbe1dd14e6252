//! Guard of a bot without authentication: programs of this machine only, no proxy, no foreign page.
//!
//! Whoever reaches such a bot can speak for anybody, so a request is let in only if everything
//! about it says that a program of this machine made it for this machine. The peer's address alone
//! does not: a proxy, a tunnel or a browser on this machine has a loopback address, too.
//!
//! * A proxy gives itself away by the headers that it adds, by HTTP/1.0 (nginx by default) or by
//!   the name that it was called by.
//! * A web page is given away by `Origin`, `Referer` and the browser's fetch metadata. `Host` must
//!   be a loopback name, so DNS rebinding (another name that resolves to this machine) fails.

use std::net::SocketAddr;

use axum::{
    Router,
    extract::{Request, State},
    http::{self, HeaderMap, HeaderValue, StatusCode, Version, header, uri::Authority},
    middleware::{self, Next},
    response::Response,
};

use super::{
    error_response::ErrorResponse,
    proxy_signs::is_sign_of_a_proxy,
    refusal::Refusal,
    refusals::{Refusals, peer_of},
};
use crate::service_urls::{is_loopback_name, is_loopback_origin};

/// Kind of request, for what must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Local {
    /// A request of a program or a page of this machine.
    Any,
    /// The same; or a load balancer's probe, which may be HTTP/1.0 and name no host.
    Probe,
}

/// Guards every route of an application without authentication, its fallback too: only programs
/// of this machine get through, as with [`EndpointAuth::None`](crate::EndpointAuth::None).
///
/// # Example
/// ```
/// use axum::{Router, routing::get};
/// use sayso_channel::{Refusals, guard_local};
///
/// let app: Router = Router::new().route("/", get(|| async { "for this machine" }));
/// let app = guard_local(app, Refusals::default());
/// let service = app.into_make_service_with_connect_info::<std::net::SocketAddr>();
/// # drop(service);
/// ```
pub fn guard_local(router: Router, refusals: Refusals) -> Router {
    router.layer(middleware::from_fn_with_state(LocalGuard::new(refusals), guard))
}

async fn guard(State(guard): State<LocalGuard>, mut request: Request, next: Next) -> Response {
    match guard.refusal(&mut request) {
        None => next.run(request).await,
        Some(refusal) => refusal,
    }
}

/// The guard of [`guard_local`] for a server that asks it before it calls a router, which costs
/// less than a layer around every route.
///
/// # Example
/// ```
/// use std::net::SocketAddr;
/// use axum::{body::Body, extract::{ConnectInfo, Request}};
/// use sayso_channel::{LocalGuard, Refusals};
///
/// let guard = LocalGuard::new(Refusals::default());
/// let mut request = Request::builder().header("host", "localhost").body(Body::empty()).unwrap();
/// assert_eq!(guard.refusal(&mut request).unwrap().status(), 403); // nobody knows whose it is
/// request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 1))));
/// assert!(guard.refusal(&mut request).is_none());
/// ```
#[derive(Clone, Debug)]
pub struct LocalGuard(Refusals);

/// Mark of a request that the guard has let in, so that the endpoint need not check it again. Only
/// the guard can make one.
#[derive(Clone, Copy, Debug)]
struct Guarded;

impl LocalGuard {
    /// A guard that counts what it refuses.
    #[must_use]
    pub fn new(refusals: Refusals) -> Self {
        Self(refusals)
    }

    /// Checks a request, whose peer must be among its extensions as axum's
    /// [`ConnectInfo`](axum::extract::ConnectInfo). Returns the response to one that is refused.
    pub fn refusal<B>(&self, request: &mut http::Request<B>) -> Option<Response> {
        let peer = peer_of(request);
        match check(request, peer, Local::Any) {
            Ok(()) => {
                request.extensions_mut().insert(Guarded);
                None
            }
            Err(error) => Some(self.0.refuse(error, peer)),
        }
    }
}

/// Checks a request that the guard may have let in already.
pub(super) fn check_once(request: &Request, peer: Option<SocketAddr>) -> Result<(), ErrorResponse> {
    match request.extensions().get::<Guarded>() {
        Some(Guarded) => Ok(()),
        None => check(request, peer, Local::Any),
    }
}

/// Checks that a request was made on this machine, for this machine.
pub(super) fn check<B>(
    request: &http::Request<B>,
    peer: Option<SocketAddr>,
    kind: Local,
) -> Result<(), ErrorResponse> {
    if !peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback()) {
        return Err(refused(
            Refusal::Peer,
            "without authentication this bot serves programs of its own machine only",
        ));
    }
    let is_old = request.version() < Version::HTTP_11 && kind != Local::Probe;
    let mut signs = Signs::of(request.headers());
    if is_old || signs.is_proxied {
        return Err(refused(
            Refusal::Proxy,
            "the request came through a proxy, and this bot has no authentication",
        ));
    }
    if let Some(target) = request.uri().authority() {
        signs.add_host(is_here(target));
    }
    let is_for_this_machine = match signs.addressed {
        Addressed::Here => true,
        Addressed::Nowhere => kind == Local::Probe,
        Addressed::Elsewhere => false,
    };
    if !is_for_this_machine {
        return Err(refused(
            Refusal::Host,
            "this bot accepts requests for localhost only; to be reached by another name, \
             configure its authentication",
        ));
    }
    if signs.is_foreign_page { Err(foreign_page()) } else { Ok(()) }
}

/// Checks that a page of another site did not make the request.
pub(super) fn check_page(request: &Request) -> Result<(), ErrorResponse> {
    if Signs::of(request.headers()).is_foreign_page { Err(foreign_page()) } else { Ok(()) }
}

/// Findings of one pass over the headers of a request.
#[derive(Debug, Default)]
struct Signs {
    is_proxied: bool,
    is_foreign_page: bool,
    addressed: Addressed,
}

/// The names that a request was addressed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Addressed {
    /// There is none.
    #[default]
    Nowhere,
    /// All of them are of this machine.
    Here,
    Elsewhere,
}

impl Signs {
    fn of(headers: &HeaderMap) -> Self {
        let mut signs = Self::default();
        for (name, value) in headers {
            if *name == header::HOST {
                signs.add_host(is_loopback_host(value));
            } else if *name == header::ORIGIN || *name == header::REFERER {
                signs.is_foreign_page |= !value.to_str().is_ok_and(is_loopback_origin);
            } else if name.as_str() == "sec-fetch-site" {
                signs.is_foreign_page |= !is_near(value);
            } else {
                signs.is_proxied |= is_sign_of_a_proxy(name);
            }
        }
        signs
    }

    /// Takes in one of the names that the request was addressed to.
    fn add_host(&mut self, is_here: bool) {
        self.addressed = match self.addressed {
            Addressed::Nowhere | Addressed::Here if is_here => Addressed::Here,
            _ => Addressed::Elsewhere,
        };
    }
}

/// Reports whether a value of `Host` is a loopback name.
fn is_loopback_host(value: &HeaderValue) -> bool {
    let text = value.as_bytes();
    is_usual(text) || Authority::try_from(text).is_ok_and(|authority| is_here(&authority))
}

/// Recognises the usual loopback names, with a port or without, which spares a URL parser.
fn is_usual(host: &[u8]) -> bool {
    let names: [&[u8]; 3] = [b"127.0.0.1", b"localhost", b"[::1]"];
    names.iter().any(|name| match host.strip_prefix(*name) {
        Some([]) => true,
        Some([b':', port @ ..]) => {
            (1..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    })
}

fn is_here(authority: &Authority) -> bool {
    !authority.as_str().contains('@') && is_loopback_name(authority.host())
}

/// Reports whether the browser's metadata say that the page is of this machine.
fn is_near(site: &HeaderValue) -> bool {
    matches!(site.as_bytes(), b"same-origin" | b"same-site" | b"none")
}

fn foreign_page() -> ErrorResponse {
    refused(Refusal::Page, "web pages of other hosts may not call this bot")
}

fn refused(reason: Refusal, message: &'static str) -> ErrorResponse {
    ErrorResponse::new(StatusCode::FORBIDDEN, "Forbidden", message).because(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule by which every value of `Host` was judged before there was a short cut.
    fn is_loopback_by_parsing(text: &[u8]) -> bool {
        Authority::try_from(text).is_ok_and(|authority| is_here(&authority))
    }

    #[test]
    fn the_short_cut_lets_in_nothing_that_the_parser_refuses() {
        let names =
            ["127.0.0.1", "localhost", "[::1]", "", "127.0.0.11", "localhost.", "evil", "::1"];
        let ports =
            ["", ":", ":1", ":3978", ":65535", ":99999", ":123456", ":a", ":1a", ":-1", "@evil"];
        let mut usual = 0;
        for name in names {
            for port in ports {
                let host = format!("{name}{port}");
                if is_usual(host.as_bytes()) {
                    usual += 1;
                    assert!(is_loopback_by_parsing(host.as_bytes()), "{host}");
                }
                let value = HeaderValue::from_str(&host).unwrap();
                assert_eq!(
                    is_loopback_host(&value),
                    is_loopback_by_parsing(host.as_bytes()),
                    "{host}"
                );
            }
        }
        assert_eq!(usual, 3 * 5, "three names, without a port and with four that are one");
    }
}

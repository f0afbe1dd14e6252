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
    http::{HeaderMap, HeaderValue, StatusCode, Version, header, uri::Authority},
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
    router.layer(middleware::from_fn_with_state(refusals, guard))
}

async fn guard(State(refusals): State<Refusals>, request: Request, next: Next) -> Response {
    let peer = peer_of(&request);
    match check(&request, peer, Local::Any) {
        Ok(()) => next.run(request).await,
        Err(error) => refusals.refuse(error, peer),
    }
}

/// Checks that a request was made on this machine, for this machine.
pub(super) fn check(
    request: &Request,
    peer: Option<SocketAddr>,
    kind: Local,
) -> Result<(), ErrorResponse> {
    if !peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback()) {
        return Err(refused(
            Refusal::Peer,
            "without authentication this bot serves programs of its own machine only",
        ));
    }
    let headers = request.headers();
    let is_old = request.version() < Version::HTTP_11 && kind != Local::Probe;
    if is_old || headers.keys().any(is_sign_of_a_proxy) {
        return Err(refused(
            Refusal::Proxy,
            "the request came through a proxy, and this bot has no authentication",
        ));
    }
    if !is_host_local(request, kind) {
        return Err(refused(
            Refusal::Host,
            "this bot accepts requests for localhost only; to be reached by another name, \
             configure its authentication",
        ));
    }
    if !is_page_local(headers) {
        return Err(refused(Refusal::Page, "web pages of other hosts may not call this bot"));
    }
    Ok(())
}

/// Checks that a page of another site did not make the request.
pub(super) fn check_page(request: &Request) -> Result<(), ErrorResponse> {
    match is_page_local(request.headers()) {
        true => Ok(()),
        false => Err(refused(Refusal::Page, "web pages of other hosts may not call this bot")),
    }
}

/// Reports whether all names that a request was addressed to are of this machine.
fn is_host_local(request: &Request, kind: Local) -> bool {
    let target = request.uri().authority().into_iter().map(|authority| Some(authority.clone()));
    let hosts = request.headers().get_all(header::HOST).into_iter().map(authority);
    let mut named = target.chain(hosts).peekable();
    (named.peek().is_some() || kind == Local::Probe)
        && named.all(|authority| authority.is_some_and(|name| is_here(&name)))
}

/// Reports whether no header says that a page of another site made the request.
fn is_page_local(headers: &HeaderMap) -> bool {
    let all = |name: &str, is_local: fn(&str) -> bool| {
        headers.get_all(name).into_iter().all(|value| value.to_str().is_ok_and(is_local))
    };
    all("origin", is_loopback_origin)
        && all("referer", is_loopback_origin)
        && all("sec-fetch-site", |site| matches!(site, "same-origin" | "same-site" | "none"))
}

fn authority(value: &HeaderValue) -> Option<Authority> {
    Authority::try_from(value.as_bytes()).ok()
}

fn is_here(authority: &Authority) -> bool {
    !authority.as_str().contains('@') && is_loopback_name(authority.host())
}

fn refused(reason: Refusal, message: &'static str) -> ErrorResponse {
    ErrorResponse::new(StatusCode::FORBIDDEN, "Forbidden", message).because(reason)
}

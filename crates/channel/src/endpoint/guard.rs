//! Request checks: bearer token, CSRF, DNS rebinding, content type, ids, service URL.
//!
//! A bot on a developer's machine has no authentication, and any web page that the developer visits
//! can make the browser send requests to it. Three checks prevent that: an `Origin` must be of this
//! machine; the `Host` must be a loopback name, so DNS rebinding (another name that resolves to
//! this machine) fails; and the content type is one that browsers send across origins only after a
//! CORS preflight.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header, uri::Authority},
};
use sayso_turn::activity::Activity;

use super::error_response::{self, ErrorResponse};
use crate::{
    ServiceUrls,
    auth::{Authenticator, Verified},
    service_urls::{UrlCache, is_loopback_name, is_loopback_origin},
};

/// The only content type that is accepted.
const JSON: &str = "application/json";

/// Checks the bearer token. Without a valid one the body is not read.
pub(super) async fn check_token(
    headers: &HeaderMap,
    auth: &Authenticator,
) -> Result<Verified, ErrorResponse> {
    auth.verify(headers).await.map_err(error_response::for_rejection)
}

/// Checks `Host` and `Origin` of a request to a bot without authentication.
pub(super) fn check_host_and_origin(
    request: &Request,
    urls: &ServiceUrls,
) -> Result<(), ErrorResponse> {
    if *urls != ServiceUrls::Loopback {
        return Ok(());
    }
    let headers = request.headers();
    let target = request.uri().authority().into_iter().map(|authority| Some(authority.clone()));
    let hosts = headers.get_all(header::HOST).into_iter().map(authority);
    let mut named = target.chain(hosts).peekable();
    let is_named = named.peek().is_some();
    if !is_named || !named.all(|authority| authority.is_some_and(|name| is_here(&name))) {
        return Err(forbidden(
            "this bot accepts requests for localhost only; to be reached by another name, configure \
             its service URLs",
        ));
    }
    let mut origins = headers.get_all(header::ORIGIN).into_iter();
    if !origins.all(|origin| origin.to_str().is_ok_and(is_loopback_origin)) {
        return Err(forbidden("web pages of other hosts may not call this bot"));
    }
    Ok(())
}

/// Checks that the body is uncompressed JSON.
pub(super) fn check_content_type(headers: &HeaderMap) -> Result<(), ErrorResponse> {
    let unsupported = |message: &'static str| {
        Err(ErrorResponse::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message))
    };
    let mut types = headers.get_all(header::CONTENT_TYPE).into_iter();
    let (Some(only), None) = (types.next(), types.next()) else {
        return unsupported("the content type must be application/json");
    };
    let essence = only.to_str().ok().and_then(|text| text.split(';').next());
    if !essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(JSON)) {
        return unsupported("the content type must be application/json");
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        return unsupported("the body must not be compressed");
    }
    Ok(())
}

/// Checks that no other ids have the same storage key. Keys have the layout of the SDKs, which join
/// ids with slashes and without escaping: `{channel}/conversations/{conversation}/users/{user}`. A
/// channel with a slash, or a conversation with a segment `users`, would get another user's state.
pub(super) fn check_ids(activity: &Activity) -> Result<(), ErrorResponse> {
    let bad = |message: &'static str| {
        Err(ErrorResponse::new(StatusCode::BAD_REQUEST, "BadArgument", message))
    };
    if activity.channel_id.as_deref().unwrap_or_default().contains('/') {
        return bad("activity.channelId: must not contain a slash");
    }
    let conversation = activity.conversation.as_ref().and_then(|account| account.id.as_deref());
    if conversation.unwrap_or_default().split('/').skip(1).any(|segment| segment == "users") {
        return bad("activity.conversation.id: must not contain `users` after a slash");
    }
    Ok(())
}

/// Checks the service URL (SSRF guard). It may be missing if there are no replies to send.
pub(super) fn check_service_url(activity: &Activity, urls: &UrlCache) -> Result<(), ErrorResponse> {
    let wanted = match activity.service_url.as_deref() {
        Some(url) if urls.allows(url) => return Ok(()),
        Some(url) if !url.is_empty() => "is not allowed",
        _ if activity.expects_replies() => return Ok(()),
        _ => "is missing or empty",
    };
    let message = format!("activity.serviceUrl: {wanted}; expected {urls}");
    Err(ErrorResponse::new(StatusCode::BAD_REQUEST, "BadArgument", message))
}

fn authority(value: &HeaderValue) -> Option<Authority> {
    Authority::try_from(value.as_bytes()).ok()
}

fn is_here(authority: &Authority) -> bool {
    !authority.as_str().contains('@') && is_loopback_name(authority.host())
}

fn forbidden(message: &'static str) -> ErrorResponse {
    ErrorResponse::new(StatusCode::FORBIDDEN, "Forbidden", message)
}

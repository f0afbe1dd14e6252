//! Who may send, and in what form.
//!
//! A bot on a developer's machine has no authentication, and any web page that the developer visits
//! can make the browser send requests to it. Three things stop that: a page's `Origin` must be of
//! this machine, the `Host` must be a loopback name (a foreign name that was pointed at this
//! machine, DNS rebinding, is not), and the content type is one that browsers send to strangers
//! only after asking.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header, uri::Authority},
};
use sayso_turn::activity::Activity;

use super::refusal::{self, Refusal};
use crate::{
    ServiceUrls,
    auth::{Authenticator, Verified},
    service_urls::{Lately, is_loopback_name, is_loopback_origin},
};

/// The one content type that is read.
const JSON: &str = "application/json";

/// Whether a request has a good token. A body is not read for anybody without.
pub(super) async fn check_token(
    headers: &HeaderMap,
    auth: &Authenticator,
) -> Result<Verified, Refusal> {
    auth.verify(headers).await.map_err(refusal::of_denial)
}

/// Whether a request may come from where it comes from.
pub(super) fn check_sender(request: &Request, urls: &ServiceUrls) -> Result<(), Refusal> {
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
            "this bot takes requests for localhost only; to be reached by another name it must be \
             told its service URLs",
        ));
    }
    let mut origins = headers.get_all(header::ORIGIN).into_iter();
    if !origins.all(|origin| origin.to_str().is_ok_and(is_loopback_origin)) {
        return Err(forbidden("web pages of other hosts may not talk to this bot"));
    }
    Ok(())
}

/// Whether the body is of the kind that is read.
pub(super) fn check_format(headers: &HeaderMap) -> Result<(), Refusal> {
    let unsupported = |message: &'static str| {
        Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message))
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

/// Whether no other ids lead to the same state. Keys have the layout of the SDKs, which join ids
/// with slashes as they are: `{channel}/conversations/{conversation}/users/{user}`. A channel with
/// a slash, or a conversation with a segment `users`, would be the state of somebody else.
pub(super) fn check_ids(activity: &Activity) -> Result<(), Refusal> {
    let bad =
        |message: &'static str| Err(Refusal::new(StatusCode::BAD_REQUEST, "BadArgument", message));
    if activity.channel_id.as_deref().unwrap_or_default().contains('/') {
        return bad("activity.channelId: must not have a slash");
    }
    let conversation = activity.conversation.as_ref().and_then(|account| account.id.as_deref());
    if conversation.unwrap_or_default().split('/').skip(1).any(|segment| segment == "users") {
        return bad("activity.conversation.id: must not have `users` after a slash");
    }
    Ok(())
}

/// Whether replies may go where the activity says. Without any to send, it may say nothing.
pub(super) fn check_service_url(activity: &Activity, urls: &Lately) -> Result<(), Refusal> {
    let wanted = match activity.service_url.as_deref() {
        Some(url) if urls.allows(url) => return Ok(()),
        Some(url) if !url.is_empty() => "is not allowed",
        _ if super::answer::expects_replies(activity) => return Ok(()),
        _ => "is missing or empty",
    };
    let message = format!("activity.serviceUrl: {wanted}; allowed is {urls}");
    Err(Refusal::new(StatusCode::BAD_REQUEST, "BadArgument", message))
}

fn authority(value: &HeaderValue) -> Option<Authority> {
    Authority::try_from(value.as_bytes()).ok()
}

fn is_here(authority: &Authority) -> bool {
    !authority.as_str().contains('@') && is_loopback_name(authority.host())
}

fn forbidden(message: &'static str) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, "Forbidden", message)
}

//! Request checks: bearer token, content type, ids, service URL.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use sayso_turn::activity::{Activity, SKILL_CHANNEL};

use super::{
    error_response::{self, ErrorResponse},
    refusal::Refusal,
};
use crate::{
    auth::{Authenticator, Verified},
    service_urls::UrlCache,
};

/// The only content type that is accepted.
const JSON: &str = "application/json";

/// Beginning of the ids of conversations that are ours alone.
const OWN: &str = "sayso:";

/// Checks the bearer token. Without a valid one the body is not read.
pub(super) async fn check_token(
    headers: &HeaderMap,
    auth: &Authenticator,
) -> Result<Verified, ErrorResponse> {
    auth.verify(headers).await.map_err(error_response::for_rejection)
}

/// Checks that the body is uncompressed JSON.
pub(super) fn check_content_type(headers: &HeaderMap) -> Result<(), ErrorResponse> {
    let unsupported = |message: &'static str| {
        Err(ErrorResponse::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message)
            .because(Refusal::Body))
    };
    let mut types = headers.get_all(header::CONTENT_TYPE).into_iter();
    let (Some(only), None) = (types.next(), types.next()) else {
        return unsupported("the content type must be application/json");
    };
    if !is_json(only) {
        return unsupported("the content type must be application/json");
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        return unsupported("the body must not be compressed");
    }
    Ok(())
}

fn is_json(value: &HeaderValue) -> bool {
    if value.as_bytes() == JSON.as_bytes() {
        return true;
    }
    let essence = value.to_str().ok().and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(JSON))
}

/// Checks that no other ids have the same storage key. Keys have the layout of the SDKs, which join
/// ids with slashes and without escaping: `{channel}/conversations/{conversation}/users/{user}`. A
/// channel with a slash, or a conversation with a segment `users`, would get another user's state.
/// Conversations of our own, such as the records of conversations begun, are not spoken in; nor
/// does anybody name a channel in the name space of a calling bot.
pub(super) fn check_ids(activity: &Activity) -> Result<(), ErrorResponse> {
    let channel = activity.channel_id.as_deref().unwrap_or_default();
    if channel.trim().is_empty() {
        return Err(bad("activity.channelId: must not be blank"));
    }
    if channel.starts_with(SKILL_CHANNEL) {
        return Err(bad("activity.channelId: must not begin with `skill:`"));
    }
    if channel.contains('/') {
        return Err(bad("activity.channelId: must not contain a slash"));
    }
    let conversation = activity.conversation.as_ref().and_then(|account| account.id.as_deref());
    let conversation = conversation.unwrap_or_default();
    let is_path = conversation.bytes().any(|byte| byte == b'/');
    if is_path && conversation.split('/').skip(1).any(|segment| segment == "users") {
        return Err(bad("activity.conversation.id: must not contain `users` after a slash"));
    }
    if conversation.starts_with(OWN) {
        return Err(bad("activity.conversation.id: must not begin with `sayso:`"));
    }
    Ok(())
}

/// Checks that an activity with a token names its service URL, which the token is bound to.
pub(super) fn check_service_url_is_there(activity: &Activity) -> Result<(), ErrorResponse> {
    match activity.service_url.as_deref().unwrap_or_default().trim() {
        "" => Err(bad("activity.serviceUrl: is missing or empty")),
        _ => Ok(()),
    }
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
    Err(ErrorResponse::new(StatusCode::BAD_REQUEST, "BadArgument", message)
        .because(Refusal::ServiceUrl))
}

fn bad(message: &'static str) -> ErrorResponse {
    ErrorResponse::new(StatusCode::BAD_REQUEST, "BadArgument", message).because(Refusal::Activity)
}

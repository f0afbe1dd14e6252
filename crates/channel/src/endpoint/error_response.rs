//! Error responses: an HTTP status, a code, one sentence.
//!
//! The sentence is for the sender: it contains no user text, no key and no internals. Details for
//! operators go to the log.

use std::{borrow::Cow, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response, sse::Event},
};
use sayso_turn::Error;
use serde::Serialize;

use super::refusal::Refusal;
use crate::auth::Rejection;

/// `Retry-After` of a retryable error, in seconds.
const RETRY_AFTER: u64 = 1;

/// The error response to a request.
#[derive(Debug)]
pub(super) struct ErrorResponse {
    status: StatusCode,
    code: &'static str,
    message: Cow<'static, str>,
    /// Seconds after which the sender should try again.
    retry_after: Option<u64>,
    is_closing: bool,
    refusal: Option<Refusal>,
}

impl ErrorResponse {
    pub(super) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        let message = message.into();
        Self { status, code, message, retry_after: None, is_closing: false, refusal: None }
    }

    /// Sets the reason under which it is counted.
    pub(super) fn because(mut self, reason: Refusal) -> Self {
        self.refusal = Some(reason);
        self
    }

    /// The reason under which it is counted, if the request was refused at the edge.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// Adds `Retry-After`: the sender should try again soon.
    pub(super) fn retryable(mut self) -> Self {
        self.retry_after = Some(RETRY_AFTER);
        self
    }

    /// Adds `Retry-After`: the sender should try again after this, in whole seconds.
    pub(super) fn retryable_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX));
        self
    }

    /// Converts the error into the last event of a stream that has already started.
    pub(super) fn event(&self) -> Event {
        let error = ErrorBody { error: Inner { code: self.code, message: &self.message } };
        Event::default().event("error").data(serde_json::to_string(&error).unwrap_or_default())
    }

    /// Closes the connection, which cannot be reused while the rest of the body is in transit.
    pub(super) fn closing(mut self) -> Self {
        self.is_closing = true;
        self
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let Self { status, code, message, retry_after, is_closing, .. } = self;
        tracing::debug!(status = status.as_u16(), code, reason = %message, "request refused");
        let error = ErrorBody { error: Inner { code, message: &message } };
        let mut response = json(status, &error);
        if status == StatusCode::UNAUTHORIZED {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if is_closing {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        response
    }
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: Inner<'a>,
}

#[derive(Serialize)]
struct Inner<'a> {
    code: &'a str,
    message: &'a str,
}

/// Creates a response with a JSON body.
pub(super) fn json<T: Serialize>(status: StatusCode, body: &T) -> Response {
    let body = serde_json::to_vec(body).expect("the response types serialize without errors");
    raw_json(status, body.into())
}

/// Creates a response from JSON text.
pub(super) fn raw_json(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// Converts an authentication failure. The body may not have been read.
pub(super) fn for_rejection(rejection: Rejection) -> ErrorResponse {
    match rejection {
        Rejection::Unauthorized(reason) => {
            ErrorResponse::new(StatusCode::UNAUTHORIZED, "Unauthorized", reason)
                .because(Refusal::Token)
                .closing()
        }
        Rejection::Forbidden(reason) => {
            ErrorResponse::new(StatusCode::FORBIDDEN, "Forbidden", reason)
                .because(Refusal::Forbidden)
        }
        Rejection::Unavailable(reason) => {
            put_off("KeysUnavailable", reason).because(Refusal::Keys).closing()
        }
    }
}

/// Converts the error of a turn that did not commit.
pub(super) fn for_turn_error(error: &Error) -> ErrorResponse {
    match error {
        Error::Invalid(reason) => {
            ErrorResponse::new(StatusCode::BAD_REQUEST, "BadArgument", reason.to_string())
        }
        Error::Limit { limit, .. } => {
            let is_size = limit.ends_with("bytes_max");
            let status =
                if is_size { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::BAD_REQUEST };
            let message = format!("the activity exceeds a limit of this bot (limit {limit})");
            ErrorResponse::new(status, "LimitReached", message)
        }
        Error::Busy { .. } => {
            tracing::warn!(%error, "a turn could not be saved in time");
            put_off("Busy", "the turn could not be saved in time; please try again")
        }
        Error::Closing => put_off("Closing", "this instance is shutting down; please try again"),
        // The engine has logged the details.
        Error::Newer(_) => {
            put_off("Newer", "this needs a newer build of the bot; please try again")
        }
        Error::Overlap(_) => ErrorResponse::new(
            StatusCode::TOO_MANY_REQUESTS,
            "ConversationBusy",
            "the conversation is busy with another turn; please try again",
        )
        .retryable(),
        // The engine has logged the cause.
        Error::Failed(_) => {
            failed("BotFailed", "the bot failed on this activity; nothing was saved or sent")
        }
        Error::Store(source) => {
            tracing::error!(error = %source, "a turn could not be saved");
            failed("StoreFailed", "the turn could not be saved; nothing was saved or sent")
        }
        other => {
            tracing::error!(error = %other, "a turn failed");
            failed("InternalError", "the turn failed; nothing was saved or sent")
        }
    }
}

pub(super) async fn wrong_method() -> ErrorResponse {
    // axum adds the header `Allow`.
    ErrorResponse::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "MethodNotAllowed",
        "this path does not support that method; see the Allow header",
    )
}

pub(super) async fn no_such_path() -> ErrorResponse {
    ErrorResponse::new(StatusCode::NOT_FOUND, "NotFound", "no such path; try POST /api/messages")
}

/// Beyond a rate limit.
pub(super) fn rate_limited(reason: Refusal, limit: &str, wait: Duration) -> ErrorResponse {
    let message = format!("too many requests (limit {limit}); please try again later");
    ErrorResponse::new(StatusCode::TOO_MANY_REQUESTS, "RateLimited", message)
        .because(reason)
        .retryable_after(wait)
        .closing()
}

fn put_off(code: &'static str, message: &'static str) -> ErrorResponse {
    ErrorResponse::new(StatusCode::SERVICE_UNAVAILABLE, code, message).retryable()
}

pub(super) fn failed(code: &'static str, message: &'static str) -> ErrorResponse {
    ErrorResponse::new(StatusCode::INTERNAL_SERVER_ERROR, code, message)
}

//! Errors as a sender sees them: a status, a code, one sentence.
//!
//! The sentence is made for leaving: it holds no text of a user, no key and nothing of the inside.
//! What an operator needs beyond it goes to the log.

use std::borrow::Cow;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response, sse::Event},
};
use sayso_turn::Error;
use serde::Serialize;

use crate::auth::Denial;

/// Seconds after which a sender that was put off may try again.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// A request that is not granted.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: Cow<'static, str>,
    is_retryable: bool,
    is_closing: bool,
}

impl Refusal {
    pub(super) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        let message = message.into();
        Self { status, code, message, is_retryable: false, is_closing: false }
    }

    /// The sender should try again soon.
    pub(super) fn retryable(mut self) -> Self {
        self.is_retryable = true;
        self
    }

    /// The same as the last event of a stream that has begun.
    pub(super) fn event(&self) -> Event {
        let error = ErrorBody { error: Inner { code: self.code, message: &self.message } };
        Event::default().event("error").data(serde_json::to_string(&error).unwrap_or_default())
    }

    /// The connection is of no more use: the rest of the body is still under way.
    pub(super) fn closing(mut self) -> Self {
        self.is_closing = true;
        self
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self { status, code, message, is_retryable, is_closing } = self;
        tracing::debug!(status = status.as_u16(), code, reason = %message, "request refused");
        let error = ErrorBody { error: Inner { code, message: &message } };
        let mut response = json(status, &error);
        if status == StatusCode::UNAUTHORIZED {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        if is_retryable {
            response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
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

/// An answer with a JSON body.
pub(super) fn json<T: Serialize>(status: StatusCode, body: &T) -> Response {
    let body = serde_json::to_vec(body).expect("the bodies of this crate are always JSON");
    raw_json(status, body.into())
}

/// An answer whose body is JSON text already.
pub(super) fn raw_json(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// The sender is not let in. Its body may not have been read.
pub(super) fn of_denial(denial: Denial) -> Refusal {
    match denial {
        Denial::Unknown(reason) => {
            Refusal::new(StatusCode::UNAUTHORIZED, "Unauthorized", reason).closing()
        }
        Denial::Forbidden(reason) => Refusal::new(StatusCode::FORBIDDEN, "Forbidden", reason),
        Denial::Unavailable(reason) => put_off("KeysUnavailable", reason).closing(),
    }
}

/// The turn did not commit.
pub(super) fn of_turn(error: &Error) -> Refusal {
    match error {
        Error::Invalid(reason) => {
            Refusal::new(StatusCode::BAD_REQUEST, "BadArgument", reason.to_string())
        }
        Error::Limit { limit, .. } => {
            let is_size = limit.ends_with("bytes_max");
            let status =
                if is_size { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::BAD_REQUEST };
            let message = format!("the activity goes beyond a limit of this bot (limit {limit})");
            Refusal::new(status, "LimitReached", message)
        }
        Error::Busy { .. } => {
            tracing::warn!(%error, "a turn was given up");
            put_off("Busy", "the turn could not be saved in time; send it again")
        }
        Error::Closing => put_off("Closing", "this instance is shutting down; send it again"),
        // The engine has logged which state, and what to do.
        Error::Newer(_) => put_off("Newer", "this needs a newer build of the bot; send it again"),
        Error::Overlap(_) => Refusal::new(
            StatusCode::TOO_MANY_REQUESTS,
            "ConversationBusy",
            "the conversation is busy with another turn; send it again",
        )
        .retryable(),
        // The engine has logged why.
        Error::Failed(_) => {
            failed("BotFailed", "the bot failed on this activity; nothing was changed or said")
        }
        Error::Store(source) => {
            tracing::error!(error = %source, "a turn cannot be saved");
            failed("StoreFailed", "the turn cannot be saved; nothing was changed or said")
        }
        other => {
            tracing::error!(error = %other, "a turn failed");
            failed("InternalError", "the turn failed; nothing was changed or said")
        }
    }
}

pub(super) async fn wrong_method() -> Refusal {
    // The router adds the header `Allow`.
    Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "MethodNotAllowed",
        "this path does not take that method; see the header Allow",
    )
}

pub(super) async fn no_such_path() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "NotFound",
        "no such path; there are POST /api/messages, GET /healthz, GET /readyz and GET /stats",
    )
}

fn put_off(code: &'static str, message: &'static str) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, code, message).retryable()
}

pub(super) fn failed(code: &'static str, message: &'static str) -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, code, message)
}

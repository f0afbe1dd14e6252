//! Classification and parsing of a channel's answers.
//!
//! A success status decides: 200, 201 and 202 mean the same, with a body or without. Where the call
//! is for the body, a body that cannot be parsed leaves the outcome unknown.

use std::time::{Duration, UNIX_EPOCH};

use axum::body::{Bytes, HttpBody};
use axum::http::{
    HeaderMap, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER},
};
use futures_util::FutureExt;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use sayso_turn::{
    activity::Resource,
    clock::{Clock, Timestamp},
};
use serde::{Deserialize, de::DeserializeOwned};
use tokio::time::{Instant, timeout_at};

use super::Error;
use crate::connector::host_rate_limiter::RETRY_AFTER_MAX;

/// Size limit of an answer.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Length limit of an error code that is repeated in an error.
const CODE_CHARS_MAX: usize = 64;

/// An answer; after [`sort`](Self::sort), a successful one.
#[derive(Debug)]
pub(crate) struct Answer<B = Incoming> {
    /// The purpose of the call, as the beginning of a sentence that ends with *failed*.
    pub(crate) what: &'static str,
    /// True if the call changes nothing (`GET`).
    pub(crate) is_read: bool,
    /// Deadline for reading the body.
    pub(crate) until: Instant,
    pub(crate) response: Response<B>,
}

/// Failure to read a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Broken,
    TooLong,
}

impl<B: HttpBody<Data = Bytes> + Send + Unpin> Answer<B> {
    /// Separates success from errors. This is the only place that interprets status codes.
    pub(crate) async fn sort(self, has_token: bool, clock: &dyn Clock) -> Result<Self, Error> {
        let (what, status) = (self.what, self.response.status());
        if status.is_success() {
            return Ok(self);
        }
        let reason = format!("{what} failed: the channel answered {status}");
        let refused = |reason| Error::Refused { status: Some(status.as_u16()), code: None, reason };
        Err(match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                let after = retry_after(self.response.headers(), clock.now());
                Error::Throttled { after, reason }
            }
            // The request has no condition, so this is the channel's own: two concurrent writes in
            // one conversation. Teams does this, and documents a retry. It does not block the host.
            StatusCode::PRECONDITION_FAILED => Error::Throttled { after: None, reason },
            StatusCode::UNAUTHORIZED if has_token => Error::not_accepted(what),
            StatusCode::UNAUTHORIZED => refused(format!("{reason}, and no credentials are set")),
            StatusCode::REQUEST_TIMEOUT => Error::Unknown { reason },
            // Every other 5xx, or an unexpected 1xx, may come after the call took effect.
            status if is_unclear(status) => Error::Unknown { reason },
            status if status.is_redirection() => {
                refused(format!("{reason}, and redirects are not followed"))
            }
            status => self.refusal(status, reason).await,
        })
    }

    /// Reads and ignores the body, so that the connection can be reused.
    pub(super) async fn done(self) {
        drop(self.read(ANSWER_BYTES_MAX).await);
    }

    /// Returns the id that the channel assigned, if the body has one.
    pub(crate) async fn id(self) -> Option<String> {
        // The status decides. A body that cannot be read does not undo the success.
        given_id(&self.read(ANSWER_BYTES_MAX).await.ok()?)
    }

    /// Parses the body.
    pub(super) async fn value<T: DeserializeOwned>(self) -> Result<T, Error> {
        let (what, is_read, status) = (self.what, self.is_read, self.response.status());
        let problem = match self.read(ANSWER_BYTES_MAX).await {
            Ok(body) => match serde_json::from_slice(&body) {
                Ok(value) => return Ok(value),
                Err(_) if body.is_empty() => "without a body",
                Err(_) => "with an unexpected body",
            },
            Err(Cut::Broken) => "with an incomplete body",
            Err(Cut::TooLong) if is_read => {
                return Err(too_long(what, ANSWER_BYTES_MAX));
            }
            Err(Cut::TooLong) => "with a body that is too large to read",
        };
        Err(Error::Unknown {
            reason: format!("{what} failed: the channel answered {status} {problem}"),
        })
    }

    /// Reads the media type and the content of a file of at most `bytes_max` bytes.
    pub(super) async fn content(
        self,
        bytes_max: usize,
    ) -> Result<(Option<String>, Vec<u8>), Error> {
        let what = self.what;
        let headers = self.response.headers();
        let text = |name| headers.get(name)?.to_str().ok();
        let kind = text(CONTENT_TYPE).map(str::to_owned);
        let length: Option<u64> = text(CONTENT_LENGTH).and_then(|text| text.parse().ok());
        // Nothing is read if `Content-Length` exceeds the limit; `read` enforces it anyway.
        if length.is_some_and(|length| usize::try_from(length).map_or(true, |it| it > bytes_max)) {
            return Err(too_long(what, bytes_max));
        }
        match self.read(bytes_max).await {
            Ok(bytes) => Ok((kind, bytes)),
            Err(Cut::TooLong) => Err(too_long(what, bytes_max)),
            Err(Cut::Broken) => {
                Err(Error::Unknown { reason: format!("{what} failed: the file is incomplete") })
            }
        }
    }

    async fn refusal(self, status: StatusCode, mut reason: String) -> Error {
        let body = self.read(ANSWER_BYTES_MAX).await.unwrap_or_default();
        let code = error_code(&body);
        if let Some(code) = &code {
            reason = format!("{reason} ({code})");
        }
        match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => return Error::Gone { code, reason },
            StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => {
                reason.push_str(", which means that it does not support this call");
            }
            _ => {}
        }
        Error::Refused { status: Some(status.as_u16()), code, reason }
    }

    /// Reads the body before the deadline.
    async fn read(self, bytes_max: usize) -> Result<Vec<u8>, Cut> {
        let (until, body) = (self.until, self.response.into_body());
        let mut reading = std::pin::pin!(read(body, bytes_max));
        // Most bodies arrive together with the head, and need no timer.
        if let Some(body) = reading.as_mut().now_or_never() {
            return body;
        }
        timeout_at(until, reading).await.unwrap_or(Err(Cut::Broken))
    }
}

/// Reports whether a call with this status may have taken effect. 501 means that it did not.
fn is_unclear(status: StatusCode) -> bool {
    (status.as_u16() >= 500 && status != StatusCode::NOT_IMPLEMENTED) || status.is_informational()
}

fn too_long(what: &str, bytes_max: usize) -> Error {
    Error::unfit(format!("{what} failed: the answer exceeds the limit of {bytes_max} bytes"))
}

async fn read<B: HttpBody<Data = Bytes> + Send + Unpin>(
    mut body: B,
    bytes_max: usize,
) -> Result<Vec<u8>, Cut> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        // A frame without data contains trailers.
        let Ok(some) = frame.map_err(|_| Cut::Broken)?.into_data() else { continue };
        if bytes.len() + some.len() > bytes_max {
            return Err(Cut::TooLong);
        }
        bytes.extend_from_slice(&some);
    }
    Ok(bytes)
}

fn given_id(body: &[u8]) -> Option<String> {
    object::<Resource>(body)?.id.filter(|id| !id.is_empty())
}

/// Returns the channel's error code, if it looks like one: other text could be user text.
fn error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Failed {
        error: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        code: String,
    }
    let code = object::<Failed>(body)?.error.code;
    let is_code = (1..=CODE_CHARS_MAX).contains(&code.len())
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    is_code.then_some(code)
}

/// Parses a JSON object. serde alone would also accept a list, its items as the members.
fn object<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(body).ok()).flatten()
}

/// Parses `Retry-After`: seconds or a date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that is too large to parse is still a valid number.
        Duration::from_secs(text.parse().unwrap_or(u64::MAX))
    } else {
        let now = UNIX_EPOCH.checked_add(Duration::from_millis(now.as_millis()))?;
        httpdate::parse_http_date(text).ok()?.duration_since(now).unwrap_or_default()
    };
    Some(wait.min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-15 08:00:00 UTC.
    const NOW: Timestamp = Timestamp::from_millis(1_794_729_600_000);

    fn after(text: &str) -> Option<u64> {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
        retry_after(&headers, NOW).map(|wait| wait.as_secs())
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_and_has_a_limit() {
        for (text, seconds) in [
            ("0", Some(0)),
            (" 7 ", Some(7)),
            ("3601", Some(3600)),
            ("99999999999999999999999999", Some(3600)),
            ("Sun, 15 Nov 2026 08:00:09 GMT", Some(9)),
            ("Sunday, 15-Nov-26 08:00:09 GMT", Some(9)),
            ("Sun, 15 Nov 2026 07:00:00 GMT", Some(0)),
            ("Sun, 15 Nov 2099 08:00:00 GMT", Some(3600)),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("soon", None),
        ] {
            assert_eq!(after(text), seconds, "{text:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), NOW), None);
    }

    #[test]
    fn an_id_is_a_member_of_an_object() {
        assert_eq!(given_id(br#" {"id":"7","x":[]}"#).as_deref(), Some("7"));
        for body in [r#"["7"]"#, r#""7""#, r#"{"id":7}"#, r#"{"id":""}"#, "{}", ""] {
            assert_eq!(given_id(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn only_what_looks_like_a_code_is_repeated() {
        let code =
            |code: &str| error_code(format!(r#"{{"error":{{"code":"{code}"}}}}"#).as_bytes());
        assert_eq!(code("BadArgument").as_deref(), Some("BadArgument"));
        for text in ["", "two words", "é", "<b>", &"x".repeat(65)] {
            assert_eq!(code(text), None, "{text}");
        }
        assert_eq!(error_code(br#"{"error":"BadArgument"}"#), None);
        assert_eq!(error_code(b"<html>"), None);
    }
}

//! What an answer of a channel, or the lack of one, says about a reply.

use std::{
    error::Error,
    time::{Duration, SystemTime},
};

use reqwest::{
    Response, StatusCode,
    header::{HeaderMap, RETRY_AFTER},
};
use sayso_turn::channel::Delivery;
use serde::Deserialize;

/// How much of an answer is read.
pub(crate) const ANSWER_BYTES_MAX: usize = 1 << 20;
/// No channel makes a reply wait longer than this.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60 * 60);
/// The longest error code that is repeated.
const CODE_CHARS_MAX: usize = 64;

/// The channel answered.
pub(super) async fn answered(response: Response) -> Delivery {
    let status = response.status();
    if status.is_success() {
        // The status is the answer. A body that cannot be read takes nothing back.
        let id = read(response).await.and_then(|body| given_id(&body));
        return Delivery::Delivered { id };
    }
    let reason = format!("the channel answered {status}");
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            Delivery::Later { after: retry_after(response.headers(), SystemTime::now()), reason }
        }
        StatusCode::UNAUTHORIZED => Delivery::Refused {
            reason: format!(
                "the channel wants authentication: it answered {status}, and no credentials are set"
            ),
        },
        // It says that it never will; every other 5xx may come after the reply was taken.
        StatusCode::NOT_IMPLEMENTED => refused(response, reason).await,
        StatusCode::REQUEST_TIMEOUT => Delivery::Unknown { reason },
        // What is no status at all counts as a server's error, as HTTP has it; so does one that only
        // announces another.
        status if status.as_u16() >= 500 || status.is_informational() => {
            Delivery::Unknown { reason }
        }
        status if status.is_redirection() => {
            Delivery::Refused { reason: format!("{reason}, and redirects are not followed") }
        }
        _ => refused(response, reason).await,
    }
}

/// No answer came.
pub(super) fn unanswered(error: &reqwest::Error) -> Delivery {
    if error.is_connect() {
        let reason = format!("no connection to the channel: {}", root(error));
        return Delivery::Later { after: None, reason };
    }
    let reason = if error.is_timeout() {
        "the channel did not answer in time".to_owned()
    } else {
        format!("the connection to the channel broke: {}", root(error))
    };
    Delivery::Unknown { reason }
}

async fn refused(response: Response, reason: String) -> Delivery {
    let code = read(response).await.and_then(|body| error_code(&body));
    let reason = match code {
        Some(code) => format!("{reason} ({code})"),
        None => reason,
    };
    Delivery::Refused { reason }
}

/// The body, unless it breaks off or is too long.
async fn read(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    Some(body)
}

fn given_id(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Given {
        id: String,
    }
    let given: Given = object(body)?;
    (!given.id.is_empty()).then_some(given.id)
}

/// The channel's code for the error, if it looks like one: other text could be anybody's words.
pub(crate) fn error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Answer {
        error: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        code: String,
    }
    let code = object::<Answer>(body)?.error.code;
    let is_code = (1..=CODE_CHARS_MAX).contains(&code.len())
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    is_code.then_some(code)
}

/// Reads an object. By itself serde would take a list for one, its items for the members.
fn object<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(body).ok()).flatten()
}

/// How long the channel asks to wait: seconds or a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number too large to read is still a number.
        Duration::from_secs(text.parse().unwrap_or(u64::MAX))
    } else {
        httpdate::parse_http_date(text).ok()?.duration_since(now).unwrap_or_default()
    };
    Some(wait.min(RETRY_AFTER_MAX))
}

/// The innermost cause, which names no URL.
pub(crate) fn root<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str) -> Option<u64> {
        let now = httpdate::parse_http_date("Sun, 15 Nov 2026 08:00:00 GMT").unwrap();
        let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
        retry_after(&headers, now).map(|wait| wait.as_secs())
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
        assert_eq!(retry_after(&HeaderMap::new(), SystemTime::UNIX_EPOCH), None);
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

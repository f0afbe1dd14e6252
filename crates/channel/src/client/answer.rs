//! What a channel's answer says, and how it is read.
//!
//! A status of success is the answer: 200, 201 and 202 mean the same, with a body or without. Where the
//! body is what was asked for, one that cannot be read leaves the outcome unknown.

use std::time::SystemTime;

use reqwest::{
    Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use sayso_turn::activity::Resource;
use serde::de::DeserializeOwned;

use super::{Error, call::not_accepted};
use crate::connector::verdict::{ANSWER_BYTES_MAX, error_code, retry_after};

/// An answer of success.
#[derive(Debug)]
pub(super) struct Answer {
    what: &'static str,
    is_read: bool,
    response: Response,
}

/// Why a body cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Broken,
    TooLong,
}

impl Answer {
    /// Tells success from the rest, by the same table as for replies.
    pub(super) async fn sort(
        what: &'static str,
        is_read: bool,
        has_token: bool,
        response: Response,
    ) -> Result<Self, Error> {
        let status = response.status();
        if status.is_success() {
            return Ok(Self { what, is_read, response });
        }
        let reason = format!("{what} failed: the channel answered {status}");
        Err(match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                let after = retry_after(response.headers(), SystemTime::now());
                Error::Throttled { after, reason }
            }
            StatusCode::UNAUTHORIZED if has_token => not_accepted(what),
            StatusCode::UNAUTHORIZED => Error::Refused {
                status: Some(status.as_u16()),
                code: None,
                reason: format!("{reason}, and no credentials are set"),
            },
            StatusCode::REQUEST_TIMEOUT => Error::Unknown { reason },
            // Every other 5xx may come after it was done, and so may what is no status at all.
            status if is_unclear(status) => Error::Unknown { reason },
            status if status.is_redirection() => Error::Refused {
                status: Some(status.as_u16()),
                code: None,
                reason: format!("{reason}, and redirects are not followed"),
            },
            status => refused(status, reason, response).await,
        })
    }

    /// Lets the connection be used again; what the body says does not matter.
    pub(super) async fn done(self) {
        drop(read(self.response, ANSWER_BYTES_MAX).await);
    }

    /// The id that the channel gave, if it says one.
    pub(super) async fn id(self) -> Option<String> {
        let body = read(self.response, ANSWER_BYTES_MAX).await.ok()?;
        let given: Resource = serde_json::from_slice(&body).ok()?;
        given.id.filter(|id| !id.is_empty())
    }

    /// What was asked for.
    pub(super) async fn value<T: DeserializeOwned>(self) -> Result<T, Error> {
        let (what, is_read, status) = (self.what, self.is_read, self.response.status());
        let problem = match read(self.response, ANSWER_BYTES_MAX).await {
            Ok(body) => match serde_json::from_slice(&body) {
                Ok(value) => return Ok(value),
                Err(_) if body.is_empty() => "without a body",
                Err(_) => "with a body that is not what was asked for",
            },
            Err(Cut::Broken) => "with a body that broke off",
            Err(Cut::TooLong) if is_read => {
                return Err(too_long(what, ANSWER_BYTES_MAX));
            }
            Err(Cut::TooLong) => "with a body that is too long to read",
        };
        Err(Error::Unknown {
            reason: format!("{what} failed: the channel answered {status} {problem}"),
        })
    }

    /// The media type and the content of a file that has at most so many bytes.
    pub(super) async fn content(
        self,
        bytes_max: usize,
    ) -> Result<(Option<String>, Vec<u8>), Error> {
        let what = self.what;
        let header = |name| self.response.headers().get(name)?.to_str().ok();
        let kind = header(CONTENT_TYPE).map(str::to_owned);
        let length: Option<u64> = header(CONTENT_LENGTH).and_then(|text| text.parse().ok());
        // Not even begun if it says that it does not fit; `read` sees whether it does.
        if length.is_some_and(|length| usize::try_from(length).map_or(true, |it| it > bytes_max)) {
            return Err(too_long(what, bytes_max));
        }
        match read(self.response, bytes_max).await {
            Ok(bytes) => Ok((kind, bytes)),
            Err(Cut::TooLong) => Err(too_long(what, bytes_max)),
            Err(Cut::Broken) => {
                Err(Error::Unknown { reason: format!("{what} failed: the file broke off") })
            }
        }
    }
}

/// Whether a status leaves open what was done. 501 says that the channel never will.
fn is_unclear(status: StatusCode) -> bool {
    (status.as_u16() >= 500 && status != StatusCode::NOT_IMPLEMENTED) || status.is_informational()
}

async fn refused(status: StatusCode, mut reason: String, response: Response) -> Error {
    let body = read(response, ANSWER_BYTES_MAX).await.unwrap_or_default();
    let code = error_code(&body);
    if let Some(code) = &code {
        reason = format!("{reason} ({code})");
    }
    match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => Error::Gone { code, reason },
        _ => Error::Refused { status: Some(status.as_u16()), code, reason },
    }
}

fn too_long(what: &str, bytes_max: usize) -> Error {
    Error::unfit(format!("{what} failed: there is more than the limit of {bytes_max} bytes"))
}

async fn read(mut response: Response, bytes_max: usize) -> Result<Vec<u8>, Cut> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| Cut::Broken)? {
        if body.len() + chunk.len() > bytes_max {
            return Err(Cut::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

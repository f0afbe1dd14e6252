//! One call: what is sent, with which token, and what no answer means.

use reqwest::{
    Method, Response, StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use serde::Serialize;

use super::{Error, Service, answer::Answer};
use crate::{
    auth::{Bearer, TokenError},
    connector::verdict::root,
};

/// A call to be made.
#[derive(Debug)]
pub(super) struct Call {
    /// What it is for, as the beginning of a sentence that ends with *failed*.
    what: &'static str,
    method: Method,
    url: Url,
    body: Option<Vec<u8>>,
}

impl Call {
    pub(super) fn get(what: &'static str, url: Url) -> Self {
        Self { what, method: Method::GET, url, body: None }
    }

    pub(super) fn delete(what: &'static str, url: Url) -> Self {
        Self { what, method: Method::DELETE, url, body: None }
    }

    pub(super) fn put(what: &'static str, url: Url, body: Vec<u8>) -> Self {
        Self { what, method: Method::PUT, url, body: Some(body) }
    }

    pub(super) fn post(what: &'static str, url: Url, body: Vec<u8>) -> Self {
        Self { what, method: Method::POST, url, body: Some(body) }
    }
}

/// Writes a body.
pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|_| Error::unfit("the body cannot be written as JSON"))
}

impl Service {
    /// Makes a call once; twice only when the channel refuses the token of the first, and so did
    /// nothing.
    pub(super) async fn ask(&self, call: Call) -> Result<Answer, Error> {
        let mut refused: Option<Bearer> = None;
        loop {
            let bearer = match &self.connector.tokens {
                Some(tokens) => match tokens.bearer(None, refused.as_ref()).await {
                    Ok(bearer) => Some(bearer),
                    Err(error) => return Err(no_token(call.what, &error, refused.is_some())),
                },
                None => None,
            };
            let response = match self.send_once(&call, bearer.as_ref()).await {
                Ok(response) => response,
                Err(error) => return Err(unanswered(call.what, &error)),
            };
            match bearer {
                Some(bearer)
                    if response.status() == StatusCode::UNAUTHORIZED && refused.is_none() =>
                {
                    refused = Some(bearer);
                }
                bearer => {
                    let is_read = call.method == Method::GET;
                    return Answer::sort(call.what, is_read, bearer.is_some(), response).await;
                }
            }
        }
    }

    async fn send_once(
        &self,
        call: &Call,
        bearer: Option<&Bearer>,
    ) -> Result<Response, reqwest::Error> {
        let mut request = self.connector.client.request(call.method.clone(), call.url.clone());
        if let Some(body) = &call.body {
            let kind = HeaderValue::from_static("application/json");
            request = request.header(CONTENT_TYPE, kind).body(body.clone());
        }
        if let Some(bearer) = bearer {
            request = request.header(AUTHORIZATION, bearer.header());
        }
        request.send().await
    }
}

/// No answer came.
fn unanswered(what: &str, error: &reqwest::Error) -> Error {
    if error.is_connect() {
        let reason = format!("{what} failed: no connection to the channel: {}", root(error));
        return Error::NotSent { reason };
    }
    let reason = if error.is_timeout() {
        format!("{what} failed: the channel did not answer in time")
    } else {
        format!("{what} failed: the connection to the channel broke: {}", root(error))
    };
    Error::Unknown { reason }
}

/// The channel was not shown a token that it accepts.
fn no_token(what: &str, error: &TokenError, is_refused: bool) -> Error {
    if is_refused && *error == TokenError::NOT_ACCEPTED {
        return not_accepted(what);
    }
    Error::NotSent { reason: format!("{what} failed: no token for the channel: {error}") }
}

/// The channel refuses every token of the bot.
pub(super) fn not_accepted(what: &str) -> Error {
    let reason = format!(
        "{what} failed: the channel answered 401 Unauthorized to the bot's token; is the app \
         registered with the channel's cloud and tenant?"
    );
    Error::Refused { status: Some(401), code: None, reason }
}

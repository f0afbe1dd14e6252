//! Refusals of the server, as the HTTP client got them: status and error code.
//!
//! The library's errors tell most of them only in words, and its type that knows more is private.
//! So its HTTP client is wrapped: what is no success is noted for the call that it belongs to, and
//! passed on unchanged.

use std::{
    future::Future,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use futures_util::StreamExt;
use object_store::{
    ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpResponseBody,
        HttpService, ReqwestConnector,
    },
};

use crate::sync::lock;

/// The number of bytes of a refusal that are read; S3's have some hundred.
const BODY_BYTES_MAX: usize = 64 << 10;

tokio::task_local! {
    /// The last refusal of the call that this task makes.
    static REFUSAL: Arc<Mutex<Option<Refusal>>>;
}

/// Answer that is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// HTTP status.
    pub(super) status: u16,
    /// S3's error code, if the answer had one.
    pub(super) code: Option<String>,
}

/// Runs a call. Returns, too, what the server answered last, if that was no success.
pub(super) async fn noting<T>(call: impl Future<Output = T>) -> (T, Option<Refusal>) {
    let refusal = Arc::new(Mutex::new(None));
    let answer = REFUSAL.scope(Arc::clone(&refusal), call).await;
    let refusal = lock(&refusal).take();
    (answer, refusal)
}

/// Makes HTTP clients that note refusals.
#[derive(Debug, Default)]
pub(super) struct Connector(ReqwestConnector);

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Noting(self.0.connect(options)?)))
    }
}

#[derive(Debug)]
struct Noting(HttpClient);

#[async_trait]
impl HttpService for Noting {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        note(None);
        let response = self.0.execute(request).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        note(Some(Refusal { status: status.as_u16(), code: None }));
        let (parts, body) = response.into_parts();
        let mut bytes = Vec::new();
        let mut pieces = body.bytes_stream();
        while bytes.len() < BODY_BYTES_MAX
            && let Some(piece) = pieces.next().await
        {
            bytes.extend_from_slice(&piece?);
        }
        note(Some(Refusal { status: status.as_u16(), code: code(&bytes) }));
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::from(bytes)))
    }
}

/// Notes a refusal, or that there is none yet. Outside of a call nobody asks.
fn note(refusal: Option<Refusal>) {
    let _outside = REFUSAL.try_with(|noted| *lock(noted) = refusal);
}

/// Error code in the body of a refusal. The rest may quote keys, names and signatures.
fn code(body: &[u8]) -> Option<String> {
    let text = str::from_utf8(body).ok()?;
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_code = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_word_and_nothing_else_is_taken_for_one() {
        let body = |code: &str| format!("<Error><Code>{code}</Code><Key>pizza</Key></Error>");
        assert_eq!(code(body("SlowDown").as_bytes()).as_deref(), Some("SlowDown"));
        for strange in ["slow down", "<b>", &"x".repeat(65)] {
            assert_eq!(code(body(strange).as_bytes()), None, "{strange}");
        }
        assert_eq!(code(b"<html>"), None);
        assert_eq!(code(b"\xff<Code>A</Code>"), None);
    }

    #[tokio::test]
    async fn a_refusal_belongs_to_the_call_in_which_it_was_noted() {
        let refusal = Refusal { status: 503, code: None };
        let one = noting(async { note(Some(refusal.clone())) });
        let other = noting(async { note(None) });
        let (one, other) = futures_util::join!(one, other);
        assert_eq!((one.1, other.1), (Some(refusal), None));
        note(None);
    }
}

//! Request bodies, read with a size limit and a timeout.

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{StatusCode, header},
};
use futures_util::StreamExt;

use super::{error_response::ErrorResponse, options::EndpointOptions, refusal::Refusal};

/// Limit on the memory that is reserved before any of the body has arrived.
const CAPACITY_FIRST: usize = 8 * 1024;

/// Reads the body of a request. If `Content-Length` exceeds the limit, nothing is read at all.
pub(super) async fn read(
    request: Request,
    options: &EndpointOptions,
) -> Result<Bytes, ErrorResponse> {
    let bytes_max = options.body_bytes_max;
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok());
    let length = length.and_then(|text| text.parse::<usize>().ok()).unwrap_or_default();
    if length > bytes_max {
        return Err(too_large(bytes_max));
    }
    let body = collect(request.into_body(), length, bytes_max);
    match tokio::time::timeout(options.body_timeout, body).await {
        Ok(body) => body,
        Err(_) => Err(ErrorResponse::new(
            StatusCode::REQUEST_TIMEOUT,
            "RequestTimeout",
            format!("the body did not arrive within {:?}", options.body_timeout),
        )
        .because(Refusal::Body)
        .closing()),
    }
}

async fn collect(body: Body, length: usize, bytes_max: usize) -> Result<Bytes, ErrorResponse> {
    let mut bytes = Vec::new();
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| {
            ErrorResponse::new(StatusCode::BAD_REQUEST, "BadArgument", "the body ended too early")
                .because(Refusal::Body)
                .closing()
        })?;
        if bytes.len() + chunk.len() > bytes_max {
            return Err(too_large(bytes_max));
        }
        // Most bodies arrive in one chunk, which is then used without a copy.
        if bytes.is_empty() && chunk.len() == length {
            return Ok(chunk);
        }
        if bytes.is_empty() {
            // A large `Content-Length` costs the sender nothing, so it is not trusted for memory.
            bytes.reserve(length.min(CAPACITY_FIRST));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}

fn too_large(bytes_max: usize) -> ErrorResponse {
    let message = format!("the body is larger than {bytes_max} bytes (limit body_bytes_max)");
    ErrorResponse::new(StatusCode::PAYLOAD_TOO_LARGE, "RequestTooLarge", message)
        .because(Refusal::Body)
        .closing()
}

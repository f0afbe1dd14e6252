//! Refusal of a connection: a 503, and a close that does not cut it off.
//!
//! A socket that is closed while the client's request is unread, or on its way, resets the
//! connection, and on some systems a reset throws away what the client had not read yet: the
//! answer. So after the answer the request is awaited and dropped before the socket is closed.

use std::{io, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Semaphore,
    time::timeout,
};

/// Body of the 503 that a client gets while every connection has a request under way.
const FULL: &str = r#"{"error":{"code":"Full","message":"every connection of this instance has a request under way; send it again"}}"#;

/// Most connections that are closed gently at once, beside those that are served. Of any more the
/// socket is closed at once.
const LINGERING_MAX: usize = 64;

/// Longest gentle close.
const LINGER_MAX: Duration = Duration::from_secs(1);

/// Places for connections that are being refused.
#[derive(Clone, Debug)]
pub(super) struct Refusals(Arc<Semaphore>);

impl Default for Refusals {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(LINGERING_MAX)))
    }
}

impl Refusals {
    /// Sends a 503 and closes the connection. Dropping the future closes it at once.
    pub(super) async fn refuse(self, mut stream: TcpStream) {
        let answer = format!(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
             retry-after: 1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{FULL}",
            FULL.len()
        );
        let told = async {
            stream.write_all(answer.as_bytes()).await?;
            if let Ok(_place) = self.0.try_acquire() {
                close(&mut stream).await?;
            }
            io::Result::Ok(())
        };
        match timeout(LINGER_MAX, told).await {
            Ok(Ok(())) | Err(_) => {}
            Ok(Err(error)) => tracing::trace!(%error, "a refused client may not know why"),
        }
    }
}

/// Closes the sending half, and reads until the client has closed the other.
async fn close(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut bytes = [0; 1024];
    while stream.read(&mut bytes).await? > 0 {}
    Ok(())
}

/// The same answer, to a request that came when its connection had just been given up.
pub(super) fn full() -> Response<Body> {
    let mut response = Response::new(Body::from(FULL));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    for (name, value) in [
        (header::CONTENT_TYPE, "application/json"),
        (header::RETRY_AFTER, "1"),
        (header::CONNECTION, "close"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

//! Listeners, with errors that say what to do.

use std::{io, net::SocketAddr};

use tokio::net::TcpListener;

use super::error::ServeError;

/// Binds a loopback address, with errors that say what to do.
///
/// # Errors
/// [`ServeError::NotLoopback`], [`ServeError::InUse`] or [`ServeError::Bind`].
///
/// # Cancellation
/// Dropping the future binds nothing.
///
/// # Example
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let error = sayso::server::bind(([0, 0, 0, 0], 3978).into()).await.unwrap_err();
/// assert!(error.to_string().contains("no authentication is configured"));
/// # }
/// ```
pub async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    if !address.ip().is_loopback() {
        return Err(ServeError::NotLoopback { address });
    }
    listen(address).await
}

/// Binds an address.
pub(super) async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::InUse { address },
        _ => ServeError::Bind { address, source },
    })
}

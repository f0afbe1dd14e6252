//! HTTP client of a bot: sends it activities over one kept-alive connection.

use std::{io, net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::time::timeout;

use super::wire::Wire;

/// Timeout of an answer; then the connection counts as dead.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection to a bot, opened when it is needed.
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    wire: Option<Wire>,
}

impl Client {
    /// A client of the bot at this address.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self { address, wire: None }
    }

    /// Opens the connection now, so that the first message does not wait for it.
    ///
    /// # Errors
    /// When the bot does not listen.
    pub async fn connect(&mut self) -> io::Result<()> {
        if self.wire.is_none() {
            self.wire = Some(Wire::connect(self.address).await?);
        }
        Ok(())
    }

    /// Sends an activity and gives the status of the answer.
    ///
    /// # Errors
    /// When no answer came.
    pub async fn send(&mut self, body: &str) -> io::Result<u16> {
        Ok(self.call("POST", "/api/messages", body).await?.0)
    }

    /// Statistics of the bot, if this is the address where they are.
    ///
    /// # Errors
    /// When it does not tell.
    pub async fn stats(&mut self) -> io::Result<Value> {
        let (status, body) = self.call("GET", "/stats", "").await?;
        if status != 200 {
            return Err(io::Error::other(format!("GET /stats is answered {status}")));
        }
        Ok(serde_json::from_slice(&body)?)
    }

    async fn call(&mut self, method: &str, path: &str, body: &str) -> io::Result<(u16, Vec<u8>)> {
        self.connect().await?;
        // Taken out: after a failure the connection is of no use any more.
        let mut wire = self.wire.take().ok_or(io::ErrorKind::NotConnected)?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        wire.write(request.as_bytes()).await?;
        let answer = timeout(PATIENCE, wire.read()).await??.ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = answer.first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("the answer is not HTTP"))?;
        if !answer.is_last {
            self.wire = Some(wire);
        }
        Ok((status, answer.body))
    }
}

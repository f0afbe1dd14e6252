//! Fake connector service: records requests, and answers as configured.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::timeout,
};

use super::{PATIENCE, client::header};

/// Reaction of the connector after it has read a request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Writes these bytes and closes.
    Write(Vec<u8>),
    /// Writes these bytes and keeps the connection open forever.
    WriteAndHang(Vec<u8>),
    /// Resets the connection.
    Reset,
}

impl Act {
    /// Answers with a status, headers and a body.
    pub(crate) fn answer(status: &str, headers: &[&str], body: &str) -> Self {
        let mut text = format!("HTTP/1.1 {status}\r\nconnection: close\r\n");
        text.push_str(&format!("content-length: {}\r\n", body.len()));
        for header in headers {
            text.push_str(&format!("{header}\r\n"));
        }
        Self::Write(format!("{text}\r\n{body}").into_bytes())
    }
}

/// A request that the connector received.
#[derive(Debug)]
pub(crate) struct Posted {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Posted {
    /// The method and the path of the request line.
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap().strip_suffix(" HTTP/1.1").unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// The fake connector, on a port of its own.
#[derive(Debug)]
pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    posted: mpsc::UnboundedReceiver<Posted>,
}

impl Sink {
    /// Starts a connector that answers every request alike.
    pub(crate) async fn start(act: Act) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, posted) = mpsc::unbounded_channel();
        drop(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                drop(tokio::spawn(serve(stream, act.clone(), sender.clone())));
            }
        }));
        Self { address, posted }
    }

    /// Starts a connector that accepts everything.
    pub(crate) async fn accepting() -> Self {
        Self::start(Act::answer("201 Created", &[], r#"{"id":"given"}"#)).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/_connector", self.address)
    }

    /// Waits for the next request.
    pub(crate) async fn next(&mut self) -> Posted {
        timeout(PATIENCE, self.posted.recv()).await.expect("a reply is posted").unwrap()
    }

    /// Returns a request that has already arrived.
    pub(crate) fn came(&mut self) -> Option<Posted> {
        self.posted.try_recv().ok()
    }
}

async fn serve(mut stream: TcpStream, act: Act, sender: mpsc::UnboundedSender<Posted>) {
    let Some(posted) = read(&mut stream).await else { return };
    sender.send(posted).ok();
    perform(stream, act).await;
}

/// Performs the reaction, after a request was read or instead of reading it.
pub(crate) async fn perform(mut stream: TcpStream, act: Act) {
    match act {
        Act::Write(bytes) => {
            stream.write_all(&bytes).await.ok();
            stream.shutdown().await.ok();
        }
        Act::WriteAndHang(bytes) => {
            stream.write_all(&bytes).await.ok();
            std::future::pending::<()>().await;
        }
        Act::Reset => stream.set_zero_linger().unwrap(),
    }
}

/// Reads a whole request, unless the connection ends before.
pub(crate) async fn read(stream: &mut TcpStream) -> Option<Posted> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let length: usize = header(&head, "content-length").map_or(0, |it| it.parse().unwrap());
        if let Some(body) = bytes.get(end + 4..end + 4 + length) {
            return Some(Posted { head, body: body.to_vec() });
        }
    }
}

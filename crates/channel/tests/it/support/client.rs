//! HTTP client that sends exactly the given bytes.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::PATIENCE;

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// The code and the message of an error.
    pub(crate) fn error(&self) -> (String, String) {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        let body = self.json();
        assert_eq!(body.as_object().unwrap().len(), 1, "{body}");
        let text = |name: &str| body["error"][name].as_str().unwrap().to_owned();
        (text("code"), text("message"))
    }
}

/// The value of a header in a head.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().skip(1).find_map(|line| {
        let (known, value) = line.split_once(':')?;
        known.eq_ignore_ascii_case(name).then_some(value.trim())
    })
}

/// Posts JSON to `/api/messages`.
pub(crate) async fn post(address: SocketAddr, body: &str) -> Reply {
    let json = ("content-type", "application/json; charset=utf-8");
    request(address, "POST /api/messages HTTP/1.1", &[json], body.as_bytes()).await
}

/// Sends a request with a body. `Host` and `Content-Length` are added unless given.
pub(crate) async fn request(
    address: SocketAddr,
    line: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Reply {
    let given = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let mut head = format!("{line}\r\nconnection: close\r\n");
    if !given("host") {
        head.push_str(&format!("host: {address}\r\n"));
    }
    if !given("content-length") && !given("transfer-encoding") {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    exchange(address, &[head.as_bytes(), body].concat()).await
}

/// Sends bytes, keeps the connection open, and reads the response to its end.
pub(crate) async fn exchange(address: SocketAddr, bytes: &[u8]) -> Reply {
    let work = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // A server that responds without reading everything may reset; its response still counts.
        drop(stream.write_all(bytes).await);
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer).await);
        answer
    };
    let answer = timeout(PATIENCE, work).await.expect("the server answers and closes");
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

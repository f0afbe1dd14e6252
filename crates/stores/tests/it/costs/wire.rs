//! A relay before a server that counts what is sent to it.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{TcpListener, TcpStream},
};

use super::Calls;

/// The protocol of a server, and the name of a request.
#[derive(Clone, Copy)]
pub(crate) enum Protocol {
    /// By its request line.
    #[cfg(any(feature = "azure-blob", feature = "s3"))]
    Http(fn(&str) -> &'static str),
    #[cfg(feature = "postgres")]
    Postgres,
    #[cfg(feature = "redis")]
    Redis,
}

pub(crate) struct Wire {
    /// The address of the relay.
    pub(crate) address: String,
    calls: Arc<Mutex<Calls>>,
}

impl Wire {
    /// A relay to an address.
    pub(crate) async fn to(target: &str, protocol: Protocol) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
        let wire = Self { address, calls: Arc::default() };
        let (target, calls) = (target.to_owned(), Arc::clone(&wire.calls));
        // It ends with the runtime of the test.
        drop(tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(&target).await else { continue };
                client.set_nodelay(true).unwrap();
                server.set_nodelay(true).unwrap();
                drop(tokio::spawn(relay(client, server, protocol, Arc::clone(&calls))));
            }
        }));
        wire
    }

    pub(crate) fn calls(&self) -> Calls {
        self.calls.lock().unwrap().clone()
    }
}

async fn relay(client: TcpStream, server: TcpStream, protocol: Protocol, calls: Arc<Mutex<Calls>>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = async {
        let (mut buffer, mut waiting) = (vec![0; 65_536], Vec::new());
        while let Ok(count @ 1..) = from_client.read(&mut buffer).await {
            waiting.extend_from_slice(&buffer[..count]);
            while let Some((length, name)) = protocol.first(&waiting) {
                drop(waiting.drain(..length));
                if let Some(name) = name {
                    *calls.lock().unwrap().entry(name).or_default() += 1.0;
                }
            }
            if to_server.write_all(&buffer[..count]).await.is_err() {
                break;
            }
        }
    };
    // Whichever way ends first ends the other with it.
    tokio::select! {
        () = there => {}
        _ = copy(&mut from_server, &mut to_client) => {}
    }
}

impl Protocol {
    /// The length of the first request and its name, if it is one that counts; `None` while it is
    /// not complete.
    fn first(self, bytes: &[u8]) -> Option<(usize, Option<String>)> {
        match self {
            #[cfg(any(feature = "azure-blob", feature = "s3"))]
            Self::Http(name) => {
                let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
                let head = String::from_utf8_lossy(&bytes[..end]);
                let lower = head.to_lowercase();
                assert!(!lower.contains("transfer-encoding"), "a body of unknown length");
                let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
                let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
                let all = end + 4 + length;
                let name = name(head.lines().next().unwrap_or_default());
                (bytes.len() >= all).then(|| (all, Some(format!("`{name}`"))))
            }
            #[cfg(feature = "postgres")]
            Self::Postgres => {
                // The first messages of a connection have no type, and their length begins with 0.
                let typed = usize::from(*bytes.first()? != 0);
                let length: [u8; 4] = bytes.get(typed..typed + 4)?.try_into().unwrap();
                let all = typed + usize::try_from(u32::from_be_bytes(length)).unwrap();
                let is_run = b"EQ".contains(&bytes[0]);
                (bytes.len() >= all).then(|| (all, is_run.then(|| "statement".to_owned())))
            }
            #[cfg(feature = "redis")]
            Self::Redis => {
                let (mut place, count) = number(bytes, 0, b'*')?;
                let mut name = None;
                for _ in 0..count {
                    let (start, length) = number(bytes, place, b'$')?;
                    let word = bytes.get(start..start + length)?;
                    name.get_or_insert_with(|| String::from_utf8_lossy(word).to_uppercase());
                    place = start + length + 2;
                }
                (bytes.len() >= place).then(|| (place, name.map(|name| format!("`{name}`"))))
            }
        }
    }
}

/// A number after a mark: where it ends, and what it is.
#[cfg(feature = "redis")]
fn number(bytes: &[u8], at: usize, mark: u8) -> Option<(usize, usize)> {
    let rest = bytes.get(at..)?;
    let end = rest.windows(2).position(|window| window == b"\r\n")?;
    assert_eq!(rest[0], mark, "a request of Redis");
    let number = str::from_utf8(&rest[1..end]).unwrap().parse().unwrap();
    Some((at + end + 2, number))
}

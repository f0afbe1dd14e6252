//! Minimal HTTP/1.1 connection: the part that bots and channels use.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// One connection.
#[derive(Debug)]
pub(super) struct Wire {
    reader: BufReader<TcpStream>,
}

/// A request or a response.
#[derive(Debug)]
pub(super) struct Message {
    /// The first line.
    pub(super) first: String,
    pub(super) body: Vec<u8>,
    /// The other side closes after this.
    pub(super) is_last: bool,
}

/// Length of a body.
enum Length {
    Bytes(usize),
    Chunked,
}

impl Wire {
    pub(super) async fn connect(address: SocketAddr) -> io::Result<Self> {
        Self::new(TcpStream::connect(address).await?)
    }

    /// Takes a connection over.
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::with_capacity(4096, stream) })
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reader.get_mut().write_all(bytes).await
    }

    /// The next message; nothing when the other side has closed.
    pub(super) async fn read(&mut self) -> io::Result<Option<Message>> {
        let mut first = String::new();
        if self.reader.read_line(&mut first).await? == 0 {
            return Ok(None);
        }
        let (mut length, mut is_last) = (Length::Bytes(0), false);
        let mut line = String::new();
        loop {
            line.clear();
            if self.reader.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                length = Length::Bytes(value.parse().map_err(io::Error::other)?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                length = Length::Chunked;
            } else if name.eq_ignore_ascii_case("connection") {
                is_last = value.eq_ignore_ascii_case("close");
            }
        }
        let mut body = Vec::new();
        match length {
            Length::Bytes(bytes) => self.append(&mut body, bytes).await?,
            Length::Chunked => self.chunks(&mut body).await?,
        }
        Ok(Some(Message { first: first.trim_end().to_owned(), body, is_last }))
    }

    async fn chunks(&mut self, body: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).await?;
            let size = line.trim().split(';').next().unwrap_or_default();
            let bytes = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
            self.append(body, bytes).await?;
            self.reader.read_line(&mut String::new()).await?;
            if bytes == 0 {
                return Ok(());
            }
        }
    }

    async fn append(&mut self, body: &mut Vec<u8>, bytes: usize) -> io::Result<()> {
        let read = (&mut self.reader).take(bytes as u64).read_to_end(body).await?;
        if read < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

//! TLS handshake of a connection, within its time; plain HTTP is told where it is.

use std::{io, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::server::TlsStream;

use super::tls::Tls;

/// Answer to a request in clear.
const IN_CLEAR: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n\
    connection: close\r\ncontent-length: 79\r\n\r\n\
    {\"error\":{\"code\":\"BadArgument\",\"message\":\"this port speaks TLS: use https://\"}}";

/// Most bytes that are read of a request in clear, so that the answer is not lost by a reset.
const IN_CLEAR_BYTES_MAX: u64 = 16 * 1024;

/// Makes the handshake.
pub(super) async fn accept(
    stream: TcpStream,
    tls: &Tls,
    timeout_after: Duration,
) -> io::Result<TlsStream<TcpStream>> {
    let handshake = async {
        // What TLS sends after its handshake would else hold up the first answer (Nagle).
        stream.set_nodelay(true)?;
        let mut first = [0];
        if stream.peek(&mut first).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if first[0].is_ascii_uppercase() {
            return refuse(stream).await;
        }
        tls.acceptor().accept(stream).await
    };
    timeout(timeout_after, handshake).await.map_err(|_| io::ErrorKind::TimedOut)?
}

/// Says what is wrong to a client that sends a request in clear: the name of a method.
async fn refuse<T>(mut stream: TcpStream) -> io::Result<T> {
    stream.write_all(IN_CLEAR.as_bytes()).await?;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(IN_CLEAR_BYTES_MAX), &mut tokio::io::sink()).await?;
    Err(io::Error::new(io::ErrorKind::InvalidData, "a request in clear"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_request_in_clear_has_the_length_that_it_says() {
        let (head, body) = IN_CLEAR.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{}", body.len());
    }
}

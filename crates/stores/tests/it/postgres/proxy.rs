//! A proxy before the server that loses answers on request.

use std::sync::{
    Arc,
    atomic::{AtomicU8, AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp},
};

/// The fate of the server's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Answers {
    Pass,
    /// The connection breaks instead.
    Cut,
    /// They pass until somebody commits; the answer to that is cut.
    CutAtCommit,
    /// Nothing comes, and nothing says so.
    Swallow,
}

#[derive(Clone)]
pub(super) struct Proxy {
    pub(super) port: u16,
    answers: Arc<AtomicU8>,
    lost: Arc<AtomicUsize>,
}

impl Proxy {
    pub(super) async fn start(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers = Arc::new(AtomicU8::new(Answers::Pass as u8));
        let proxy = Self { port, answers, lost: Arc::default() };
        let running = proxy.clone();
        drop(tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(&server).await else { continue };
                let ((from_client, to_client), (from_server, to_server)) =
                    (client.into_split(), server.into_split());
                let running = running.clone();
                drop(tokio::spawn(async move {
                    // Whichever way ends first ends the other with it.
                    tokio::select! {
                        () = pass(from_client, to_server, &running, false) => {}
                        () = pass(from_server, to_client, &running, true) => {}
                    }
                }));
            }
        }));
        proxy
    }

    pub(super) fn set(&self, answers: Answers) {
        self.answers.store(answers as u8, Ordering::SeqCst);
    }

    /// The number of answers lost so far.
    pub(super) fn lost(&self) -> usize {
        self.lost.load(Ordering::SeqCst)
    }
}

async fn pass(
    mut from: tcp::OwnedReadHalf,
    mut to: tcp::OwnedWriteHalf,
    proxy: &Proxy,
    is_answer: bool,
) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else { return };
        let passed = &buffer[..count];
        let is = |answers| proxy.answers.load(Ordering::SeqCst) == answers as u8;
        let is_commit = || passed.windows(6).any(|word| word == b"COMMIT");
        if is_answer && (is(Answers::Cut) || is(Answers::Swallow)) {
            let _before = proxy.lost.fetch_add(1, Ordering::SeqCst);
            if is(Answers::Cut) {
                return;
            }
            continue;
        }
        if !is_answer && is(Answers::CutAtCommit) && is_commit() {
            proxy.set(Answers::Cut);
        }
        if to.write_all(passed).await.is_err() {
            return;
        }
    }
}

//! Healthy client, which must not notice the attacks.

use std::{
    fmt, io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
    time::timeout,
};

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(20);
/// Timeout of one try.
const TRY_MAX: Duration = Duration::from_secs(10);
/// Maximum tries of a request; a channel tries more often.
const TRIES_MAX: usize = 4;

/// A client that asks all the time.
pub(super) struct Healthy {
    seen: Arc<Mutex<Vec<Duration>>>,
    is_over: Arc<AtomicBool>,
    task: JoinHandle<Asked>,
}

/// Total number of requests and of retries.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) all: usize,
    pub(super) again: usize,
}

/// Latencies in one phase.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) count: usize,
    pub(super) p50: Duration,
    pub(super) p99: Duration,
    pub(super) max: Duration,
    /// Resident memory of the server in MB.
    pub(super) mb: u64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, p50, p99, max, mb } = self;
        write!(f, "healthy {count}, p50 {p50:.1?}, p99 {p99:.1?}, max {max:.1?}; server {mb} MB")
    }
}

impl Healthy {
    pub(super) fn start(address: SocketAddr) -> Self {
        let (seen, is_over) =
            (Arc::<Mutex<Vec<Duration>>>::default(), Arc::new(AtomicBool::new(false)));
        let (all, end) = (Arc::clone(&seen), Arc::clone(&is_over));
        let task = tokio::spawn(async move {
            let mut asked = Asked::default();
            while !end.load(Ordering::SeqCst) {
                let began = Instant::now();
                asked.again += ask(address, asked.all).await;
                asked.all += 1;
                all.lock().unwrap().push(began.elapsed());
                tokio::time::sleep(PAUSE).await;
            }
            asked
        });
        Self { seen, is_over, task }
    }

    /// Waits for so many answers since the last figures, but not for ever: the next figures tell.
    pub(super) async fn heard(&self, count: usize, within: Duration) {
        let end = Instant::now() + within;
        while self.seen.lock().unwrap().len() < count && Instant::now() < end {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns the latencies since the last call.
    pub(super) fn figures(&self) -> Figures {
        assert!(!self.task.is_finished(), "the healthy client was not served");
        let mut seen = std::mem::take(&mut *self.seen.lock().unwrap());
        seen.sort();
        let at = |part: usize| seen.get(seen.len() * part / 100).copied().unwrap_or_default();
        let max = seen.last().copied().unwrap_or_default();
        Figures { count: seen.len(), p50: at(50), p99: at(99), max, mb: 0 }
    }

    pub(super) async fn stop(self) -> Asked {
        self.is_over.store(true, Ordering::SeqCst);
        timeout(TRY_MAX * 4, self.task).await.unwrap().unwrap()
    }
}

/// Sends a message and checks its reply. Returns the number of retries.
async fn ask(address: SocketAddr, number: usize) -> usize {
    let mut last = String::new();
    for again in 0..TRIES_MAX {
        match timeout(TRY_MAX, attempt(address, number)).await {
            Ok(Ok(answer)) if answer.starts_with("HTTP/1.1 200 OK") => {
                assert!(answer.contains("A pizza with ham."), "{answer}");
                return again;
            }
            Ok(answer) => last = format!("{answer:?}"),
            Err(_) => last = format!("no answer within {TRY_MAX:?}"),
        }
        tokio::time::sleep(PAUSE).await;
    }
    panic!("request {number} was not answered, {TRIES_MAX} times; the last time: {last}");
}

/// One try, over a connection of its own: that is what the attackers want to prevent.
async fn attempt(address: SocketAddr, number: usize) -> io::Result<String> {
    let body = json!({
        "type": "message", "id": "1", "text": "ham", "deliveryMode": "expectReplies",
        "channelId": "test", "conversation": {"id": format!("healthy-{number}")},
        "from": {"id": "ann"}, "recipient": {"id": "bot"},
    })
    .to_string();
    let request = format!(
        "POST /api/messages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

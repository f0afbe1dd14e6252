//! Connections over real sockets, with limits that are small enough to reach.

use std::{
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{Router, routing::get};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, oneshot},
    task::JoinHandle,
    time::timeout,
};

use super::{Listener, http, limits::HttpLimits};

/// Longer than anything here takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(20);
/// Timeout of a request's head in these tests.
const HEAD: Duration = Duration::from_millis(400);

/// A server with two pages: one answers, one answers when it is let go.
struct Served {
    address: SocketAddr,
    /// `entered` counts requests that have begun to wait; `release` lets them end.
    entered: Arc<Semaphore>,
    release: Arc<Semaphore>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Served {
    async fn start(limits: HttpLimits) -> Self {
        let (entered, release) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let inside = (Arc::clone(&entered), Arc::clone(&release));
        let wait = move || {
            let (entered, release) = inside.clone();
            async move {
                entered.add_permits(1);
                release.acquire().await.unwrap().forget();
                "done"
            }
        };
        let router = Router::new().route("/", get(async || "ok")).route("/wait", get(wait));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let served = Listener { socket: listener, router, guard: None, tls: None };
        let task = tokio::spawn(http::serve(served, limits, stopped));
        Self { address, entered, release, stop, task }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A connection whose request is under way.
    async fn busy(&self) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        timeout(PATIENCE, self.entered.acquire()).await.unwrap().unwrap().forget();
        stream
    }
}

fn limits(connections_max: usize) -> HttpLimits {
    HttpLimits { connections_max, head_timeout: PATIENCE, ..HttpLimits::default() }
}

/// A request on a connection, and the start of its answer.
async fn ask(stream: &mut TcpStream) -> io::Result<String> {
    stream.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await?;
    let mut bytes = [0; 1024];
    let count = timeout(PATIENCE, stream.read(&mut bytes)).await.expect("an answer or an end")?;
    Ok(String::from_utf8(bytes[..count].to_vec()).unwrap())
}

/// Reads until the server closes the connection; returns the text and the time that this took.
async fn rest(stream: &mut TcpStream) -> (String, Duration) {
    let (began, mut bytes) = (Instant::now(), Vec::new());
    let read = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("it hangs up");
    // A reset is an end too.
    drop(read);
    (String::from_utf8(bytes).unwrap(), began.elapsed())
}

#[tokio::test]
async fn whoever_says_nothing_or_too_slowly_is_hung_up_on() {
    let served = Served::start(HttpLimits { head_timeout: HEAD, ..limits(9) }).await;
    let silent = async {
        let mut stream = served.connect().await;
        rest(&mut stream).await.1
    };
    // Between two requests the same holds.
    let idle = async {
        let mut stream = served.connect().await;
        assert!(ask(&mut stream).await.unwrap().starts_with("HTTP/1.1 200 OK"));
        rest(&mut stream).await.1
    };
    // Every byte comes soon, the whole never.
    let slow = async {
        let (mut stream, began) = (served.connect().await, Instant::now());
        let head = b"GET / HTTP/1.1\r\nhost: a\r\nx: ".iter().chain(std::iter::repeat(&b'x'));
        for byte in head.take(2000) {
            if stream.write_all(&[*byte]).await.is_err() {
                return began.elapsed();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("nobody hung up");
    };
    let (silent, idle, slow) = tokio::join!(silent, idle, slow);
    for (kind, took) in [("silent", silent), ("idle", idle), ("slow", slow)] {
        assert!(
            took >= HEAD - Duration::from_millis(50) && took < PATIENCE / 2,
            "{kind}: {took:?}"
        );
    }
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused_by_its_size() {
    let served = Served::start(HttpLimits { head_bytes_max: 9000, ..limits(9) }).await;
    let head =
        |size: usize| format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "x".repeat(size));
    for (size, expected) in [(8000, "HTTP/1.1 200 OK"), (9000, "HTTP/1.1 431 ")] {
        let mut stream = served.connect().await;
        stream
            .write_all(head(size).replace("host: a", "host: a\r\nconnection: close").as_bytes())
            .await
            .unwrap();
        let (answer, _) = rest(&mut stream).await;
        assert!(answer.starts_with(expected), "{size}: {answer}");
    }
}

#[tokio::test]
async fn another_protocol_is_not_spoken() {
    let served = Served::start(limits(9)).await;
    let mut stream = served.connect().await;
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let (answer, _) = rest(&mut stream).await;
    assert!(!answer.contains("200"), "{answer}");
    assert!(ask(&mut served.connect().await).await.unwrap().starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn everybody_in_a_burst_is_answered() {
    let served = Served::start(limits(4)).await;
    let _busy = [served.busy().await, served.busy().await];
    let clients = 500;
    let crowd = (0..clients).map(|_| async {
        let mut stream = served.connect().await;
        let head = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        // Whoever is turned away may have been answered before it has asked.
        drop(stream.write_all(head).await);
        rest(&mut stream).await.0
    });
    let answers = futures_util::future::join_all(crowd).await;
    let of = |status: &str| answers.iter().filter(|answer| answer.starts_with(status)).count();
    let (served_well, turned_away) = (of("HTTP/1.1 200 OK"), of("HTTP/1.1 503 Service"));
    assert_eq!(served_well + turned_away, clients, "{served_well} and {turned_away}");
    assert!(served_well > 0);
}

#[tokio::test]
async fn a_silent_connection_that_makes_room_is_told_so() {
    let served = Served::start(limits(1)).await;
    let mut silent = served.connect().await;
    let mut next = served.connect().await;
    assert!(ask(&mut next).await.unwrap().starts_with("HTTP/1.1 200 OK"));
    let (answer, _) = rest(&mut silent).await;
    assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
    // One that was served before knows that its connection may end.
    let mut last = served.connect().await;
    assert!(ask(&mut last).await.unwrap().starts_with("HTTP/1.1 200 OK"));
    assert_eq!(rest(&mut next).await.0, "");
}

#[tokio::test]
async fn idle_connections_make_room_in_the_order_of_their_waiting() {
    let served = Served::start(limits(4)).await;
    let mut busy = served.busy().await;
    let mut idle = Vec::new();
    for _ in 0..3 {
        let mut stream = served.connect().await;
        assert!(ask(&mut stream).await.unwrap().starts_with("HTTP/1.1 200 OK"));
        idle.push(stream);
    }
    // The first of them says something again, so the second has waited longest.
    ask(&mut idle[0]).await.unwrap();
    for _ in 0..2 {
        let mut healthy = served.connect().await;
        assert!(ask(&mut healthy).await.unwrap().starts_with("HTTP/1.1 200 OK"));
        idle.push(healthy);
    }
    for gone in [1, 2] {
        assert_eq!(rest(&mut idle[gone]).await.0, "", "{gone}");
    }
    for kept in [0, 3, 4] {
        assert!(ask(&mut idle[kept]).await.unwrap().starts_with("HTTP/1.1 200 OK"), "{kept}");
    }
    served.release.add_permits(1);
    let mut answer = [0; 15];
    timeout(PATIENCE, busy.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK", "a request under way is never given up");
}

#[tokio::test]
async fn when_all_are_busy_others_are_told_to_come_again() {
    let served = Served::start(limits(3)).await;
    let mut busy = Vec::new();
    for _ in 0..3 {
        busy.push(served.busy().await);
    }
    for _ in 0..5 {
        let (answer, _) = rest(&mut served.connect().await).await;
        assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("retry-after: 1\r\nconnection: close\r\n"), "{head}");
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
        assert!(body.starts_with(r#"{"error":{"code":"Full","#), "{body}");
    }
    served.release.add_permits(1);
    let (mut stream, began) = (served.connect().await, Instant::now());
    while !ask(&mut stream).await.is_ok_and(|answer| answer.starts_with("HTTP/1.1 200 OK")) {
        assert!(began.elapsed() < PATIENCE);
        stream = served.connect().await;
    }
}

#[tokio::test]
async fn a_stop_lets_the_busy_finish_and_dropping_cuts_them() {
    let served = Served::start(limits(9)).await;
    let (mut idle, mut busy, mut silent) =
        (served.connect().await, served.busy().await, served.connect().await);
    ask(&mut idle).await.unwrap();
    drop(served.stop);
    assert_eq!(rest(&mut idle).await.0, "");
    assert_eq!(rest(&mut silent).await.0, "");
    assert!(TcpStream::connect(served.address).await.is_err(), "nobody listens any more");
    served.release.add_permits(1);
    assert!(rest(&mut busy).await.0.ends_with("done"));
    timeout(PATIENCE, served.task).await.unwrap().unwrap();

    let served = Served::start(limits(9)).await;
    let mut busy = served.busy().await;
    served.task.abort();
    assert_eq!(rest(&mut busy).await.0, "");
}

//! Faults: answers that are lost or late, temporary refusals, and the store's errors for them.

use std::{
    io::{Read, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use sayso_stores::{BlobStore, blob::BlobConfig};
use sayso_turn::{
    clock::Timestamp,
    store::{Error, Expect, Saved, Store},
};

use super::{account, key, new_container, open, part, save, write};

/// Proxy that passes everything on, until it is told to keep an answer back and hang up.
struct Proxy {
    port: u16,
    cut: Arc<AtomicBool>,
    /// Requests that came in, by their first word.
    puts: Arc<AtomicU64>,
}

impl Proxy {
    fn start(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cut, puts) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let proxy = Self { port, cut: Arc::clone(&cut), puts: Arc::clone(&puts) };
        let target = target.to_owned();
        // The threads end with the process of the test.
        let _thread = thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let Ok(server) = TcpStream::connect(&target) else { continue };
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let puts = Arc::clone(&puts);
                let _there = thread::spawn(move || {
                    pass(from, to, |bytes| {
                        let is_write = bytes.starts_with(b"PUT ") || bytes.starts_with(b"DELETE ");
                        let _before = puts.fetch_add(u64::from(is_write), Ordering::SeqCst);
                        false
                    });
                });
                let cut = Arc::clone(&cut);
                let _back = thread::spawn(move || {
                    pass(server, client, |_| cut.swap(false, Ordering::SeqCst));
                });
            }
        });
        proxy
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, hangs_up: impl Fn(&[u8]) -> bool) {
    let mut buffer = [0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if hangs_up(&buffer[..count]) || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    for side in [from, to] {
        drop(side.shutdown(Shutdown::Both));
    }
}

/// Answers every request with one text and counts them.
struct Fake {
    endpoint: String,
    requests: Arc<AtomicU64>,
}

impl Fake {
    /// The first answer lets a store open: the container is there.
    fn start(later: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}/fake", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&requests);
        let _thread = thread::spawn(move || {
            for client in listener.incoming() {
                let counted = Arc::clone(&counted);
                let _thread = thread::spawn(move || answer(client.unwrap(), &counted, later));
            }
        });
        Self { endpoint, requests }
    }

    async fn store(&self) -> Arc<BlobStore> {
        let config = BlobConfig::new(&self.endpoint, "state").with_key("YQ==");
        let config = config.with_due_by(sayso_stores::blob::DueBy::Listing);
        let store = open(config.with_timeout(Duration::from_millis(500))).await;
        assert_eq!(self.requests.swap(0, Ordering::SeqCst), 1);
        store
    }
}

fn answer(mut client: TcpStream, counted: &AtomicU64, later: &str) {
    let mut buffer = [0; 65_536];
    while let Ok(count @ 1..) = client.read(&mut buffer) {
        let request = String::from_utf8_lossy(&buffer[..count]).into_owned();
        if !request.contains(" HTTP/1.1\r\n") {
            // The rest of a body.
            continue;
        }
        let _before = counted.fetch_add(1, Ordering::SeqCst);
        let is_opening = request.contains("/fake/state?restype=container HTTP");
        let text = if is_opening { "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" } else { later };
        if client.write_all(text.as_bytes()).is_err() || text.contains("connection: close") {
            return drop(client.shutdown(Shutdown::Both));
        }
    }
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_in_doubt_and_never_sent_twice() {
    let endpoint = part("BlobEndpoint");
    let host = endpoint.trim_start_matches("http://").split('/').next().unwrap();
    let proxy = Proxy::start(host);
    let through = account().replace(host, &format!("127.0.0.1:{}", proxy.port));
    let config = BlobConfig::from_connection_string(&through, new_container()).unwrap();
    let store = open(config).await;
    let mut at = Expect::Absent;
    for number in 0..20 {
        let before = proxy.puts.load(Ordering::SeqCst);
        let body = format!("{{\"number\":{number}}}");
        proxy.cut.store(true, Ordering::SeqCst);
        let error = store.save(write("k", at, &body)).await.unwrap_err();
        assert!(matches!(error, Error::Unknown { .. }), "{error:?}");
        assert!(!proxy.cut.load(Ordering::SeqCst), "an answer was kept back");
        assert_eq!(proxy.puts.load(Ordering::SeqCst) - before, 1, "it was sent once");
        let stored = store.load(&key("k")).await.unwrap().expect("it had been written");
        assert_eq!(stored.body, body);
        at = Expect::At(stored.etag);
    }
    let Expect::At(etag) = at else { panic!("it was saved") };
    proxy.cut.store(true, Ordering::SeqCst);
    let error = store.delete(&key("k"), &etag).await.unwrap_err();
    assert!(matches!(error, Error::Unknown { .. }), "{error:?}");
    assert_eq!(store.load(&key("k")).await.unwrap(), None, "it had been deleted");
    proxy.cut.store(true, Ordering::SeqCst);
    let error = store.load(&key("k")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
}

#[tokio::test]
async fn throttling_is_said_with_its_time_and_not_answered_with_more_requests() {
    for answer in [
        "HTTP/1.1 503 Busy\r\nx-ms-error-code: ServerBusy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\nslow",
    ] {
        let fake = Fake::start(answer);
        let store = fake.store().await;
        let errors = [
            store.load(&key("k")).await.map(drop).unwrap_err(),
            store.save(write("k", Expect::Absent, "{}")).await.map(drop).unwrap_err(),
            store.due(Timestamp::START, None, 1).await.map(drop).unwrap_err(),
        ];
        for error in &errors {
            assert!(matches!(error, Error::Throttled { .. }), "{error:?}");
            assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
        }
        assert_eq!(fake.requests.load(Ordering::SeqCst), 3, "one each");
    }
}

#[tokio::test]
async fn a_broken_server_leaves_writes_in_doubt() {
    for answer in [
        "HTTP/1.1 500 Oops\r\nx-ms-error-code: InternalError\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 503 Gone\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n",
        "garbage\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 99\r\n\r\n{",
        // Nothing at all, until the time is up.
        "",
    ] {
        let fake = Fake::start(answer);
        let store = fake.store().await;
        let error = store.save(write("k", Expect::Absent, "{}")).await.unwrap_err();
        assert!(matches!(error, Error::Unknown { .. }), "{answer}: {error:?}");
        assert_eq!(fake.requests.load(Ordering::SeqCst), 1, "{answer}");
        let error = store.load(&key("k")).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{answer}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_of_a_proxy_is_an_error_and_not_a_missing_document() {
    let fake = Fake::start("HTTP/1.1 404 Nope\r\ncontent-length: 4\r\n\r\n<hr>");
    let store = fake.store().await;
    let error = store.load(&key("k")).await.unwrap_err();
    assert!(error.to_string().contains("404"), "{error}");
    let fake = Fake::start("HTTP/1.1 412 Nope\r\ncontent-length: 0\r\n\r\n");
    let store = fake.store().await;
    assert!(store.save(write("k", Expect::Absent, "{}")).await.is_err());
}

#[tokio::test]
async fn a_store_goes_on_after_its_connections_broke() {
    let endpoint = part("BlobEndpoint");
    let host = endpoint.trim_start_matches("http://").split('/').next().unwrap();
    let proxy = Proxy::start(host);
    let through = account().replace(host, &format!("127.0.0.1:{}", proxy.port));
    let config = BlobConfig::from_connection_string(&through, new_container()).unwrap();
    let store = open(config).await;
    let etag = save(&store, write("k", Expect::Absent, "{}")).await;
    proxy.cut.store(true, Ordering::SeqCst);
    assert!(store.load(&key("k")).await.is_err());
    assert_eq!(store.load(&key("k")).await.unwrap().unwrap().etag, etag);
    assert_eq!(store.delete(&key("k"), &etag).await.unwrap(), Saved::Committed(etag));
}

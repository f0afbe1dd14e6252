//! The admin address: health, readiness and statistics, apart from where channels post.

use std::{
    fmt,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use futures_util::{future::join_all, stream::BoxStream};
use sayso::{
    prelude::*,
    server::default_admin_address,
    turn::{
        clock::Timestamp,
        store::{
            self, Cursor, DuePage, ETag, MemoryStore, Saved, Store, Stored, Transactions, Write,
        },
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use crate::client::{STEP_MAX, post};

/// A store that counts how often it is asked what is due, and hangs on that.
#[derive(Debug, Default)]
struct Hanging {
    inner: MemoryStore,
    looks: AtomicU64,
}

#[async_trait]
impl Store for Hanging {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, store::Error> {
        self.inner.load(key).await
    }

    async fn save(&self, write: Write) -> Result<Saved, store::Error> {
        self.inner.save(write).await
    }

    async fn delete(&self, key: &Key, expect: &ETag) -> Result<Saved, store::Error> {
        self.inner.delete(key, expect).await
    }

    async fn due(
        &self,
        _: Timestamp,
        _: Option<&Cursor>,
        _: usize,
    ) -> Result<DuePage, store::Error> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, store::Error>> {
        self.inner.list(prefix)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        self.inner.transactions()
    }
}

impl fmt::Display for Hanging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the hanging store")
    }
}

fn echo() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        turn.say("hello");
        Ok(())
    })
}

fn server() -> Server {
    Server::new(echo())
        .unauthenticated()
        .address(([127, 0, 0, 1], 0))
        .store(Arc::new(MemoryStore::default()))
}

/// Number of clients at once: 4,096, or what the process may open.
fn clients() -> usize {
    #[cfg(unix)]
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let files: Option<u64> = None;
    let files = files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX);
    // Both ends of a connection are of this process.
    4096.min(files.saturating_sub(512) / 2).max(64)
}

/// Asks for readiness over a connection of its own. What came instead of a 503 is the error.
async fn ask(address: SocketAddr) -> Result<(), String> {
    let asked = async {
        let mut stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
        let request = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        // Whoever is turned away may have been answered before it has asked.
        let sent = stream.write_all(request).await;
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let is_whole = answer.starts_with("HTTP/1.1 503") && answer.ends_with('}');
        if is_whole { Ok(()) } else { Err(format!("{answer:?}, {sent:?}, {read:?}")) }
    };
    timeout(STEP_MAX, asked).await.expect("nobody hangs")
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "figures that a reader of the test's output wants to see")]
async fn thousands_who_ask_for_readiness_of_a_hanging_store_do_not_stop_turns() {
    let store = Arc::new(Hanging::default());
    // The engine itself does not look for abandoned work in the meantime.
    let limits = Limits { sweep_every: 10 * STEP_MAX, ..Limits::default() };
    let running = server().store(Arc::clone(&store) as _).limits(limits).start().await.unwrap();
    let (admin, url) = (running.admin_addr().unwrap(), running.url());
    let (before, began) = (store.looks.load(Ordering::SeqCst), Instant::now());
    let count = clients();
    let crowd = tokio::spawn(async move { join_all((0..count).map(|_| ask(admin))).await });
    let (mut turns, mut slowest) = (0, Duration::ZERO);
    while !crowd.is_finished() || turns < 20 {
        let began = Instant::now();
        let body = format!(
            r#"{{"type":"message","id":"{turns}","channelId":"t","conversation":{{"id":"c"}},
            "deliveryMode":"expectReplies","text":"hi"}}"#
        );
        let answer = timeout(STEP_MAX, post(&url, &body)).await.expect("turns go on");
        assert!(answer.text().await.unwrap().contains("hello"));
        (turns, slowest) = (turns + 1, slowest.max(began.elapsed()));
    }
    let answers = crowd.await.unwrap();
    let unanswered: Vec<_> = answers.into_iter().filter_map(Result::err).collect();
    let looks = store.looks.load(Ordering::SeqCst) - before;
    let (took, most) = (began.elapsed(), 3 + began.elapsed().as_secs() / 3);
    println!(
        "{count} clients of /readyz, {} without an answer, {looks} looks at the store, \
         {turns} turns meanwhile, the slowest {slowest:?}, in {took:?}",
        unanswered.len()
    );
    assert!(unanswered.is_empty(), "{} of {count}: {unanswered:#?}", unanswered.len());
    assert!((1..=most).contains(&looks), "{looks} looks");
    running.stop().await;
}

#[tokio::test]
async fn health_and_statistics_are_not_where_channels_post() {
    let running = server().start().await.unwrap();
    let (public, admin) = (running.url(), running.admin_url().unwrap());
    assert_ne!(public, admin);
    for path in ["healthz", "readyz", "stats"] {
        assert_eq!(reqwest::get(format!("{admin}/{path}")).await.unwrap().status(), 200);
        assert_eq!(reqwest::get(format!("{public}/{path}")).await.unwrap().status(), 404);
    }
    let posted = reqwest::Client::new().post(format!("{admin}/api/messages"));
    assert_eq!(posted.send().await.unwrap().status(), 404);
    assert!(running.welcome().contains(&format!("health and statistics on {admin}")));
    running.stop().await;
    assert!(reqwest::get(format!("{admin}/healthz")).await.is_err(), "it ends with the bot");

    let running = server().without_admin().start().await.unwrap();
    assert_eq!((running.admin_addr(), running.admin_url()), (None, None));
    running.stop().await;
}

#[tokio::test]
async fn an_admin_address_that_is_taken_keeps_the_bot_from_starting() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap();
    let error = server().admin_address(address).start().await.unwrap_err().to_string();
    assert!(error.contains(&format!("{address}, for health and statistics, is in use")), "{error}");
    assert!(error.contains("SAYSO_ADMIN_ADDRESS") && error.ends_with("off"), "{error}");
}

#[test]
fn bots_with_ports_of_their_own_have_admin_addresses_of_their_own() {
    let of = |address: &str| default_admin_address(address.parse().unwrap()).to_string();
    for (address, admin) in [
        ("127.0.0.1:3978", "127.0.0.1:13978"),
        ("127.0.0.1:3979", "127.0.0.1:13979"),
        ("127.0.0.2:3978", "127.0.0.2:13978"),
        ("0.0.0.0:443", "127.0.0.1:10443"),
        ("[::]:443", "127.0.0.1:10443"),
        ("[::1]:3978", "[::1]:13978"),
        ("10.0.0.1:55535", "127.0.0.1:65535"),
        ("10.0.0.1:55536", "127.0.0.1:45536"),
        ("127.0.0.1:65535", "127.0.0.1:55535"),
        ("127.0.0.1:0", "127.0.0.1:0"),
    ] {
        assert_eq!(of(address), admin, "{address}");
    }
}

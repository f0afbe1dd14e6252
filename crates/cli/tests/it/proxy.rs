//! Fault-injecting TCP proxy, so that tests meet the failures of real networks.
//!
//! It reads no protocol. A request begins with the first bytes of a client after bytes of the
//! server, or at the start of a connection: so it can stand before whatever is asked and answers,
//! be it HTTP, PostgreSQL or Redis. The fault that matters most is the cut answer: what was asked
//! is done, and whoever asked cannot know it.

mod schedule;
mod tests;

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink},
    net::{
        TcpListener, TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    time::{sleep, timeout},
};

pub(crate) use self::schedule::Schedule;

/// Fault that one request meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It arrives whole; the connection is closed after so many bytes of its answer. An answer that
    /// is not longer passes.
    Cut { after: usize },
    /// It arrives; its answer is held back for a time.
    Delay(Duration),
    /// It vanishes and nothing is heard for a time; then the connection is closed.
    BlackHole(Duration),
    /// It vanishes and the connection is reset.
    Reset,
}

/// Counts of a proxy so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    /// Requests that began, those that met a fault included.
    pub(crate) requests: u64,
    /// Answers cut.
    pub(crate) cut: u64,
    /// Answers delayed.
    pub(crate) delayed: u64,
    /// Requests that vanished in a black hole.
    pub(crate) swallowed: u64,
    /// Connections reset.
    pub(crate) reset: u64,
    /// Clients that left before the answer came.
    pub(crate) abandoned: u64,
    /// The connections whose last answer was cut.
    pub(crate) lost: Vec<Closed>,
    /// The connections that their clients closed.
    pub(crate) left: Vec<Closed>,
}

/// A connection that was closed. Its last request is the last one that the server had from there
/// before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closed {
    /// Address of the connection's client side, as the server sees it.
    pub(crate) peer: SocketAddr,
    pub(crate) at: Instant,
}

/// A running proxy. It ends with the runtime of its test.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    /// Address to which clients connect.
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    upstream: Mutex<SocketAddr>,
    schedule: Schedule,
    is_calm: AtomicBool,
    done: Mutex<Done>,
}

impl Proxy {
    /// Starts a proxy in front of a server, on a free port.
    pub(crate) async fn start(upstream: SocketAddr, schedule: Schedule) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            upstream: Mutex::new(upstream),
            schedule,
            is_calm: AtomicBool::new(false),
            done: Mutex::default(),
        });
        let proxy = Self { address, shared: Arc::clone(&shared) };
        tokio::spawn(async move {
            loop {
                if let Ok((client, _)) = listener.accept().await {
                    let shared = Arc::clone(&shared);
                    tokio::spawn(async move { shared.connect(client).await });
                }
            }
        });
        proxy
    }

    /// Sends further connections to another server, such as the one that was started in its place.
    pub(crate) fn point_to(&self, upstream: SocketAddr) {
        *self.shared.upstream.lock().unwrap() = upstream;
    }

    /// Breaks nothing for a while, or no longer.
    pub(crate) fn calm(&self, is_calm: bool) {
        self.shared.is_calm.store(is_calm, Ordering::Relaxed);
    }

    /// Returns the counts so far.
    pub(crate) fn done(&self) -> Done {
        self.shared.done().clone()
    }
}

/// Reason for which a connection ends before both sides are through.
enum End {
    Close,
    Reset,
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        Self::Close
    }
}

/// State of one connection.
struct Talk {
    peer: SocketAddr,
    requests: u64,
    /// True if bytes of the server came since the last of the client.
    is_answered: bool,
    /// Number of bytes of the answer so far.
    answer_bytes: usize,
    fault: Option<Fault>,
    has_left: bool,
}

impl Talk {
    fn new(peer: SocketAddr) -> Self {
        let (is_answered, has_left) = (true, false);
        Self { peer, requests: 0, is_answered, answer_bytes: 0, fault: None, has_left }
    }

    fn closed(&self) -> Closed {
        Closed { peer: self.peer, at: Instant::now() }
    }
}

impl Shared {
    fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap()
    }

    async fn connect(&self, mut client: TcpStream) {
        let upstream = *self.upstream.lock().unwrap();
        // A server that is down looks like one to the client, too: the connection closes.
        let Ok(mut server) = TcpStream::connect(upstream).await else { return };
        let (Ok(()), Ok(())) = (client.set_nodelay(true), server.set_nodelay(true)) else { return };
        let Ok(peer) = server.local_addr() else { return };
        let talk = Mutex::new(Talk::new(peer));
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        // Both ways at once: a server may begin to answer before it has read everything.
        let end = tokio::try_join!(
            self.ask(&talk, from_client, to_server),
            self.answer(&talk, from_server, to_client),
        );
        if let Err(End::Reset) = end {
            drop(client.set_zero_linger());
        }
    }

    async fn ask(
        &self,
        talk: &Mutex<Talk>,
        mut from: ReadHalf<'_>,
        mut to: WriteHalf<'_>,
    ) -> Result<(), End> {
        let mut bytes = vec![0; 16 << 10];
        loop {
            // A client that leaves in anger, with an answer unread, is an error here.
            let count = from.read(&mut bytes).await.unwrap_or_default();
            if count == 0 {
                self.left(&mut talk.lock().unwrap());
                return Ok(to.shutdown().await?);
            }
            let fault = self.heard(&mut talk.lock().unwrap());
            match fault {
                Some(Fault::Reset) => {
                    self.done().reset += 1;
                    return Err(End::Reset);
                }
                Some(Fault::BlackHole(time)) => {
                    self.done().swallowed += 1;
                    drop(timeout(time, copy(&mut from, &mut sink())).await);
                    return Err(End::Close);
                }
                _ => to.write_all(&bytes[..count]).await?,
            }
        }
    }

    async fn answer(
        &self,
        talk: &Mutex<Talk>,
        mut from: ReadHalf<'_>,
        mut to: WriteHalf<'_>,
    ) -> Result<(), End> {
        let mut bytes = vec![0; 16 << 10];
        loop {
            let count = from.read(&mut bytes).await?;
            if count == 0 {
                return Err(End::Close);
            }
            let (fault, had) = {
                let talk = talk.lock().unwrap();
                (talk.fault, talk.answer_bytes)
            };
            match fault {
                Some(Fault::Cut { after }) if had + count > after => {
                    self.cut(&talk.lock().unwrap());
                    to.write_all(&bytes[..after - had]).await?;
                    return Err(End::Close);
                }
                Some(Fault::Delay(time)) if had == 0 => {
                    self.done().delayed += 1;
                    sleep(time).await;
                }
                _ => {}
            }
            let written = to.write_all(&bytes[..count]).await;
            let mut talk = talk.lock().unwrap();
            if written.is_err() {
                self.left(&mut talk);
                return Err(End::Close);
            }
            talk.is_answered = true;
            talk.answer_bytes += count;
        }
    }

    /// Notes bytes of the client. Returns the fault of the request that they begin, if they begin
    /// one.
    fn heard(&self, talk: &mut Talk) -> Option<Fault> {
        if !std::mem::replace(&mut talk.is_answered, false) {
            return None;
        }
        let mut done = self.done();
        done.requests += 1;
        talk.requests += 1;
        talk.answer_bytes = 0;
        let is_calm = self.is_calm.load(Ordering::Relaxed);
        let fault = || self.schedule.fault(done.requests, talk.requests);
        talk.fault = if is_calm { None } else { fault() };
        talk.fault
    }

    /// Notes that the client closed the connection, or its side of it.
    fn left(&self, talk: &mut Talk) {
        if !std::mem::replace(&mut talk.has_left, true) {
            let mut done = self.done();
            done.abandoned += u64::from(!talk.is_answered);
            done.left.push(talk.closed());
        }
    }

    fn cut(&self, talk: &Talk) {
        let mut done = self.done();
        done.cut += 1;
        done.lost.push(talk.closed());
    }
}

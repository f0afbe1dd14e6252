//! Attacking clients: crowds of held connections, and storms of short ones.

use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    net::{TcpSocket, TcpStream},
    task::JoinHandle,
    time::timeout,
};

use super::machine::Machine;

/// Number of source addresses; one alone runs out of ports.
const ADDRESSES: u8 = 8;
/// Number of connections that are made at once.
const AT_ONCE: usize = 64;
/// Connect timeout.
const CONNECT_MAX: Duration = Duration::from_secs(30);

/// Connections that are held.
pub(super) struct Crowd(Arc<Vec<Mutex<Member>>>);

struct Member {
    stream: TcpStream,
    /// The first words of the answer.
    heard: Vec<u8>,
    ended: Option<Instant>,
}

/// End of a crowd: the connections still open, and the answers heard.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) open: usize,
    /// Time at which the last closed connection was closed.
    pub(super) last: Instant,
    heard: Vec<String>,
}

impl Ended {
    /// Number of connections that heard these words.
    pub(super) fn with(&self, words: &str) -> usize {
        self.heard.iter().filter(|heard| heard.contains(words)).count()
    }
}

impl Crowd {
    /// Opens connections and says the same on each.
    pub(super) async fn open(machine: &Machine, count: usize, words: &'static str) -> Self {
        let (address, next) = (machine.address, Arc::new(AtomicUsize::new(0)));
        let workers = (0..AT_ONCE).map(|_| {
            let next = Arc::clone(&next);
            tokio::spawn(async move {
                let mut members = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= count {
                        return members;
                    }
                    let stream = connect(address, number).await;
                    let stream =
                        stream.unwrap_or_else(|error| panic!("connection {number}: {error}"));
                    // Whoever is hung up on already has nothing to say; that is counted later.
                    drop(stream.try_write(words.as_bytes()));
                    members.push(Mutex::new(Member { stream, heard: Vec::new(), ended: None }));
                }
            })
        });
        let mut all = Vec::with_capacity(count);
        for worker in workers.collect::<Vec<_>>() {
            all.extend(worker.await.unwrap());
        }
        Self(Arc::new(all))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Number of connections that the server has not closed.
    pub(super) fn open_count(&self) -> usize {
        self.0.iter().filter(|member| member.lock().unwrap().is_open()).count()
    }

    /// Says one byte a second on each connection: these first, then the letter x.
    pub(super) fn drip(&self, words: &'static str) -> JoinHandle<()> {
        let members = Arc::clone(&self.0);
        tokio::spawn(async move {
            for byte in words.bytes().chain(std::iter::repeat(b'x')) {
                for member in members.iter() {
                    drop(member.lock().unwrap().stream.try_write(&[byte]));
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        })
    }

    /// Waits until the server has hung up on all of them, or the time is over.
    pub(super) async fn wait_for_end(&self, limit: Duration) -> Ended {
        let began = Instant::now();
        while self.open_count() > 0 && began.elapsed() < limit {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let members = || self.0.iter().map(|member| member.lock().unwrap());
        Ended {
            open: self.open_count(),
            last: members().filter_map(|member| member.ended).max().unwrap_or(began),
            heard: members().map(|it| String::from_utf8_lossy(&it.heard).into_owned()).collect(),
        }
    }
}

impl Member {
    fn is_open(&mut self) -> bool {
        let mut bytes = [0; 512];
        while self.ended.is_none() {
            match self.stream.try_read(&mut bytes) {
                Ok(count) if count > 0 => self.heard.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                _ => self.ended = Some(Instant::now()),
            }
        }
        false
    }
}

/// Figures of a storm.
#[derive(Debug)]
pub(super) struct Stormed {
    pub(super) opened: usize,
}

/// Opens connections and drops them, at once, after some words, or with a reset, until `end` ends.
pub(super) async fn storm(machine: &Machine, end: impl Future<Output = ()>) -> Stormed {
    let (address, opened) = (machine.address, Arc::new(AtomicUsize::new(0)));
    let is_over = Arc::new(AtomicBool::new(false));
    let workers = (0..AT_ONCE / 4).map(|_| {
        let (opened, is_over) = (Arc::clone(&opened), Arc::clone(&is_over));
        tokio::spawn(async move {
            while !is_over.load(Ordering::SeqCst) {
                let number = opened.fetch_add(1, Ordering::SeqCst);
                let Ok(stream) = connect(address, number).await else { continue };
                match number % 3 {
                    0 => {}
                    1 => drop(stream.try_write(b"POST /api/messages HTTP/1.1\r\nhost: ")),
                    _ => stream.set_zero_linger().unwrap(),
                }
            }
        })
    });
    let workers: Vec<_> = workers.collect();
    end.await;
    is_over.store(true, Ordering::SeqCst);
    for worker in workers {
        worker.await.unwrap();
    }
    Stormed { opened: opened.load(Ordering::SeqCst) }
}

/// A connection from one of several addresses of this machine.
async fn connect(to: SocketAddr, number: usize) -> io::Result<TcpStream> {
    let last = u8::try_from(number % usize::from(ADDRESSES)).expect("a remainder of a byte") + 2;
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
    timeout(CONNECT_MAX, socket.connect(to)).await?
}

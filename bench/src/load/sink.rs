//! The sink: the channel's connector service, where bots post their replies.

use std::{
    collections::HashMap,
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Instant,
};

use serde::Deserialize;

use super::wire::{Message, Wire};

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{\"id\":\"x\"}";

/// Takes replies and gives each to whoever listens to its conversation.
#[derive(Debug)]
pub struct Sink {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// A reply that has arrived.
#[derive(Debug)]
pub struct Reply {
    /// What the bot said.
    pub text: String,
    /// When it was read.
    pub at: Instant,
}

#[derive(Debug, Default)]
struct Shared {
    boxes: Mutex<HashMap<String, Sender<Reply>>>,
    connections: AtomicU64,
    /// Whether replies are left unanswered, and how many are.
    held: Mutex<(bool, usize)>,
    released: Condvar,
}

impl Sink {
    /// Starts a sink on a free port of this machine.
    ///
    /// # Errors
    /// When the system gives no port.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let (address, shared) = (listener.local_addr()?, Arc::new(Shared::default()));
        let sink = Self { address, shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let small = thread::Builder::new().stack_size(256 << 10);
                // A bot that gets no answer counts as failed and is seen to be.
                drop(small.spawn(move || shared.serve(stream)));
            }
        });
        Ok(sink)
    }

    /// The service URL for activities.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections bots have opened so far.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// The replies of a conversation from now on.
    #[must_use]
    pub fn listen(&self, conversation: &str) -> Receiver<Reply> {
        let (sender, receiver) = channel();
        drop(self.shared.boxes().insert(conversation.to_owned(), sender));
        receiver
    }

    /// Stops listening to a conversation.
    pub fn forget(&self, conversation: &str) {
        drop(self.shared.boxes().remove(conversation));
    }

    /// From now on replies are read and not answered: they are in flight.
    pub fn hold(&self) {
        self.shared.held().0 = true;
    }

    /// How many replies wait for an answer.
    #[must_use]
    pub fn held(&self) -> usize {
        self.shared.held().1
    }

    /// From now on replies are answered. Those that were held are dropped with their connections.
    pub fn release(&self) {
        *self.shared.held() = (false, 0);
        self.shared.released.notify_all();
    }
}

impl Shared {
    fn boxes(&self) -> MutexGuard<'_, HashMap<String, Sender<Reply>>> {
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> MutexGuard<'_, (bool, usize)> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: TcpStream) {
        let Ok(mut wire) = Wire::new(stream, None) else { return };
        while let Ok(Some(message)) = wire.read() {
            let at = Instant::now();
            if self.was_held() {
                return;
            }
            self.take(&message, at);
            if wire.write(ANSWER).is_err() || message.is_last {
                return;
            }
        }
    }

    /// Waits while replies are held; whether this one was.
    fn was_held(&self) -> bool {
        let mut held = self.held();
        if !held.0 {
            return false;
        }
        held.1 += 1;
        let held = self.released.wait_while(held, |held| held.0);
        drop(held.unwrap_or_else(PoisonError::into_inner));
        true
    }

    fn take(&self, message: &Message, at: Instant) {
        #[derive(Deserialize)]
        struct Posted {
            text: Option<String>,
        }
        let path = message.first.strip_prefix("POST /v3/conversations/").unwrap_or_default();
        let conversation = path.split('/').next().unwrap_or_default();
        // What is no message, such as a sign of typing, is of no interest.
        let Ok(Posted { text: Some(text) }) = serde_json::from_slice(&message.body) else { return };
        let sender = self.boxes().get(conversation).cloned();
        if let Some(sender) = sender {
            // Nobody listens any more: then nobody wants it.
            drop(sender.send(Reply { text, at }));
        }
    }
}

//! The sink: the channel's connector service, where bots post their replies.

use std::{
    collections::HashMap,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Deserialize;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
    task::AbortHandle,
    time::timeout,
};

use super::{
    wait,
    wire::{Message, Wire},
};

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{\"id\":\"x\"}";

/// Takes replies and gives each to whoever listens to its conversation.
#[derive(Debug)]
pub struct Sink {
    address: SocketAddr,
    shared: Arc<Shared>,
    door: AbortHandle,
}

/// The replies of a conversation, as they arrive.
#[derive(Debug)]
pub struct Replies(mpsc::UnboundedReceiver<Reply>);

/// A reply that has arrived.
#[derive(Debug)]
pub struct Reply {
    /// The text of the reply.
    pub text: String,
    /// When it was read.
    pub at: Instant,
}

impl Replies {
    /// The next reply, unless it takes longer than this.
    pub async fn next(&mut self, patience: Duration) -> Option<Reply> {
        timeout(patience, self.0.recv()).await.ok().flatten()
    }

    /// The next reply, if it is there.
    pub fn take(&mut self) -> Option<Reply> {
        self.0.try_recv().ok()
    }
}

#[derive(Debug, Default)]
struct Shared {
    boxes: Mutex<HashMap<String, mpsc::UnboundedSender<Reply>>>,
    connections: AtomicU64,
    /// `true` while replies are left unanswered.
    is_holding: watch::Sender<bool>,
    /// Number of replies left unanswered.
    held: AtomicUsize,
}

impl Sink {
    /// Starts a sink on a free port of this machine.
    ///
    /// # Errors
    /// When the system gives no port.
    pub fn start() -> io::Result<Self> {
        wait(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let (address, shared) = (listener.local_addr()?, Arc::new(Shared::default()));
            let door = tokio::spawn(Arc::clone(&shared).open(listener)).abort_handle();
            Ok(Self { address, shared, door })
        })
    }

    /// The service URL for activities.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Number of connections that bots have opened so far.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// The replies of a conversation from now on.
    #[must_use]
    pub fn listen(&self, conversation: &str) -> Replies {
        let (sender, receiver) = mpsc::unbounded_channel();
        drop(self.shared.boxes().insert(conversation.to_owned(), sender));
        Replies(receiver)
    }

    /// Stops listening to a conversation.
    pub fn forget(&self, conversation: &str) {
        drop(self.shared.boxes().remove(conversation));
    }

    /// Holds replies from now on: they are read and not answered, so they stay in flight.
    pub fn hold(&self) {
        let _before = self.shared.is_holding.send_replace(true);
    }

    /// Number of replies that wait for an answer.
    #[must_use]
    pub fn held(&self) -> usize {
        self.shared.held.load(Ordering::Relaxed)
    }

    /// Answers replies from now on. Held ones are dropped with their connections.
    pub fn release(&self) {
        self.shared.held.store(0, Ordering::Relaxed);
        let _before = self.shared.is_holding.send_replace(false);
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.door.abort();
    }
}

impl Shared {
    fn boxes(&self) -> MutexGuard<'_, HashMap<String, mpsc::UnboundedSender<Reply>>> {
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn open(self: Arc<Self>, listener: TcpListener) {
        // A bot that gets no answer counts as failed and is seen to be.
        while let Ok((stream, _)) = listener.accept().await {
            let _before = self.connections.fetch_add(1, Ordering::Relaxed);
            drop(tokio::spawn(Arc::clone(&self).serve(stream)));
        }
    }

    async fn serve(self: Arc<Self>, stream: TcpStream) {
        let Ok(mut wire) = Wire::new(stream) else { return };
        while let Ok(Some(message)) = wire.read().await {
            let at = Instant::now();
            if self.was_held().await {
                return;
            }
            self.take(&message, at);
            if wire.write(ANSWER).await.is_err() || message.is_last {
                return;
            }
        }
    }

    /// Waits while replies are held. Returns `true` if this one was.
    async fn was_held(&self) -> bool {
        if !*self.is_holding.borrow() {
            return false;
        }
        let _before = self.held.fetch_add(1, Ordering::Relaxed);
        // The sender is ours: there is an end to the waiting.
        drop(self.is_holding.subscribe().wait_for(|is_holding| !is_holding).await);
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

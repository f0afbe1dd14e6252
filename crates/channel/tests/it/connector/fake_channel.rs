//! Fake channel that fails at one message, works otherwise, and records what it accepted.
//!
//! The courier delivers one reply at a time and every connection carries one request, so the number
//! of a connection tells which attempt of which reply it is, even if no byte of it is read.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Instant,
};

use tokio::net::{TcpListener, TcpStream};

use super::faults::Fault;
use crate::support::sink::{Act, Posted, perform, read};

/// The connections that meet the fault.
#[derive(Clone, Copy, Debug)]
pub(super) struct When {
    pub(super) first: usize,
    pub(super) times: usize,
}

impl When {
    pub(super) fn contains(self, connection: usize) -> bool {
        (self.first..self.first.saturating_add(self.times)).contains(&connection)
    }
}

/// The channel's records.
#[derive(Debug, Default)]
pub(super) struct Book {
    /// Number of connections, which is the number of attempts.
    pub(super) tries: usize,
    pub(super) requests: Vec<Request>,
    /// Number of times that each reply was accepted, by its id, including duplicates.
    pub(super) taken: BTreeMap<String, usize>,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) posted: Posted,
    pub(super) at: Instant,
}

impl Request {
    /// The idempotency key, which all attempts of a reply share.
    pub(super) fn id(&self) -> &str {
        self.posted.header("idempotency-key").expect("every hand-over has an id")
    }

    /// Position of the reply in its turn.
    pub(super) fn number(&self) -> usize {
        self.id().rsplit('.').next().unwrap().parse().unwrap()
    }
}

#[derive(Debug)]
pub(super) struct FakeChannel {
    pub(super) url: String,
    pub(super) book: Arc<Mutex<Book>>,
}

impl FakeChannel {
    pub(super) async fn start(fault: &Arc<Fault>, when: When) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/_connector", listener.local_addr().unwrap());
        let book: Arc<Mutex<Book>> = Arc::default();
        let (kept, fault) = (Arc::clone(&book), Arc::clone(fault));
        drop(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = {
                    let mut book = kept.lock().unwrap();
                    book.tries += 1;
                    book.tries - 1
                };
                let fault = when.contains(number).then(|| Arc::clone(&fault));
                drop(tokio::spawn(serve(stream, fault, Arc::clone(&kept))));
            }
        }));
        Self { url, book }
    }
}

async fn serve(mut stream: TcpStream, fault: Option<Arc<Fault>>, book: Arc<Mutex<Book>>) {
    if let Some(fault) = fault.as_ref().filter(|fault| !fault.is_read) {
        return perform(stream, fault.act.clone()).await;
    }
    let at = Instant::now();
    let Some(posted) = read(&mut stream).await else { return };
    {
        let mut book = book.lock().unwrap();
        let request = Request { posted, at };
        if fault.as_ref().is_none_or(|fault| fault.is_taken) {
            *book.taken.entry(request.id().to_owned()).or_default() += 1;
        }
        book.requests.push(request);
    }
    let well = || Act::answer("201 Created", &[], r#"{"id":"given"}"#);
    perform(stream, fault.map_or_else(well, |fault| fault.act.clone())).await;
}

//! A rush: many messages at once to one conversation.

use std::{
    collections::BTreeSet,
    io,
    net::SocketAddr,
    sync::{Barrier, mpsc::Receiver},
    thread,
    time::{Duration, Instant},
};

use super::{Client, Reply, Sink, new_conversation};
use crate::peer;

/// Replies are waited for until there was none for so long.
const SILENCE: Duration = Duration::from_millis(1500);
/// How long the bot may take to tell its list.
const LIST: Duration = Duration::from_secs(20);

/// What became of a rush.
#[derive(Debug)]
pub struct Rush {
    /// Messages that were answered well.
    pub answered: usize,
    /// Messages that the bot confirmed to the user.
    pub confirmed: usize,
    /// Messages that are in the state in the end.
    pub saved: usize,
    /// Messages that were confirmed and are not in the state.
    pub lost: usize,
    /// From the first message to the last answer and the last reply.
    pub last: Duration,
    /// The conversation, which goes on.
    pub conversation: String,
}

/// Sends `count` messages at once to one conversation, by turns to each of the bots. When all answers are
/// there, `settled` is called; then the bot is asked for its list. With `is_new` the conversation has no
/// message before these.
///
/// # Errors
/// When a bot cannot be reached, or does not tell its list.
pub fn rush(
    sink: &Sink,
    bots: &[SocketAddr],
    count: usize,
    is_new: bool,
    settled: impl FnOnce() -> io::Result<()>,
) -> io::Result<Rush> {
    let (conversation, service_url) = (new_conversation(), sink.url());
    let replies = sink.listen(&conversation);
    let first = *bots.first().ok_or(io::ErrorKind::NotFound)?;
    let say = |number: u64, text: &str| peer::message(&service_url, &conversation, number, text);
    if !is_new {
        Client::new(first).send(&say(1_000_000, "add first"))?;
        replies.recv_timeout(SILENCE).map_err(io::Error::other)?;
    }
    let barrier = Barrier::new(count + 1);
    let (answered, began, answers) = thread::scope(|scope| {
        let senders: Vec<_> = (0..count)
            .zip(bots.iter().cycle())
            .map(|(number, bot)| {
                let (barrier, body) = (&barrier, say(number as u64, &format!("add t{number}")));
                scope.spawn(move || {
                    let mut client = Client::new(*bot);
                    let connected = client.connect();
                    barrier.wait();
                    connected.and_then(|()| client.send(&body))
                })
            })
            .collect();
        barrier.wait();
        let began = Instant::now();
        let statuses = senders.into_iter().map(thread::ScopedJoinHandle::join);
        let answered = statuses.filter(|status| matches!(status, Ok(Ok(200..300)))).count();
        (answered, began, Instant::now())
    });
    let (confirmed, last) = confirmations(&replies, count, answers);
    settled()?;
    // Over a new connection: one that was idle may have been closed by the bot.
    Client::new(first).send(&say(2_000_000, "list"))?;
    let list = loop {
        let reply = replies.recv_timeout(LIST).map_err(io::Error::other)?;
        if let Some(list) = reply.text.strip_prefix("list ") {
            break list.to_owned();
        }
    };
    let saved: BTreeSet<&str> = list.split(',').filter(|text| text.starts_with('t')).collect();
    let lost = confirmed.iter().filter(|text| !saved.contains(text.as_str())).count();
    let (confirmed, saved) = (confirmed.len(), saved.len());
    sink.forget(&conversation);
    let last = last.saturating_duration_since(began);
    Ok(Rush { answered, confirmed, saved, lost, last, conversation })
}

/// What the bot confirmed, and when the last answer or reply came.
fn confirmations(
    replies: &Receiver<Reply>,
    count: usize,
    answers: Instant,
) -> (BTreeSet<String>, Instant) {
    let (mut confirmed, mut last) = (BTreeSet::new(), answers);
    while confirmed.len() < count
        && let Ok(reply) = replies.recv_timeout(SILENCE)
    {
        if let Some(text) = reply.text.strip_prefix("added ") {
            last = last.max(reply.at);
            confirmed.insert(text.to_owned());
        }
    }
    (confirmed, last)
}

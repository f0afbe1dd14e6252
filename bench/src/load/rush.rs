//! A rush: many messages at once to one conversation.

use std::{
    collections::BTreeSet,
    io,
    net::SocketAddr,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use super::{Client, Replies, Sink, new_conversation, wait};
use crate::peer;

/// Replies are waited for until there was none for so long.
const SILENCE: Duration = Duration::from_millis(1500);
/// Timeout of the bot's answer to `list`.
const LIST: Duration = Duration::from_secs(20);

/// Outcome of a rush.
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

/// Sends `count` messages at once to one conversation, by turns to each of the bots. When all
/// answers are there, `settled` is called; then the bot is asked for its list. With `is_new` the
/// conversation has no message before these.
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
    let mut replies = sink.listen(&conversation);
    let first = *bots.first().ok_or(io::ErrorKind::NotFound)?;
    let say = |number: u64, text: &str| peer::message(&service_url, &conversation, number, text);
    if !is_new {
        wait(Client::new(first).send(&say(1_000_000, "add first")))?;
        wait(replies.next(SILENCE)).ok_or(io::ErrorKind::TimedOut)?;
    }
    let barrier = Barrier::new(count + 1);
    // A thread for each, as many users are: one alone would bring all before the bot has read the
    // first.
    let (answered, began, answers) = thread::scope(|scope| {
        let senders: Vec<_> = (0..count)
            .zip(bots.iter().cycle())
            .map(|(number, bot)| {
                let (barrier, body) = (&barrier, say(number as u64, &format!("add t{number}")));
                scope.spawn(move || {
                    let mut client = Client::new(*bot);
                    let connected = wait(client.connect());
                    barrier.wait();
                    connected.and_then(|()| wait(client.send(&body)))
                })
            })
            .collect();
        barrier.wait();
        let began = Instant::now();
        let statuses = senders.into_iter().map(thread::ScopedJoinHandle::join);
        let answered = statuses.filter(|status| matches!(status, Ok(Ok(200..300)))).count();
        (answered, began, Instant::now())
    });
    let (confirmed, last) = wait(confirmations(&mut replies, count, answers));
    settled()?;
    // Over a new connection: one that was idle may have been closed by the bot.
    wait(Client::new(first).send(&say(2_000_000, "list")))?;
    let list = loop {
        let reply = wait(replies.next(LIST)).ok_or(io::ErrorKind::TimedOut)?;
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

/// Collects the toppings that the bot confirmed, and the time of the last answer or reply.
async fn confirmations(
    replies: &mut Replies,
    count: usize,
    answers: Instant,
) -> (BTreeSet<String>, Instant) {
    let (mut confirmed, mut last) = (BTreeSet::new(), answers);
    while confirmed.len() < count
        && let Some(reply) = replies.next(SILENCE).await
    {
        if let Some(text) = reply.text.strip_prefix("added ") {
            last = last.max(reply.at);
            confirmed.insert(text.to_owned());
        }
    }
    (confirmed, last)
}

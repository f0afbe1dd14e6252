//! A walk: many conversations, one after the other on each of some connections.

use std::{
    io,
    net::SocketAddr,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{Client, Sink, new_conversation};
use crate::peer::{self, Logic};

/// How long a reply may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a walk saw.
#[derive(Debug, Default)]
pub struct Walk {
    /// How many turns there were.
    pub turns: usize,
    /// How long all of it took.
    pub wall: Duration,
    /// From sending a message to its HTTP answer, in milliseconds.
    pub answers_ms: Vec<f64>,
    /// From sending a message to the arrival of the reply, in milliseconds.
    pub replies_ms: Vec<f64>,
    /// Messages that were refused, or whose reply was missing or another than it must be.
    pub wrong: usize,
}

/// What conversations are like.
#[derive(Clone, Copy, Debug)]
pub struct Talk {
    /// What the bot does.
    pub logic: Logic,
    /// How many messages a conversation has.
    pub messages: usize,
}

/// Walks through conversations. The next message of a conversation goes out when the answer and the
/// reply to the one before are there; successive messages go to successive bots.
///
/// # Errors
/// When a bot cannot be reached.
pub fn walk(
    sink: &Sink,
    bots: &[SocketAddr],
    talk: Talk,
    connections: usize,
    conversations: usize,
) -> io::Result<Walk> {
    let (next, began) = (AtomicUsize::new(0), Instant::now());
    let mut all = Walk::default();
    thread::scope(|scope| {
        let walkers: Vec<_> = (0..connections)
            .map(|first| {
                let next = &next;
                scope.spawn(move || {
                    let clients = bots.iter().map(|bot| Client::new(*bot)).collect();
                    let mut walker = Walker { sink, talk, clients, seen: Walk::default() };
                    let mut turn = first;
                    while next.fetch_add(1, Ordering::Relaxed) < conversations {
                        walker.converse(&mut turn)?;
                    }
                    Ok::<_, io::Error>(walker.seen)
                })
            })
            .collect();
        for walker in walkers {
            let seen = walker.join().map_err(|_| io::Error::other("a walker panicked"))??;
            all.turns += seen.turns;
            all.wrong += seen.wrong;
            all.answers_ms.extend(seen.answers_ms);
            all.replies_ms.extend(seen.replies_ms);
        }
        Ok::<_, io::Error>(())
    })?;
    all.wall = began.elapsed();
    Ok(all)
}

struct Walker<'a> {
    sink: &'a Sink,
    talk: Talk,
    clients: Vec<Client>,
    seen: Walk,
}

impl Walker<'_> {
    fn converse(&mut self, turn: &mut usize) -> io::Result<()> {
        let (conversation, service_url) = (new_conversation(), self.sink.url());
        let replies = self.sink.listen(&conversation);
        for (number, (text, answer)) in (0..).zip(self.talk.logic.conversation(self.talk.messages))
        {
            let body = peer::message(&service_url, &conversation, number, &text);
            *turn += 1;
            let bot = *turn % self.clients.len();
            let Some(client) = self.clients.get_mut(bot) else { break };
            let sent = Instant::now();
            let status = client.send(&body)?;
            self.seen.answers_ms.push(ms(sent.elapsed()));
            let reply = replies.recv_timeout(PATIENCE);
            self.seen.turns += 1;
            match reply {
                Ok(reply) if reply.text == answer && (200..300).contains(&status) => {
                    self.seen.replies_ms.push(ms(reply.at.saturating_duration_since(sent)));
                }
                _ => self.seen.wrong += 1,
            }
        }
        self.sink.forget(&conversation);
        Ok(())
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

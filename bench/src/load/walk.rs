//! Closed-loop load: many conversations over a number of connections, one at a time on each.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::{Client, Sink, new_conversation, wait};
use crate::peer::{self, Logic};

/// Timeout of a reply.
const PATIENCE: Duration = Duration::from_secs(20);

/// Outcome of a walk.
#[derive(Debug, Default)]
pub struct Walk {
    /// Number of turns.
    pub turns: usize,
    /// Wall time of the whole walk.
    pub wall: Duration,
    /// From sending a message to its HTTP answer, in milliseconds.
    pub answers_ms: Vec<f64>,
    /// From sending a message to the arrival of the reply, in milliseconds.
    pub replies_ms: Vec<f64>,
    /// Messages that were refused, or whose reply was missing or another than it must be.
    pub wrong: usize,
}

/// Shape of the conversations.
#[derive(Clone, Copy, Debug)]
pub struct Talk {
    /// The bot's logic.
    pub logic: Logic,
    /// Number of messages per conversation.
    pub messages: usize,
}

/// Plays conversations. The next message of a conversation goes out when the answer and the reply
/// to the one before are there; successive messages go to successive bots.
///
/// # Errors
/// When a bot cannot be reached.
pub fn walk(
    sink: &Arc<Sink>,
    bots: &[SocketAddr],
    talk: Talk,
    connections: usize,
    conversations: usize,
) -> io::Result<Walk> {
    let (next, began) = (Arc::new(AtomicUsize::new(0)), Instant::now());
    let mut all = Walk::default();
    wait(async {
        let walkers: Vec<_> = (0..connections)
            .map(|turn| {
                let clients = bots.iter().map(|bot| Client::new(*bot)).collect();
                let (sink, seen) = (Arc::clone(sink), Walk::default());
                let walker = Walker { sink, talk, clients, turn, seen };
                tokio::spawn(walker.walk(Arc::clone(&next), conversations))
            })
            .collect();
        for walker in walkers {
            let seen = walker.await??;
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

struct Walker {
    sink: Arc<Sink>,
    talk: Talk,
    clients: Vec<Client>,
    /// Counts messages, for round-robin over the bots.
    turn: usize,
    seen: Walk,
}

impl Walker {
    async fn walk(mut self, next: Arc<AtomicUsize>, conversations: usize) -> io::Result<Walk> {
        while next.fetch_add(1, Ordering::Relaxed) < conversations {
            self.converse().await?;
        }
        Ok(self.seen)
    }

    async fn converse(&mut self) -> io::Result<()> {
        let (conversation, service_url) = (new_conversation(), self.sink.url());
        let mut replies = self.sink.listen(&conversation);
        for (number, (text, answer)) in (0..).zip(self.talk.logic.conversation(self.talk.messages))
        {
            let body = peer::message(&service_url, &conversation, number, &text);
            self.turn += 1;
            let bot = self.turn % self.clients.len();
            let Some(client) = self.clients.get_mut(bot) else { break };
            let sent = Instant::now();
            let status = client.send(&body).await?;
            self.seen.answers_ms.push(ms(sent.elapsed()));
            let reply = replies.next(PATIENCE).await;
            self.seen.turns += 1;
            match reply {
                Some(reply) if reply.text == answer && (200..300).contains(&status) => {
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

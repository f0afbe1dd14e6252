//! Recovery time: an instance is killed with turns in flight, and another one delivers every reply.
//!
//! The channel leaves replies unanswered until enough of them are in flight; then the instance that
//! sent them is killed, and the channel takes whatever comes.

use std::{
    collections::BTreeMap,
    io, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use sayso::Limits;
use sayso_bench::{
    load::{Client, Reply, Sink, new_conversation, wait},
    peer::{self, Logic},
};

use crate::{
    Bench,
    bot::{Bot, Store},
    record::{Log, Record},
    runtime::Runtime,
};

/// Numbers of turns in flight.
const COUNTS: [usize; 3] = [10, 1_000, 10_000];
/// Connections that send the messages.
const SENDERS: usize = 16;

pub(crate) fn run(bench: &Bench) -> anyhow::Result<()> {
    let mut log = Log::create(&bench.results, "recovery")?;
    let claim = Limits::default().claim;
    println!(
        "\nAn instance is killed with turns in flight; another on the same SQLite file goes on."
    );
    println!(
        "Claims last {} s.\n  {:>9}{:>12}{:>12}{:>9}",
        claim.as_secs(),
        "in flight",
        "first, s",
        "last, s",
        "again"
    );
    for count in COUNTS {
        for _ in 0..bench.rounds(3) {
            let record = measure(bench, count)?.with("claim_s", claim.as_secs_f64());
            let figure = |name: &str| record.figure(name).unwrap_or(f64::NAN);
            println!(
                "  {count:>9}{:>12.1}{:>12.1}{:>9}",
                figure("first_s"),
                figure("last_s"),
                figure("again")
            );
            log.note(&record)?;
        }
    }
    Ok(())
}

fn measure(bench: &Bench, count: usize) -> anyhow::Result<Record> {
    let folder = tempfile::tempdir_in(&bench.results)?;
    let store = Store::Url(format!("sqlite:{}", folder.path().join("bot.sqlite").display()));
    let start = || Bot::start(&bench.programs, Runtime::Sayso, Logic::Pizza, &store, &bench.logs);
    let (mut killed, _heir) = (start()?, start()?);
    let sink = Sink::start()?;
    sink.hold();
    let conversations: Vec<String> = (0..count).map(|_| new_conversation()).collect();
    let mut replies: Vec<_> = conversations.iter().map(|name| sink.listen(name)).collect();
    send(&sink, &killed, &conversations)?;
    let held = in_flight(&sink, count);
    ensure!(held > 0, "no reply is in flight");
    killed.kill()?;
    let began = Instant::now();
    sink.release();
    // Four times what is wished for: then it counts as lost.
    let until = began + Limits::default().claim * 8;
    let mut arrived = BTreeMap::new();
    let mut again = 0;
    while arrived.len() < count && Instant::now() < until {
        thread::sleep(Duration::from_millis(20));
        for (number, replies) in replies.iter_mut().enumerate() {
            while let Some(Reply { at, .. }) = replies.take() {
                again += usize::from(arrived.insert(number, at).is_some());
            }
        }
    }
    let first = arrived.values().min().context("no reply arrived")?;
    let last = arrived.values().max().context("no reply arrived")?;
    let since = |at: &Instant| at.saturating_duration_since(began).as_secs_f64();
    Ok(Record::new("sayso", "recovery", count as u64)
        .with("held", held as f64)
        .with("arrived", arrived.len() as f64)
        .with("again", again as f64)
        .with("first_s", since(first))
        .with("last_s", since(last)))
}

/// Number of replies that the channel holds unanswered. Waits until there is one for every turn, at
/// most two seconds: the bot may not send all of them.
fn in_flight(sink: &Sink, count: usize) -> usize {
    for _ in 0..200 {
        if sink.held() >= count {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    sink.held()
}

/// Sends a message to each conversation and waits for the answers: all turns are committed.
fn send(sink: &Sink, bot: &Bot, conversations: &[String]) -> anyhow::Result<()> {
    let (service_url, each) = (sink.url(), conversations.len().div_ceil(SENDERS));
    wait(async {
        let senders: Vec<_> = conversations
            .chunks(each)
            .map(|some| {
                let message = |name| peer::message(&service_url, name, 0, "add ham");
                let (address, bodies) = (bot.address, some.iter().map(|name| message(name)));
                tokio::spawn(send_all(Client::new(address), bodies.collect()))
            })
            .collect();
        for sender in senders {
            sender.await??;
        }
        Ok(())
    })
}

async fn send_all(mut client: Client, bodies: Vec<String>) -> io::Result<()> {
    for body in bodies {
        let status = client.send(&body).await?;
        if status != 200 {
            return Err(io::Error::other(format!("a message is answered {status}")));
        }
    }
    Ok(())
}

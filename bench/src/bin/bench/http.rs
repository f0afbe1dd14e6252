//! HTTP load test: bots as servers under many conversations, the runtimes in turn in every round.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::ensure;
use sayso_bench::{
    load::{Sink, Talk, Walk, percentile, walk},
    peer::Logic,
};

use crate::{
    Bench,
    azurite::{Azurite, Calls},
    bot::{Bot, Store},
    record::{Log, Record},
    runtime::Runtime,
};

/// Concurrency: connections, with one conversation at a time on each.
const CONNECTIONS: [usize; 2] = [16, 1];
/// Messages per conversation, in the short and the long case.
const MESSAGES: [usize; 2] = [3, 30];

pub(crate) fn run(bench: &Bench, is_blob: bool) -> anyhow::Result<()> {
    let (part, place) = if is_blob { ("blob", "Azurite") } else { ("http", "memory store") };
    let mut log = Log::create(&bench.results, part)?;
    let azurite = match is_blob {
        true => Some(Azurite::start(bench.azurite.as_deref(), &bench.logs)?),
        false => None,
    };
    let sink = Arc::new(Sink::start()?);
    println!(
        "\nHTTP, {place}: CPU us and store calls of a turn, ms from the message to the reply."
    );
    println!(
        "  {:<16}{:<8}{:>6}{:>10}{:>9}{:>9}{:>9}{:>9}{:>7}",
        "", "", "conns", "CPU us", "turns/s", "p50", "p99", "calls", "wrong"
    );
    for logic in [Logic::Pizza, Logic::Dialog] {
        let mut servers = Vec::new();
        for runtime in bench.runtimes.iter().filter(|runtime| !is_blob || runtime.has_blob()) {
            let store = azurite.as_ref().map_or(Store::Memory, |azurite| {
                Store::Blob(azurite.port, format!("bench-{}-{}", runtime.name(), logic.name()))
            });
            let bot = Bot::start(&bench.programs, *runtime, logic, &store, &bench.logs)?;
            servers.push(Server::warm(*runtime, bot, &sink, logic, bench.is_quick)?);
        }
        let cases = CONNECTIONS.map(|connections| (connections, MESSAGES[0]));
        // What a conversation costs once is spread over more turns there.
        let long = (logic == Logic::Pizza).then_some((CONNECTIONS[0], MESSAGES[1]));
        for (connections, messages) in cases.into_iter().chain(long) {
            let talk = Talk { logic, messages };
            for _ in 0..bench.rounds(7) {
                for server in &servers {
                    let load = Load { sink: &sink, azurite: azurite.as_ref(), talk, connections };
                    let record = server.measure(&load)?;
                    print(&record);
                    log.note(&record)?;
                }
            }
        }
    }
    Ok(())
}

/// A running bot, and the number of turns that fill a run of the wanted length.
struct Server {
    runtime: Runtime,
    bot: Bot,
    turns: usize,
}

/// The load on a bot in one run.
struct Load<'a> {
    sink: &'a Arc<Sink>,
    azurite: Option<&'a Azurite>,
    talk: Talk,
    connections: usize,
}

impl Server {
    fn warm(
        runtime: Runtime,
        bot: Bot,
        sink: &Arc<Sink>,
        logic: Logic,
        is_quick: bool,
    ) -> anyhow::Result<Self> {
        // Twice: the first one warms a runtime that compiles as it goes, the second tells how fast
        // it is.
        let mut rate = 0.0;
        for _ in 0..2 {
            let talk = Talk { logic, messages: MESSAGES[0] };
            let walked = walk(sink, &[bot.address], talk, 16, 80)?;
            rate = walked.turns as f64 / walked.wall.as_secs_f64();
        }
        let seconds = if is_quick { 1.0 } else { 4.0 };
        Ok(Self { runtime, bot, turns: (rate * seconds) as usize })
    }

    fn measure(&self, load: &Load<'_>) -> anyhow::Result<Record> {
        let Load { sink, azurite, talk, connections } = *load;
        let turns = if connections == 1 { self.turns / 4 } else { self.turns };
        let conversations = (turns / talk.messages).max(16);
        let calls = |azurite: Option<&Azurite>| azurite.map(Azurite::calls).transpose();
        let (before, cpu) = (calls(azurite)?, self.bot.cpu()?);
        let bots: [SocketAddr; 1] = [self.bot.address];
        let walked = walk(sink, &bots, talk, connections, conversations)?;
        // What a bot does a little later for these turns is a part of their cost.
        std::thread::sleep(Duration::from_millis(200));
        let (cpu, after) = (self.bot.cpu()? - cpu, calls(azurite)?);
        let turns = walked.turns as f64;
        let name = self.runtime.name();
        ensure!(turns > 0.0, "{name} had no turn");
        let case = match talk.messages {
            3 => talk.logic.name().to_owned(),
            messages => format!("{}, {messages} turns", talk.logic.name()),
        };
        let mut record = Record::new(name, case, connections as u64)
            .with("cpu_us", cpu / turns)
            .with("memory_mb", self.bot.memory()? as f64 / f64::from(1 << 20));
        if let (Some(before), Some(after)) = (before, after) {
            record = with_calls(record, before, after, turns);
        }
        Ok(with_times(record, &walked))
    }
}

fn with_calls(record: Record, before: Calls, after: Calls, turns: f64) -> Record {
    record
        .with("calls", (after.documents - before.documents) as f64 / turns)
        .with("looks", (after.looks - before.looks) as f64 / turns)
}

fn with_times(record: Record, walked: &Walk) -> Record {
    record
        .with("turns_s", walked.turns as f64 / walked.wall.as_secs_f64())
        .with("answer_p50_ms", percentile(&walked.answers_ms, 0.5))
        .with("answer_p99_ms", percentile(&walked.answers_ms, 0.99))
        .with("reply_p50_ms", percentile(&walked.replies_ms, 0.5))
        .with("reply_p99_ms", percentile(&walked.replies_ms, 0.99))
        .with("turns", walked.turns as f64)
        .with("wrong", walked.wrong as f64)
}

fn print(record: &Record) {
    let figure = |name: &str| record.figure(name).unwrap_or(f64::NAN);
    println!(
        "  {:<16}{:<8}{:>6}{:>10.1}{:>9.0}{:>9.2}{:>9.2}{:>9.2}{:>7}",
        record.case,
        record.who,
        record.size,
        figure("cpu_us"),
        figure("turns_s"),
        figure("reply_p50_ms"),
        figure("reply_p99_ms"),
        figure("calls"),
        figure("wrong"),
    );
}

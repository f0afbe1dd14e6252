//! Contention: many messages at once to one new conversation, over one and two processes on
//! Azurite.

use std::{cell::RefCell, net::SocketAddr, sync::Arc};

use anyhow::Context;
use sayso::server::default_admin_address;
use sayso_bench::{
    load::{Client, Rush, Sink, Talk, rush, wait, walk},
    peer::Logic,
};
use serde_json::Value;

use crate::{
    Bench,
    azurite::{Azurite, Calls},
    bot::{Bot, Store},
    record::{Log, Record},
    runtime::Runtime,
};

/// Numbers of concurrent messages.
const COUNTS: [usize; 9] = [1, 2, 4, 8, 16, 32, 50, 64, 128];
const COUNTS_QUICK: [usize; 4] = [1, 2, 50, 128];
/// Above this, runtimes that retry without a pause take minutes.
const COUNT_MAX_OTHERS: usize = 64;

pub(crate) fn run(bench: &Bench) -> anyhow::Result<()> {
    let mut log = Log::create(&bench.results, "contention")?;
    let azurite = Azurite::start(bench.azurite.as_deref(), &bench.logs)?;
    let sink = Arc::new(Sink::start()?);
    println!("\nMessages at once to one new conversation, Azurite.");
    println!(
        "  {:<14}{:<8}{:>6}{:>11}{:>7}{:>10}{:>9}{:>13}",
        "", "", "count", "confirmed", "saved", "attempts", "calls", "last, ms"
    );
    let counts = if bench.is_quick { &COUNTS_QUICK[..] } else { &COUNTS[..] };
    for processes in [1, 2] {
        let mut groups = Vec::new();
        for runtime in bench.runtimes.iter().filter(|runtime| runtime.has_blob()) {
            groups.push(Group::start(bench, *runtime, processes, &azurite, &sink)?);
        }
        for count in counts {
            for _ in 0..bench.rounds(5) {
                for group in &groups {
                    if group.runtime != Runtime::Sayso && *count > COUNT_MAX_OTHERS {
                        continue;
                    }
                    let record = group.measure(&azurite, &sink, *count)?;
                    print(&record);
                    log.note(&record)?;
                }
            }
        }
    }
    Ok(())
}

/// Processes of one bot that share a container in Azurite.
struct Group {
    runtime: Runtime,
    /// Held for as long as they are to run.
    _bots: Vec<Bot>,
    addresses: Vec<SocketAddr>,
}

/// Turns and attempts of all processes so far.
#[derive(Clone, Copy)]
struct Tally {
    turns: f64,
    attempts: f64,
}

impl Group {
    fn start(
        bench: &Bench,
        runtime: Runtime,
        processes: usize,
        azurite: &Azurite,
        sink: &Arc<Sink>,
    ) -> anyhow::Result<Self> {
        let container = format!("contention-{}-{processes}", runtime.name());
        let store = Store::Blob(azurite.port, container);
        let mut bots = Vec::new();
        for _ in 0..processes {
            bots.push(Bot::start(&bench.programs, runtime, Logic::Pizza, &store, &bench.logs)?);
        }
        let addresses: Vec<_> = bots.iter().map(|bot| bot.address).collect();
        // In other conversations, so that all code has run before.
        drop(walk(sink, &addresses, Talk { logic: Logic::Pizza, messages: 3 }, 4, 40)?);
        Ok(Self { runtime, _bots: bots, addresses })
    }

    fn measure(&self, azurite: &Azurite, sink: &Sink, count: usize) -> anyhow::Result<Record> {
        let (tally, calls) = (self.tally()?, azurite.calls()?);
        // Taken before the list is asked for, which is a turn, too.
        let after: RefCell<Option<(Tally, Calls)>> = RefCell::default();
        let settled = || {
            let all = self.tally().and_then(|tally| Ok((tally, azurite.calls()?)));
            *after.borrow_mut() = Some(all.map_err(std::io::Error::other)?);
            Ok(())
        };
        let rushed = rush(sink, &self.addresses, count, true, settled)?;
        let (tally_after, calls_after) = after.into_inner().context("the rush was settled")?;
        let Rush { answered, confirmed, saved, lost, last, .. } = rushed;
        let turns = (tally_after.turns - tally.turns).max(1.0);
        let case = match self.addresses.len() {
            1 => "1 process".to_owned(),
            several => format!("{several} processes"),
        };
        Ok(Record::new(self.runtime.name(), case, count as u64)
            .with("answered", answered as f64)
            .with("confirmed", confirmed as f64)
            .with("saved", saved as f64)
            .with("lost", lost as f64)
            .with("attempts", (tally_after.attempts - tally.attempts) / turns)
            .with("calls", (calls_after.documents - calls.documents) as f64)
            .with("looks", (calls_after.looks - calls.looks) as f64)
            .with("last_ms", last.as_secs_f64() * 1e3))
    }

    fn tally(&self) -> anyhow::Result<Tally> {
        let mut tally = Tally { turns: 0.0, attempts: 0.0 };
        for address in &self.addresses {
            // Ours are apart from where channels post.
            let address = match self.runtime {
                Runtime::Sayso => default_admin_address(*address),
                _ => *address,
            };
            let stats = wait(Client::new(address).stats())?;
            let count = |name: &str| stats.get(name).and_then(Value::as_f64).context("no count");
            tally.turns += count("turns")?;
            tally.attempts += count("attempts")?;
        }
        Ok(tally)
    }
}

fn print(record: &Record) {
    let figure = |name: &str| record.figure(name).unwrap_or(f64::NAN);
    println!(
        "  {:<14}{:<8}{:>6}{:>11}{:>7}{:>10.2}{:>9}{:>13.0}",
        record.case,
        record.who,
        record.size,
        figure("confirmed"),
        figure("saved"),
        figure("attempts"),
        figure("calls"),
        figure("last_ms"),
    );
}

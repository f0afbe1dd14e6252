//! Many idle conversations on SQLite: the memory that they hold, and the cost of a turn among them.
//!
//! Runs in a child process, so that its memory is that of these conversations and of nothing else.

use std::{sync::Arc, time::Duration};

use anyhow::ensure;
use async_trait::async_trait;
use sayso::{
    Engine,
    stores::SqliteStore,
    turn::channel::{Channel, Delivery, Parcel},
};
use sayso_bench::{
    measure::Cost,
    peer::{self, Logic},
    process,
};
use tokio::runtime::{Builder, Runtime};

use crate::record::Record;

/// Concurrency: conversations with a turn at the same time.
const ACTIVE: u64 = 10;
/// Turns of each in a round.
const STEPS: u64 = 50;
/// Concurrency while the conversations are created.
const TOGETHER: u64 = 256;

/// Takes every reply.
#[derive(Debug)]
struct Null;

#[async_trait]
impl Channel for Null {
    async fn deliver(&self, _: &Parcel) -> Delivery {
        Delivery::Delivered { id: None }
    }
}

/// Line that the process prints once its conversations exist.
pub(crate) const READY: &str = "ready";

/// Prints [`READY`], then measures and prints a record for every line on standard input.
pub(crate) fn run(conversations: u64) -> anyhow::Result<()> {
    ensure!(conversations >= ACTIVE, "there are at least {ACTIVE} conversations");
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("idle.sqlite");
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let store = Arc::new(SqliteStore::open(&path)?);
    let bot = peer::bot(Logic::Pizza);
    let engine = runtime.block_on(async { Engine::builder(bot, store, Arc::new(Null)).start() });
    let mut idle = Idle { runtime, engine, next: 0 };
    idle.rest()?;
    let before = process::memory("self", "VmRSS")?;
    for first in (0..conversations).step_by(TOGETHER as usize) {
        idle.turns((first..conversations.min(first + TOGETHER)).collect())?;
    }
    idle.rest()?;
    let held = process::memory("self", "VmRSS")?.saturating_sub(before);
    // Spread over all of them by a step that meets each before it meets one again.
    let stride = conversations / ACTIVE * 7 / 10 + 1;
    let mut at = 0;
    println!("{READY}");
    for order in std::io::stdin().lines() {
        let _order = order?;
        let active = idle.measure(STEPS, |number| number)?;
        let before = idle.engine.stats().loads;
        let spread = idle.measure(STEPS, |_| {
            at = (at + stride) % conversations;
            at
        })?;
        let loads = idle.engine.stats().loads - before;
        // The file and what SQLite keeps beside it.
        let files = std::fs::read_dir(folder.path())?.flatten();
        let stored: u64 = files.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
        let record = Record::new("sayso", "conversations", conversations)
            .with("active_us", active)
            .with("spread_us", spread)
            .with("held_bytes", held as f64)
            .with("held_bytes_each", held as f64 / conversations as f64)
            .with("memory_mb", process::memory("self", "VmRSS")? as f64 / f64::from(1 << 20))
            .with("spread_loads", loads as f64 / (STEPS * ACTIVE) as f64)
            .with("stored_mb", stored as f64 / f64::from(1 << 20));
        println!("{}", serde_json::to_string(&record)?);
    }
    Ok(())
}

struct Idle {
    // First, so that it is dropped first: its tasks hold the engine.
    runtime: Runtime,
    engine: Engine,
    next: u64,
}

impl Idle {
    /// CPU time per turn, in microseconds, over so many steps of [`ACTIVE`] concurrent turns each.
    fn measure(
        &mut self,
        steps: u64,
        mut conversation: impl FnMut(u64) -> u64,
    ) -> anyhow::Result<f64> {
        let all: Vec<Vec<u64>> =
            (0..steps).map(|_| (0..ACTIVE).map(&mut conversation).collect()).collect();
        let mut outcome = Ok(());
        let cost = Cost::of((steps * ACTIVE) as usize, || {
            outcome =
                all.into_iter().try_for_each(|some| self.turns(some)).and_then(|()| self.rest());
        });
        outcome.map(|()| cost.cpu)
    }

    /// Runs a turn of each of these conversations, all at the same time.
    fn turns(&mut self, conversations: Vec<u64>) -> anyhow::Result<()> {
        let number = self.next;
        self.next += 1;
        self.runtime.block_on(async {
            let turns: Vec<_> = conversations
                .into_iter()
                .map(|conversation| {
                    let message = peer::activity(&format!("c{conversation}"), number, "list");
                    let engine = self.engine.clone();
                    tokio::spawn(async move { engine.receive(message).await })
                })
                .collect();
            for turn in turns {
                turn.await??;
            }
            Ok(())
        })
    }

    /// Waits until the engine is idle.
    fn rest(&self) -> anyhow::Result<()> {
        self.runtime.block_on(async {
            for _ in 0..60_000 {
                if self.engine.busy() == 0 {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            anyhow::bail!("the engine does not come to rest")
        })
    }
}

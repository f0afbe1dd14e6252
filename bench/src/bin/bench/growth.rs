//! Scaling: the cost of a turn by the size of the state, the number of remembered ids, of waiting
//! replies, of conversations, and of instances that share a store.

use std::{
    hint::black_box,
    io::{BufRead, BufReader, Lines, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, ensure};
use async_trait::async_trait;
use sayso::{
    Engine, Limits,
    turn::{
        channel::{Channel, Delivery, Parcel},
        store::MemoryStore,
    },
};
use sayso_bench::{
    inputs,
    load::{Sink, Talk, walk},
    measure::Cost,
    peer::{self, Logic},
    pizza::{self, Order},
    world::World,
};
use tokio::runtime::Builder;

use crate::{
    Bench,
    bot::{Bot, Store},
    idle,
    record::{Log, Record},
    runtime::Runtime,
};

const KIB: usize = 1 << 10;
/// Sizes of the state, in KiB.
const STATES: [usize; 5] = [1, 4, 16, 64, 256];
/// Numbers of remembered ids per conversation.
const SEEN: [usize; 4] = [16, 64, 256, 1024];
/// Numbers of replies waiting in the outbox.
const WAITING: [usize; 4] = [1, 10, 100, 1000];
/// Numbers of conversations in the store.
const CONVERSATIONS: [u64; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
/// Above this a quick run takes long.
const CONVERSATIONS_QUICK: u64 = 10_000;

pub(crate) fn run(bench: &Bench) -> anyhow::Result<()> {
    let mut log = Log::create(&bench.results, "growth")?;
    states(bench, &mut log)?;
    seen(bench, &mut log)?;
    waiting(bench, &mut log)?;
    conversations(bench, &mut log)?;
    instances(bench, &mut log)
}

fn note(log: &mut Log, record: &Record) -> anyhow::Result<()> {
    let figures: Vec<String> =
        record.figures.iter().map(|(name, figure)| format!("{name} {figure:.2}")).collect();
    println!("  {:<14}{:>9}  {}", record.case, record.size, figures.join(", "));
    log.note(record)
}

fn states(bench: &Bench, log: &mut Log) -> anyhow::Result<()> {
    println!(
        "\nState of so many KiB, read and written by every turn; beside it its JSON, parsed and written once."
    );
    let mut worlds: Vec<_> = STATES.map(|kib| (kib, state_world(kib))).into();
    for _ in 0..bench.rounds(15) {
        for (kib, (world, order)) in &mut worlds {
            let steps = if bench.is_quick { 2000 / *kib } else { 20_000 / *kib }.max(8);
            let messages = world.messages(steps);
            let turn = Cost::of(steps, || world.run(messages));
            let text = serde_json::to_string(order)?;
            let json = Cost::of(steps, || {
                for _ in 0..steps {
                    let order: Order = serde_json::from_str(black_box(&text)).expect("it is ours");
                    drop(black_box(serde_json::to_string(&order).expect("it is JSON")));
                }
            });
            let record = Record::new("sayso", "state", *kib as u64)
                .with("cpu_us", turn.own)
                .with("json_us", json.own)
                .with("bytes", text.len() as f64);
            note(log, &record)?;
        }
    }
    Ok(())
}

fn state_world(kib: usize) -> (World, Order) {
    let (bag, order) = pizza::state_of(kib * KIB);
    let limits = Limits { seen_max: inputs::SEEN_SMALL, ..Limits::default() };
    (World::with(inputs::document_of(&bag, inputs::SEEN_SMALL), limits), order)
}

fn seen(bench: &Bench, log: &mut Log) -> anyhow::Result<()> {
    println!("\nSo many ids remembered, state of 1 KiB.");
    let (bag, _) = pizza::state_of(KIB);
    let mut worlds: Vec<_> = SEEN
        .map(|seen| {
            let limits = Limits { seen_max: seen, ..Limits::default() };
            (seen, World::with(inputs::document_of(&bag, seen), limits))
        })
        .into();
    for _ in 0..bench.rounds(15) {
        for (seen, world) in &mut worlds {
            let steps = if bench.is_quick { 500 } else { 3000 };
            let messages = world.messages(steps);
            let turn = Cost::of(steps, || world.run(messages));
            note(log, &Record::new("sayso", "seen", *seen as u64).with("cpu_us", turn.own))?;
        }
    }
    Ok(())
}

/// A channel that defers every delivery.
#[derive(Debug)]
struct Later;

#[async_trait]
impl Channel for Later {
    async fn deliver(&self, _: &Parcel) -> Delivery {
        Delivery::Later { after: Some(Duration::from_secs(3600)), reason: "not now".to_owned() }
    }
}

fn waiting(bench: &Bench, log: &mut Log) -> anyhow::Result<()> {
    println!("\nSo many replies wait because the channel takes none.");
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let steps = 30;
    for _ in 0..bench.rounds(7) {
        for depth in WAITING {
            let limits = Limits { outbox_max: 2 * depth + steps, ..Limits::default() };
            let (store, channel) = (Arc::new(MemoryStore::default()), Arc::new(Later));
            let bot = peer::bot(Logic::Pizza);
            let engine = runtime
                .block_on(async { Engine::builder(bot, store, channel).limits(limits).start() });
            let receive = |numbers: std::ops::Range<usize>| {
                runtime.block_on(async {
                    for number in numbers {
                        let message = peer::activity("c", number as u64, "list");
                        engine.receive(message).await?;
                    }
                    anyhow::Ok(())
                })
            };
            receive(0..depth)?;
            let mut outcome = Ok(());
            let cost = Cost::of(steps, || outcome = receive(depth..depth + steps));
            outcome?;
            note(log, &Record::new("sayso", "waiting", depth as u64).with("cpu_us", cost.own))?;
        }
    }
    Ok(())
}

fn conversations(bench: &Bench, log: &mut Log) -> anyhow::Result<()> {
    println!(
        "\nSo many conversations on SQLite, in a process of their own: ten of them active, or any."
    );
    let mut crowds = Vec::new();
    let all = CONVERSATIONS.into_iter();
    for count in all.filter(|count| !bench.is_quick || *count <= CONVERSATIONS_QUICK) {
        crowds.push(Crowd::start(count)?);
    }
    // In turn: what else the machine does meets all of them alike.
    for _ in 0..bench.rounds(21) {
        for crowd in &mut crowds {
            note(log, &crowd.round()?)?;
        }
    }
    crowds.into_iter().try_for_each(Crowd::end)
}

/// A child process with so many conversations, which runs a round of turns on request.
struct Crowd {
    count: u64,
    child: Child,
    // The process ends when this is closed.
    orders: ChildStdin,
    records: Lines<BufReader<ChildStdout>>,
}

impl Crowd {
    fn start(count: u64) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["idle", &count.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let orders = child.stdin.take().context("its input is ours")?;
        let records = child.stdout.take().context("its output is ours")?;
        let mut crowd = Self { count, child, orders, records: BufReader::new(records).lines() };
        let ready = crowd.line()?;
        ensure!(ready == idle::READY, "{count} conversations: {ready:?} instead of ready");
        Ok(crowd)
    }

    fn round(&mut self) -> anyhow::Result<Record> {
        writeln!(self.orders, "round")?;
        serde_json::from_str(&self.line()?).context("the process prints a record")
    }

    /// Waits until it has removed its files, which would disturb what is measured next.
    fn end(self) -> anyhow::Result<()> {
        let Self { count, mut child, orders, .. } = self;
        drop(orders);
        ensure!(child.wait()?.success(), "{count} conversations: the process failed at its end");
        Ok(())
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let line = self.records.next();
        Ok(line.with_context(|| format!("{} conversations: the process ended", self.count))??)
    }
}

fn instances(bench: &Bench, log: &mut Log) -> anyhow::Result<()> {
    println!(
        "\nSo many processes on one SQLite file; every message goes to another one than that before."
    );
    let sink = Arc::new(Sink::start()?);
    let talk = Talk { logic: Logic::Pizza, messages: 3 };
    let folder = tempfile::tempdir_in(&bench.results)?;
    let mut groups = Vec::new();
    for count in [1, 2, 4] {
        let path = folder.path().join(format!("{count}.sqlite"));
        let store = Store::Url(format!("sqlite:{}", path.display()));
        let start =
            || Bot::start(&bench.programs, Runtime::Sayso, Logic::Pizza, &store, &bench.logs);
        let bots = (0..count).map(|_| start()).collect::<anyhow::Result<Vec<_>>>()?;
        let addresses: Vec<_> = bots.iter().map(|bot| bot.address).collect();
        drop(walk(&sink, &addresses, talk, 16, 100)?);
        groups.push((bots, addresses));
    }
    let conversations = if bench.is_quick { 300 } else { 3000 };
    for _ in 0..bench.rounds(5) {
        for (bots, addresses) in &groups {
            let cpu = || bots.iter().map(Bot::cpu).sum::<Result<f64, _>>();
            let before = cpu()?;
            let walked = walk(&sink, addresses, talk, 16, conversations)?;
            std::thread::sleep(Duration::from_millis(200));
            let turns = walked.turns as f64;
            let record = Record::new("sayso", "instances", bots.len() as u64)
                .with("cpu_us", (cpu()? - before) / turns)
                .with("turns_s", turns / walked.wall.as_secs_f64())
                .with("wrong", walked.wrong as f64);
            note(log, &record)?;
        }
    }
    Ok(())
}

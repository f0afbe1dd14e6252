//! `sayso-peer`: our bot as a program, for measurements side by side with other runtimes.
//!
//! * `sayso-peer serve`: the bot as a server, by the variables `LOGIC`, `STORE`, `PORT`,
//!   `CONTAINER` and `AZURITE_PORT`. It prints a line that begins with `ready` when it takes
//!   requests. `STORE` is `memory`, `blob` (Azurite) or the URL of a store.
//! * `sayso-peer inproc PATTERN LOGIC STORE CONVERSATIONS RUNS`: turns without HTTP, one at a time.
//!   One turn is: the activity is parsed, the turn is committed, its reply handed over to nobody.
//!   Prints one line of JSON.
//!
//! The pattern is read and ignored: there is one way to run a turn here.

#![expect(clippy::print_stdout, reason = "whoever measures reads the output")]

use std::{
    env,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, ensure};
use async_trait::async_trait;
use sayso::{
    Engine, Server,
    activity::Activity,
    turn::channel::{Channel, Delivery, Parcel},
};
use sayso_bench::{
    measure::{Cost, Middle},
    peer::{self, Logic},
    process,
};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["serve"] => serve(),
        ["inproc", _pattern, logic, "memory", conversations, runs] => {
            let logic = logic.parse().map_err(anyhow::Error::msg)?;
            InProcess::new(logic)?.measure(conversations.parse()?, runs.parse()?)
        }
        _ => anyhow::bail!(
            "use sayso-peer serve, or sayso-peer inproc PATTERN LOGIC memory CONVERSATIONS RUNS"
        ),
    }
}

fn variable(name: &str, otherwise: &str) -> String {
    env::var(name).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| otherwise.to_owned())
}

fn serve() -> anyhow::Result<()> {
    let logic: Logic = variable("LOGIC", "dialog").parse().map_err(anyhow::Error::msg)?;
    let port: u16 = variable("PORT", "3978").parse().context("PORT is not a port")?;
    let url = match variable("STORE", "memory").as_str() {
        "memory" => "memory://".to_owned(),
        "blob" => {
            let (azurite, container) =
                (variable("AZURITE_PORT", "10100"), variable("CONTAINER", "bots"));
            format!("azblob:http://127.0.0.1:{azurite}/devstoreaccount1/{container}")
        }
        url => url.to_owned(),
    };
    // As `#[tokio::main]` has it, which is what bots use.
    Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let server =
            Server::new(peer::bot(logic)).unauthenticated().store(sayso::open_store(&url).await?);
        let ready = |running: &sayso::Running| {
            println!("ready {} pid {}", running.local_addr().port(), std::process::id());
        };
        let forever = std::future::pending();
        Ok(server.address(([127, 0, 0, 1], port)).serve_until(ready, forever).await?)
    })
}

/// A channel that takes every reply and remembers the last.
#[derive(Debug, Default)]
struct Tray {
    last: Mutex<String>,
    count: AtomicU64,
}

#[async_trait]
impl Channel for Tray {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.clear();
        last.push_str(parcel.activity.text());
        self.count.fetch_add(1, Ordering::Release);
        Delivery::Delivered { id: None }
    }
}

/// An engine on the memory store, without a server.
struct InProcess {
    // First, so that it is dropped first: its tasks hold the engine.
    runtime: Runtime,
    logic: Logic,
    engine: Engine,
    tray: Arc<Tray>,
    conversations: usize,
}

impl InProcess {
    fn new(logic: Logic) -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let tray = Arc::new(Tray::default());
        let engine = runtime.block_on(async {
            let store = sayso::open_store("memory://").await?;
            anyhow::Ok(Engine::builder(peer::bot(logic), store, Arc::clone(&tray) as _).start())
        })?;
        Ok(Self { runtime, logic, engine, tray, conversations: 0 })
    }

    fn measure(&mut self, conversations: usize, runs: usize) -> anyhow::Result<()> {
        ensure!(conversations > 0 && runs > 0, "there is nothing to measure");
        self.run(conversations.min(500))?;
        let mut costs = Vec::with_capacity(runs);
        for _ in 0..runs {
            let mut outcome = Ok(());
            costs.push(Cost::of(conversations * 3, || outcome = self.run(conversations)));
            outcome?;
        }
        let wall = Middle::of(costs.iter().map(|cost| cost.wall));
        let cpu = Middle::of(costs.iter().map(|cost| cost.cpu));
        let walls = || costs.iter().map(|cost| cost.wall);
        let line = json!({
            "sdk": "sayso", "pattern": "sayso", "logic": self.logic.name(), "store": "memory",
            "convs": conversations, "inflight": 1,
            "wall_us_turn": wall.median, "cpu_us_turn": cpu.median,
            "turns_s": (1e6 / wall.median).round(), "turns_cpu_s": (1e6 / cpu.median).round(),
            "min_us": walls().fold(f64::INFINITY, f64::min), "max_us": walls().fold(0.0, f64::max),
            "rss_mb": process::memory("self", "VmRSS")? >> 20,
            "peak_mb": process::memory("self", "VmHWM")? >> 20,
        });
        println!("{line}");
        Ok(())
    }

    /// Plays whole conversations, and waits until the engine is idle, so that what follows a turn
    /// is counted with it.
    fn run(&mut self, count: usize) -> anyhow::Result<()> {
        let first = self.conversations;
        self.conversations += count;
        let (logic, engine, tray) = (self.logic, self.engine.clone(), Arc::clone(&self.tray));
        // A task, as the handlers of a server are: what the runtime itself waits for looks at the
        // system's events before every step.
        let walk = self.runtime.spawn(async move {
            let mut replies = tray.count.load(Ordering::Acquire);
            for number in first..first + count {
                let conversation = format!("conv-{number}");
                for (number, (text, _)) in (0..).zip(logic.script()) {
                    let body = peer::message("http://127.0.0.1:9000", &conversation, number, text);
                    engine.receive(Activity::shared_from_json(body.as_bytes())?).await?;
                    replies += 1;
                    while tray.count.load(Ordering::Acquire) < replies {
                        // It is on its way.
                        tokio::task::yield_now().await;
                    }
                }
                let [_, _, (_, answer)] = logic.script();
                let last = tray.last.lock().unwrap_or_else(PoisonError::into_inner);
                ensure!(*last == answer, "the answer is {last:?} instead of {answer:?}");
            }
            while engine.busy() > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok(())
        });
        self.runtime.block_on(walk)?
    }
}

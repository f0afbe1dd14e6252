//! Contention on every engine: two processes, a new conversation, 64 toppings at once; then with
//! answers of the engine cut, then with processes killed. Whatever was confirmed is on the pizza,
//! once.
//!
//! The servers are given by variables: `scripts/servers run -- cargo nextest run ...` sets them.

#![expect(clippy::print_stdout, reason = "figures that a reader of the test's output wants to see")]

mod order;
mod target;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time::sleep;

use self::{order::Counter, target::Target};
use crate::proxy::{Fault, Proxy, Schedule};

const TOPPINGS: usize = 64;
const RUNS: usize = 10;
/// Duration of the kills, one a second.
const KILLING: Duration = Duration::from_secs(30);

/// Orders ten pizzas without faults.
async fn calm(target: Target) {
    target.prepare().await;
    let counter = Counter::open(&target, 2).await;
    for run in 0..RUNS {
        counter.order(&format!("calm-{run}"), TOPPINGS).await;
    }
    println!("{}: {RUNS} runs, {TOPPINGS} of {TOPPINGS} toppings each", target.name);
}

/// Orders ten pizzas while the answer to every tenth request to the engine is lost.
async fn cut(target: Target) {
    target.prepare().await;
    let proxy = Proxy::start(target.address(), every_tenth()).await;
    cut_by(&proxy, target.at(proxy.address)).await;
}

fn every_tenth() -> Schedule {
    Schedule::new(1).every(10, Fault::Cut { after: 0 })
}

async fn cut_by(proxy: &Proxy, target: Target) {
    // What sets a store up asks more than ten times in a row: it would never come up.
    proxy.calm(true);
    let counter = Counter::open(&target, 2).await;
    proxy.calm(false);
    for run in 0..RUNS {
        counter.order(&format!("cut-{run}"), TOPPINGS).await;
    }
    let cut = proxy.done().cut;
    println!("{}: {RUNS} runs, {TOPPINGS} of {TOPPINGS} each, {cut} answers cut", target.name);
    assert!(cut >= 10, "only {cut} answers were cut");
}

/// Orders pizza after pizza while one of the two processes is killed every second.
async fn killed(target: Target) {
    target.prepare().await;
    let counter = Arc::new(Counter::open(&target, 2).await);
    let until = Instant::now() + KILLING;
    let killer = {
        let counter = Arc::clone(&counter);
        tokio::spawn(async move {
            let mut kills = 0;
            while Instant::now() < until {
                sleep(Duration::from_secs(1)).await;
                counter.kill(kills % 2).await;
                kills += 1;
            }
            kills
        })
    };
    let mut runs = 0;
    while Instant::now() < until {
        counter.order(&format!("killed-{runs}"), TOPPINGS).await;
        runs += 1;
    }
    let kills = killer.await.unwrap();
    println!("{}: {runs} runs, {TOPPINGS} of {TOPPINGS} each, {kills} kills", target.name);
    assert!(kills >= 15 && runs >= 2, "{kills} kills, {runs} runs");
}

macro_rules! engines {
    ($($(#[$cfg:meta])* $engine:ident,)*) => {$(
        $(#[$cfg])*
        mod $engine {
            use super::target;

            #[tokio::test]
            async fn ten_pizzas_of_64_toppings() {
                super::calm(target::$engine()).await;
            }

            #[tokio::test]
            async fn ten_pizzas_though_answers_of_the_engine_are_cut() {
                super::cut(target::$engine()).await;
            }

            #[tokio::test]
            async fn pizzas_though_processes_are_killed() {
                super::killed(target::$engine()).await;
            }
        }
    )*};
}

engines! {
    #[cfg(feature = "postgres")]
    postgres,
    #[cfg(feature = "redis")]
    redis,
    #[cfg(feature = "azure-blob")]
    blob,
    #[cfg(feature = "s3")]
    s3,
}

#[cfg(feature = "cosmos")]
mod cosmos {
    use std::{path::Path, process::Stdio, time::Duration};

    use tokio::{net::TcpStream, process::Command, time::sleep};

    use super::{every_tenth, target};
    use crate::proxy::Proxy;

    #[tokio::test]
    async fn ten_pizzas_of_64_toppings() {
        super::calm(target::cosmos()).await;
    }

    /// An account tells its clients where it is: so one of its own stands behind the proxy.
    #[tokio::test]
    async fn ten_pizzas_though_answers_of_the_engine_are_cut() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
        let proxy = Proxy::start(address, every_tenth()).await;
        let command =
            Path::new(env!("CARGO_BIN_EXE_sayso")).with_file_name("sayso-cosmos-emulator");
        let ports = [port, proxy.address.port()].map(|port| port.to_string());
        let mut command = Command::new(command);
        let emulator = command.args(ports).stdin(Stdio::null()).kill_on_drop(true).spawn();
        let emulator = emulator.expect("build it: cargo build -p sayso-cosmos-emulator");
        for _ in 0..200 {
            if TcpStream::connect(address).await.is_ok() {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
        let there = format!("http://{}/", proxy.address);
        let account = format!("AccountEndpoint={there};AccountKey=ZW11bGF0b3I=;");
        super::cut_by(&proxy, target::cosmos_at(account)).await;
        drop(emulator);
    }

    #[tokio::test]
    async fn pizzas_though_processes_are_killed() {
        super::killed(target::cosmos()).await;
    }
}

/// SQLite answers without a network: there is nothing to cut.
mod sqlite {
    use super::target;

    #[tokio::test]
    async fn ten_pizzas_of_64_toppings() {
        let folder = tempfile::tempdir().unwrap();
        super::calm(target::sqlite(folder.path())).await;
    }

    #[tokio::test]
    async fn pizzas_though_processes_are_killed() {
        let folder = tempfile::tempdir().unwrap();
        super::killed(target::sqlite(folder.path())).await;
    }
}

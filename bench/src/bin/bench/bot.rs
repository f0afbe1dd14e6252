//! A bot in a process of its own: starts it, measures its CPU time and memory, stops or kills it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::Path,
    process::{Child, Stdio},
    sync::mpsc::channel,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};
use sayso_bench::{peer::Logic, process};

use crate::runtime::{Programs, Runtime};

/// Start-up timeout of a bot.
const READY: Duration = Duration::from_secs(60);

/// Grace period after `SIGTERM`; then the bot is killed.
const STOP: Duration = Duration::from_secs(5);

/// A running bot. Its process ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Bot {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Time from starting the process until it printed `ready`.
    pub(crate) start: Duration,
}

/// Storage engine of a bot.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    Memory,
    /// A container of Azurite at a port.
    Blob(u16, String),
    /// Any other, by its URL; for our own program only.
    Url(String),
}

impl Bot {
    /// Starts a bot and waits until it is ready. Its standard error goes to a file in `logs`.
    pub(crate) fn start(
        programs: &Programs,
        runtime: Runtime,
        logic: Logic,
        store: &Store,
        logs: &Path,
    ) -> anyhow::Result<Self> {
        let port = free_port()?;
        let log = logs.join(format!("{}-{port}.log", runtime.name()));
        let mut command = programs.server(runtime)?;
        command.env("PATTERN", "scaleout").env("LOGIC", logic.name()).env("PORT", port.to_string());
        match store {
            Store::Memory => command.env("STORE", "memory"),
            Store::Blob(azurite, container) => command
                .env("STORE", "blob")
                .env("AZURITE_PORT", azurite.to_string())
                .env("CONTAINER", container),
            Store::Url(url) => command.env("STORE", url),
        };
        let began = Instant::now();
        let stdio = (Stdio::null(), Stdio::piped(), Stdio::from(File::create(&log)?));
        let child = command.stdin(stdio.0).stdout(stdio.1).stderr(stdio.2).spawn();
        let child = child.with_context(|| format!("cannot start {}", runtime.name()))?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut bot = Self { child, address, start: Duration::ZERO };
        let output = bot.child.stdout.take().context("the output is piped")?;
        let (sender, ready) = channel();
        // Reads to the end, so that the bot never waits for a reader.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if line.starts_with("ready") {
                    // When nobody waits any more, nobody needs to know.
                    let _sent = sender.send(());
                }
            }
        });
        if ready.recv_timeout(READY).is_err() {
            bail!("{} did not become ready; see {}", runtime.name(), log.display());
        }
        bot.start = began.elapsed();
        Ok(bot)
    }

    /// CPU time so far, in microseconds.
    pub(crate) fn cpu(&self) -> io::Result<f64> {
        process::cpu(&self.child.id().to_string())
    }

    /// Resident memory, in bytes.
    pub(crate) fn memory(&self) -> io::Result<u64> {
        process::memory(&self.child.id().to_string(), "VmRSS")
    }

    /// Ends it by `SIGTERM`: a program that is being profiled writes its profile only at an orderly
    /// exit.
    fn stop(&mut self) -> io::Result<()> {
        if self.child.try_wait()?.is_some() {
            return Ok(());
        }
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let began = Instant::now();
        while began.elapsed() < STOP {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.kill()
    }

    /// Kills it, as a crash would.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // Nothing is left to do about a process that cannot be ended.
        drop(self.stop());
    }
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

//! One racing process: a server of this very program, started, watched and ended by its id.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use crate::cli::{LimitFlags, Semantics};

/// Time limit for a process to report that it is ready.
const READY_MAX: Duration = Duration::from_secs(15);

/// Grace period for a process to end by itself before it is killed.
const STOP_MAX: Duration = Duration::from_secs(3);

/// Most lines of a log shown when something went wrong.
const LAST_WORDS_MAX: usize = 5;

/// A process that serves. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) url: String,
    /// The address of its statistics.
    admin: String,
    child: Child,
    /// Kept open, so that the process can always write.
    _output: Lines<BufReader<ChildStdout>>,
    log: PathBuf,
}

/// Counters of a process. The difference of two readings is the cost of a heat.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Counts {
    pub(super) attempts: u64,
    pub(super) commits: u64,
    pub(super) conflicts: u64,
}

impl Instance {
    /// Starts a process and waits until it takes requests.
    pub(super) async fn start(
        semantics: Semantics,
        store_url: &str,
        limits: LimitFlags,
        log: &Path,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find the path of this program")?;
        let mut command = Command::new(program);
        command.args(["serve", "--bare", "--address", "127.0.0.1:0", "--until-stdin-ends"]);
        command.args(["--store", store_url, "--semantics", semantics.name()]);
        command.args(limits.to_arguments());
        // The pipe to its standard input ends when this process does, however that happens.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(log)?);
        let mut child =
            command.kill_on_drop(true).spawn().context("a process cannot be started")?;
        let output = child.stdout.take().context("the process has no output")?;
        let mut lines = BufReader::new(output).lines();
        let first = timeout(READY_MAX, lines.next_line()).await;
        let first = first.ok().and_then(Result::ok).flatten().unwrap_or_default();
        let Some(url) = first.strip_prefix("ready ").map(str::to_owned) else {
            bail!("a process did not start: {}", tail(log));
        };
        let second = timeout(READY_MAX, lines.next_line()).await;
        let second = second.ok().and_then(Result::ok).flatten().unwrap_or_default();
        let Some(admin) = second.strip_prefix("admin ").map(str::to_owned) else {
            bail!("a process has no address for its statistics: {}", tail(log));
        };
        Ok(Self { url, admin, child, _output: lines, log: log.to_owned() })
    }

    /// Reads the counters.
    pub(super) async fn counts(&self, client: &reqwest::Client) -> anyhow::Result<Counts> {
        let answer = client.get(format!("{}/stats", self.admin)).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    /// Lets it end in good order, and kills it when that takes too long.
    pub(super) async fn stop(mut self) {
        drop(self.child.stdin.take());
        if timeout(STOP_MAX, self.child.wait()).await.is_err() {
            // It may have ended in this very moment; either way it is gone.
            drop(self.child.kill().await);
        }
    }

    /// The end of its log.
    pub(super) fn last_words(&self) -> String {
        format!("{}: {}", self.url, tail(&self.log))
    }
}

impl Counts {
    /// Difference to an earlier reading.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            attempts: self.attempts.saturating_sub(before.attempts),
            commits: self.commits.saturating_sub(before.commits),
            conflicts: self.conflicts.saturating_sub(before.conflicts),
        }
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            attempts: self.attempts + other.attempts,
            commits: self.commits + other.commits,
            conflicts: self.conflicts + other.conflicts,
        }
    }
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.len().saturating_sub(LAST_WORDS_MAX);
    lines.get(last..).unwrap_or_default().join("\n")
}

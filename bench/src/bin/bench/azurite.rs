//! Azurite, the emulator of Azure Blob Storage: starts one for a run and counts its calls.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use crate::bot::free_port;

/// Start-up timeout.
const READY: Duration = Duration::from_secs(30);
/// Maximum lag of its log behind its answers.
const LAG: Duration = Duration::from_millis(150);

/// A running emulator. It keeps everything in memory, and ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Azurite {
    child: Child,
    pub(crate) port: u16,
    log: PathBuf,
}

/// Numbers of calls that it has answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    /// Reads and writes of one document.
    pub(crate) documents: usize,
    /// Searches over all documents: queries for due ones, and lists.
    pub(crate) looks: usize,
}

impl Azurite {
    /// Starts Azurite; `script` is the file `azurite-blob` of its package.
    pub(crate) fn start(script: Option<&Path>, logs: &Path) -> anyhow::Result<Self> {
        let script = script.context(
            "Azurite is needed; scripts/bench installs it, or name its azurite-blob with --azurite",
        )?;
        ensure!(script.exists(), "{} is missing", script.display());
        let (port, log) = (free_port()?, logs.join("azurite.log"));
        let child = Command::new("node")
            .arg(script)
            .args(["--blobHost", "127.0.0.1", "--blobPort", &port.to_string()])
            .args([
                "--inMemoryPersistence",
                "--loose",
                "--disableTelemetry",
                "--skipApiVersionCheck",
            ])
            .stdin(Stdio::null())
            .stdout(File::create(&log)?)
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start node")?;
        let (azurite, began) = (Self { child, port, log }, Instant::now());
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if began.elapsed() > READY {
                bail!("Azurite did not become ready; see {}", azurite.log.display());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(azurite)
    }

    /// Counts the calls in its log.
    pub(crate) fn calls(&self) -> anyhow::Result<Calls> {
        thread::sleep(LAG);
        let text = fs::read_to_string(&self.log)?;
        let calls = || text.lines().filter(|line| line.contains(" HTTP/1.1\""));
        let is_look = |line: &&str| line.contains("comp=blobs") || line.contains("comp=list");
        let looks = calls().filter(is_look).count();
        Ok(Calls { documents: calls().count() - looks, looks })
    }
}

impl Drop for Azurite {
    fn drop(&mut self) {
        // Nothing is left to do about a process that cannot be ended.
        drop(self.child.kill().and_then(|()| self.child.wait()));
    }
}

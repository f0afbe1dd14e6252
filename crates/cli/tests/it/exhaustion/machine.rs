//! Server process with a limit on its open files, and its memory.

use std::{net::SocketAddr, path::PathBuf, process::Stdio};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::process::{STEP_MAX, signal};

/// The command, running.
pub(super) struct Machine {
    pub(super) address: SocketAddr,
    child: Child,
    _folder: TempDir,
}

impl Machine {
    /// Starts the server so that it may have so many files open. `SAYSO_TEST_BINARY` names another
    /// build of the command than that of the tests.
    pub(super) async fn start(descriptors: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let own = || PathBuf::from(env!("CARGO_BIN_EXE_sayso"));
        let binary = std::env::var_os("SAYSO_TEST_BINARY").map_or_else(own, PathBuf::from);
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit -n {descriptors} && exec \"$0\" \"$@\""));
        command.arg(&binary).args(["serve", "--address", "127.0.0.1:0"]);
        command.current_dir(folder.path()).env_remove("SAYSO_LOG").env_remove("RUST_LOG");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = timeout(STEP_MAX, lines.next_line()).await.unwrap().unwrap();
        let url = first.as_deref().and_then(|line| line.strip_prefix("ready http://"));
        let Some(address) = url.and_then(|address| address.parse().ok()) else {
            panic!(
                "{} did not start with {descriptors} open files; is `ulimit -Hn` lower? {first:?}",
                binary.display()
            );
        };
        // What else it says is read, so that it can go on.
        drop(tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} }));
        Self { address, child, _folder: folder }
    }

    /// Resident memory in MB.
    pub(super) fn mb(&self) -> u64 {
        self.status("VmRSS:")
    }

    /// Peak resident memory in MB.
    pub(super) fn peak_mb(&self) -> u64 {
        self.status("VmHWM:")
    }

    fn status(&self, name: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id().expect("the server lives"));
        let text = std::fs::read_to_string(path).expect("Linux says what a process takes");
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() / 1024
    }

    /// Stops the server gracefully: after all this it still can.
    pub(super) async fn stop(mut self) {
        signal(self.child.id().unwrap(), "TERM").await;
        let status = timeout(STEP_MAX, self.child.wait()).await.unwrap().unwrap();
        assert_eq!(status.code(), Some(0));
    }
}

/// Makes sure that this process may have so many files open.
pub(super) fn need_descriptors(count: usize) {
    let need = count as u64;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= need) {
        return;
    }
    let maximum = maximum.map(|maximum| maximum.max(need));
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(need), maximum }) {
        panic!(
            "this test needs {need} open files and may have {current:?} ({error}); \
             raise the limit (`ulimit -n {need}`, or as root `ulimit -Hn {need}` first)"
        );
    }
}

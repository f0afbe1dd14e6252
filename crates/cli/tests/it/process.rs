//! Running the command as a process, every step with a timeout.

use std::{path::Path, process::Stdio};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

pub(crate) use crate::client::{STEP_MAX, post, signal};

/// Exit code of a process, and its output.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command with its temporary files in a folder of the test's.
pub(crate) fn sayso(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
    command.args(arguments).current_dir(folder).env("TMPDIR", folder);
    command.env_remove("SAYSO_LOG").env_remove("RUST_LOG").env_remove("CARGO");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    command
}

/// Runs the command to its end, with a text on its standard input.
pub(crate) async fn run(folder: &Path, arguments: &[&str], input: &str) -> Ended {
    let mut child = sayso(folder, arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    let output = timeout(STEP_MAX, child.wait_with_output()).await.unwrap().unwrap();
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A server that is ready.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) url: String,
    /// The URL of health and statistics.
    pub(crate) admin: String,
    pub(crate) child: Child,
    pub(crate) lines: Lines<BufReader<ChildStdout>>,
}

impl Served {
    /// Starts `sayso serve` on a free port, with its default store in the folder.
    pub(crate) async fn start(folder: &Path, further: &[&str]) -> Self {
        Self::start_with(folder, further, &[]).await
    }

    /// The same, with variables in its environment.
    pub(crate) async fn start_with(
        folder: &Path,
        further: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        Self::try_start(folder, further, environment).await.unwrap_or_else(|why| panic!("{why}"))
    }

    /// The same; the error is what the process said if it did not come up.
    pub(crate) async fn try_start(
        folder: &Path,
        further: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<Self, String> {
        let arguments = [&["serve", "--address", "127.0.0.1:0"], further].concat();
        let mut command = sayso(folder, &arguments);
        let mut child = command.envs(environment.iter().copied()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = timeout(STEP_MAX, lines.next_line()).await.unwrap().unwrap();
        let url = first.as_deref().and_then(|line| line.strip_prefix("ready "));
        let Some(url) = url.map(str::to_owned) else {
            let mut stderr = String::new();
            drop(child.stderr.take().unwrap().read_to_string(&mut stderr).await);
            return Err(format!("not ready: {first:?} {stderr}"));
        };
        let second = timeout(STEP_MAX, lines.next_line()).await.unwrap().unwrap();
        let admin = second.as_deref().and_then(|line| line.strip_prefix("admin ")).unwrap();
        Ok(Self { url, admin: admin.to_owned(), child, lines })
    }

    /// Sends a message of a conversation and gives the texts of the answer.
    pub(crate) async fn ask(&self, id: &str, text: &str) -> Vec<String> {
        let activity = json!({
            "type": "message", "id": id, "text": text, "deliveryMode": "expectReplies",
            "channelId": "test", "conversation": {"id": "c"},
            "from": {"id": "ann"}, "recipient": {"id": "bot"},
        });
        self.post(&activity.to_string()).await
    }

    /// Sends an activity that wants its replies in the answer.
    pub(crate) async fn post(&self, body: &str) -> Vec<String> {
        let answer = post(&self.url, body).await;
        assert!(answer.status().is_success(), "{answer:?}");
        let answer: Value = answer.json().await.unwrap();
        let replies = answer["activities"].as_array().unwrap();
        replies.iter().map(|reply| reply["text"].as_str().unwrap().to_owned()).collect()
    }

    /// Sends a signal.
    pub(crate) async fn signal(&self, name: &str) {
        signal(self.child.id().unwrap(), name).await;
    }

    /// Waits for the end and gives the exit code.
    pub(crate) async fn end(mut self) -> Option<i32> {
        timeout(STEP_MAX, self.child.wait()).await.unwrap().unwrap().code()
    }
}

//! A server of a test's own, which it may stop, restart and configure.

use std::{
    net::TcpListener,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use sayso_stores::PostgresStore;
use sayso_turn::store::Error;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// The limit on checks if the server has started, a tenth of a second apart.
const LOOKS_MAX: usize = 300;

pub(super) struct Server {
    folder: TempDir,
    port: u16,
    child: Option<Child>,
    /// The port of the server that it follows.
    primary: Option<u16>,
    /// Its processes when it was frozen; they do not end with the first of them.
    frozen: Vec<String>,
}

impl Server {
    /// Makes and starts a server. The options are the server's: `-c fsync=off`.
    pub(super) async fn start(options: &[&str]) -> Self {
        Self::make(None, options).await
    }

    /// Copies a server that runs, and starts the copy as its standby, under the name `standby`.
    pub(super) async fn standby_of(primary: &Self) -> Self {
        Self::make(Some(primary.port), &[]).await
    }

    async fn make(primary: Option<u16>, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let mut server = Self { folder, port, child: None, primary, frozen: Vec::new() };
        server.start_again(options).await;
        server
    }

    pub(super) async fn start_again(&mut self, options: &[&str]) {
        assert!(self.child.is_none(), "it runs");
        for _ in 0..3 {
            let role = if self.primary.is_some() { "standby" } else { "serve" };
            let mut arguments = vec![self.port.to_string()];
            arguments.extend(self.primary.map(|port| port.to_string()));
            arguments.extend(options.iter().map(|option| (*option).to_owned()));
            self.child = Some(spawn(role, &self.folder, &arguments));
            if self.is_up_before_it_ends().await {
                return;
            }
            // Children of a killed server may still hold its folder for a moment.
            self.child = None;
        }
        panic!("PostgreSQL does not start; is it installed? See scripts/servers.d/postgres");
    }

    async fn is_up_before_it_ends(&mut self) -> bool {
        for _ in 0..LOOKS_MAX {
            if tokio_postgres::connect(&self.url(), NoTls).await.is_ok() {
                return true;
            }
            let child = self.child.as_mut().expect("it was started");
            if child.try_wait().expect("a child can be asked").is_some() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        false
    }

    /// Ends the server at once, as a crash does.
    pub(super) fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().unwrap();
        let _status = child.wait().unwrap();
    }

    /// Stops all processes of the server where they are: the system still accepts connections, and
    /// nobody answers.
    pub(super) fn freeze(&mut self) {
        let main = self.child.as_ref().expect("it runs").id().to_string();
        // The first process first: then no others begin.
        signal("-STOP", std::slice::from_ref(&main));
        let listed = Command::new("ps").args(["-o", "pid=", "--ppid", &main]).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        self.frozen = listed.split_whitespace().map(str::to_owned).collect();
        assert!(self.frozen.len() > 3, "a server has several processes: {:?}", self.frozen);
        signal("-STOP", &self.frozen);
    }

    /// Lets the processes of a frozen server go on as if nothing had been.
    pub(super) fn thaw(&mut self) {
        let main = self.child.as_ref().expect("it runs").id().to_string();
        signal("-CONT", &std::mem::take(&mut self.frozen));
        signal("-CONT", &[main]);
    }

    /// Makes a standby the primary.
    pub(super) async fn promote(&self) {
        let admin = super::connect(&self.url()).await;
        let row = admin.query_one("SELECT pg_promote()", &[]).await.unwrap();
        assert!(row.get::<_, bool>(0), "it was not promoted");
    }

    /// Ends the server in good order: sessions are closed, files are complete.
    pub(super) fn stop(&mut self) {
        let mut child = self.child.take().expect("it runs");
        signal("-INT", &[child.id().to_string()]);
        let _status = child.wait().unwrap();
    }

    pub(super) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// A folder that the server can read.
    pub(super) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Opens a store once the server accepts connections.
    pub(super) async fn open(&self, parameters: &str) -> Result<PostgresStore, Error> {
        PostgresStore::open_url(&super::with(&self.url(), parameters)).await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.frozen.is_empty() {
            // They are its children until it ends, so the numbers are still theirs.
            signal("-KILL", &self.frozen);
        }
        if self.child.is_some() {
            self.kill();
        }
    }
}

/// PgBouncer before a server.
pub(super) struct Pooler {
    _folder: TempDir,
    pub(super) port: u16,
    child: Child,
}

impl Pooler {
    pub(super) async fn start(server: u16, mode: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let arguments = [port.to_string(), server.to_string(), mode.to_owned()];
        let child = spawn("pooler", &folder, &arguments);
        let mut pooler = Self { _folder: folder, port, child };
        for _ in 0..LOOKS_MAX {
            let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
            if tokio_postgres::connect(&url, NoTls).await.is_ok() {
                return pooler;
            }
            let has_ended = pooler.child.try_wait().unwrap().is_some();
            assert!(!has_ended, "PgBouncer does not start; is it installed? See scripts/setup");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("PgBouncer does not answer");
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A port that is free at this moment; nobody else is told it.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts a process that has its data in a folder. It is the server itself, not a shell.
fn spawn(role: &str, folder: &TempDir, arguments: &[String]) -> Child {
    Command::new(script())
        .arg(role)
        .arg(folder.path())
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("scripts/servers.d/postgres starts")
}

fn signal(name: &str, processes: &[String]) {
    let told = Command::new("kill").arg(name).args(processes).status().unwrap();
    assert!(told.success());
}

fn script() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts/servers.d/postgres")
}

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
}

impl Server {
    /// Makes and starts a server. The options are the server's: `-c fsync=off`.
    pub(super) async fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The port is free at this moment; nobody else is told it.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { folder, port, child: None };
        server.start_again(options).await;
        server
    }

    pub(super) async fn start_again(&mut self, options: &[&str]) {
        assert!(self.child.is_none(), "it runs");
        for _ in 0..3 {
            let child = Command::new(script())
                .arg("serve")
                .arg(self.folder.path())
                .arg(self.port.to_string())
                .args(options)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()
                .expect("scripts/servers.d/postgres starts");
            self.child = Some(child);
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

    /// Ends the server in good order: sessions are closed, files are complete.
    pub(super) fn stop(&mut self) {
        let mut child = self.child.take().expect("it runs");
        let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(told.success());
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
        if self.child.is_some() {
            self.kill();
        }
    }
}

fn script() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts/servers.d/postgres")
}

//! Servers of a test's own, with settings of its own, that it may kill.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use tempfile::TempDir;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/servers.d/redis");

/// A server on a port of its own. It ends with this value.
pub(super) struct Server {
    folder: TempDir,
    /// The call of the script, and below the arguments that follow the port.
    call: &'static str,
    settings: Vec<String>,
    pub(super) port: u16,
    child: Child,
}

impl Server {
    /// Starts one that keeps every write, or whatever the settings say.
    pub(super) fn start(settings: &[&str]) -> Self {
        Self::run("serve", settings)
    }

    /// Starts a sentinel that watches a master under the name `m`.
    pub(super) fn start_sentinel(master: u16, quorum: usize) -> Self {
        Self::run("sentinel", &["m", &master.to_string(), &quorum.to_string()])
    }

    fn run(call: &'static str, settings: &[&str]) -> Self {
        let installed = Command::new(SCRIPT).arg("install").stdout(Stdio::null()).status();
        assert!(installed.unwrap().success(), "Redis can be installed");
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let settings: Vec<_> = settings.iter().map(|&setting| setting.to_owned()).collect();
        let child = serve(call, &folder, port, &settings);
        let server = Self { folder, call, settings, port, child };
        server.wait();
        server
    }

    /// As a loss of power would, as far as the process goes.
    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
        assert!(!self.child.wait().unwrap().success(), "it was killed, it did not end");
    }

    /// The same server with the same data, after a kill.
    pub(super) fn start_again(&mut self) {
        self.child = serve(self.call, &self.folder, self.port, &self.settings);
        self.wait();
    }

    /// Stops its clock: connections stay, and nothing is answered.
    pub(super) fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on where it stopped.
    pub(super) fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success(), "it runs");
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Sends commands past the store, on a connection of their own; the last answer.
    pub(super) async fn tell<T: ::redis::FromRedisValue>(&self, command: &[&str]) -> T {
        tell(&self.url(), command).await
    }

    fn wait(&self) {
        let address = SocketAddr::from(([127, 0, 0, 1], self.port));
        for _ in 0..200 {
            if says_pong(address) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("the server did not start within 10 s");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been killed already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn serve(call: &str, folder: &TempDir, port: u16, settings: &[String]) -> Child {
    Command::new(SCRIPT)
        .arg(call)
        .arg(folder.path())
        .arg(port.to_string())
        .args(settings)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// True if a server answers, if only to ask for a password. While it loads its data it says so.
fn says_pong(address: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut answer = [0; 5];
    stream.write_all(b"PING\r\n").is_ok()
        && stream.read_exact(&mut answer).is_ok()
        && (&answer == b"+PONG" || &answer == b"-NOAU")
}

pub(super) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Sends one command to a server, past the store.
pub(super) async fn tell<T: ::redis::FromRedisValue>(url: &str, command: &[&str]) -> T {
    let client = ::redis::Client::open(url).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let (name, arguments) = command.split_first().unwrap();
    let mut sent = ::redis::cmd(name);
    let _sent = sent.arg(arguments);
    sent.query_async(&mut connection).await.unwrap()
}

//! The emulator as a server of its own, which tests may end.

use std::{
    net::TcpListener,
    process::{Child, Command},
    time::{Duration, Instant},
};

use sayso_stores::{CosmosConfig, CosmosStore};
use sayso_turn::store::{Error, Store};

use super::scene::{ANY_KEY, committed, create, key, replace, stored};

/// The time limit for the server's start.
const START_MAX: Duration = Duration::from_secs(30);

/// A server process, ended when dropped.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    pub(super) port: u16,
}

impl Server {
    /// Starts it on a port, for clients that connect through another one.
    pub(super) async fn start(port: u16, public: u16) -> Self {
        let program = env!("CARGO_BIN_EXE_sayso-cosmos-emulator");
        let ports = [port, public].map(|port| port.to_string());
        let child = Command::new(program).args(ports).spawn().unwrap();
        let started = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            assert!(started.elapsed() < START_MAX, "the emulator does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Self { child, port }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A port that was free a moment ago.
pub(super) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

pub(super) fn config(port: u16) -> CosmosConfig {
    let config = CosmosConfig::new(&format!("http://127.0.0.1:{port}/"), "bots", "state").unwrap();
    config.key(ANY_KEY).create(true).call_max(Duration::from_secs(3))
}

#[tokio::test]
async fn a_server_that_is_gone_is_unavailable_and_used_again_when_it_is_back() {
    let port = free_port();
    let server = Server::start(port, port).await;
    let store = CosmosStore::open(config(port)).await.unwrap();
    let etag = committed(store.save(create("[1]")).await.unwrap());
    drop(server);

    let started = Instant::now();
    let error = store.load(&key()).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    let error = store.save(replace(&etag, "[2]")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. } | Error::Unknown { .. }), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());

    // It keeps nothing, so the containers have to be made again.
    let _server = Server::start(port, port).await;
    let again = CosmosStore::open(config(port)).await.unwrap();
    let _etag = committed(again.save(create("[3]")).await.unwrap());
    assert_eq!(stored(&again).await.as_deref(), Some("[3]"));
}

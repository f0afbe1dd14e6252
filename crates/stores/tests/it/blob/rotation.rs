//! Account keys that are renewed under load: on an Azurite of the test's own, which is started
//! again with other keys.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use sayso_stores::{BlobStore, blob::BlobConfig};
use sayso_turn::store::{Error, Expect, Saved, Store};
use tempfile::TempDir;

use super::{key, write};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/servers.d/blob");
const KEY: [&str; 3] = ["b25lb25lb25l", "dHdvdHdvdHdv", "dGhyZWV0aHJl"];

/// A server that keeps its blobs when it is started again.
struct Server {
    folder: TempDir,
    port: u16,
    child: Child,
}

impl Server {
    async fn start(keys: [&str; 2]) -> Self {
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let child = serve(&folder, port, keys).await;
        Self { folder, port, child }
    }

    /// The same account with other keys.
    async fn renew(&mut self, keys: [&str; 2]) {
        self.stop().await;
        self.child = serve(&self.folder, self.port, keys).await;
    }

    /// Asks it to end, so that it writes down what it has, and waits until it has.
    async fn stop(&mut self) {
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(asked.unwrap().success(), "Azurite runs");
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(30), "Azurite does not end");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn config(&self) -> BlobConfig {
        BlobConfig::new(format!("http://127.0.0.1:{}/bots", self.port), "state")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn serve(folder: &TempDir, port: u16, [one, two]: [&str; 2]) -> Child {
    let mut child = Command::new(SCRIPT)
        .arg("serve")
        .arg(folder.path())
        .arg(port.to_string())
        .env("AZURITE_ACCOUNTS", format!("bots:{one}:{two}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let has_ended = child.try_wait().unwrap().is_some();
        assert!(!has_ended && start.elapsed() < Duration::from_secs(60), "Azurite does not start");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    child
}

/// Counts up one document, through whatever happens to the keys.
struct Load {
    is_over: Arc<AtomicBool>,
    writer: tokio::task::JoinHandle<u64>,
}

impl Load {
    fn start(store: &Arc<BlobStore>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let writer = tokio::spawn(count_up(Arc::clone(store), Arc::clone(&is_over)));
        Self { is_over, writer }
    }

    /// The number of acknowledged writes, which are all there.
    async fn end(self, store: &BlobStore) -> u64 {
        self.is_over.store(true, Ordering::SeqCst);
        let count = self.writer.await.unwrap();
        let stored = store.load(&key("count")).await.unwrap().unwrap();
        assert_eq!(stored.body, count.to_string());
        count
    }
}

async fn count_up(store: Arc<BlobStore>, is_over: Arc<AtomicBool>) -> u64 {
    let (mut count, start) = (0_u64, Instant::now());
    while !is_over.load(Ordering::SeqCst) || count == 0 {
        assert!(start.elapsed() < Duration::from_secs(120), "the load ends");
        tokio::time::sleep(Duration::from_millis(5)).await;
        // As the turn engine does: read what is there, then write upon it.
        let (found, expect) = match store.load(&key("count")).await {
            Ok(None) => (0, Expect::Absent),
            Ok(Some(stored)) => (stored.body.parse().unwrap(), Expect::At(stored.etag)),
            Err(error) => {
                assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
                continue;
            }
        };
        assert!(found >= count, "{found} stored, {count} were acknowledged");
        match store.save(write("count", expect, &(found + 1).to_string())).await {
            Ok(Saved::Committed(_)) => count = found + 1,
            Ok(Saved::Conflict) => panic!("nobody else writes this"),
            Err(Error::Unavailable { .. }) => count = found,
            // The server was ended under it.
            Err(Error::Unknown { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    count
}

async fn is_back(store: &BlobStore) {
    let start = Instant::now();
    while let Err(error) = store.load(&key("count")).await {
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(20), "it does not come back: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_second_key_is_tried_and_kept_when_the_first_is_renewed_under_load() {
    let mut server = Server::start([KEY[0], KEY[1]]).await;
    let config = server.config().with_key(KEY[0]).with_second_key(KEY[1]);
    let store = Arc::new(BlobStore::open(config).await.unwrap());
    let load = Load::start(&store);
    is_back(&store).await;
    server.renew([KEY[2], KEY[1]]).await;
    is_back(&store).await;
    assert!(load.end(&store).await > 0);
    // Both are gone: retryable, and healed when one is back.
    server.renew([KEY[2], KEY[2]]).await;
    let error = store.load(&key("count")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("the SAS token"), "{error}");
    server.renew([KEY[0], KEY[2]]).await;
    is_back(&store).await;
    // On opening it is a mistake.
    let wrong = server.config().with_key(KEY[1]);
    let error = BlobStore::open(wrong).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
}

#[tokio::test]
async fn a_key_in_a_file_is_read_again_when_it_is_refused_under_load() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    fs::write(&path, format!("{}\n", KEY[0])).unwrap();
    let mut server = Server::start([KEY[0], KEY[2]]).await;
    let config = server.config().with_secret_file(&path);
    let store = Arc::new(BlobStore::open(config).await.unwrap());
    let load = Load::start(&store);
    is_back(&store).await;
    server.renew([KEY[1], KEY[2]]).await;
    let error = store.load(&key("count")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    fs::write(&path, format!("{}\n", KEY[1])).unwrap();
    is_back(&store).await;
    assert!(load.end(&store).await > 0);
    fs::write(&path, "canary!").unwrap();
    let error = BlobStore::open(server.config().with_secret_file(&path)).await.unwrap_err();
    assert!(error.to_string().contains("is not base64"), "{error}");
    assert!(!format!("{error:?}").contains("canary"), "{error:?}");
}

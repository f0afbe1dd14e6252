//! TLS over real sockets: who is let in, what is cut, and certificates that change under load.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use axum::{Router, extract::ConnectInfo, routing::get};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, oneshot},
    task::JoinHandle,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::*;
use crate::{
    certificates::{Ca, Pair, write_secret},
    server::running::{Listener, http, limits::HttpLimits},
};

/// Longer than anything here takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(20);
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// A server that speaks TLS, and answers with the peer's port.
struct Served {
    address: SocketAddr,
    folder: TempDir,
    ca: Ca,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    /// Lets a request to `/wait` end.
    release: Arc<Semaphore>,
}

impl Served {
    async fn start(limits: HttpLimits, clients: Option<&Ca>) -> Self {
        let ca = Ca::new("of the server");
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = ca.issue().write(folder.path());
        let mut files = TlsFiles::new(certificate, key);
        if let Some(clients) = clients {
            let cas = folder.path().join("clients.pem");
            std::fs::write(&cas, &clients.pem).unwrap();
            files = files.clients(cas);
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let tls = Tls::start(files, address, LOOK).unwrap();
        let release = Arc::new(Semaphore::new(0));
        let inside = Arc::clone(&release);
        let wait = move || {
            let inside = Arc::clone(&inside);
            async move { inside.acquire().await.map(|permit| permit.forget()).map_or("", |()| "done") }
        };
        let port = async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.port().to_string();
        let router = Router::new().route("/", get(port)).route("/wait", get(wait));
        let (stop, stopped) = oneshot::channel();
        let served = Listener { socket: listener, router, guard: None, tls: Some(tls) };
        let task = tokio::spawn(http::serve(served, limits, stopped));
        Self { address, folder, ca, stop, task, release }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    fn client(&self) -> Client {
        Client::new(&self.ca, None)
    }

    fn certificate(&self) -> PathBuf {
        self.folder.path().join("tls.pem")
    }
}

/// A client that trusts one CA, with a certificate of its own or without.
#[derive(Clone)]
struct Client(TlsConnector);

impl Client {
    fn new(trusted: &Ca, own: Option<&Pair>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(trusted.pem.as_bytes()).unwrap()).unwrap();
        let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
        let tls = tls.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
        let tls = match own {
            None => tls.with_no_client_auth(),
            Some(pair) => {
                let chain = CertificateDer::pem_slice_iter(pair.certificate.as_bytes());
                let chain = chain.collect::<Result<_, _>>().unwrap();
                let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
                tls.with_client_auth_cert(chain, key).unwrap()
            }
        };
        Self(TlsConnector::from(Arc::new(tls)))
    }

    async fn connect(&self, address: SocketAddr) -> std::io::Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        timeout(PATIENCE, self.0.connect(name, stream)).await.expect("it ends")
    }

    /// A request on a connection of its own: the answer, or the error.
    async fn ask(&self, address: SocketAddr) -> std::io::Result<String> {
        ask(&mut self.connect(address).await?).await
    }
}

async fn ask(stream: &mut TlsStream<TcpStream>) -> std::io::Result<String> {
    stream.write_all(REQUEST).await?;
    let mut bytes = [0; 1024];
    let count = timeout(PATIENCE, stream.read(&mut bytes)).await.expect("an answer or an end")?;
    let answer = String::from_utf8(bytes[..count].to_vec()).unwrap();
    match answer.starts_with("HTTP/1.1 200 OK") {
        true => Ok(answer),
        false => Err(std::io::Error::other(answer)),
    }
}

/// Reads until the server closes the connection.
async fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    drop(timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("it hangs up"));
    bytes
}

fn limits(connections_max: usize) -> HttpLimits {
    HttpLimits { connections_max, head_timeout: PATIENCE, ..HttpLimits::default() }
}

#[tokio::test]
async fn whoever_trusts_the_ca_is_served_and_nobody_else_is() {
    let served = Served::start(limits(9), None).await;
    let mut stream = served.client().connect(served.address).await.unwrap();
    let port = stream.get_ref().0.local_addr().unwrap().port().to_string();
    assert!(ask(&mut stream).await.unwrap().ends_with(&port), "the peer is known");
    assert_eq!(stream.get_ref().1.alpn_protocol(), None);
    let error = Client::new(&Ca::new("another"), None).ask(served.address).await.unwrap_err();
    assert!(error.to_string().contains("invalid peer certificate"), "{error}");
}

#[tokio::test]
async fn an_old_version_of_tls_and_requests_in_clear_are_refused() {
    let served = Served::start(limits(9), None).await;
    // A hello of TLS 1.1, with one cipher suite, and signatures and a curve that we know.
    let mut hello = vec![3, 2];
    hello.extend([7; 32]);
    hello.extend([0, 0, 2, 0, 0x2f, 1, 0]);
    hello.extend([0, 16, 0, 13, 0, 4, 0, 2, 4, 3, 0, 10, 0, 4, 0, 2, 0, 0x1d]);
    let mut record = vec![22, 3, 1, 0, 4 + hello.len() as u8, 1, 0, 0, hello.len() as u8];
    record.extend(hello);
    let mut stream = served.connect().await;
    stream.write_all(&record).await.unwrap();
    // A fatal alert: protocol_version.
    assert_eq!(rest(&mut stream).await, [21, 3, 3, 0, 2, 2, 70]);

    let mut stream = served.connect().await;
    stream.write_all(REQUEST).await.unwrap();
    let answer = String::from_utf8(rest(&mut stream).await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("use https://"), "{answer}");
    for garbage in [&b"\0\0\0\0"[..], b"\x16garbage that is no hello at all", b"get / http"] {
        let mut stream = served.connect().await;
        stream.write_all(garbage).await.unwrap();
        stream.shutdown().await.unwrap();
        assert!(!rest(&mut stream).await.starts_with(b"HTTP"), "{garbage:?}");
    }
    assert!(served.client().ask(served.address).await.is_ok());
}

#[tokio::test]
async fn only_clients_with_a_good_certificate_are_let_in_where_one_is_asked_for() {
    let clients = Ca::new("of the clients");
    let served = Served::start(limits(9), Some(&clients)).await;
    let with = |pair: &Pair| Client::new(&served.ca, Some(pair));
    assert!(with(&clients.issue()).ask(served.address).await.is_ok());
    for (kind, client) in [
        ("none", served.client()),
        ("of another CA", with(&Ca::new("another").issue())),
        ("of a CA of the same name", with(&Ca::new("of the clients").issue())),
        ("of the server's own CA", with(&served.ca.issue())),
        ("expired", with(&clients.issue_until(2001))),
    ] {
        let error = client.ask(served.address).await.unwrap_err();
        assert!(error.to_string().contains("received fatal alert"), "{kind}: {error}");
    }
    assert!(with(&clients.issue()).ask(served.address).await.is_ok());
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "figures that a reader of the test's output wants to see")]
async fn a_thousand_silent_handshakes_keep_nobody_out_and_are_cut() {
    const CUT: Duration = Duration::from_millis(1500);
    let served = Served::start(HttpLimits { handshake_timeout: CUT, ..limits(100) }, None).await;
    let mut busy = served.client().connect(served.address).await.unwrap();
    busy.write_all(b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    let mut silent = Vec::new();
    for number in 0..1000 {
        let mut stream = served.connect().await;
        if number % 2 == 0 {
            // Begun, and never ended.
            stream.write_all(&[22, 3, 1, 0, 200, 1]).await.unwrap();
        }
        silent.push(stream);
        if number % 100 == 50 {
            assert!(served.client().ask(served.address).await.is_ok(), "{number}");
        }
    }
    let began = Instant::now();
    for stream in &mut silent {
        assert!(rest(stream).await.len() < 10);
    }
    let took = began.elapsed();
    println!("1000 silent handshakes: the last was cut after {took:?}");
    assert!(took < CUT + PATIENCE / 10, "{took:?}");
    served.release.add_permits(1);
    let mut answer = [0; 15];
    timeout(PATIENCE, busy.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK", "a request under way is never given up");
}

#[tokio::test]
async fn a_stop_cuts_handshakes_and_lets_the_busy_finish() {
    let served = Served::start(limits(9), None).await;
    let mut silent = served.connect().await;
    let mut idle = served.client().connect(served.address).await.unwrap();
    ask(&mut idle).await.unwrap();
    let mut busy = served.client().connect(served.address).await.unwrap();
    busy.write_all(b"GET /wait HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(served.stop);
    assert!(rest(&mut silent).await.is_empty());
    // An end of TLS, not of TCP only: nothing was cut off.
    assert_eq!(timeout(PATIENCE, idle.read(&mut [0])).await.unwrap().unwrap(), 0);
    served.release.add_permits(1);
    let mut answer = Vec::new();
    timeout(PATIENCE, busy.read_to_end(&mut answer)).await.unwrap().unwrap();
    assert!(answer.ends_with(b"done"), "{answer:?}");
    timeout(PATIENCE, served.task).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stdout, reason = "figures that a reader of the test's output wants to see")]
async fn a_certificate_that_changes_under_load_loses_nothing() {
    let served = Served::start(limits(200), None).await;
    let over = Arc::new(AtomicBool::new(false));
    let counts: Arc<[AtomicUsize; 2]> = Arc::default();
    let address = served.address;
    let mut crowd = Vec::new();
    for number in 0..8 {
        let (over, counts, client) = (Arc::clone(&over), Arc::clone(&counts), served.client());
        crowd.push(tokio::spawn(async move {
            let mut kept = client.connect(address).await?;
            while !over.load(Ordering::SeqCst) {
                // Half of them on a connection from before all changes, half on new ones.
                match number % 2 {
                    0 => ask(&mut kept).await?,
                    _ => client.ask(address).await?,
                };
                counts[number % 2].fetch_add(1, Ordering::SeqCst);
            }
            std::io::Result::Ok(())
        }));
    }
    let (mut seen, mut last) = (Vec::new(), None);
    for _ in 0..12 {
        let pair = served.ca.issue();
        // One after the other, and not at once: in between they do not fit.
        std::fs::write(served.certificate(), &pair.certificate).unwrap();
        tokio::time::sleep(LOOK * 2).await;
        write_secret(&served.folder.path().join("tls.key"), &pair.key);
        let own = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap();
        let began = Instant::now();
        while last.as_ref() != Some(&own) {
            assert!(began.elapsed() < PATIENCE, "the new certificate is never used");
            let stream = served.client().connect(address).await.unwrap();
            last = stream.get_ref().1.peer_certificates().map(|all| all[0].clone().into_owned());
        }
        seen.push(own);
    }
    over.store(true, Ordering::SeqCst);
    for client in crowd {
        client.await.unwrap().expect("no request is lost");
    }
    let [kept, new] = [0, 1].map(|kind| counts[kind].load(Ordering::SeqCst));
    println!("{} certificates, {kept} requests on old connections, {new} on new ones", seen.len());
    assert!(kept > 50 && new > 50, "{kept} and {new}");
}

#[test]
fn files_that_cannot_be_used_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ca = Ca::new("a");
    let (certificate, key) = ca.issue().write(folder.path());
    let (mut watched, identity) = Watched::new(TlsFiles::new(&certificate, &key)).unwrap();
    let (now, validity) = (SystemTime::now(), identity.validity);
    let mut look = || watched.look(now, &validity);
    assert!(matches!(look(), Seen::Same));
    let (good, other, expired) = (ca.issue(), ca.issue(), ca.issue_until(2001));
    let mixed = Pair { certificate: good.certificate.clone(), key: other.key };
    let cut = Pair { certificate: good.certificate[..200].to_owned(), key: good.key.clone() };
    for (pair, says) in [
        (mixed, "is not that of the certificate"),
        (cut, "must hold certificates"),
        (expired, "the new certificate is not valid: it expired"),
    ] {
        pair.write(folder.path());
        // The other file of the pair may be on its way.
        assert!(matches!(look(), Seen::Unsettled), "{says}");
        let Seen::Broken(reason) = look() else { panic!("{says}") };
        assert!(reason.contains(says), "{reason}");
    }
    std::fs::remove_file(&certificate).unwrap();
    assert!(matches!(look(), Seen::Unsettled));
    assert!(matches!(look(), Seen::Broken(reason) if reason.contains("cannot read")));
    good.write(folder.path());
    let Seen::Replaced(new) = look() else { panic!("a good pair is taken up") };
    assert!(new.validity.is_valid(now));
    assert!(matches!(look(), Seen::Same));
}

#[test]
fn an_expired_certificate_is_better_than_one_that_has_expired_too() {
    let folder = tempfile::tempdir().unwrap();
    let ca = Ca::new("a");
    let (certificate, key) = ca.issue_until(2001).write(folder.path());
    let (mut watched, identity) = Watched::new(TlsFiles::new(&certificate, &key)).unwrap();
    ca.issue_until(2002).write(folder.path());
    let seen = watched.look(SystemTime::now(), &identity.validity);
    assert!(matches!(seen, Seen::Replaced(_)), "{seen:?}");
}

//! Replies over TLS: they go only to a channel whose certificate the machine trusts.
//!
//! A process reads the trusted certificates once, from a file that the environment can name. So the
//! test starts itself again, as a bot on a machine that trusts the channel, and as one that does
//! not.

use std::{
    env,
    path::Path,
    process::Output,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use sayso_channel::{Connector, ConnectorOptions, ServiceUrls};
use sayso_turn::channel::Channel as _;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    process::Command,
    time::timeout,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::aws_lc_rs},
};

use crate::{
    deliveries::parcel,
    support::{PATIENCE, message},
};

const NAME: &str = "tls::a_reply_goes_only_to_a_channel_that_the_machine_trusts";
/// The service URL, for the process that the test starts.
const CHANNEL: &str = "SAYSO_TEST_TLS_CHANNEL";

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
async fn a_reply_goes_only_to_a_channel_that_the_machine_trusts() {
    if let Ok(url) = env::var(CHANNEL) {
        let service_urls = ServiceUrls::Only(vec![url.clone()]);
        let options = ConnectorOptions { service_urls, ..Default::default() };
        let (connector, reply) = (Connector::new(options).unwrap(), message("1", "hi", &url));
        println!("the reply: {:?}", connector.deliver(&parcel(&reply)).await);
        return;
    }
    let (trusted, other) = (Channel::start().await, Channel::start().await);
    let roots = trusted.folder.path().join("roots.pem");

    let delivery = deliver(&format!("https://localhost:{}/", trusted.port), &roots).await;
    assert!(delivery.contains(r#"the reply: Delivered { id: Some("7") }"#), "{delivery}");

    // The first is not trusted at all, the second only under another name.
    for url in [
        format!("https://localhost:{}/", other.port),
        format!("https://127.0.0.1:{}/", trusted.port),
    ] {
        let delivery = deliver(&url, &roots).await;
        assert!(delivery.contains("the reply: Later"), "{delivery}");
        assert!(
            delivery.contains("could not connect to the channel: invalid peer cert"),
            "{delivery}"
        );
    }
    let asked = [&trusted, &other].map(|channel| channel.asked.load(Ordering::SeqCst));
    assert_eq!(asked, [1, 0], "a reply was shown to somebody who is not trusted");
}

/// Delivers a reply in a process that trusts the certificates in a file.
async fn deliver(url: &str, roots: &Path) -> String {
    let mut bot = Command::new(env::current_exe().expect("a test is a program"));
    bot.args(["--exact", NAME, "--nocapture"]).env(CHANNEL, url).env("SSL_CERT_FILE", roots);
    bot.env_remove("SSL_CERT_DIR").kill_on_drop(true);
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, bot.output()).await.expect("it ends").expect("it starts");
    let said = String::from_utf8_lossy(&stdout).into_owned();
    assert!(status.success(), "{said}\n{}", String::from_utf8_lossy(&stderr));
    said
}

/// A channel that speaks TLS and is called `localhost`.
struct Channel {
    folder: tempfile::TempDir,
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Channel {
    async fn start() -> Self {
        let own =
            rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("roots.pem"), own.cert.pem()).expect("a file");
        let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
        let key = PrivateKeyDer::Pkcs8(key);
        let chain = vec![own.cert.der().clone()];
        let tls = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
        let tls = tls.with_safe_default_protocol_versions().expect("versions of TLS");
        let tls = tls.with_no_client_auth().with_single_cert(chain, key).expect("they fit");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let (acceptor, asked) = (TlsAcceptor::from(Arc::new(tls)), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&asked);
        drop(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                drop(tokio::spawn(answer(acceptor.clone(), stream, Arc::clone(&counted))));
            }
        }));
        Self { folder, port, asked }
    }
}

async fn answer(acceptor: TlsAcceptor, stream: TcpStream, asked: Arc<AtomicUsize>) {
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        let Ok(1..) = stream.read_buf(&mut request).await else { return };
    }
    let _before = asked.fetch_add(1, Ordering::SeqCst);
    assert!(request.starts_with(b"POST /v3/conversations/"), "a reply is posted");
    let port = stream.get_ref().0.local_addr().expect("it is connected").port();
    let (head, host) =
        (String::from_utf8_lossy(&request), format!("\r\nhost: localhost:{port}\r\n"));
    assert!(head.contains(&host), "a request says whom it is for");
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"id\":\"7\"}";
    stream.write_all(answer).await.expect("the bot reads");
    drop(stream.shutdown().await);
}

//! TLS of both listeners, by configuration, with clients that check.

use std::{net::SocketAddr, path::Path, sync::Arc};

use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _};
use sayso::{Config, ServeError, Server, pizza, turn::store::MemoryStore};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use crate::{
    certificates::{Ca, Pair},
    client::STEP_MAX,
};

/// A request over TLS with these headers, on a connection of its own: the answer, or the error.
async fn ask(
    (address, request): (SocketAddr, &str),
    trusted: &Ca,
    own: Option<&Pair>,
) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(trusted.pem.as_bytes()).unwrap()).unwrap();
    let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let tls = tls.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
    let tls = match own {
        None => tls.with_no_client_auth(),
        Some(pair) => {
            let chain = vec![CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap()];
            let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
            tls.with_client_auth_cert(chain, key).unwrap()
        }
    };
    let asked = async {
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        let mut stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    };
    timeout(STEP_MAX, asked).await.expect("nobody hangs")
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n")
}

fn post(headers: &str) -> String {
    let body = r#"{"type":"message","id":"1","channelId":"t","conversation":{"id":"c"},
        "deliveryMode":"expectReplies","text":"ham"}"#;
    format!(
        "POST /api/messages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn server(flags: &[(&str, &Path)]) -> Server {
    let mut config = Config::default().flag("address", "127.0.0.1:0").unwrap();
    for (key, path) in flags {
        config = config.flag(key, &path.display().to_string()).unwrap();
    }
    let server = Server::new(pizza::bot()).config(&config).unwrap();
    server.unauthenticated().store(Arc::new(MemoryStore::default()))
}

#[tokio::test]
async fn a_bot_speaks_tls_to_channels_and_mutual_tls_to_operators() {
    let folder = tempfile::tempdir().unwrap();
    let (ca, operators) = (Ca::new("of the bot"), Ca::new("of the operators"));
    let (certificate, key) = ca.issue().write(folder.path());
    let cas = folder.path().join("operators.pem");
    std::fs::write(&cas, &operators.pem).unwrap();
    let running = server(&[
        ("tls.certificate", &certificate),
        ("tls.key", &key),
        ("admin-tls.certificate", &certificate),
        ("admin-tls.key", &key),
        ("admin-tls.clients", &cas),
    ]);
    let running = running.start().await.unwrap();
    let (public, admin) = (running.local_addr(), running.admin_addr().unwrap());
    assert_eq!(running.url(), format!("https://{public}"));
    assert_eq!(running.admin_url(), Some(format!("https://{admin}")));
    let welcome = running.welcome();
    assert!(welcome.contains(&format!("listening on https://{public} ")), "{welcome}");
    assert!(welcome.contains(&format!("curl -sk https://{public}/api/messages")), "{welcome}");

    let answer = ask((public, &post("")), &ca, None).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("ham"), "{answer}");
    // The guards still know who asks, and from where.
    for sign in ["x-forwarded-for: 10.0.0.1\r\n", "origin: https://evil.example\r\n"] {
        let answer = ask((public, &post(sign)), &ca, None).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    }
    let own_page = format!("origin: https://{public}\r\n");
    let answer = ask((public, &post(&own_page)), &ca, None).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");

    let operator = operators.issue();
    let answer = ask((admin, &get("/healthz", "")), &ca, Some(&operator)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("ok"), "{answer}");
    for stranger in [None, Some(ca.issue())] {
        let error = ask((admin, &get("/stats", "")), &ca, stranger.as_ref()).await.unwrap_err();
        assert!(error.to_string().contains("received fatal alert"), "{error}");
    }
    assert_eq!(running.stop().await, 0);
}

#[tokio::test]
async fn each_listener_speaks_tls_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    let ca = Ca::new("of the bot");
    let (certificate, key) = ca.issue().write(folder.path());
    let public = [("tls.certificate", &*certificate), ("tls.key", &*key)];
    let running = server(&public).start().await.unwrap();
    assert!(running.url().starts_with("https://"));
    let admin = running.admin_url().unwrap();
    assert!(admin.starts_with("http://"), "{admin}");
    assert_eq!(reqwest::get(format!("{admin}/healthz")).await.unwrap().status(), 200);
    running.stop().await;
    let admin = [("admin-tls.certificate", &*certificate), ("admin-tls.key", &*key)];
    let running = server(&admin).start().await.unwrap();
    assert!(running.url().starts_with("http://"));
    let address = running.admin_addr().unwrap();
    let answer = ask((address, &get("/healthz", "")), &ca, None).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    running.stop().await;
}

#[tokio::test]
async fn a_bot_whose_files_cannot_be_used_does_not_start() {
    use sayso::config::TlsFiles;

    let folder = tempfile::tempdir().unwrap();
    let (certificate, _) = Ca::new("of the bot").issue().write(folder.path());
    let files = TlsFiles::new(&certificate, folder.path().join("nowhere"));
    let error = server(&[]).tls(files).start().await.unwrap_err();
    assert!(matches!(error, ServeError::Tls(_)), "{error}");
    assert!(error.to_string().starts_with("TLS cannot be set up: cannot read "), "{error}");
    // An expired one is better than none: whoever replaces the file need not restart the bot.
    let (certificate, key) = Ca::new("of the bot").issue_until(2001).write(folder.path());
    let running = server(&[]).tls(TlsFiles::new(&certificate, &key)).start().await.unwrap();
    running.stop().await;
}

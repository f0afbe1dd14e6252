//! Opening: a server that cannot work is refused in one sentence, and settings that weaken the
//! guarantees give warnings.

use std::{
    env,
    io::{self, Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use sayso_stores::{RedisStore, redis::RedisConfig};
use sayso_turn::store::{Error, Saved, Store};

use super::{
    create, key, prefix,
    server::{Server, free_port, tell},
};

async fn refusal(url: &str) -> (bool, String) {
    let error = RedisStore::open_url(url).await.unwrap_err();
    let is_transient = error.is_transient();
    let source = std::error::Error::source(&error).map(ToString::to_string);
    let text = format!("{error} {}", source.unwrap_or_default());
    assert!(!text.contains('\n'), "{text}");
    assert!(!text.contains("hunter2") && !format!("{error:?}").contains("hunter2"), "{text}");
    (is_transient, text)
}

async fn warnings(url: &str) -> String {
    RedisStore::open_url(url).await.unwrap().warnings().join("\n")
}

#[tokio::test]
async fn a_server_that_keeps_every_write_is_opened_without_a_word() {
    let server = Server::start(&[]);
    let store = RedisStore::open_url(&server.url()).await.unwrap();
    assert_eq!(store.warnings(), Vec::<String>::new());
    assert_eq!(store.to_string(), format!("Redis at 127.0.0.1:{}/0 (sayso)", server.port));
    let keys: Vec<String> = server.tell(&["KEYS", "*"]).await;
    assert_eq!(keys, Vec::<String>::new(), "opening writes nothing");
}

#[tokio::test]
async fn settings_that_lose_turns_are_refused_unless_that_is_accepted() {
    for (settings, why) in [
        (&["--appendonly", "no"][..], "in memory only (appendonly no)"),
        (&["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"], "throws documents away"),
    ] {
        let server = Server::start(settings);
        let (is_transient, text) = refusal(&server.url()).await;
        assert!(!is_transient && text.contains(why), "{text}");
        assert!(text.contains("durability=relaxed"), "it says what to do: {text}");
        let warned = warnings(&format!("{}?durability=relaxed", server.url())).await;
        assert!(warned.contains(why), "{warned}");
    }
}

#[tokio::test]
async fn settings_that_weaken_the_promise_are_warned_about() {
    let server = Server::start(&["--appendfsync", "everysec"]);
    let warned = warnings(&server.url()).await;
    assert!(warned.contains("does not flush every write"), "{warned}");

    let server = Server::start(&["--rename-command", "CONFIG", ""]);
    let warned = warnings(&server.url()).await;
    assert!(warned.contains("settings cannot be read"), "{warned}");
}

#[tokio::test]
async fn replicas_are_warned_about_and_none_is_taken_for_a_primary() {
    let server = Server::start(&[]);
    let primary = server.port.to_string();
    let replica = Server::start(&["--replicaof", "127.0.0.1", &primary]);
    let start = Instant::now();
    while !warnings(&server.url()).await.contains("has replicas") {
        assert!(start.elapsed() < Duration::from_secs(20), "the replica is never connected");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (is_transient, text) = refusal(&replica.url()).await;
    assert!(!is_transient && text.contains("connect to the primary"), "{text}");
}

#[tokio::test]
async fn passwords_are_asked_for_and_checked() {
    let server = Server::start(&["--requirepass", "hunter2"]);
    let (is_transient, text) = refusal(&server.url()).await;
    assert!(!is_transient && text.contains("asks for a password"), "{text}");
    for user in [":wrong", "nobody:hunter2"] {
        let url = server.url().replace("//", &format!("//{user}@"));
        let (is_transient, text) = refusal(&url).await;
        assert!(!is_transient && text.contains("the password is wrong"), "{text}");
    }
    let store = RedisStore::open_url(&server.url().replace("//", "//:hunter2@")).await.unwrap();
    assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));
    assert!(!format!("{store} {store:?}").contains("hunter2"));
}

/// The rights that the documentation and the error name are enough, and nothing outside the prefix
/// is.
#[tokio::test]
async fn a_user_needs_few_rights() {
    let server = Server::start(&[]);
    let rights = "on >hunter2 resetkeys ~sayso:* -@all +@connection +info +@hash +@sortedset \
        +@scripting +scan +exists +del";
    let mut command = vec!["ACL", "SETUSER", "bot"];
    command.extend(rights.split_whitespace());
    let () = server.tell(&command).await;
    let url = server.url().replace("//", "//bot:hunter2@");
    let store = RedisStore::open_url(&url).await.unwrap();
    assert!(store.warnings().join(" ").contains("settings cannot be read"));
    let saved = store.save(create("k", "{}")).await.unwrap();
    let Saved::Committed(etag) = saved else { panic!("{saved:?}") };
    assert!(store.load(&key("k")).await.unwrap().is_some());
    assert_eq!(store.due(sayso_turn::clock::Timestamp::START, None, 9).await.unwrap().found, []);
    let listed: Vec<_> =
        futures_util::TryStreamExt::try_collect::<Vec<_>>(store.list("")).await.unwrap();
    assert_eq!(listed, [key("k")]);
    assert!(matches!(store.delete(&key("k"), &etag).await, Ok(Saved::Committed(_))));

    let store = RedisStore::open_url(&format!("{url}?prefix=other")).await.unwrap();
    let error = store.save(create("k", "{}")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("may not do this"), "{error}");
}

#[tokio::test]
async fn a_place_where_no_server_is_is_named() {
    let (is_transient, text) =
        refusal(&format!("redis://:hunter2@127.0.0.1:{}", free_port())).await;
    assert!(is_transient && text.contains("is it running there?"), "{text}");
    let (is_transient, text) = refusal("redis://:hunter2@no-such-host.invalid").await;
    assert!(is_transient && text.contains("no-such-host.invalid"), "{text}");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://127.0.0.1:{}", silent.local_addr().unwrap().port());
    let config = RedisConfig::from_url(&url).unwrap().with_timeout(Duration::from_millis(300));
    let start = Instant::now();
    let error = RedisStore::open(config).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_database_that_does_not_exist_and_a_node_of_a_cluster_are_refused() {
    let server = Server::start(&["--databases", "2"]);
    let (is_transient, text) = refusal(&server.url().replace("/0", "/7")).await;
    assert!(!is_transient, "{text}");
    let node =
        Server::start(&["--cluster-enabled", "yes", "--cluster-port", &free_port().to_string()]);
    let (is_transient, text) = refusal(&node.url()).await;
    assert!(!is_transient && text.contains("redis+cluster://"), "{text}");
    let (_, text) =
        refusal(&server.url().replace("redis:", "redis+cluster:").replace("/0", "")).await;
    assert!(text.contains("use redis://"), "{text}");
}

/// A proxy before one server, that refuses what names two slots, as one before a hidden cluster.
fn enforce_slots(target: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // The threads end with the process of the test.
    let _thread = thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let mut server = TcpStream::connect(("127.0.0.1", target)).unwrap();
            let (mut back, mut answers) =
                (client.try_clone().unwrap(), server.try_clone().unwrap());
            let _back = thread::spawn(move || io::copy(&mut answers, &mut back));
            let _there = thread::spawn(move || {
                let mut buffer = [0; 65_536];
                while let Ok(count @ 1..) = client.read(&mut buffer) {
                    let text = String::from_utf8_lossy(&buffer[..count]);
                    let sent = match text.contains("{s0}") && text.contains("{s1}") {
                        true => {
                            client.write_all(b"-CROSSSLOT Keys don't hash to the same slot\r\n")
                        }
                        false => server.write_all(&buffer[..count]),
                    };
                    if sent.is_err() {
                        break;
                    }
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn a_cluster_that_hides_behind_one_address_is_refused() {
    let server = Server::start(&[]);
    let url = format!("redis://127.0.0.1:{}", enforce_slots(server.port));
    let (is_transient, text) = refusal(&url).await;
    assert!(!is_transient && text.contains("CROSSSLOT"), "{text}");
    assert!(text.contains("use redis+cluster:// with its nodes, or a database without"), "{text}");
}

/// A password that is changed under a bot is no reason to give anything up: it may be changed back.
#[tokio::test]
async fn rights_that_are_lost_later_may_come_back() {
    let server = Server::start(&[]);
    let rights = ["ACL", "SETUSER", "bot", "on", ">hunter2", "~*", "+@all"];
    let () = server.tell(&rights).await;
    let url = server.url().replace("//", "//bot:hunter2@");
    let store = RedisStore::open_url(&url).await.unwrap();
    assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));
    for (lose, why) in [
        (&["ACL", "SETUSER", "bot", "-@all"][..], "may not do this"),
        (&["ACL", "SETUSER", "bot", "resetpass", ">other"], "password is wrong"),
        (&["ACL", "SETUSER", "bot", "off"], "password is wrong"),
    ] {
        let () = server.tell(lose).await;
        // What it has let in it lets stay.
        let _killed: u64 = server.tell(&["CLIENT", "KILL", "USER", "bot"]).await;
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < Duration::from_secs(5), "{why}");
            let saved = store.save(create("new", "{}")).await;
            let loaded = store.load(&key("k")).await;
            let (Err(saved), Err(loaded)) = (saved, loaded) else { continue };
            assert!(saved.is_transient() && loaded.is_transient(), "{saved} {loaded}");
            if saved.to_string().contains(why) && loaded.to_string().contains(why) {
                assert!(matches!(saved, Error::Unavailable { .. }), "{saved}");
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let () = server.tell(&rights).await;
        let start = Instant::now();
        while store.load(&key("k")).await.is_err() {
            assert!(start.elapsed() < Duration::from_secs(5), "it comes back after {why}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

const CHILD: &str = "SAYSO_STORES_TEST_TLS";

/// With a certificate of an authority that the machine trusts the store opens, with any other not.
/// The trust comes from the environment, so each case is a process of its own.
#[tokio::test]
async fn tls_is_used_and_certificates_are_checked() {
    if let Ok(url) = env::var(CHILD) {
        let opened = RedisStore::open_url(&url).await;
        match env::var("SSL_CERT_FILE").unwrap().ends_with("authority.pem") {
            true => {
                let store = opened.unwrap();
                assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));
            }
            false => {
                let error = opened.unwrap_err();
                assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
                let text = format!("{error} {}", std::error::Error::source(&error).unwrap());
                assert!(text.contains("certificate"), "{text}");
            }
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["authority", "stranger", "server"] {
        let mut openssl = Command::new("openssl");
        openssl
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"])
            .args(["-subj", &format!("/CN={name}"), "-addext", "subjectAltName=IP:127.0.0.1"])
            .args([
                "-keyout",
                &file(&format!("{name}.key")),
                "-out",
                &file(&format!("{name}.pem")),
            ]);
        if name == "server" {
            openssl
                .args(["-CA", &file("authority.pem"), "-CAkey", &file("authority.key")])
                .args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        }
        let made = openssl.output().expect("openssl makes certificates for this test: install it");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    let port = free_port();
    let server = Server::start(&[
        "--tls-port",
        &port.to_string(),
        "--tls-cert-file",
        &file("server.pem"),
        "--tls-key-file",
        &file("server.key"),
        "--tls-ca-cert-file",
        &file("authority.pem"),
        "--tls-auth-clients",
        "no",
    ]);
    let url = format!("rediss://127.0.0.1:{port}?prefix={}", prefix());
    for trusted in ["authority.pem", "stranger.pem"] {
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "redis::opening::tls_is_used_and_certificates_are_checked"])
            .arg("--nocapture")
            .env(CHILD, &url)
            .env("SSL_CERT_FILE", file(trusted))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout).into_owned();
        let why = String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success() && said.contains("1 passed"), "{said}{why}");
    }
    let keys: Vec<String> = tell(&server.url(), &["KEYS", "*:d:k"]).await;
    assert_eq!(keys.len(), 1, "one of the two wrote");
}

//! Checks of the store, the address and the service URLs.

use tokio::{io::AsyncWriteExt as _, net::TcpListener};

use super::Visit;
use crate::{
    login::{Login, Manners, SECRET},
    process::{Served, sayso},
};

#[tokio::test]
async fn a_store_that_is_not_there_yet_is_well_and_looking_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let visit = Visit::to(folder.path(), &["--store", "sqlite:data/deep/bot.sqlite"], &[]).await;
    assert_eq!((visit.mark("store"), visit.code), ("ok", Some(0)), "{visit:?}");
    assert!(visit.row("store")["text"].as_str().unwrap().contains("the first start creates it"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_store_that_cannot_be_used_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "these are my notes\n".repeat(100)).unwrap();
    // Nobody can make a file there, not even the superuser.
    let closed = if cfg!(target_os = "linux") { "/proc/bot.sqlite" } else { "/dev/bot.sqlite" };
    for (url, text, cure) in [
        (format!("sqlite:{closed}"), "cannot be created", "give this user write access"),
        (format!("sqlite:{}/bot.sqlite", notes.display()), "cannot be created", "--store"),
        (format!("sqlite:{}", notes.display()), "notes.txt", "--store"),
        ("mysql://root:c4n4ry@db".to_owned(), "`mysql:` is not a store", "--store"),
    ] {
        let visit = Visit::to(folder.path(), &["--store", &url], &[]).await;
        visit.fails("store", text, cure);
        visit.rest_is_well(&["store"]);
        assert!(!format!("{visit:?}").contains("c4n4ry"), "{visit:?}");
    }
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_server_that_is_not_there_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = format!("postgres://bot:c4n4ry@{free}/bots");
    let visit = Visit::to(folder.path(), &["--store", &url], &[]).await;
    visit.fails("store", &format!("PostgreSQL at {free}/bots"), "accepts this machine");
    visit.rest_is_well(&["store"]);
    assert!(!format!("{visit:?}").contains("c4n4ry"), "{visit:?}");

    // One that takes the connection and says nothing: the doctor's patience is shorter than the
    // store's.
    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://bot@{}/bots", mute.local_addr().unwrap());
    let visit = Visit::to(folder.path(), &["--store", &url], &[]).await;
    visit.fails("store", "no answer within 5 s", "can be reached from here");
    assert!(visit.row("store")["ms"].as_u64().unwrap() < 9000, "{visit:?}");
}

#[tokio::test]
async fn an_address_in_use_is_well_if_a_bot_uses_it() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &["--store", "memory://"]).await;
    let address = served.url.strip_prefix("http://").unwrap();
    let here = ["--address", address, "--admin-address", &served.admin];
    let visit = Visit::to(folder.path(), &here, &[]).await;
    visit.rest_is_well(&[]);
    assert!(visit.row("address")["text"].as_str().unwrap().contains("by a bot that is ready"));

    let stranger = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = stranger.local_addr().unwrap().to_string();
    let here = ["--address", &address, "--admin-address", &address];
    let answering = tokio::spawn(async move {
        for _ in 0..10 {
            let (mut stream, _) = stranger.accept().await.unwrap();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
            drop(stream.write_all(answer).await);
        }
    });
    let visit = Visit::to(folder.path(), &here, &[]).await;
    visit.fails("address", "is in use by something else", "--address 127.0.0.1:0");
    visit.rest_is_well(&["address"]);
    answering.abort();
}

#[tokio::test]
async fn an_address_that_others_reach_needs_an_app() {
    let folder = tempfile::tempdir().unwrap();
    let open = ["--address", "0.0.0.0:0"];
    let visit = Visit::to(folder.path(), &open, &[]).await;
    visit.fails("address", "no authentication is set up", "set MicrosoftAppId");
    visit.fails("app", "none is configured", "set MicrosoftAppId");
    visit.rest_is_well(&["address", "app"]);
    let login = Login::start(Manners::default()).await;
    let visit = Visit::to(folder.path(), &open, &login.variables(SECRET)).await;
    visit.rest_is_well(&[]);
    let nowhere = ["--address", "192.0.2.7:3978"];
    let visit = Visit::to(folder.path(), &nowhere, &login.variables(SECRET)).await;
    visit.fails("address", "cannot listen on 192.0.2.7:3978", "use an address of this machine");
}

#[tokio::test]
async fn service_urls_that_make_little_sense_are_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let urls = |urls: &str| ("SAYSO_SERVICE_URLS", urls.to_owned());
    let visit = Visit::to(folder.path(), &[], &[urls("https://channel.example/")]).await;
    assert_eq!((visit.mark("service URLs"), visit.code), ("warning", Some(0)), "{visit:?}");
    let login = Login::start(Manners::default()).await;
    let mut variables = login.variables(SECRET);
    variables.push(urls("https://channel.example/, http://localhost:1"));
    let visit = Visit::to(folder.path(), &[], &variables).await;
    assert_eq!((visit.mark("service URLs"), visit.code), ("warning", Some(0)), "{visit:?}");
    variables.push(urls("ftp://channel.example/"));
    let visit = Visit::to(folder.path(), &[], &variables).await;
    visit.fails("configuration", "entry 1 can never match", "correct it");
}

/// Warnings about settings that weaken durability come from the doctor, and once at a start.
#[cfg(feature = "redis")]
#[tokio::test]
async fn settings_that_weaken_the_promise_are_told() {
    const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/servers.d/redis");
    use std::process::Stdio;

    use tokio::process::Command;

    let folder = tempfile::tempdir().unwrap();
    let installed = Command::new(SCRIPT).arg("install").stdout(Stdio::null()).status().await;
    assert!(installed.unwrap().success(), "Redis can be installed");
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut redis = Command::new(SCRIPT);
    redis.arg("serve").arg(folder.path()).arg(free.port().to_string());
    redis.args(["--appendfsync", "everysec"]).stdout(Stdio::null()).kill_on_drop(true);
    let redis = redis.spawn().unwrap();
    let url = format!("redis://{free}/0");
    let mut opened = sayso::open_store(&url).await;
    for _ in 0..100 {
        if opened.is_ok() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        opened = sayso::open_store(&url).await;
    }
    assert!(opened.is_ok(), "Redis starts: {opened:?}");

    let what = "does not flush every write";
    let visit = Visit::to(folder.path(), &["--store", &url], &[]).await;
    assert_eq!((visit.mark("store"), visit.code), ("warning", Some(0)), "{visit:?}");
    assert!(visit.row("store")["text"].as_str().unwrap().contains(what), "{visit:?}");
    visit.rest_is_well(&["store"]);

    let arguments = ["serve", "--address", "127.0.0.1:0", "--until-stdin-ends", "--store", &url];
    let mut command = sayso(folder.path(), &arguments);
    let output = command.stdin(Stdio::null()).env("SAYSO_LOG", "off").output().await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.matches(what).count(), 1, "{said}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    drop(redis);
}

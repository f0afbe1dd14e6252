//! Startup errors: one sentence that says what is wrong and what to do.

use crate::process::{Ended, run};

async fn refused(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let Ended { code, stdout, stderr } = run(folder.path(), arguments, "").await;
    assert_ne!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.is_empty(), "{stdout}");
    stderr
}

#[tokio::test]
async fn an_address_that_others_can_reach_is_refused() {
    for address in ["0.0.0.0:3978", "[::]:0", "192.0.2.7:80"] {
        let text = refused(&["--address", address, "--store", "memory://"]).await;
        assert!(text.contains("no authentication is configured"), "{text}");
        assert!(text.contains("MicrosoftAppId") && text.contains("127.0.0.1:"), "{text}");
    }
}

#[tokio::test]
async fn a_port_in_use_is_named_with_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for semantics in ["sayso", "classic"] {
        let text = refused(&[
            "serve",
            "--address",
            &address,
            "--store",
            "memory://",
            "--semantics",
            semantics,
        ])
        .await;
        assert!(text.contains(&format!("{address} is in use")), "{text}");
        assert!(text.contains("--address 127.0.0.1:0"), "{text}");
    }
}

#[tokio::test]
async fn an_unknown_store_is_refused_with_what_works() {
    for command in ["serve", "chat", "race"] {
        let text = refused(&[command, "--store", "mysql://root:secret@db"]).await;
        assert!(text.contains("`mysql:`") && text.contains("sqlite:"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_store_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "these are my notes\n".repeat(100)).unwrap();
    let url = format!("sqlite:{}", file.display());
    let ended = run(folder.path(), &["serve", "--store", &url], "").await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("notes.txt"), "{}", ended.stderr);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("these are my notes"));
}

#[tokio::test]
async fn two_processes_cannot_share_memory() {
    let text = refused(&["race", "--store", "memory://"]).await;
    assert!(text.contains("sqlite:"), "{text}");
}

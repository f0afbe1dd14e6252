//! Mistakes of authors in a real process: what `serve` prints, and what its log says.
//!
//! The process is this test binary again, with one test in it: a `main` that returns an error is
//! printed in the same way.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use sayso::{OpenError, prelude::*};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::{Child, Command},
};

use crate::client::post;

/// Variable that makes the test below the process of a mistake.
const MISTAKE: &str = "SAYSO_TEST_MISTAKE";
/// Words of a user, which nobody may log.
const CANARY: &str = "c4n4ry";

async fn nothing(_: Turn) -> Result {
    Ok(())
}

#[derive(Debug, thiserror::Error)]
#[error("the oven is not ready")]
struct Oven(#[source] std::io::Error);

/// Fails in the way that the text says.
async fn fail(mut turn: Turn) -> Result {
    let how = turn.text().split(' ').next().unwrap_or_default().to_owned();
    match how.as_str() {
        "err" => Err(Oven(std::io::Error::other("it is cold")).into()),
        "panic" => panic!("nobody has lit the oven"),
        "shape" => {
            turn.state().set_raw("size", sayso::activity::Raw::from_text("\"c4n4ry\"".into())?)?;
            *turn.state().named::<u32>("size")? += 1;
            Ok(())
        }
        _ => Ok(()),
    }
}

fn bot(mistake: &str) -> Bot {
    match mistake {
        "two handlers" => Bot::new().on_message(nothing).on_message(nothing),
        _ => Bot::new().on_message(fail),
    }
}

/// The process of a mistake; in any other run it has nothing to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_of_a_mistake() -> Result {
    match std::env::var(MISTAKE) {
        Ok(mistake) => serve(bot(&mistake)).await,
        Err(_) => Ok(()),
    }
}

/// Number of the line of this file that has a text.
fn line_of(text: &str) -> usize {
    let mut lines = include_str!("mistakes.rs").lines();
    lines.position(|line| line.contains(text)).expect("it is in this file") + 1
}

/// Starts the process of a mistake, in a folder of its own.
fn start(folder: &std::path::Path, mistake: &str, variables: &[(&str, &str)]) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SAYSO_")) {
        command.env_remove(name);
    }
    command
        .args(["mistakes::the_process_of_a_mistake", "--exact", "--nocapture"])
        .current_dir(folder)
        .env_remove("RUST_LOG")
        .env("RUST_BACKTRACE", "0")
        .env("SAYSO_AUTH", "none")
        .env("SAYSO_ADDRESS", "127.0.0.1:0")
        .env("SAYSO_STORE", "memory://")
        .env(MISTAKE, mistake)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// Standard error of a process that does not start.
async fn refused(mistake: &str, variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let child = start(folder.path(), mistake, variables);
    let ended = tokio::time::timeout(Duration::from_secs(30), child.wait_with_output()).await;
    let ended = ended.expect("it ends by itself").unwrap();
    assert!(!ended.status.success());
    String::from_utf8(ended.stderr).unwrap()
}

#[tokio::test]
async fn a_server_that_cannot_start_says_in_one_sentence_why_and_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let line = line_of(&["on_message(nothing)", ".on_message(nothing)"].concat());
    let two_handlers = format!("mistakes.rs:{line}:");
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);
    let cases: [Case<'_>; 6] = [
        (
            "two handlers",
            &[],
            &[
                "Error: the bot cannot be started: the handler of `message` at ",
                &two_handlers,
                " would never run, because the one of `message` at ",
                ": let one handler decide, by `turn.text()` for example, or remove one",
            ],
        ),
        (
            "misspelt variable",
            &[("SAYSO_ADRESS", "127.0.0.1:1")],
            &["environment SAYSO_ADRESS: this variable", "did you mean SAYSO_ADDRESS?"],
        ),
        (
            "bad URL",
            &[("SAYSO_STORE", "mysql://root:c4n4ry@db")],
            &["`mysql:` is not a store this build knows; use ", "memory://"],
        ),
        (
            "port in use",
            &[("SAYSO_ADDRESS", &taken)],
            &[" is in use", "SAYSO_ADDRESS=127.0.0.1:0 takes any free port", "`Server::address`"],
        ),
        ("bad filter", &[("SAYSO_LOG", "info,=,")], &["environment SAYSO_LOG", "log.filter"]),
        ("no app", &[("SAYSO_AUTH", "")], &["refusing to start", "SAYSO_AUTH=none"]),
    ];
    for (mistake, variables, parts) in cases {
        let text = refused(mistake, variables).await;
        for part in parts {
            assert!(text.contains(part), "{mistake}: no {part:?} in {text}");
        }
        assert_eq!(text.matches("Error: ").count(), 1, "{mistake}: {text}");
        assert!(!text.contains(CANARY), "{mistake}: {text}");
    }
}

/// Says something to the process of a mistake, and reads its log until a line has this in it.
async fn logged(says: &str, until: &str, variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path(), "a handler that fails", variables);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut url = None;
    while url.is_none() {
        let line = lines.next_line().await.unwrap().expect("it starts");
        let rest = line.strip_prefix("listening on ");
        url = rest.and_then(|rest| rest.split(' ').next().map(str::to_owned));
    }
    let body = format!(
        r#"{{"type":"message","id":"1","channelId":"t","conversation":{{"id":"dinner"}},
            "deliveryMode":"expectReplies","text":"{says}"}}"#
    );
    drop(post(&url.unwrap(), &body).await);
    let mut log = String::new();
    let mut stderr = child.stderr.take().unwrap();
    let since = Instant::now();
    while !log.contains(until) {
        assert!(since.elapsed() < Duration::from_secs(30), "no {until:?} in {log}");
        let mut piece = [0; 4096];
        let count = tokio::time::timeout(Duration::from_secs(30), stderr.read(&mut piece)).await;
        let count = count.unwrap_or_else(|_| panic!("no {until:?} in {log}")).unwrap();
        assert!(count > 0, "no {until:?} in {log}");
        log.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    child.kill().await.unwrap();
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).await.unwrap();
    log + &rest
}

#[tokio::test]
async fn a_handler_that_fails_is_logged_once_with_its_causes_and_its_place() {
    let says = format!("err {CANARY}");
    let log = logged(&says, "the bot's logic failed", &[]).await;
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("ERROR")).collect();
    let [line] = lines[..] else { panic!("{log}") };
    for part in [
        "error=the oven is not ready: it is cold",
        "conversation=t/conversations/dinner",
        "handling=message",
        "turn{id=",
    ] {
        assert!(line.contains(part), "no {part:?} in {line}");
    }
    assert!(!log.contains(CANARY), "{log}");
}

#[tokio::test]
async fn a_handler_that_panics_is_logged_once_with_its_line() {
    let says = format!("panic {CANARY}");
    let log = logged(&says, "the bot's logic panicked", &[("SAYSO_LOG_FORMAT", "json")]).await;
    let lines: Vec<&str> = log.lines().filter(|line| line.contains(r#""level":"ERROR""#)).collect();
    let [line] = lines[..] else { panic!("{log}") };
    let at = line_of(&["panic!(\"nobody has lit", " the oven\")"].concat());
    assert!(line.contains(&format!("mistakes.rs:{at}:")), "{line}");
    assert!(line.contains(r#""conversation":"t/conversations/dinner""#), "{line}");
    assert!(!log.contains(CANARY), "{log}");
}

#[tokio::test]
async fn what_does_not_fit_is_logged_without_the_value() {
    let log = logged("shape", "the bot's logic failed", &[]).await;
    assert!(log.contains("the property `size` of t/conversations/dinner does not fit"), "{log}");
    assert!(log.contains("invalid type: string ..., expected u32"), "{log}");
    assert!(!log.contains(CANARY), "{log}");
}

#[tokio::test]
async fn settings_of_the_log_apply() {
    let log = logged("err", "the bot's logic failed", &[("SAYSO_LOG", "sayso_turn=error")]).await;
    assert!(!log.contains("a guard is lowered"), "{log}");
    let log = logged("err", "the bot's logic failed", &[]).await;
    assert!(log.contains("a guard is lowered"), "a warning, which the default shows: {log}");
}

#[test]
fn an_error_that_main_returns_is_its_sentence() {
    let lacking = OpenError::NotBuiltIn { scheme: "postgres:".to_owned(), feature: "postgres" };
    assert_eq!(format!("{lacking:?}"), lacking.to_string());
    assert!(lacking.to_string().contains("`cargo add sayso --features postgres`"));
    assert!(lacking.to_string().contains("Cargo.toml"), "{lacking}");
    let served = sayso::ServeError::from(lacking);
    assert!(format!("{served:?}").contains("add the feature `postgres`"), "{served:?}");
    let key = Key::conversation("teams", "").unwrap_err();
    assert!(key.to_string().contains("is missing or empty"), "{key}");
}

//! A turn of a minute, over real processes: a client that gives up after 15 s and sends again, and
//! `kill -9` in the middle.
//!
//! The instances are this very test binary, started again: the command has no bot that is so slow.

#![expect(clippy::print_stdout, reason = "figures that a reader of the test's output wants to see")]

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use sayso::prelude::*;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::{sleep, timeout},
};

use crate::{
    client::{STEP_MAX, post, signal},
    sink::Sink,
};

/// Environment variable that names the folder to an instance.
const FOLDER: &str = "SAYSO_TEST_LONG";
const TURN: Duration = Duration::from_secs(60);
/// Timeout of a channel.
const PATIENCE: Duration = Duration::from_secs(15);

/// An outside service that keeps a list of the calls it had, with their keys.
fn calls(folder: &Path) -> PathBuf {
    folder.join("calls")
}

fn slow(folder: &Path) -> Bot {
    let calls = calls(folder);
    Bot::new().on_message(move |mut turn: Turn| {
        let calls = calls.clone();
        async move {
            turn.once("bake", |key| async move {
                let mut file = OpenOptions::new().create(true).append(true).open(calls)?;
                writeln!(file, "{key}")?;
                Ok::<_, BotError>(())
            })
            .await?;
            sleep(TURN).await;
            *turn.state().named::<u32>("baked")? += 1;
            let baked = *turn.state().named::<u32>("baked")?;
            turn.say(format!("{baked} baked"));
            Ok(())
        }
    })
}

/// An instance. It comes up and answers; started by one of the tests below, it then goes on.
#[tokio::test]
async fn an_instance_comes_up() {
    let given = std::env::var_os(FOLDER).map(PathBuf::from);
    let own = tempfile::tempdir().unwrap();
    let folder = given.as_deref().unwrap_or_else(|| own.path());
    let store = format!("sqlite:{}", folder.join("state.sqlite").display());
    let server = Server::new(slow(folder))
        .unauthenticated()
        .address(([127, 0, 0, 1], 0))
        .store(sayso::open_store(&store).await.unwrap());
    let running = server.start().await.unwrap();
    let health = reqwest::get(format!("{}/healthz", running.admin_url().unwrap())).await.unwrap();
    assert!(health.status().is_success());
    if given.is_some() {
        let ready = folder.join(format!("ready-{}", std::process::id()));
        fs::write(ready, running.url()).unwrap();
        // Its parent ends it.
        sleep(6 * TURN).await;
    }
}

struct Instance {
    url: String,
    child: Child,
}

impl Instance {
    async fn start(folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "long::an_instance_comes_up"])
            .env(FOLDER, folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let ready = folder.join(format!("ready-{}", child.id().unwrap()));
        // Somebody has to read what it prints.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let began = Instant::now();
        loop {
            if let Ok(url) = fs::read_to_string(&ready)
                && !url.is_empty()
            {
                return Self { url, child };
            }
            assert!(began.elapsed() < STEP_MAX, "the instance does not come up");
            sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Sends a message as a channel does, and says how long the answer took.
async fn deliver(instance: &Instance, message: &str) -> Duration {
    let began = Instant::now();
    let answer = timeout(PATIENCE, post(&instance.url, message)).await;
    let status = answer.expect("an answer before the channel gives up").status();
    assert_eq!(status.as_u16(), 202, "durable, not done");
    began.elapsed()
}

async fn long_turn(is_killed: bool) {
    let folder = tempfile::tempdir().unwrap();
    let mut sink = Sink::start(Duration::ZERO).await;
    let mut first = Instance::start(folder.path()).await;
    let second = Instance::start(folder.path()).await;
    let message = sink.message("1", "bake");

    let began = Instant::now();
    let waited = deliver(&first, &message).await;
    assert!(waited < Duration::from_secs(12), "{waited:?}");
    // The channel did not hear of it, or does not trust it: it sends again, to any instance.
    sleep(PATIENCE.saturating_sub(began.elapsed())).await;
    deliver(&second, &message).await;
    deliver(&first, &message).await;
    if is_killed {
        sleep(Duration::from_secs(30).saturating_sub(began.elapsed())).await;
        signal(first.child.id().unwrap(), "KILL").await;
        drop(first.child.wait().await);
        deliver(&second, &message).await;
    }
    let reply = timeout(3 * TURN, sink.texts.recv()).await.expect("a final reply").unwrap();
    let took = began.elapsed();
    assert_eq!(reply, "1 baked");
    // Known for good.
    assert_eq!(post(&second.url, &message).await.status().as_u16(), 200);
    sleep(Duration::from_secs(5)).await;
    assert!(sink.texts.try_recv().is_err(), "one final reply");
    let calls = fs::read_to_string(calls(folder.path())).unwrap();
    let mut keys: Vec<&str> = calls.lines().collect();
    let count = keys.len();
    keys.dedup();
    assert_eq!(keys.len(), 1, "one effect: {calls}");
    assert_eq!(count, if is_killed { 2 } else { 1 }, "begun again only by the heir");
    println!(
        "long turn, killed: {is_killed}: acknowledged after {waited:?}, answered after {took:?}"
    );
}

/// Both in one test, at the same time: nearly all of it is waiting.
#[tokio::test]
async fn a_minute_long_turn_has_one_effect_and_one_final_reply_also_after_kill_9_at_second_30() {
    tokio::join!(long_turn(false), long_turn(true));
}

//! Durable steps over real processes: `kill -9` in the middle of calls and between them, again and
//! again, while two instances share a store. The calls are counted outside.
//!
//! The instances are this very test binary, started again. `SAYSO_STEPS_KILLS=200` kills so often.

#![expect(clippy::print_stdout, reason = "figures that a reader of the test's output wants to see")]

mod service;

use std::{
    fs,
    path::PathBuf,
    process::Stdio,
    time::{Duration, Instant},
};

use sayso::{
    Limits,
    dialog::conversation::{Conversation, conversation, text},
    prelude::*,
    turn::IdempotencyKey,
};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::{sleep, timeout},
};

use self::service::Service;
use crate::{
    client::{STEP_MAX, post, signal},
    sink::Sink,
};

/// Environment variables of an instance: its folder, its store, the service that it calls.
const FOLDER: &str = "SAYSO_TEST_STEPS";
const STORE: &str = "SAYSO_TEST_STEPS_STORE";
const SERVICE: &str = "SAYSO_TEST_STEPS_SERVICE";
/// Lifetime of an instance that nobody ends.
const LIFE_MAX: Duration = Duration::from_secs(3600);
/// Number of kills of all tests together, unless the variable says otherwise.
const KILLS: usize = 24;
const TESTS: usize = 4;
/// Steps of each turn, and of each conversation after its answer.
const STEPS: [&str; 3] = ["reserve", "charge", "ship"];

/// Number of kills of one test.
fn kills() -> usize {
    let given = std::env::var("SAYSO_STEPS_KILLS").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(KILLS).div_ceil(TESTS)
}

/// Asks the service to do its work, which takes a while.
async fn call(url: &str, step: &str, key: IdempotencyKey) -> Result<u64> {
    let client = reqwest::Client::builder().no_proxy().timeout(STEP_MAX).build()?;
    let request = client.post(format!("{url}/{step}")).header("idempotency-key", key.as_str());
    Ok(request.send().await?.error_for_status()?.text().await?.parse()?)
}

async fn order(mut turn: Turn, url: String) -> Result {
    let mut line = turn.text().to_owned();
    for step in STEPS {
        let url = &url;
        let number = turn.step(step, |key| call(url, step, key)).await?;
        line.push_str(&format!(" {number}"));
    }
    turn.say(line);
    Ok(())
}

/// The same as a conversation: the second message is the answer that it waits for.
async fn talk(c: Conversation, url: String) -> Result {
    let mut line = c.ask(text("What?")).await?;
    for step in STEPS {
        let url = &url;
        let number = c.step(step, |key| call(url, step, key)).await?;
        line.push_str(&format!(" {number}"));
    }
    c.say(line);
    Ok(())
}

fn bot(is_conversation: bool, url: String) -> Bot {
    match is_conversation {
        true => conversation("talk", move |c| talk(c, url.clone())).bot(),
        false => Bot::new().on_message(move |turn| order(turn, url.clone())),
    }
}

/// An instance. It comes up and answers; started by one of the tests below, it then goes on.
#[tokio::test]
async fn an_instance_comes_up() {
    let given = std::env::var_os(FOLDER).map(PathBuf::from);
    let own = tempfile::tempdir().unwrap();
    let store = std::env::var(STORE)
        .unwrap_or_else(|_| format!("sqlite:{}", own.path().join("state.sqlite").display()));
    let service = std::env::var(SERVICE).unwrap_or_default();
    // Short times, so that a claim lapses while the test waits.
    let limits = Limits {
        claim: Duration::from_millis(2000),
        send_timeout: Duration::from_millis(800),
        sweep_every: Duration::from_millis(200),
        lost_max: 1000,
        ..Limits::default()
    };
    let is_conversation = service.ends_with("/talk");
    let server = Server::new(bot(is_conversation, service))
        .unauthenticated()
        .address(([127, 0, 0, 1], 0))
        .limits(limits)
        .store(sayso::open_store(&store).await.unwrap());
    let running = server.start().await.unwrap();
    let health = reqwest::get(format!("{}/healthz", running.admin_url().unwrap())).await.unwrap();
    assert!(health.status().is_success());
    if let Some(folder) = given {
        fs::write(folder.join(format!("ready-{}", std::process::id())), running.url()).unwrap();
        // Its parent ends it.
        sleep(LIFE_MAX).await;
    }
}

/// Settings of the instances of one test.
struct Place {
    folder: tempfile::TempDir,
    store: String,
    service: String,
}

struct Instance {
    url: String,
    child: Child,
}

impl Instance {
    /// Starts an instance; it is ready when the future is.
    fn start(place: &Place) -> impl Future<Output = Self> + Send + use<> {
        let folder = place.folder.path().to_owned();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "steps::an_instance_comes_up"])
            .env(FOLDER, &folder)
            .env(STORE, &place.store)
            .env(SERVICE, &place.service)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let ready = folder.join(format!("ready-{}", child.id().unwrap()));
        // Somebody has to read what it prints.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let began = Instant::now();
        async move {
            loop {
                if let Ok(url) = fs::read_to_string(&ready)
                    && !url.is_empty()
                {
                    return Self { url, child };
                }
                assert!(began.elapsed() < STEP_MAX, "the instance does not come up");
                sleep(Duration::from_millis(20)).await;
            }
        }
    }

    async fn kill(mut self) {
        signal(self.child.id().unwrap(), "KILL").await;
        drop(self.child.wait().await);
    }
}

/// Takes orders until so many instances were killed while they worked.
async fn killed(store: String, folder: tempfile::TempDir, is_conversation: bool) {
    let service = Service::start().await;
    let path = if is_conversation { "/talk" } else { "/order" };
    let place = Place { folder, store, service: format!("{}{path}", service.url()) };
    let mut sink = Sink::start(Duration::ZERO).await;
    let mut instances = [Instance::start(&place).await, Instance::start(&place).await];
    let (kills, mut repeats) = (kills(), 0);
    let mut before = String::new();
    for n in 0..kills {
        if is_conversation {
            let hi = sink.message(&format!("hi{n}"), "hi");
            assert!(post(&instances[0].url, &hi).await.status().is_success());
        }
        let text = format!("order{n}");
        let order = sink.message(&text, &text);
        assert!(post(&instances[0].url, &order).await.status().is_success());
        // In the first call, right after it, in the second, and so on.
        let place_in_turn = n % (2 * STEPS.len());
        let fresh = Instance::start(&place);
        let fresh = tokio::spawn(fresh);
        service.until(STEPS.len() * n + place_in_turn / 2 + 1, place_in_turn % 2 == 1).await;
        sleep(a_moment(n)).await;
        let [first, second] = instances;
        first.kill().await;
        instances = [second, fresh.await.unwrap()];
        let said = loop {
            let said = next(&mut sink).await;
            // What was handed over just before a kill may come again, under the same id.
            match said == before || said == "What?" {
                true => repeats += usize::from(said == before),
                false => break said,
            }
        };
        let words: Vec<&str> = said.split(' ').collect();
        assert_eq!((words[0], words.len()), (text.as_str(), 1 + STEPS.len()), "{said}");
        assert!(words[1..].iter().all(|number| service.has_answered(number)), "{said}");
        before = said;
    }
    sleep(Duration::from_secs(3)).await;
    while let Ok(late) = sink.texts.try_recv() {
        assert!(late == before || late == "What?", "{late}");
        repeats += usize::from(late == before);
    }
    let story = service.story();
    println!(
        "steps: {kills} kills, {} calls under {} keys, {} in flight repeated, {} finished ones, \
         {repeats} replies handed over again",
        story.calls,
        story.keys,
        story.repeated,
        story.after_finished.len()
    );
    assert_eq!(story.keys, kills * STEPS.len(), "one key for each step of each turn");
    assert!(story.after_finished.is_empty(), "{:?}", story.after_finished);
    assert!(story.repeated >= kills / 4, "kills in the middle of a call");
    assert!(story.repeated <= kills, "one call in flight at a time");
}

/// A short time, another one each time: a kill comes before the save of a result, or after it.
fn a_moment(n: usize) -> Duration {
    Duration::from_millis((n as u64 * 7) % 12)
}

async fn next(sink: &mut Sink) -> String {
    timeout(2 * STEP_MAX, sink.texts.recv()).await.expect("a reply").unwrap()
}

fn sqlite() -> (String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (format!("sqlite:{}", folder.path().join("state.sqlite").display()), folder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite_a_finished_call_of_a_turn_is_not_made_again_after_kill_9() {
    let (store, folder) = sqlite();
    killed(store, folder, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite_a_finished_call_of_a_conversation_is_not_made_again_after_kill_9() {
    let (store, folder) = sqlite();
    killed(store, folder, true).await;
}

#[cfg(feature = "postgres")]
mod on_postgres {
    use super::killed;

    /// A schema of its own on the server that `scripts/servers run` has started.
    async fn kill(schema: &str, is_conversation: bool) {
        let url = std::env::var("SAYSO_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!("SAYSO_TEST_POSTGRES is not set: use `scripts/servers run postgres -- ...`")
        });
        let separator = if url.contains('?') { '&' } else { '?' };
        let url = format!("{url}{separator}schema={schema}{}", std::process::id());
        killed(url, tempfile::tempdir().unwrap(), is_conversation).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_finished_call_of_a_turn_is_not_made_again_after_kill_9() {
        kill("steps_of_turns_", false).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_finished_call_of_a_conversation_is_not_made_again_after_kill_9() {
        kill("steps_of_conversations_", true).await;
    }
}

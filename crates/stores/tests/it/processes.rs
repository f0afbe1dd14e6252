//! Several processes on one file, and processes that are killed.
//!
//! Each test starts this very program again with a variable that makes the same test act as a
//! child.

use std::{
    collections::BTreeMap,
    env,
    io::{BufRead, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use futures_util::{StreamExt, future::join_all};
use sayso_stores::SqliteStore;
use sayso_turn::{
    Key,
    store::{Expect, Saved, Store, Write},
};

const FILE: &str = "SAYSO_STORES_TEST_FILE";
const PROCESSES: u64 = 4;
const INCREMENTS: u64 = 100;
const CREATED: u64 = 50;
const KEYS: u64 = 8;

fn start_again(test: &str, path: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn file_of_the_parent() -> Option<PathBuf> {
    env::var_os(FILE).map(PathBuf::from)
}

fn say(line: &str) {
    // Past the capture of the test harness: the parent reads it.
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{line}").unwrap();
    out.flush().unwrap();
}

/// The lines of a child that begin with a word, without it.
fn said(child: &mut Child, word: &'static str) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    lines.filter_map(move |line| line.strip_prefix(word).map(str::to_owned))
}

/// Adds one to the number in a document, starting over on conflict; the new number, and how many
/// conflicts there were.
async fn increment(store: &SqliteStore, key: &Key) -> (u64, u64) {
    for conflicts in 0..100_000 {
        let (expect, number) = match store.load(key).await.unwrap() {
            Some(stored) => (Expect::At(stored.etag), stored.body.parse::<u64>().unwrap()),
            None => (Expect::Absent, 0),
        };
        let body = (number + 1).to_string();
        let write = Write::new(key.clone(), expect, body);
        if let Saved::Committed(_) = store.save(write).await.unwrap() {
            return (number + 1, conflicts);
        }
    }
    panic!("no end of conflicts")
}

async fn hammer(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    let counter = Key::new("counter").unwrap();
    let (mut conflicts, mut won) = (0, 0);
    for number in 0..INCREMENTS {
        conflicts += increment(&store, &counter).await.1;
        if number < CREATED {
            let key = Key::new(format!("created/{number}")).unwrap();
            let write = Write::new(key, Expect::Absent, "{}");
            won += u64::from(matches!(store.save(write).await.unwrap(), Saved::Committed(_)));
        }
    }
    say(&format!("hammered {won} {conflicts}"));
}

#[tokio::test]
async fn four_processes_share_one_file() {
    if let Some(path) = file_of_the_parent() {
        return hammer(&path).await;
    }
    let folder = tempfile::tempdir().unwrap();
    // In a new folder, so that setting up is raced, too.
    let path = folder.path().join("new/bot.sqlite");
    let test = "processes::four_processes_share_one_file";
    let mut children: Vec<_> = (0..PROCESSES).map(|_| start_again(test, &path)).collect();
    let (mut won, mut conflicts) = (0, 0);
    for child in &mut children {
        for line in said(child, "hammered ") {
            let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            won += numbers[0];
            conflicts += numbers[1];
        }
        assert!(child.wait().unwrap().success(), "a child failed: an error surfaced");
    }
    let store = SqliteStore::open(&path).unwrap();
    let counter = store.load(&Key::new("counter").unwrap()).await.unwrap().unwrap();
    say(&format!("counter {}, {conflicts} conflicts between processes", counter.body));
    assert_eq!(counter.body, (PROCESSES * INCREMENTS).to_string());
    assert_eq!(won, CREATED, "each key was created by exactly one");
    assert_eq!(store.list("created/").collect::<Vec<_>>().await.len() as u64, CREATED);
    assert!(conflicts > 0, "the processes were never at work together");
}

async fn write_until_killed(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    let write = |number| {
        let (store, key) = (&store, Key::new(format!("key/{number}")).unwrap());
        async move {
            // Far more than the parent waits for; it ends by itself if the parent is gone.
            for _ in 0..20_000 {
                let (acked, _) = increment(store, &key).await;
                say(&format!("acked {number} {acked}"));
            }
        }
    };
    drop(join_all((0..KEYS).map(write)).await);
}

#[tokio::test]
async fn a_killed_process_loses_no_acknowledged_write() {
    if let Some(path) = file_of_the_parent() {
        return write_until_killed(&path).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let mut acked = BTreeMap::<u64, u64>::new();
    for lines_before_the_kill in [1, 50, 333, 1000] {
        let mut child =
            start_again("processes::a_killed_process_loses_no_acknowledged_write", &path);
        let mut lines = said(&mut child, "acked ");
        let mut count = 0;
        let mut take = |line: String| {
            // The last line may be cut short by the kill: then it was not said.
            let mut words = line.split(' ').map(str::parse);
            let (Some(Ok(key)), Some(Ok(number))) = (words.next(), words.next()) else { return };
            let highest = acked.entry(key).or_default();
            *highest = number.max(*highest);
            count += 1;
        };
        lines.by_ref().take(lines_before_the_kill).for_each(&mut take);
        child.kill().unwrap();
        lines.for_each(&mut take);
        assert!(!child.wait().unwrap().success(), "it was killed, it did not end");
        assert!(count >= lines_before_the_kill, "{count} acknowledged writes");

        let store = SqliteStore::open(&path).unwrap();
        for (key, number) in &mut acked {
            let key = Key::new(format!("key/{key}")).unwrap();
            let stored: u64 = store.load(&key).await.unwrap().unwrap().body.parse().unwrap();
            assert!(stored >= *number, "{key}: acknowledged {number}, stored {stored}");
            assert!(stored <= *number + 1, "{key}: at most one write was not yet acknowledged");
            *number = stored;
        }
        say(&format!("killed after {count} acknowledged writes, all kept: {acked:?}"));
    }
}

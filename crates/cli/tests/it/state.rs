//! `sayso state`: inspecting, moving and removing documents, with the real command on SQLite.

mod encrypted;
#[cfg(any(
    feature = "azure-blob",
    feature = "cosmos",
    feature = "postgres",
    feature = "redis",
    feature = "s3"
))]
mod engines;
mod erasing;
mod forgetting;
mod index;
mod migrating;
mod moving;
mod tenants;

use std::{path::Path, sync::Arc};

use sayso::{
    prelude::*,
    turn::store::{Expect, Saved, Store, Write},
};
use serde_json::{Value, json};

use crate::process::{Ended, STEP_MAX, Served, run};

/// A reply that waits, addressed to somebody.
fn waiting(to: &str) -> String {
    let activity = json!({
        "type": "message", "text": "a secret",
        "from": {"id": "bot"}, "recipient": {"id": to}, "conversation": {"id": "x"},
    });
    format!(r#""outbox":[{{"id":"AAAAAAAAAAAAAAAA.0","activity":{activity}}}]"#)
}

/// A document with a ledger.
fn body(rev: u64, rest: &str) -> String {
    let rest = if rest.is_empty() { String::new() } else { format!(",{rest}") };
    format!(
        r#"{{"Order":{{"toppings":["a secret"]}},"$sayso":{{"v":1,"turn":{rev},"rev":{rev},"write":"w{rev}","seen":""{rest}}}}}"#
    )
}

fn url(folder: &Path, name: &str) -> String {
    format!("sqlite:{}", folder.join(name).display())
}

async fn open(folder: &Path, name: &str) -> Arc<dyn Store> {
    sayso::open_store(&url(folder, name)).await.unwrap()
}

/// Writes a document, whatever is there.
async fn put(store: &dyn Store, key: &str, body: &str) {
    let key = Key::new(key).unwrap();
    let there = store.load(&key).await.unwrap();
    let expect = there.map_or(Expect::Absent, |stored| Expect::At(stored.etag));
    let write = Write::new(key, expect, body);
    assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
}

async fn get(store: &dyn Store, key: &str) -> Option<String> {
    store.load(&Key::new(key).unwrap()).await.unwrap().map(|stored| stored.body)
}

/// Runs `sayso state` on the store `a.sqlite` of a folder.
async fn state(folder: &Path, arguments: &[&str], input: &str) -> Ended {
    let store = ["--store", "sqlite:a.sqlite"];
    run(folder, &[&["state"], arguments, &store].concat(), input).await
}

/// A client that waits no longer than a step.
fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().timeout(STEP_MAX).build().unwrap()
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn ls_lists_what_there_is_and_what_waits_but_not_what_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "a.sqlite").await;
    put(&*store, "test/conversations/c", &body(3, &waiting("ann"))).await;
    put(&*store, "test/users/ann", &body(1, "")).await;
    put(&*store, "other/users/bob", r#"{"of":"another SDK"}"#).await;

    let all = state(folder.path(), &["ls"], "").await;
    assert_eq!(all.code, Some(0), "{all:?}");
    let lines: Vec<&str> = all.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", all.stdout);
    let place = lines[0].find("KEY").unwrap();
    assert!(lines[1..].iter().all(|line| line.is_char_boundary(place)), "{}", all.stdout);
    assert_eq!(lines[1].get(place..), Some("other/users/bob"));
    assert!(lines[2].contains("delivery"), "{}", lines[2]);
    assert!(!all.stdout.contains("secret") && !all.stdout.contains('\x1b'), "{}", all.stdout);
    assert!(all.stderr.contains("3 documents in SQLite at a.sqlite"), "{}", all.stderr);
    assert!(all.stderr.contains("1 waiting reply"), "{}", all.stderr);

    let some = state(folder.path(), &["ls", "test/", "--json", "--limit", "1"], "").await;
    let rows = json_lines(&some.stdout);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["key"], "test/conversations/c");
    assert_eq!((&rows[0]["revision"], &rows[0]["outbox"]), (&json!(3), &json!(1)));
}

#[tokio::test]
async fn show_explains_a_document_that_the_bot_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &["--store", "sqlite:a.sqlite"]).await;
    assert_eq!(served.ask("1", "ham").await, ["A pizza with ham."]);
    // It works beside a bot that runs.
    let shown = state(folder.path(), &["show", "test/conversations/c"], "").await;
    assert_eq!(shown.code, Some(0), "{shown:?}");
    for words in ["by 1 turn", "1 activity id is", "1 answer kept", "\"ham\""] {
        assert!(shown.stdout.contains(words), "{words} in {}", shown.stdout);
    }
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));

    let store = open(folder.path(), "a.sqlite").await;
    let stored = get(&*store, "test/conversations/c").await.unwrap();
    let raw = state(folder.path(), &["show", "test/conversations/c", "--raw"], "").await;
    assert_eq!(raw.stdout, stored);
    let json = state(folder.path(), &["show", "test/conversations/c", "--json"], "").await;
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["properties"]["Order"]["toppings"], json!(["ham"]));
    assert_eq!(json["turns"], 1);

    let absent = state(folder.path(), &["show", "test/users/nobody"], "").await;
    assert_eq!(absent.code, Some(1));
    assert!(absent.stderr.contains("there is no document test/users/nobody"), "{absent:?}");
}

#[tokio::test]
async fn rm_asks_and_refuses_to_break_a_promise() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "a.sqlite").await;
    put(&*store, "a", &body(1, "")).await;
    put(&*store, "b", &body(1, &waiting("ann"))).await;

    for answer in ["", "no\n"] {
        let kept = state(folder.path(), &["rm", "a"], answer).await;
        assert_eq!(kept.code, Some(1), "{kept:?}");
        assert!(kept.stderr.contains("Remove 1 document from SQLite at a.sqlite?"), "{kept:?}");
    }
    let promised = state(folder.path(), &["rm", "a", "b", "--yes"], "").await;
    assert_eq!(promised.code, Some(1));
    assert!(promised.stderr.contains("1 reply") && promised.stderr.contains("--force"));
    assert!(get(&*store, "a").await.is_some(), "nothing was removed");

    let removed = state(folder.path(), &["rm", "a"], "y\n").await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert!(get(&*store, "a").await.is_none());
    let forced = state(folder.path(), &["rm", "b", "--yes", "--force", "--json"], "").await;
    assert_eq!(forced.stdout, "{\"key\":\"b\",\"removed\":true}\n");
    assert!(get(&*store, "b").await.is_none());
}

#[tokio::test]
async fn what_is_damaged_gets_one_sentence_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "a.sqlite").await;
    put(&*store, "well", &body(1, "")).await;
    for (key, body) in [("no-json", "a secret"), ("newer", r#"{"$sayso":{"v":99}}"#)] {
        put(&*store, key, body).await;
    }
    for arguments in [&["ls"] as &[&str], &["ls", "--json"], &["export"]] {
        let ended = state(folder.path(), arguments, "").await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stdout.contains("well"), "{ended:?}");
        assert_eq!(ended.stderr.matches("is damaged and was left as it is").count(), 2);
        assert!(ended.stderr.contains("newer than this build understands"), "{ended:?}");
        assert!(!ended.stderr.contains("secret"), "{ended:?}");
    }
    let migrated = run(
        folder.path(),
        &["state", "migrate", "--from", "sqlite:a.sqlite", "--to", "sqlite:b.sqlite"],
        "",
    )
    .await;
    assert_eq!(migrated.code, Some(1), "{migrated:?}");
    assert!(migrated.stdout.contains("same 1, copied 1"), "{migrated:?}");
    assert!(migrated.stdout.contains("damaged 2"), "{migrated:?}");
    assert_eq!(migrated.stderr.matches("is damaged and was left as it is").count(), 2);
    for key in ["no-json", "newer"] {
        let kept = state(folder.path(), &["rm", key, "--yes"], "").await;
        assert_eq!(kept.code, Some(1), "{kept:?}");
        assert!(get(&*store, key).await.is_some());
    }
    let forced = state(folder.path(), &["rm", "no-json", "--yes", "--force"], "").await;
    assert_eq!(forced.code, Some(0), "{forced:?}");
}

#[tokio::test]
async fn a_store_that_cannot_be_looked_at_is_refused_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    for (store, words) in [
        ("memory://", "ends with its process"),
        ("sqlite:typo.sqlite", "there is no file typo.sqlite"),
        ("mysql://root:secret@db", "`mysql:` is not a store this build knows"),
    ] {
        for command in [&["ls"] as &[&str], &["export"], &["rm", "k", "--yes"], &["show", "k"]] {
            let arguments = [&["state"], command, &["--store", store]].concat();
            let ended = run(folder.path(), &arguments, "").await;
            assert_eq!(ended.code, Some(1), "{ended:?}");
            assert!(ended.stderr.contains(words), "{ended:?}");
            assert!(!ended.stderr.contains("secret"), "{ended:?}");
        }
    }
    let layout = run(folder.path(), &["state", "ls", "--layout", "js"], "").await;
    assert!(layout.stderr.contains("a layout is for azblob: and cosmos: stores"), "{layout:?}");
    let layout = run(folder.path(), &["serve", "--layout", "perl"], "").await;
    assert!(layout.stderr.contains("unknown layout `perl`"), "{layout:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file was made");
}

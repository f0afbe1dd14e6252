//! `sayso state ls` by the index of due documents, and `sayso state backup`.

use sayso::turn::document::Document;

use super::*;

/// Writes a document with the due time that the runtime would give it.
async fn put_due(store: &dyn Store, key: &str, body: &str) {
    let key = Key::new(key).unwrap();
    let ledger = Document::parse(&key, body).unwrap().ledger;
    let (due, expires) = (ledger.due(), ledger.expires);
    let write = Write {
        key,
        expect: Expect::Absent,
        body: body.to_owned(),
        due,
        expires,
        participants: None,
    };
    assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
}

const TIMER: &str = r#""timers":[{"id":"t","at":4102444800000,"activity":{"type":"event"}}]"#;
const PARKED: &str = r#""parked":[{"id":"AAAAAAAAAAAAAAAA.0","reason":"gone","at":7,"activity":{"type":"message"}}]"#;

#[tokio::test]
async fn ls_finds_what_waits_by_the_index_and_reads_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "a.sqlite").await;
    let resting = format!(r#"{},"held":{{"until":9,"seconds":60,"tries":1}}"#, waiting("ann"));
    for (key, rest) in [
        ("t/conversations/waits", waiting("ann")),
        ("t/conversations/rests", resting),
        ("t/conversations/timer", TIMER.to_owned()),
        ("t/conversations/parked", PARKED.to_owned()),
        ("t/conversations/parked-and-timer", format!("{PARKED},{TIMER}")),
        ("t/conversations/expires", r#""expires":4102444800000"#.to_owned()),
        ("other/conversations/waits", waiting("bob")),
    ] {
        put_due(&*store, key, &body(1, &rest)).await;
    }
    for number in 0..20 {
        put_due(&*store, &format!("t/conversations/idle{number}"), &body(1, "")).await;
    }
    for (flags, expected, read) in [
        (&["--waiting"][..], &["rests", "waits"][..], 2),
        (&["--timers"], &["parked-and-timer", "timer"], 6),
        (&["--parked"], &["parked", "parked-and-timer"], 6),
        (&["--parked", "--waiting"], &["parked", "parked-and-timer", "rests", "waits"], 6),
    ] {
        let listed = state(folder.path(), &[&["ls", "t/", "--json"], flags].concat(), "").await;
        assert_eq!(listed.code, Some(0), "{listed:?}");
        let rows = json_lines(&listed.stdout);
        let mut keys: Vec<_> = rows
            .iter()
            .map(|row| row["key"].as_str().unwrap().strip_prefix("t/conversations/").unwrap())
            .collect();
        keys.sort_unstable();
        assert_eq!(keys, expected, "{flags:?}");

        let listed = state(folder.path(), &[&["ls", "t/"], flags].concat(), "").await;
        let words = format!("read {read} documents that the index of due documents names");
        assert!(listed.stderr.contains(&words), "{flags:?}: {}", listed.stderr);
    }
    let one = state(folder.path(), &["ls", "--waiting", "--limit", "1", "--json"], "").await;
    assert_eq!(one.stdout.lines().count(), 1, "{one:?}");
}

#[tokio::test]
async fn a_backup_beside_a_running_bot_is_a_store_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &["--store", "sqlite:a.sqlite"]).await;
    assert_eq!(served.ask("1", "ham").await, ["A pizza with ham."]);
    let made = state(folder.path(), &["backup", "copy.sqlite", "--json"], "").await;
    assert_eq!(made.code, Some(0), "{made:?}");
    let summary = &json_lines(&made.stdout)[0];
    assert_eq!((&summary["file"], &summary["documents"]), (&json!("copy.sqlite"), &json!(1)));
    assert!(made.stderr.contains("copied "), "progress: {}", made.stderr);
    let again = state(folder.path(), &["backup", "copy.sqlite"], "").await;
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stderr.contains("copy.sqlite is there; it was left as it is"), "{again:?}");
    assert_eq!(served.ask("2", "olives").await, ["A pizza with ham and olives."]);

    let copy = open(folder.path(), "copy.sqlite").await;
    let stored = get(&*copy, "test/conversations/c").await.unwrap();
    assert!(stored.contains("ham") && !stored.contains("olives"), "{stored}");
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));
}

#[tokio::test]
async fn a_backup_of_another_engine_is_told_what_to_use() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["state", "backup", "copy", "--store", "postgres://bot:hunter2@db/bots"];
    let ended = run(folder.path(), &arguments, "").await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("pg_dump"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
}

//! `sayso state forget`: erasing a user.

use super::*;

async fn forget(folder: &Path, further: &[&str]) -> Ended {
    state(folder, &[&["forget", "--channel", "test", "--user", "ann"], further].concat(), "").await
}

#[tokio::test]
async fn forget_removes_what_is_anns_and_leaves_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "a.sqlite").await;
    let gone = [
        ("test/users/ann", body(1, "")),
        ("test/conversations/x/users/ann", body(1, "")),
        ("test/conversations/one", body(1, &waiting("ann"))),
        ("test/conversations/long", body(1, &unfinished("ann"))),
        ("test/conversations/named", body(1, "")),
    ];
    let both = waiting("ann").replace("]", ",") + &waiting("bob").replace("\"outbox\":[", "");
    let kept = [
        ("test/users/anna", body(1, "")),
        ("other/users/ann", body(1, "")),
        ("test/conversations/group", body(1, &both)),
        ("test/conversations/bob", body(1, &waiting("bob"))),
        ("test/conversations/silent", body(1, "")),
        ("test/conversations/x/users/bob", body(1, "")),
    ];
    for (key, body) in gone.iter().chain(&kept) {
        put(&*store, key, body).await;
    }

    let dry = forget(folder.path(), &["--conversation", "named", "--dry-run"]).await;
    assert_eq!(dry.code, Some(0), "{dry:?}");
    assert!(dry.stdout.contains("5 documents would be removed"), "{}", dry.stdout);
    assert!(dry.stdout.contains("  test/conversations/group"), "{}", dry.stdout);
    assert!(dry.stdout.contains("1 conversation holds no activity"), "{}", dry.stdout);
    assert!(!dry.stdout.contains("secret"), "{}", dry.stdout);
    for (key, _) in &gone {
        assert!(get(&*store, key).await.is_some(), "{key}");
    }

    let done = forget(folder.path(), &["--conversation", "named", "--json"]).await;
    let report = &json_lines(&done.stdout)[0];
    assert_eq!(report["removed"].as_array().unwrap().len(), 5, "{report}");
    assert_eq!(report["shared"], json!(["test/conversations/group"]));
    for (key, _) in &gone {
        assert!(get(&*store, key).await.is_none(), "{key}");
    }
    for (key, body) in &kept {
        assert_eq!(get(&*store, key).await.as_ref(), Some(body), "{key}");
    }
    let again = forget(folder.path(), &["--conversation", "named"]).await;
    assert!(again.stdout.contains("0 documents removed"), "{}", again.stdout);
}

/// A turn that was acknowledged and has not ended, and a message that can be changed.
fn unfinished(from: &str) -> String {
    let activity = json!({ "type": "message", "text": "a secret", "from": { "id": from } });
    format!(
        r#""inbox":[{{"ids":["AAAAAAAAAAAAAAAA"],"at":1,"activity":{activity}}}],"sent":[["BBBBBBBBBBBBBBBB.0","7"]]"#
    )
}

#[tokio::test]
async fn what_stands_in_line_is_counted_shown_and_not_removed_by_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "a.sqlite").await;
    put(&*store, "test/conversations/long", &body(1, &unfinished("ann"))).await;
    let listed = state(folder.path(), &["ls", "--json"], "").await;
    assert_eq!(json_lines(&listed.stdout)[0]["inbox"], 1, "{listed:?}");
    let listed = state(folder.path(), &["ls"], "").await;
    assert!(listed.stderr.contains("1 unfinished turn"), "{listed:?}");
    assert!(!listed.stdout.contains("secret"), "{listed:?}");
    let shown = state(folder.path(), &["show", "test/conversations/long", "--json"], "").await;
    let shown = &json_lines(&shown.stdout)[0];
    assert_eq!(shown["inbox"][0]["activity"]["from"]["id"], "ann", "{shown}");
    assert_eq!(shown["sent"], json!([["BBBBBBBBBBBBBBBB.0", "7"]]));
    let refused = state(folder.path(), &["rm", "test/conversations/long", "--yes"], "").await;
    assert!(refused.stderr.contains("still has 1 unfinished turn"), "{refused:?}");
    assert!(get(&*store, "test/conversations/long").await.is_some());
}

#[tokio::test]
async fn a_conversation_with_the_bot_is_forgotten_with_its_ids_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &["--store", "sqlite:a.sqlite"]).await;
    assert_eq!(served.ask("1", "ham").await, ["A pizza with ham."]);
    let done = forget(folder.path(), &[]).await;
    assert!(done.stdout.contains("one-to-one"), "{}", done.stdout);
    assert!(done.stdout.contains("1 document removed"), "{}", done.stdout);
    // The bot runs on, and with its next turn it knows nothing: even the same id is new to it.
    assert_eq!(served.ask("2", "corn").await, ["A pizza with corn."]);
    assert_eq!(served.ask("1", "ham").await, ["A pizza with corn and ham."]);
}

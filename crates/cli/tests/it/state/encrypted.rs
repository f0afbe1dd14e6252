//! An encrypted store: served, looked at, rotated and migrated, with the real command on SQLite.

use sayso::config::Encryption;

use super::*;
use crate::process::sayso;

const A: &str = "a:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const B: &str = "b:YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY=";
const NAMES: &str = "bmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgISE=";

/// A topping that must not be found in a file.
const SAID: &str = "c4n4ry-anchovies";

fn secret(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// Runs `sayso state ...` with keys in the environment.
async fn with(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Ended {
    let mut command = sayso(folder, &[&["state"], arguments].concat());
    command.envs(variables.iter().copied());
    let output = command.spawn().unwrap().wait_with_output();
    let output = tokio::time::timeout(STEP_MAX, output).await.unwrap().unwrap();
    let ended = Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    for key in ["MDEyMzQ1", "YWJjZGVm", "bmFtZXMg"] {
        assert!(!ended.stdout.contains(key) && !ended.stderr.contains(key), "{ended:?}");
    }
    ended
}

/// Searches the bytes of a store's files for a text.
fn is_in_files(folder: &Path, store: &str, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files = files.filter(|path| path.display().to_string().contains(store)).peekable();
    assert!(files.peek().is_some(), "there is a store {store}");
    files.any(|path| {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[tokio::test]
async fn a_bot_on_an_encrypted_store_remembers_and_its_files_tell_nothing() {
    let folder = tempfile::tempdir().unwrap();
    secret(folder.path(), "keys", A);
    secret(folder.path(), "names", NAMES);
    let files = [
        ("SAYSO_ENCRYPTION_KEYS_FILE", "keys"),
        ("SAYSO_ENCRYPTION_NAMES_KEY_FILE", "names"),
        ("SAYSO_STORE", "sqlite:bot.sqlite"),
    ];
    for (id, expected) in [("1", SAID.to_owned()), ("2", format!("{SAID} and {SAID}"))] {
        let served = Served::start_with(folder.path(), &[], &files).await;
        assert_eq!(served.ask(id, SAID).await, [format!("A pizza with {expected}.")]);
        served.signal("TERM").await;
        assert_eq!(served.end().await, Some(0));
    }
    assert!(!is_in_files(folder.path(), "bot.sqlite", SAID));
    assert!(!is_in_files(folder.path(), "bot.sqlite", "test/conversations"));

    let listed = with(folder.path(), &files, &["ls", "test/conversations/"]).await;
    assert!(listed.stdout.contains("test/conversations/c"), "{listed:?}");
    let shown = with(folder.path(), &files, &["show", "test/conversations/c", "--raw"]).await;
    assert!(shown.stdout.contains(SAID), "{shown:?}");
}

#[tokio::test]
async fn without_its_keys_an_encrypted_document_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (keys, store) = (("SAYSO_ENCRYPTION_KEYS", A), ("SAYSO_STORE", "sqlite:bot.sqlite"));
    let served = Served::start_with(folder.path(), &[], &[keys, store]).await;
    assert_eq!(served.ask("1", "ham").await, ["A pizza with ham."]);
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));

    for (variables, says) in [
        (&[store][..], "newer than this build understands"),
        (&[("SAYSO_ENCRYPTION_KEYS", B), store], "the key `a`, which is not among the keys"),
    ] {
        let served = Served::start_with(folder.path(), &[], variables).await;
        let activity = json!({
            "type": "message", "id": "2", "text": "corn", "deliveryMode": "expectReplies",
            "channelId": "test", "conversation": {"id": "c"},
            "from": {"id": "ann"}, "recipient": {"id": "bot"},
        });
        let answer = crate::process::post(&served.url, &activity.to_string()).await;
        assert!(answer.status().is_server_error(), "{answer:?}");
        served.signal("TERM").await;
        assert_eq!(served.end().await, Some(0));
        let shown = with(folder.path(), variables, &["show", "test/conversations/c"]).await;
        assert_eq!(shown.code, Some(1), "{shown:?}");
        assert!(shown.stderr.contains(says), "{shown:?}");
    }
    let served = Served::start_with(folder.path(), &[], &[keys, store]).await;
    assert_eq!(served.ask("3", "corn").await, ["A pizza with ham and corn."]);
}

#[tokio::test]
async fn a_rotation_reencrypts_the_rest_and_what_waits_stays_due() {
    let folder = tempfile::tempdir().unwrap();
    secret(folder.path(), "a", A);
    let clear = open(folder.path(), "bot.sqlite").await;
    put(&*clear, "clear", &body(1, "")).await;
    let old = Encryption::from_files(&folder.path().join("a"), None).unwrap();
    let old = old.wrap(Arc::clone(&clear));
    put(&*old, "old", &body(1, r#""timers":[{"id":"t","at":7,"activity":{}}]"#)).await;
    put(&*clear, "damaged", &get(&*clear, "old").await.unwrap()).await;

    let ring = format!("{B} {A} clear");
    let keys = [("SAYSO_ENCRYPTION_KEYS", &*ring), ("SAYSO_STORE", "sqlite:bot.sqlite")];
    let first = with(folder.path(), &keys, &["reencrypt", "--json"]).await;
    assert_eq!(first.code, Some(1), "{first:?}");
    assert_eq!(first.stdout, "{\"reencrypted\":2,\"current\":0,\"refused\":1}\n");
    assert!(first.stderr.contains("damaged") && first.stderr.contains("does not decrypt"));
    let again = with(folder.path(), &keys, &["reencrypt"]).await;
    assert_eq!(again.stdout, "under the key b: 0 now, 2 before; left alone 1\n");

    // The new key alone is enough, and the index has the timer still.
    let alone = [("SAYSO_ENCRYPTION_KEYS", B), ("SAYSO_STORE", "sqlite:bot.sqlite")];
    for name in ["clear", "old"] {
        let shown = with(folder.path(), &alone, &["show", name, "--raw"]).await;
        assert!(shown.stdout.contains("a secret"), "{shown:?}");
        assert!(!get(&*clear, name).await.unwrap().contains("a secret"));
    }
    let due = clear.due(sayso::turn::clock::Timestamp::from_millis(7), None, 9).await.unwrap();
    assert_eq!(due.found.len(), 1);

    let none = with(folder.path(), &keys[1..], &["reencrypt"]).await;
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("no encryption keys are configured"), "{none:?}");
}

#[tokio::test]
async fn a_migration_encrypts_and_decrypts_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    secret(folder.path(), "keys", A);
    secret(folder.path(), "names", NAMES);
    let source = open(folder.path(), "one.sqlite").await;
    for number in 0..40 {
        put(&*source, &format!("test/conversations/c{number}"), &body(1, "")).await;
    }
    let migrate = async |arguments: &[&str]| {
        let ended = with(folder.path(), &[], &[&["migrate", "--json"], arguments].concat()).await;
        assert_eq!(ended.code, Some(0), "{ended:?}");
        json_lines(&ended.stdout).pop().unwrap()
    };
    let there = ["--from", "sqlite:one.sqlite", "--to", "sqlite:two.sqlite"];
    let there = [&there[..], &["--to-keys", "keys", "--to-names-key", "names"]].concat();
    assert_eq!(migrate(&there).await["copied"], 40);
    assert!(!is_in_files(folder.path(), "two.sqlite", "a secret"));
    assert!(!is_in_files(folder.path(), "two.sqlite", "test/conversations"));
    put(&*source, "test/conversations/c7", &body(2, "")).await;
    assert_eq!(migrate(&there).await["copied"], 1, "a second run copies what changed");

    let back = ["--from", "sqlite:two.sqlite", "--to", "sqlite:three.sqlite"];
    let back = [&back[..], &["--from-keys", "keys", "--from-names-key", "names"]].concat();
    assert_eq!(migrate(&back).await["copied"], 40);
    let target = open(folder.path(), "three.sqlite").await;
    assert_eq!(get(&*target, "test/conversations/c7").await, Some(body(2, "")));
    assert_eq!(get(&*target, "test/conversations/c8").await, Some(body(1, "")));
}

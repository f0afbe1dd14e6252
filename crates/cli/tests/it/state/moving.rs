//! `sayso state export` and `sayso state import`.

use sayso::turn::clock::Timestamp;

use super::*;

async fn import(folder: &Path, further: &[&str], input: &str) -> Ended {
    let arguments = [&["state", "import", "--store", "sqlite:b.sqlite"], further].concat();
    run(folder, &arguments, input).await
}

#[tokio::test]
async fn an_export_comes_back_to_the_letter_and_what_waits_is_due_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "a.sqlite").await;
    let timer = r#""timers":[{"id":"t","at":7,"activity":{"type":"event"}}]"#;
    let bodies = [
        ("test/conversations/ü", body(2, timer)),
        ("odd \"key\"\n", "{\n  \"a\": 1e400,\r\n \"b\": 1.0 }".to_owned()),
        ("plain", "{}".to_owned()),
    ];
    for (key, body) in &bodies {
        put(&*store, key, body).await;
    }
    put(&*store, "gone", &body(1, r#""expires":1"#)).await;

    let exported = state(folder.path(), &["export"], "").await;
    assert_eq!(exported.code, Some(0), "{exported:?}");
    assert_eq!(exported.stdout.lines().count(), 3);
    assert!(exported.stderr.contains("exported 3 documents, left 1 out that expired"));
    let lines = json_lines(&exported.stdout);
    let timer = lines.iter().find(|line| line["due"] == 7).unwrap();
    assert_eq!(timer["body"]["$sayso"]["rev"], 2);

    let imported = import(folder.path(), &[], &exported.stdout).await;
    assert_eq!(imported.code, Some(0), "{imported:?}");
    assert_eq!(imported.stdout, "created 3, same 0, replaced 0, different 0, refused 0\n");
    let other = open(folder.path(), "b.sqlite").await;
    for (key, body) in bodies {
        assert_eq!(get(&*other, key).await, Some(body), "{key}");
    }
    let due = other.due(Timestamp::from_millis(7), None, 9).await.unwrap().found;
    assert_eq!(due.len(), 1);
    let again = import(folder.path(), &["--json"], &exported.stdout).await;
    assert_eq!(json_lines(&again.stdout)[0]["same"], 3);
}

#[tokio::test]
async fn what_differs_is_replaced_only_when_told_and_a_bad_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "b.sqlite").await;
    put(&*store, "k", r#"{"a":1}"#).await;
    let input = "{\"key\":\"k\",\"body\":{\"a\":2}}\n\nsecret\n{\"key\":\"\",\"body\":{}}\n";

    let ended = import(folder.path(), &[], input).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("different 1, refused 2"), "{ended:?}");
    assert!(ended.stderr.contains("k is there already and differs"), "{ended:?}");
    assert!(ended.stderr.contains("line 3: is not a line of an export"), "{ended:?}");
    assert!(ended.stderr.contains("line 4: "), "{ended:?}");
    assert!(!ended.stderr.contains("secret"), "{ended:?}");
    assert_eq!(get(&*store, "k").await.as_deref(), Some(r#"{"a":1}"#));

    let replaced = import(folder.path(), &["--replace"], input).await;
    assert!(replaced.stdout.contains("replaced 1"), "{replaced:?}");
    assert_eq!(get(&*store, "k").await.as_deref(), Some(r#"{"a":2}"#));
}

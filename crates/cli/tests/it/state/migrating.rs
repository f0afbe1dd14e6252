//! `sayso state migrate` with a bot at work.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio::{io::AsyncWriteExt as _, time::timeout};

use super::*;
use crate::process::{STEP_MAX, sayso};

/// Number of documents, and of those that are talked to.
const DOCUMENTS: usize = 3000;
const TALKED_TO: usize = 200;

async fn migrate(folder: &Path, further: &[&str]) -> Ended {
    let stores = ["--from", "sqlite:a.sqlite", "--to", "sqlite:b.sqlite"];
    run(folder, &[&["state", "migrate"], &stores as &[&str], further].concat(), "").await
}

/// Everything in a store.
async fn contents(store: &dyn Store) -> Vec<(Key, String)> {
    let mut keys: Vec<Key> = store.list("").try_collect().await.unwrap();
    keys.sort();
    let mut contents = Vec::new();
    for key in keys {
        let body = get(store, key.as_str()).await.unwrap();
        contents.push((key, body));
    }
    contents
}

/// Many documents, a transaction for every hundred.
async fn fill(store: &dyn Store) {
    let transactions = store.transactions().unwrap();
    for hundred in 0..DOCUMENTS / 100 {
        let writes = (0..100).map(|n| {
            Write::new(
                Key::conversation("test", &format!("c{}", hundred * 100 + n)).unwrap(),
                Expect::Absent,
                body(1, "").replace("a secret", "ham"),
            )
        });
        let saved = transactions.save_all(writes.collect()).await.unwrap();
        assert!(matches!(saved, Saved::Committed(_)));
    }
}

/// Says something in one conversation after the other until the server is gone. Returns the number
/// of confirmations.
async fn talk(url: String) -> usize {
    let client = client();
    for said in 0.. {
        let activity = json!({
            "type": "message", "id": format!("m{said}"), "text": format!("t{said}"),
            "deliveryMode": "expectReplies", "channelId": "test",
            "conversation": {"id": format!("c{}", said % TALKED_TO)},
            "from": {"id": "ann"}, "recipient": {"id": "bot"},
        });
        let request = client.post(format!("{url}/api/messages"));
        let request = request.header("content-type", "application/json");
        let answer = request.body(activity.to_string()).send().await;
        if !answer.is_ok_and(|answer| answer.status().is_success()) {
            return said;
        }
    }
    unreachable!("a server ends before the numbers do")
}

/// Every topping that was confirmed is in the store once.
async fn check(store: &dyn Store, said: usize) {
    let contents = contents(store).await;
    assert_eq!(contents.len(), DOCUMENTS);
    let mut toppings: Vec<String> = Vec::new();
    for (_, body) in contents {
        let document: Value = serde_json::from_str(&body).unwrap();
        let order: Vec<String> =
            serde_json::from_value(document["Order"]["toppings"].clone()).unwrap();
        toppings.extend(order.into_iter().filter(|topping| topping != "ham"));
    }
    let count = toppings.len();
    toppings.sort();
    toppings.dedup();
    assert_eq!(toppings.len(), count, "a turn counts once");
    // The last one may have been saved without an answer.
    assert!((said..=said + 1).contains(&count), "{said} confirmed, {count} there");
}

#[tokio::test]
async fn a_bot_moves_to_another_store_without_losing_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (open(folder.path(), "a.sqlite").await, open(folder.path(), "b.sqlite").await);
    fill(&*from).await;
    let served = Served::start(folder.path(), &["--store", "sqlite:a.sqlite"]).await;
    let talk = tokio::spawn(talk(served.url.clone()));

    // While it serves, all that can be said is that only what changes is left.
    let live = migrate(folder.path(), &["--json"]).await;
    let rows = json_lines(&live.stdout);
    let (first, total) = (&rows[0], rows.last().unwrap());
    assert_eq!((&first["pass"], &first["depth"]), (&json!(1), &json!("copying")), "{live:?}");
    assert_eq!(first["copied"], DOCUMENTS, "{live:?}");
    assert_eq!(total["copied"], DOCUMENTS, "{live:?}");
    assert!(total["changed_again"].as_u64() > Some(0), "there was no traffic: {live:?}");
    assert_eq!((live.code, &total["done"]), (Some(3), &json!(false)), "{live:?}");
    assert!(live.stderr.contains("Stop the old instances, run this again"), "{live:?}");
    assert!(live.stderr.contains("pass 1, copying: 3,000 documents in "), "{live:?}");

    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));
    let said = timeout(STEP_MAX, talk).await.unwrap().unwrap();
    let last = migrate(folder.path(), &[]).await;
    assert_eq!(last.code, Some(0), "{last:?}");
    assert!(last.stdout.starts_with("same 3000, copied "), "{last:?}");
    assert!(last.stdout.ends_with("only in target 0\n"), "{last:?}");
    assert!(last.stderr.contains("found no difference"), "{last:?}");
    assert_eq!(contents(&*from).await, contents(&*to).await);
    check(&*to, said).await;
    let idle = migrate(folder.path(), &[]).await;
    assert_eq!(idle.stdout, "same 3000, copied 0, changed again 0, only in target 0\n");

    // What was said to the old instance counts for the new one.
    let served = Served::start(folder.path(), &["--store", "sqlite:b.sqlite"]).await;
    let repeated = json!({
        "type": "message", "id": "m0", "text": "t0", "deliveryMode": "expectReplies",
        "channelId": "test", "conversation": {"id": "c0"},
        "from": {"id": "ann"}, "recipient": {"id": "bot"},
    });
    assert_eq!(served.post(&repeated.to_string()).await, ["A pizza with ham and t0."]);
    check(&*to, said).await;

    // From here on the target has turns of its own, and no migration takes them away.
    let more = repeated.to_string().replace("m0", "new").replace("\"t0\"", "\"corn\"");
    let answer = served.post(&more).await;
    assert!(answer[0].ends_with("and corn."), "{answer:?}");
    let late = migrate(folder.path(), &[]).await;
    assert_eq!(late.code, Some(1), "{late:?}");
    assert!(late.stderr.contains("test/conversations/c0 differs"), "{late:?}");
    assert!(get(&*to, "test/conversations/c0").await.unwrap().contains("corn"));
}

#[tokio::test]
async fn a_cut_over_waits_until_the_old_instances_are_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (open(folder.path(), "a.sqlite").await, open(folder.path(), "b.sqlite").await);
    fill(&*from).await;
    let served = Served::start(folder.path(), &["--store", "sqlite:a.sqlite"]).await;
    let talk = tokio::spawn(talk(served.url.clone()));
    let stores = ["--from", "sqlite:a.sqlite", "--to", "sqlite:b.sqlite"];
    let arguments = [&["state", "migrate", "--cut-over"], &stores as &[&str]].concat();
    let mut child = sayso(folder.path(), &arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It has copied everything once by the time the target has as many documents.
    let mut keys = 0;
    for _ in 0..600 {
        keys = to.list("").try_fold(0, async |count, _| Ok(count + 1)).await.unwrap();
        if keys == DOCUMENTS {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(keys, DOCUMENTS);
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));
    let said = timeout(STEP_MAX, talk).await.unwrap().unwrap();
    assert!(child.try_wait().unwrap().is_none(), "it waits to be told");
    stdin.write_all(b"\n").await.unwrap();
    drop(stdin);
    let output = timeout(STEP_MAX, child.wait_with_output()).await.unwrap().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("Stop the old instances now"), "{stderr}");
    assert_eq!(contents(&*from).await, contents(&*to).await);
    check(&*to, said).await;

    let nobody = migrate(folder.path(), &["--cut-over"]).await;
    assert_eq!(nobody.code, Some(1), "{nobody:?}");
    assert!(
        nobody.stderr.contains("no confirmation that the old instances are stopped"),
        "{nobody:?}"
    );
}

#[tokio::test]
async fn what_is_only_in_the_target_is_an_alarm_unless_told() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (open(folder.path(), "a.sqlite").await, open(folder.path(), "b.sqlite").await);
    put(&*from, "both", &body(1, "")).await;
    put(&*to, "extra", &body(1, "")).await;
    let alarm = migrate(folder.path(), &[]).await;
    assert_eq!(alarm.code, Some(1), "{alarm:?}");
    assert_eq!(alarm.stdout, "same 1, copied 1, changed again 0, only in target 1\n");
    assert!(alarm.stderr.contains("--delete-extra"), "{alarm:?}");
    assert_eq!(migrate(folder.path(), &["--keep-extra"]).await.code, Some(0));
    assert!(get(&*to, "extra").await.is_some());
    let deleted = migrate(folder.path(), &["--delete-extra"]).await;
    assert_eq!(deleted.code, Some(0), "{deleted:?}");
    assert!(deleted.stdout.contains("removed 1"), "{deleted:?}");
    assert!(get(&*to, "extra").await.is_none());
}

#[tokio::test]
async fn a_migration_onto_itself_or_from_nowhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = migrate(folder.path(), &[]).await;
    assert_eq!(nowhere.code, Some(1));
    assert!(nowhere.stderr.contains("--from: there is no file a.sqlite"), "{nowhere:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
    let same = ["state", "migrate", "--from", "sqlite:a.sqlite", "--to", "sqlite:a.sqlite"];
    let same = run(folder.path(), &same, "").await;
    assert!(same.stderr.contains("--from and --to name the same store"), "{same:?}");
}

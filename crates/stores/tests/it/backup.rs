//! Backup of a SQLite file: a copy of one moment, checked, that never replaces anything.

use std::{fs, path::Path};

use rusqlite::Connection;
use sayso_stores::SqliteStore;
use sayso_turn::{
    Key,
    store::{ETag, Error, Expect, Saved, Store, Transactions, Write},
};

fn key(name: &str) -> Key {
    Key::new(name).unwrap()
}

fn write(name: &str, expect: Expect, body: String) -> Write {
    Write { key: key(name), expect, body, due: None, expires: None, participants: None }
}

async fn save(store: &SqliteStore, name: &str, body: String) -> ETag {
    match store.save(write(name, Expect::Absent, body)).await {
        Ok(Saved::Committed(etag)) => etag,
        other => panic!("{other:?}"),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A store of some megabytes, which is copied in several steps.
async fn large(path: &Path) -> SqliteStore {
    let store = SqliteStore::open(path).unwrap();
    for number in 0..100 {
        save(&store, &format!("filler {number}"), "x".repeat(200_000)).await;
    }
    store
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_is_of_one_moment_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("bot.sqlite"), folder.path().join("copy.sqlite"));
    let store = large(&path).await;
    let mut etags = vec![
        save(&store, "one", "0".to_owned()).await,
        save(&store, "other", "0".to_owned()).await,
    ];
    let runtime = tokio::runtime::Handle::current();
    let (mut writes, mut reports) = (0, Vec::new());
    let summary = tokio::task::block_in_place(|| {
        SqliteStore::backup(&path, &copy, |progress| {
            // Between two steps of the copy, every time.
            writes += 1;
            let both = ["one", "other"].into_iter().zip(&etags);
            let both = both.map(|(name, etag)| {
                write(name, Expect::At(etag.clone()), format!("{writes}{}", "y".repeat(90_000)))
            });
            let saved = runtime.block_on(store.save_all(both.collect())).unwrap();
            let Saved::Committed(now) = saved else { panic!("a conflict") };
            etags = now;
            reports.push(progress);
        })
    });
    let summary = summary.unwrap();
    assert!(writes > 3, "{writes} steps");
    let is_growing = reports.is_sorted_by_key(|progress| progress.bytes);
    assert!(is_growing, "it never begins anew: {reports:?}");
    let last = reports.last().unwrap();
    assert_eq!((last.bytes, last.bytes), (last.bytes_all, summary.bytes));
    assert_eq!(summary.documents, 102);
    assert_eq!(fs::metadata(&copy).unwrap().len(), summary.bytes);
    assert!(names(folder.path()).iter().all(|name| !name.contains("partial")));

    let copy = SqliteStore::open(&copy).unwrap();
    for name in ["one", "other"] {
        assert_eq!(copy.load(&key(name)).await.unwrap().unwrap().body, "0", "of the beginning");
        let now = store.load(&key(name)).await.unwrap().unwrap().body;
        assert!(now.starts_with(&format!("{writes}y")), "the bot went on");
    }
}

#[tokio::test]
async fn nothing_is_overwritten_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let store = SqliteStore::open(path("bot.sqlite")).unwrap();
    save(&store, "k", "{}".to_owned()).await;
    drop(store);
    fs::write(path("notes"), "mine").unwrap();
    let backup = |to: &str| SqliteStore::backup(path("bot.sqlite"), path(to), |_| {});
    let error = backup("notes").unwrap_err().to_string();
    assert!(error.contains("notes is there; it was left as it is"), "{error}");
    assert_eq!(fs::read_to_string(path("notes")).unwrap(), "mine");
    let error = backup("bot.sqlite").unwrap_err().to_string();
    assert!(error.contains("bot.sqlite is there"), "{error}");
    fs::write(path("copy.partial"), "of another").unwrap();
    let error = backup("copy").unwrap_err().to_string();
    assert!(error.contains("another backup is under way, or was interrupted"), "{error}");
    assert_eq!(fs::read_to_string(path("copy.partial")).unwrap(), "of another");
    let error = backup("no/such/folder").unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert_eq!(names(folder.path()), ["bot.sqlite", "copy.partial", "notes"]);
}

#[tokio::test]
async fn what_is_no_store_or_is_damaged_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let refused = |from: &str| {
        let error = SqliteStore::backup(path(from), path("copy"), |_| {}).unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{from}: {error}");
        error.to_string()
    };
    assert!(refused("missing").contains("there is no file"));
    Connection::open(path("other")).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    assert!(refused("other").contains("belongs to another program"));
    Connection::open(path("empty")).unwrap().execute_batch("VACUUM").unwrap();
    assert!(refused("empty").contains("has no documents table"));

    drop(large(&path("bot.sqlite")).await);
    let mut bytes = fs::read(path("bot.sqlite")).unwrap();
    let index = bytes.windows(8).position(|window| window == b"filler 7").unwrap();
    bytes[index..index + 8].copy_from_slice(b"filler 1");
    fs::write(path("damaged"), bytes).unwrap();
    assert!(refused("damaged").contains("the copy is damaged"), "{}", refused("damaged"));
    assert_eq!(names(folder.path()), ["bot.sqlite", "damaged", "empty", "other"]);
}

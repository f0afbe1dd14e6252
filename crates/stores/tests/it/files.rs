//! Opening a SQLite file: one of ours is kept, any other is refused in one clear sentence and left
//! unchanged.

use std::{fs, path::Path};

use futures_util::StreamExt;
use rusqlite::Connection;
use sayso_stores::SqliteStore;
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Error, Expect, Saved, Store, Write},
};

fn refusal(path: &Path) -> String {
    match SqliteStore::open(path) {
        Err(error @ Error::Invalid { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Refuses a file, says why in one line, and leaves the whole folder as it was.
fn assert_refused(path: &Path, why: &str) {
    let folder = path.parent().unwrap();
    let before = contents(folder);
    let message = refusal(path);
    assert!(message.contains(why), "{message}");
    assert!(!message.contains('\n'), "{message}");
    assert!(contents(folder) == before, "something was touched: {message}");
}

fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let mut contents: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    contents.sort();
    contents
}

/// Some documents, one of them large enough to fill pages.
async fn fill(store: &SqliteStore) -> Vec<(Key, String)> {
    let mut documents = Vec::new();
    for number in 0..50 {
        let key = Key::new(format!("key/{number}\0")).unwrap();
        let body = format!("{{\"text\":\"{}\"}}", "pizza".repeat(number * 20));
        let due = Some(Timestamp::from_millis(7));
        let write = Write {
            key: key.clone(),
            expect: Expect::Absent,
            body: body.clone(),
            due,
            expires: None,
            participants: None,
        };
        assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
        documents.push((key, body));
    }
    documents
}

#[tokio::test]
async fn what_was_stored_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/folder/bot.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    let documents = fill(&store).await;
    let (first, _) = &documents[0];
    let etag = store.load(first).await.unwrap().unwrap().etag;
    drop(store);
    let names: Vec<_> =
        contents(path.parent().unwrap()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["bot.sqlite"], "closed: the log is gone and everything is in the file");

    let store = SqliteStore::open(&path).unwrap();
    for (key, body) in &documents {
        assert_eq!(&store.load(key).await.unwrap().unwrap().body, body);
    }
    assert_eq!(store.due(Timestamp::from_millis(7), None, 100).await.unwrap().found.len(), 50);
    assert_eq!(store.list("").collect::<Vec<_>>().await.len(), 50);
    let write = Write::new(first.clone(), Expect::At(etag), "{}");
    assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))), "ETags last");
}

/// Opening and closing a second store must not release the locks of the first.
#[tokio::test]
async fn two_stores_of_one_process_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let one = SqliteStore::open(&path).unwrap();
    let documents = fill(&one).await;
    for (key, body) in &documents {
        let other = SqliteStore::open(&path).unwrap();
        let stored = other.load(key).await.unwrap().unwrap();
        assert_eq!(&stored.body, body);
        let expect = Expect::At(stored.etag);
        let write = Write::new(key.clone(), expect, "{}");
        assert!(matches!(other.save(write).await, Ok(Saved::Committed(_))));
        drop(other);
        assert_eq!(one.load(key).await.unwrap().unwrap().body, "{}", "seen at once");
    }
    assert_eq!(one.due(Timestamp::from_millis(7), None, 1).await.unwrap().found, []);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_created_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/bot.sqlite");
    drop(SqliteStore::open(&path).unwrap());
    for created in [folder.path().join("a"), folder.path().join("a/b")] {
        assert_eq!(fs::metadata(created).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let garbage = [
        b"Dear diary, this is not a database.\n".repeat(200),
        b"SQLite format 3".to_vec(),
        b"SQLite format 3\0".to_vec(),
        [0_u8; 4096].to_vec(),
        b"x".to_vec(),
    ];
    for bytes in garbage {
        fs::write(&path, &bytes).unwrap();
        assert_refused(&path, "notes.txt is not a SQLite database; it was left as it is");
    }
}

#[test]
fn another_program_s_database_is_refused() {
    for setup in [
        "CREATE TABLE document (key TEXT);",
        "PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1);",
        "PRAGMA application_id = 42; CREATE TABLE t (a);",
        "PRAGMA user_version = 1; CREATE TABLE t (a);",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.sqlite");
        Connection::open(&path).unwrap().execute_batch(setup).unwrap();
        assert_refused(&path, "other.sqlite belongs to another program; it was left as it is");
    }
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    drop(fill(&store).await);
    drop(store);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 2).unwrap();
    assert_refused(&path, "bot.sqlite has format 2 and this build knows up to 1");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 1).unwrap();
    assert!(SqliteStore::open(&path).is_ok());
}

/// The header of a newer format says from which format on its file can be used.
#[tokio::test]
async fn a_newer_format_that_this_build_may_use_is_used_and_its_schema_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    let documents = fill(&store).await;
    drop(store);
    let newer = |usable_from: i32| {
        let other = Connection::open(&path).unwrap();
        other.pragma_update(None, "user_version", usable_from << 16 | 3).unwrap();
        other
    };
    newer(1).execute_batch("DROP INDEX document_due; CREATE INDEX document_due ON document (due, key, version) WHERE due IS NOT NULL").unwrap();
    let schema = || {
        let sql = "SELECT group_concat(sql) FROM sqlite_schema";
        let other = Connection::open(&path).unwrap();
        other.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap()
    };
    let before = schema();
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.load(&documents[0].0).await.unwrap().unwrap().body, documents[0].1);
    drop(store);
    assert_eq!(schema(), before, "a newer build made it so");
    drop(newer(2));
    assert_refused(&path, "bot.sqlite has format 3 and this build knows up to 1");
}

#[tokio::test]
async fn rows_of_others_are_passed_over_and_hide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    let documents = fill(&store).await;
    let foreign = "INSERT INTO document (key, version, due, body) VALUES
        ('', 1, 7, ''), (CAST(X'6b6579ff' AS TEXT), 1, 7, ''), (CAST(X'ff' AS TEXT), 1, 7, ''),
        (CAST(X'6b65792f31ff' AS TEXT), 1, 3, '')";
    let other = Connection::open(&path).unwrap();
    other.execute_batch(foreign).unwrap();
    let long = "k".repeat(5_000);
    other.execute("INSERT INTO document VALUES (?1, 1, 7, '')", [long]).unwrap();
    for limit in [1, 2, 7, 100] {
        let (mut named, mut from) = (Vec::new(), None);
        for _ in 0..=60 {
            let page = store.due(Timestamp::from_millis(7), from.as_ref(), limit).await.unwrap();
            named.extend(page.found.into_iter().map(|due| due.key));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        assert_eq!((named.len(), from), (documents.len(), None), "in pages of {limit}");
    }
    for prefix in ["", "key"] {
        let keys: Vec<_> = store.list(prefix).map(Result::unwrap).collect().await;
        assert_eq!(keys.len(), documents.len(), "{prefix:?}");
    }
}

/// The newer format may be in the log only, and another program may have the file open.
#[tokio::test]
async fn a_newer_format_is_refused_while_the_file_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    drop(SqliteStore::open(&path).unwrap());
    let other = Connection::open(&path).unwrap();
    other.pragma_update(None, "user_version", 2).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(refusal(&path).contains("has format 2"));
    assert!(fs::read(&path).unwrap() == before, "the file was touched");
    drop(other);
}

#[tokio::test]
async fn a_file_cut_short_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    drop(fill(&store).await);
    drop(store);
    let whole = fs::read(&path).unwrap();
    for length in [whole.len() / 2, 4096, 512] {
        fs::write(&path, &whole[..length]).unwrap();
        let message = refusal(&path);
        assert!(message.contains("damaged; it was left as it is"), "{length}: {message}");
        assert!(fs::read(&path).unwrap() == whole[..length], "{length}: the file was touched");
        for side in ["-wal", "-shm"] {
            drop(fs::remove_file(folder.path().join(format!("bot.sqlite{side}"))));
        }
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let message = refusal(&file.join("sub/bot.sqlite"));
    assert!(message.contains("cannot create the folder"), "{message}");
    assert!(message.contains("file/sub"), "{message}");
    let message = refusal(folder.path());
    assert!(message.contains("cannot open or create"), "{message}");
    assert_eq!(fs::read_to_string(file).unwrap(), "x");
}

/// Also the owner of all files may not write to some places.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_without_room_for_files_is_named() {
    let message = refusal(Path::new("/proc/self/bot.sqlite"));
    assert!(message.contains("cannot open or create /proc/self/bot.sqlite"), "{message}");
}

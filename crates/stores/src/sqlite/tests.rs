//! SQLite alone: locks held by others, full disks, failing statements, query plans.

use std::time::Duration;

use futures_util::future::join_all;
use rusqlite::Connection;
use sayso_turn::store::{Due, Expect, MemoryStore, Participants};
use tempfile::TempDir;

use super::*;

fn key(name: &str) -> Key {
    Key::new(name).unwrap()
}

fn create(name: &str, body: &str) -> Write {
    Write::new(key(name), Expect::Absent, body)
}

fn open(busy: Duration) -> (TempDir, SqliteStore, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let store = SqliteStore::open_with(&path, busy).unwrap();
    (folder, store, Connection::open(path).unwrap())
}

#[tokio::test]
async fn a_lock_held_by_another_for_too_long_means_nothing_happened() {
    let (_folder, store, other) = open(Duration::from_millis(50));
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.save(create("a", "{}")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("locked"), "{error}");
    assert_eq!(store.load(&key("a")).await.unwrap(), None);
    other.execute_batch("COMMIT").unwrap();
    assert!(matches!(store.save(create("a", "{}")).await, Ok(Saved::Committed(_))));
}

#[tokio::test]
async fn the_failure_of_one_job_is_not_that_of_its_neighbours() {
    for kind in ["ABORT", "FAIL", "ROLLBACK"] {
        let (_folder, store, other) = open(BUSY_MAX);
        other
            .execute_batch(&format!(
                "CREATE TRIGGER poison BEFORE INSERT ON document WHEN NEW.key = 'poison'
                 BEGIN SELECT RAISE({kind}, 'poisoned'); END;"
            ))
            .unwrap();
        // The lock makes all of them wait together, so that they share a transaction.
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut names: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        names.insert(20, "poison".into());
        let transaction = vec![create("with poison", "{}"), create("poison", "{}")];
        let saves = names.iter().map(|name| store.save(create(name, "{}")));
        let both = store.save_all(transaction);
        let release = async { other.execute_batch("COMMIT").unwrap() };
        let (saves, both, ()) = tokio::join!(join_all(saves), both, release);
        for (name, saved) in names.iter().zip(saves) {
            match saved {
                Ok(Saved::Committed(_)) => assert_ne!(name, "poison"),
                other => {
                    assert!(matches!(&other, Err(Error::Invalid { .. })), "{name}: {other:?}");
                    assert_eq!(name, "poison");
                }
            }
            assert_eq!(store.load(&key(name)).await.unwrap().is_some(), name != "poison");
        }
        assert!(matches!(both, Err(Error::Invalid { .. })), "{both:?}");
        assert_eq!(store.load(&key("with poison")).await.unwrap(), None, "half a transaction");
    }
}

#[test]
fn a_full_disk_means_nothing_happened() {
    let folder = tempfile::tempdir().unwrap();
    let file = DatabaseFile::new(&folder.path().join("bot.sqlite"), BUSY_MAX).unwrap();
    let connection = file.open_for_writing().unwrap();
    let pages: i64 =
        connection.query_row("PRAGMA max_page_count = 12", [], |row| row.get(0)).unwrap();
    assert_eq!(pages, 12);
    let meter = Arc::new(Meter::default());
    let writer = writer::Writer::new(connection, Arc::clone(&meter));
    let (queue, waiting) = tokio::sync::mpsc::channel(8);
    let large = format!("\"{}\"", "x".repeat(100_000));
    let answers: Vec<_> = [("small", "{}"), ("large", large.as_str()), ("other", "{}")]
        .into_iter()
        .map(|(name, body)| {
            let (reply, answer) = oneshot::channel();
            let change = Change::Save(vec![create(name, body)]);
            assert!(queue.try_send(Order::Change(Job { change, reply })).is_ok());
            answer
        })
        .collect();
    drop(queue);
    writer.run(waiting);
    let answers: Vec<_> =
        answers.into_iter().map(|answer| answer.blocking_recv().unwrap()).collect();
    let [small, large, other] = &answers[..] else { panic!("three answers") };
    assert!(matches!(small, Ok(Saved::Committed(_))), "{small:?}");
    assert!(matches!(other, Ok(Saved::Committed(_))), "{other:?}");
    let error = large.clone().unwrap_err().into_error("SQLite");
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("full"), "{error}");
    assert_eq!(meter.read().writes, 2);
}

#[tokio::test]
async fn a_document_over_the_limit_is_refused_before_it_is_queued() {
    let (_folder, store, _other) = open(BUSY_MAX);
    let body = "x".repeat(DOCUMENT_BYTES_MAX + 1);
    let error = store.save(create("a", &body)).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { bytes, bytes_max, .. } if bytes == bytes_max + 1));
    let error = store.save_all(vec![create("b", "{}"), create("a", &body)]).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }));
    assert_eq!(store.load(&key("b")).await.unwrap(), None);
}

#[tokio::test]
async fn a_body_that_is_no_text_is_reported_and_left_alone() {
    let (_folder, store, other) = open(BUSY_MAX);
    let insert = "INSERT INTO document (key, version, due, body) VALUES ('bad', 7, NULL, CAST(x'ff00ff' AS TEXT))";
    assert_eq!(other.execute(insert, []).unwrap(), 1);
    let error = store.load(&key("bad")).await.unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    let kept: Vec<u8> =
        other.query_row("SELECT CAST(body AS BLOB) FROM document", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, [0xff, 0, 0xff]);
}

#[test]
fn the_queries_of_every_turn_walk_indexes_only() {
    let (_folder, _store, other) = open(BUSY_MAX);
    let plan = |sql: &str| {
        let mut explain = other.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let given = vec![0_i64; explain.parameter_count()];
        let rows = explain.query_map(rusqlite::params_from_iter(given), |row| row.get(3)).unwrap();
        rows.collect::<Result<Vec<String>, _>>().unwrap().join("; ")
    };
    let due = plan(reader::DUE);
    let range = "SEARCH document USING INDEX document_due ((due,key)>(?,?) AND due<?)";
    assert_eq!(due, range, "and nothing is sorted");
    for sql in [reader::LOAD, writer::UPDATE, writer::UPDATE_BODY, writer::DELETE] {
        let plan = plan(sql);
        assert!(plan.starts_with("SEARCH document USING INDEX"), "{sql}: {plan}");
    }
    for sql in [reader::LIST_FROM, reader::LIST_AFTER] {
        let plan = plan(sql);
        assert!(plan.starts_with("SEARCH document USING COVERING INDEX"), "{sql}: {plan}");
    }
    for sql in [reader::WITH_FROM, reader::WITH_AFTER] {
        let plan = plan(sql);
        let ways = [
            "SEARCH participant USING COVERING INDEX participant_document (participant=? AND document>?)",
            "SEARCH document USING INDEX document_unlisted (key>?)",
        ];
        assert!(ways.iter().all(|way| plan.contains(way)), "{sql}: {plan}");
        assert!(!plan.contains("SCAN") && !plan.contains("TEMP"), "{sql}: {plan}");
    }
}

/// Files of earlier builds have the version in the index, which then changes with every save.
#[tokio::test]
async fn the_index_of_an_earlier_build_is_replaced_and_what_waits_is_found() {
    let (folder, store, other) = open(BUSY_MAX);
    let waiting = Write { due: Some(Timestamp::from_millis(5)), ..create("a", "{}") };
    let Ok(Saved::Committed(etag)) = store.save(waiting).await else { panic!("a new document") };
    drop(store);
    let earlier = "DROP INDEX document_due; CREATE INDEX document_due ON document
        (due, key, version) WHERE due IS NOT NULL";
    other.execute_batch(earlier).unwrap();
    let store = SqliteStore::open(folder.path().join("bot.sqlite")).unwrap();
    let sql = "SELECT sql FROM sqlite_schema WHERE name = 'document_due'";
    let index: String = other.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(index.contains("(due, key) WHERE"), "{index}");
    let found = store.due(Timestamp::from_millis(9), None, 10).await.unwrap().found;
    let at = Timestamp::from_millis(5);
    assert_eq!(found, [Due { key: key("a"), etag, at }]);
}

#[test]
fn the_file_is_set_up_for_full_durability() {
    let folder = tempfile::tempdir().unwrap();
    let file = DatabaseFile::new(&folder.path().join("bot.sqlite"), BUSY_MAX).unwrap();
    let connection = file.open_for_writing().unwrap();
    let number = |name: &str| {
        let sql = format!("PRAGMA {name}");
        connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(number("synchronous"), 2, "FULL");
    assert_eq!(number("cache_size"), -65_536);
    assert_eq!(number("wal_autocheckpoint"), 4_000);
    assert_eq!(number("busy_timeout"), 5_000);
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn a_name_that_means_something_to_sqlite_is_a_file_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:a?mode=memory", "a b%20#?.sqlite"] {
        let path = folder.path().join(name);
        drop(SqliteStore::open(&path).unwrap());
        assert!(path.is_file(), "{name}");
        drop(SqliteStore::open(&path).unwrap());
    }
    assert!(SqliteStore::open("").is_err());
}

/// The store's name shows the file's name and no more of its path.
#[test]
fn a_store_is_shown_by_its_file() {
    let (_folder, store, _other) = open(BUSY_MAX);
    let stores: [&dyn Store; 2] = [&store, &MemoryStore::default()];
    assert_eq!(stores.map(ToString::to_string), ["SQLite at bot.sqlite", "the memory store"]);
    assert!(!format!("{store:?}").contains("/"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_and_its_log_are_hidden_from_other_users() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let modes = || {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        files.map(|path| path.metadata().unwrap().permissions().mode()).collect::<Vec<_>>()
    };
    let store = SqliteStore::open(&path).unwrap();
    assert!(matches!(store.save(create("a", "{}")).await, Ok(Saved::Committed(_))));
    assert_eq!(modes().len(), 3, "the file, its log and the log's index");
    assert!(modes().iter().all(|mode| mode & 0o007 == 0), "{:?}", modes());
    drop(store);
    // Rights that somebody gave to a file that is there are theirs.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
    drop(SqliteStore::open(&path).unwrap());
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o664);
}

async fn found(store: &SqliteStore, id: &str) -> Vec<String> {
    let listed = store.list_with(Participant::of(id), "").unwrap();
    let keys: Vec<Key> = listed.try_collect().await.unwrap();
    keys.iter().map(|key| key.as_str().to_owned()).collect()
}

/// Earlier builds neither know the participants nor are in their way.
#[tokio::test]
async fn what_an_earlier_build_writes_may_be_anybodys_and_what_it_deletes_is_nobodys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE document (
                key TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, due INTEGER,
                body TEXT NOT NULL) STRICT;
             CREATE INDEX document_due ON document (due, key) WHERE due IS NOT NULL;
             INSERT INTO document (key, version, due, body) VALUES ('old', 1, NULL, '{}');
             PRAGMA application_id = 1398897011; PRAGMA user_version = 1;",
        )
        .unwrap();
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(found(&store, "ann").await, ["old"]);
    let participants = Some(Participants::All([Participant::of("ann")].into()));
    let write = Write { participants, ..create("new", "{}") };
    assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
    assert_eq!(found(&store, "ann").await, ["new", "old"]);
    assert_eq!(found(&store, "bob").await, ["old"]);
    let again = "DELETE FROM document WHERE key = 'new';
        INSERT INTO document (key, version, due, body) VALUES ('new', 1, NULL, '{}')";
    other.execute_batch(again).unwrap();
    assert_eq!(found(&store, "bob").await, ["new", "old"]);
    other.execute_batch("DELETE FROM document").unwrap();
    assert_eq!(found(&store, "ann").await, Vec::<String>::new());
}

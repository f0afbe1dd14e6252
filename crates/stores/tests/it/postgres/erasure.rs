//! Erasure among 100,000 users: quick, and what is left in the table's files afterwards.

#![expect(clippy::print_stdout, reason = "figures for whoever runs it")]

use std::{
    io::BufRead as _,
    time::{Duration, Instant},
};

use futures_util::TryStreamExt;
use sayso_turn::store::{Effort, Participant, Participants, Transactions};

use super::*;

const USERS: usize = 100_000;
/// Number of documents of one transaction.
const AT_ONCE: usize = 1_000;
const VICTIM: usize = 54_321;
const SECRET: &str = "violets-in-the-attic";

fn user(number: usize) -> String {
    format!("user-{number:06}")
}

fn documents(number: usize) -> [Write; 2] {
    let user = user(number);
    let text = if number == VICTIM { SECRET } else { "daisies-on-the-lawn" };
    let body = format!(r#"{{"said":"{}"}}"#, text.repeat(4 + number * 7 % 30));
    let participants = Some(Participants::All([Participant::of(&user)].into()));
    let conversation = create(&format!("test/conversations/c{number}"), &body);
    [Write { participants, ..conversation }, create(&format!("test/users/{user}"), &body)]
}

async fn fill(bench: &Bench) {
    let numbers: Vec<usize> = (0..USERS).collect();
    for numbers in numbers.chunks(AT_ONCE / 2) {
        let writes = numbers.iter().flat_map(|number| documents(*number)).collect();
        drop(committed(bench.store.save_all(writes).await));
    }
}

/// Counts a text in a file.
fn count(mut bytes: &[u8], text: &str) -> usize {
    let (first, others) = text.as_bytes().split_first().unwrap();
    let mut found = 0;
    while bytes.skip_until(*first).unwrap() > 0 {
        found += usize::from(bytes.starts_with(others));
    }
    found
}

impl Bench {
    /// Counts a text in the files of the table, its indexes and its overflow.
    async fn count(&self, text: &str) -> usize {
        self.other.batch_execute("CHECKPOINT").await.unwrap();
        let sql = "WITH ours AS (
                SELECT oid, reltoastrelid FROM pg_class WHERE oid = $1::text::regclass),
             tables AS (SELECT oid FROM ours UNION ALL
                SELECT reltoastrelid FROM ours WHERE reltoastrelid <> 0)
             SELECT pg_read_binary_file(pg_relation_filepath(oid)) FROM (
                SELECT oid FROM tables UNION ALL
                SELECT indexrelid FROM pg_index JOIN tables ON indrelid = oid) AS files (oid)";
        let table = format!("{}.document", self.schema);
        let files = self.other.query(sql, &[&table]).await.unwrap();
        assert!(files.len() >= 5, "the table, its overflow, and their indexes");
        let found = files.iter().map(|file| {
            let bytes: Vec<u8> = file.get(0);
            count(&bytes, text)
        });
        found.sum()
    }

    /// Removes all documents of a user, as `sayso state forget` does. Returns how many.
    async fn forget(&self, user: &str) -> usize {
        let listed = self.store.list_with(Participant::of(user), "test/conversations/").unwrap();
        let mut keys: Vec<Key> = listed.try_collect().await.unwrap();
        keys.push(Key::user("test", user).unwrap());
        for key in &keys {
            let stored = self.store.load(key).await.unwrap().unwrap();
            drop(committed(self.store.delete(key, &stored.etag).await));
        }
        keys.len()
    }
}

#[tokio::test]
async fn one_of_many_users_is_found_and_removed_in_a_second_and_a_rewrite_leaves_no_byte() {
    let bench = Bench::new().await;
    fill(&bench).await;
    let victim = user(VICTIM);
    assert!(bench.count(SECRET).await > 0 && bench.count(&victim).await > 0);

    let began = Instant::now();
    assert_eq!(bench.forget(&victim).await, 2);
    let forgot = began.elapsed();
    let purged = bench.store.purge(Effort::Light).await.unwrap();
    let vacuumed = began.elapsed();
    let left = (bench.count(SECRET).await, bench.count(&victim).await);
    println!("forgot one of {USERS} users in {forgot:?}, with VACUUM {vacuumed:?}; left: {left:?}");
    assert!(!purged.is_whole, "{purged:?}");
    assert!(vacuumed < Duration::from_secs(1), "{vacuumed:?}");

    let began = Instant::now();
    // Whatever other tests on this server have open could see the rows.
    let mut purged = bench.store.purge(Effort::Rewrite).await.unwrap();
    for _ in 0..20 {
        if purged.is_whole {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        purged = bench.store.purge(Effort::Rewrite).await.unwrap();
    }
    println!("VACUUM FULL took {:?}", began.elapsed());
    assert!(purged.is_whole, "{purged:?}");
    assert_eq!(bench.count(SECRET).await, 0, "the text is gone");
    assert_eq!(bench.count(&victim).await, 0, "the id is gone");
    assert!(bench.store.load(&key(&format!("test/users/{}", user(1)))).await.unwrap().is_some());
    bench.end().await;
}

#[tokio::test]
async fn saves_that_change_no_participants_stay_hot() {
    let bench = Bench::new().await;
    let participants = Some(Participants::All([Participant::of("ann")].into()));
    let write = Write { participants, ..create("c", "{}") };
    let mut etag = committed(bench.store.save(write).await);
    for _ in 0..20 {
        etag = committed(bench.store.save(replace("c", &etag, "{\"again\":true}")).await);
    }
    let sql = "SELECT pg_stat_force_next_flush()";
    drop(bench.other.batch_execute(sql).await);
    let sql = format!(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_all_tables
         WHERE schemaname = '{}' AND relname = 'document'",
        bench.schema
    );
    let mut counts = (0_i64, 0_i64);
    for _ in 0..100 {
        let row = bench.other.query_one(&sql, &[]).await.unwrap();
        counts = (row.get(0), row.get(1));
        if counts.0 == 20 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(counts, (20, 20));
    bench.end().await;
}

//! Saves are HOT updates: they change no index of the documents, whatever becomes due. And the
//! table of what waits is right whoever writes, a build from before that table included.

use std::{
    io::Write as _,
    time::{Duration, Instant},
};

use sayso_stores::PostgresStore;
use sayso_turn::{
    clock::Timestamp,
    store::{Store, Write},
};
use tokio_postgres::Client;

use super::{Bench, committed, connect, create, fresh_name, private::Server, replace, server, url};

const DOCUMENTS: usize = 20;
const TURNS: usize = 10;
const ROUNDS: usize = 3;
/// A tenth of a second apart.
const LOOKS_MAX: usize = 600;

/// The layout of version 1, and the statements of its builds.
const FORMER: &str = "
    CREATE TABLE {table} (
        key bytea PRIMARY KEY,
        version bigint NOT NULL,
        due bigint,
        body bytea NOT NULL
    ) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
    CREATE INDEX document_due ON {table} (due, key) WHERE due IS NOT NULL;
";
const FORMER_REPLACE: &str = "UPDATE {table} SET version = $2, due = $3, body = $4
    WHERE key = $1 AND version = $5 RETURNING key";
const FORMER_DUE: &str = "SELECT key, version, due FROM {table}
    WHERE due <= $1 AND (due, key) > ($2, $3) ORDER BY due, key LIMIT $4";

async fn due(store: &PostgresStore, now: u64) -> Vec<(String, u64)> {
    let page = store.due(Timestamp::from_millis(now), None, 100).await.unwrap();
    assert_eq!(page.next, None);
    let due = page.found.into_iter();
    due.map(|due| (due.key.as_str().to_owned(), due.at.as_millis())).collect()
}

/// Updates of a table, and those of them that were HOT, once the server has counted so many.
async fn updates(other: &Client, schema: &str, count: usize) -> (usize, usize) {
    let sql = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
        WHERE schemaname = $1 AND relname = 'document'";
    let (mut all, mut hot) = (0, 0);
    for _ in 0..LOOKS_MAX {
        let row = other.query_one(sql, &[&schema]).await.unwrap();
        let of = |index| usize::try_from(row.get::<_, i64>(index)).unwrap();
        (all, hot) = (of(0), of(1));
        if all >= count {
            break;
        }
        // The server counts when a session ends, or has nothing to do.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    (all, hot)
}

/// At human pace a turn is two saves: one that begins a wait, one that ends it.
#[tokio::test]
async fn saves_at_human_pace_are_hot_updates() {
    let Bench { schema, store, other } = Bench::new().await;
    let expiry = Some(Timestamp::from_millis(1_900_000_000_000));
    for rest in [None, expiry] {
        for document in 0..DOCUMENTS {
            let name = format!("{document} {}", rest.is_some());
            let body = "x".repeat(1_000);
            let mut etag = committed(store.save(create(&name, &body)).await);
            for turn in 0..2 * TURNS {
                let due = if turn % 2 == 0 { Some(Timestamp::from_millis(1)) } else { rest };
                etag = committed(store.save(Write { due, ..replace(&name, &etag, &body) }).await);
            }
        }
    }
    drop(store);
    let saves = 2 * DOCUMENTS * 2 * TURNS;
    let (all, hot) = updates(&other, &schema, saves).await;
    writeln!(std::io::stdout(), "{hot} of {all} updates were HOT").unwrap();
    assert_eq!(all, saves);
    // Other tests of this server may keep old versions alive for a while.
    assert!(hot * 10 >= all * 9, "{hot} of {all} updates were HOT");
    other.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await.unwrap();
}

/// A table of version 1 with what waits in it, and a connection of a build that goes on with it.
async fn former() -> (String, Client) {
    let (schema, other) = (fresh_name(), connect(&server()).await);
    let make = format!(
        "CREATE SCHEMA {schema}; {FORMER};
         CREATE TABLE {schema}.sayso_version
            (name text PRIMARY KEY, version integer NOT NULL, since timestamptz NOT NULL);
         INSERT INTO {schema}.sayso_version VALUES ('document', 1, now());
         INSERT INTO {{table}} VALUES ('a', 1, 5, '{{}}'), ('b', 2, NULL, '{{}}'),
            ('c', 3, 1900000000000, '{{}}'), ('d', 4, 7, '{{}}')"
    );
    other.batch_execute(&make.replace("{table}", &format!("{schema}.document"))).await.unwrap();
    (schema, other)
}

#[tokio::test]
async fn what_waits_in_a_table_of_the_former_version_is_found_whichever_build_writes() {
    let (schema, former) = former().await;
    let table = format!("{schema}.document");
    let update = former.prepare(&FORMER_REPLACE.replace("{table}", &table)).await.unwrap();
    let look = former.prepare(&FORMER_DUE.replace("{table}", &table)).await.unwrap();
    let save = async |key: &str, from: i64, to: i64, due: Option<i64>| {
        let body: &[u8] = b"{}";
        former.execute(&update, &[&key.as_bytes(), &to, &due, &body, &from]).await.unwrap()
    };
    assert_eq!(save("a", 1, 11, Some(6)).await, 1);
    let store = PostgresStore::open_url(&url(&format!("schema={schema}"))).await.unwrap();
    let named = |names: &[(&str, u64)]| -> Vec<(String, u64)> {
        names.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect()
    };
    assert_eq!(due(&store, 10).await, named(&[("a", 6), ("d", 7)]), "it was migrated");
    assert_eq!(due(&store, 1_900_000_000_000).await.len(), 3);

    // The older build is still there: it begins, moves and ends waits.
    assert_eq!(save("b", 2, 12, Some(1)).await, 1);
    assert_eq!(save("a", 11, 21, Some(9)).await, 1);
    assert_eq!(save("d", 4, 14, None).await, 1);
    assert_eq!(save("d", 4, 24, Some(1)).await, 0, "a conflict changes no time");
    assert_eq!(due(&store, 10).await, named(&[("b", 1), ("a", 9)]));
    // And it finds what this build leaves behind.
    let write = Write { due: Some(Timestamp::from_millis(3)), ..create("e", "{}") };
    let etag = committed(store.save(write).await);
    let none: &[u8] = b"";
    let rows = former.query(&look, &[&10_i64, &-1_i64, &none, &9_i64]).await.unwrap();
    let keys: Vec<&[u8]> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(keys, [b"b", b"e", b"a"]);
    let _etag = committed(store.delete(&super::key("e"), &etag).await);
    assert_eq!(due(&store, 10).await, named(&[("b", 1), ("a", 9)]));
    former.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await.unwrap();
}

/// Costs of a thousand saves.
struct Measured {
    wal_bytes: i64,
    hot: usize,
    took: Duration,
}

/// Saves as turns at human pace do, one after the other, by the statement that both layouts share.
async fn measure(other: &Client, schema: &str) -> Measured {
    const SAVES: i64 = 1_000;
    let table = format!("{schema}.document");
    let body = "0123456789abcdef".repeat(64).into_bytes();
    let update = other.prepare(&FORMER_REPLACE.replace("{table}", &table)).await.unwrap();
    let insert = format!(
        "INSERT INTO {table} SELECT int8send(i), 0, NULL, $1
        FROM generate_series(0, 99) AS n (i) ON CONFLICT DO NOTHING"
    );
    other.execute(&insert, &[&body]).await.unwrap();
    // Full images of pages, which the first change of a page brings, are none of the saves'.
    other.batch_execute("CHECKPOINT").await.unwrap();
    let lsn = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";
    let warm = format!("UPDATE {table} SET version = 0");
    other.batch_execute(&warm).await.unwrap();
    let before: i64 = other.query_one(lsn, &[]).await.unwrap().get(0);
    let began = Instant::now();
    for save in 0..SAVES {
        // Two saves of each document: one begins a wait and one ends it.
        let (key, from, to) = ((save / 2 % 100).to_be_bytes(), save % 2, (save + 1) % 2);
        let due = (save % 2 == 0).then_some(1_i64);
        let given: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
            [&&key[..], &to, &due, &body, &from];
        assert_eq!(other.execute(&update, &given).await.unwrap(), 1);
    }
    let took = began.elapsed();
    let after: i64 = other.query_one(lsn, &[]).await.unwrap().get(0);
    let hot = 0;
    Measured { wal_bytes: after - before, hot, took }
}

#[tokio::test]
async fn a_thousand_saves_write_no_more_log_than_with_the_index_that_was_there_before() {
    let private = Server::start(&[]).await;
    let other = connect(&private.url()).await;
    let former = "former".to_owned();
    let make = format!("CREATE SCHEMA {former}; {FORMER}");
    other.batch_execute(&make.replace("{table}", "former.document")).await.unwrap();
    let store = private.open("schema=today").await.unwrap();
    // In turns, and the best of each: other tests are at work on this machine.
    let mut measured: [Vec<Measured>; 2] = [Vec::new(), Vec::new()];
    for round in 1..=ROUNDS {
        for (layout, schema) in ["former", "today"].into_iter().enumerate() {
            let connection = connect(&private.url()).await;
            let saves = measure(&connection, schema).await;
            drop(connection);
            // The hundred that were warmed up are among them.
            let (_, hot) = updates(&other, schema, round * 1_100).await;
            measured[layout].push(Measured { hot, ..saves });
        }
    }
    drop(store);
    for (layout, rounds) in ["former", "today"].into_iter().zip(&measured) {
        let took = rounds.iter().map(|round| round.took).min().unwrap();
        let wal_bytes = rounds.iter().map(|round| round.wal_bytes).min().unwrap();
        let hot = rounds[ROUNDS - 1].hot;
        let figures = format!("{wal_bytes} bytes of log, {took:.2?}; {hot} HOT in {ROUNDS} rounds");
        writeln!(std::io::stdout(), "1,000 saves, {layout}: {figures}").unwrap();
    }
    let least = |rounds: &[Measured]| rounds.iter().map(|round| round.wal_bytes).min().unwrap();
    let hot = |rounds: &[Measured]| rounds[ROUNDS - 1].hot;
    let [former, today] = &measured;
    assert!(hot(former) < ROUNDS * 300 && hot(today) > ROUNDS * 900);
    assert!(least(today) * 10 < least(former) * 11, "the log does not grow by a tenth");
}

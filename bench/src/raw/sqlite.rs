//! Raw saves on SQLite by rusqlite: a durable transaction for each, or one for many.
//!
//! A file has one writer at a time, so one thread makes all saves, one after the other: nothing
//! that has 64 callers could be faster with a transaction for each of them. With one for all of
//! them it is as fast as the file can be, and nobody waits for anybody here, as real callers would.

use std::path::Path;

use rusqlite::{Connection, Result, params};

use super::{Bodies, Raw, body_of};
use crate::inputs;

/// Documents in a file.
#[derive(Debug)]
pub struct RawSqlite {
    file: Connection,
    bodies: Bodies,
    documents: Vec<(String, i64)>,
    /// Saves per transaction.
    batch: usize,
    /// The next save writes the second body.
    is_second_next: bool,
}

impl RawSqlite {
    /// Makes a file in a folder, with the settings of our store and so many documents of these
    /// bodies. Those of these numbers are saved from then on, so many in a transaction.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn open(
        folder: &Path,
        documents: usize,
        numbers: &[usize],
        batch: usize,
        bodies: Bodies,
    ) -> Result<Self> {
        let file = Connection::open(folder.join(format!("raw-{documents}-{batch}.sqlite")))?;
        file.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
             PRAGMA wal_autocheckpoint = 4000;
             CREATE TABLE document (key TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL);",
        )?;
        let key = |conversation| inputs::key(conversation).as_str().to_owned();
        let all = file.unchecked_transaction()?;
        for number in 0..documents {
            let insert = "INSERT INTO document VALUES (?1, 0, ?2)";
            let _one = all.prepare_cached(insert)?.execute(params![key(number), &*bodies[0]])?;
        }
        all.commit()?;
        let documents = numbers.iter().map(|number| (key(*number), 0)).collect();
        Ok(Self { file, bodies, documents, batch, is_second_next: true })
    }
}

impl Raw for RawSqlite {
    fn run(&mut self, count: usize) {
        let update =
            "UPDATE document SET version = version + 1, body = ?3 WHERE key = ?1 AND version = ?2";
        let Self { file, bodies, documents, batch, is_second_next } = self;
        let mut update = file.prepare_cached(update).expect("the statement is right");
        for _ in 0..count {
            let body = body_of(bodies, *is_second_next);
            *is_second_next = !*is_second_next;
            for some in documents.chunks_mut(*batch) {
                let transaction = file.unchecked_transaction().expect("nobody else writes here");
                for (key, version) in some {
                    let changed = update.execute(params![&*key, &*version, body]);
                    let changed = changed.expect("the file takes a save");
                    assert_eq!(changed, 1, "nobody else writes here");
                    *version += 1;
                }
                transaction.commit().expect("the file takes the saves");
            }
        }
    }
}

//! SQLite by rusqlite: a durable transaction for each save.
//!
//! A file has one writer at a time, so one thread makes all saves, one after the other: nothing that
//! has 64 callers could be faster with a transaction for each of them.

use std::{path::Path, sync::Arc};

use rusqlite::{Connection, Result, params};

use super::Raw;
use crate::inputs;

/// Documents in a file.
#[derive(Debug)]
pub struct RawSqlite {
    file: Connection,
    body: Arc<str>,
    documents: Vec<(String, i64)>,
}

impl RawSqlite {
    /// Makes a file in a folder, with the settings of our store and so many documents of this body.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn open(folder: &Path, conversations: usize, body: Arc<str>) -> Result<Self> {
        let file = Connection::open(folder.join("raw.sqlite"))?;
        file.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
             PRAGMA wal_autocheckpoint = 4000;
             CREATE TABLE document (key TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL);",
        )?;
        let key = |conversation| inputs::key(conversation).as_str().to_owned();
        let documents: Vec<_> = (0..conversations).map(|number| (key(number), 0)).collect();
        for (key, version) in &documents {
            let insert = "INSERT INTO document VALUES (?1, ?2, ?3)";
            let _one = file.execute(insert, params![key, version, &*body])?;
        }
        Ok(Self { file, body, documents })
    }
}

impl Raw for RawSqlite {
    fn run(&mut self, count: usize) {
        let update =
            "UPDATE document SET version = version + 1, body = ?3 WHERE key = ?1 AND version = ?2";
        let mut update = self.file.prepare_cached(update).expect("the statement is right");
        for _ in 0..count {
            for (key, version) in &mut self.documents {
                let changed = update.execute(params![&*key, &*version, &*self.body]);
                assert_eq!(changed.expect("the file takes a save"), 1, "nobody else writes here");
                *version += 1;
            }
        }
    }
}

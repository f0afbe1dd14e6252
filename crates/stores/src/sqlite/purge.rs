//! Physical erasure: after it neither the file nor its log holds what was deleted.
//!
//! The writer overwrites with zeros whatever it replaces or deletes (`secure_delete`), but in the
//! log, where every version of a page stays until the log is written into the file and truncated.

use rusqlite::Connection;
use sayso_turn::store::{Effort, Purged};

use super::failure::Failure;

/// Writes the log into the file and truncates it, after a rewrite of the whole file if asked for.
pub(super) fn run(connection: &Connection, effort: Effort) -> Result<Purged, Failure> {
    let mut done = vec!["deleted rows were overwritten with zeros".to_owned()];
    let mut left = vec![
        "copies of the file: backups, snapshots of its disk".to_owned(),
        "blocks that the file system or the disk no longer uses and has not overwritten".to_owned(),
    ];
    match effort {
        Effort::Rewrite => {
            connection.execute_batch("VACUUM").map_err(Failure::before_commit)?;
            done.push("the file was written anew (VACUUM)".to_owned());
        }
        Effort::Light => left.push(
            "remains in the file of what builds before 0.2 replaced or deleted, which did not \
             overwrite; a rewrite removes them"
                .to_owned(),
        ),
    }
    // Waits for readers as long as a write waits for the lock.
    let is_busy = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        .map_err(Failure::before_commit)?;
    let is_whole = is_busy == 0;
    match is_whole {
        true => done.push("the write-ahead log was written into the file and emptied".to_owned()),
        false => left.insert(
            0,
            "the write-ahead log: another connection keeps it in use; try again".to_owned(),
        ),
    }
    Ok(Purged { is_whole, done, left })
}

//! Physical erasure: removes dead rows from the files of the table, as far as the server can.
//!
//! A row that was deleted stays in its page until VACUUM, and what VACUUM frees is not overwritten.
//! Only a rewrite of the table leaves nothing of it, and that locks the table.

use std::time::Duration;

use sayso_turn::store::{Effort, Purged};
use tokio::time::{Instant, timeout_at};

use super::{
    failure::{Access, Failure},
    sessions::{Lease, Sessions},
    sql::Names,
};

/// The time limit of a purge: a large table takes minutes.
const PURGE_MAX: Duration = Duration::from_secs(30 * 60);

const LOG: &str = "the server's write-ahead log until its files are recycled, its archive, standbys \
    and backups";
const PAGES: &str = "pages in the table's files, where remains of deleted rows stay until new rows \
    overwrite them; a rewrite removes them, and locks the table meanwhile";
const SKIPPED: &str = "the table's files: the server skipped the rewrite, since only the owner of \
    the table may do it";
const SEEN: &str = "rows that a transaction which is still open could see; try again";

/// Vacuums the tables, or writes them anew.
pub(super) async fn run(
    sessions: &Sessions,
    names: &Names,
    effort: Effort,
) -> Result<Purged, Failure> {
    // Never given back, since its settings are not those of the pool any more: it is closed.
    let client = sessions.get(sessions.deadline()).await?;
    let purged = timeout_at(Instant::now() + PURGE_MAX, purge(&client, names, effort)).await;
    purged.unwrap_or_else(|_| Err(Failure::out_of_time(Access::Read, PURGE_MAX)))
}

async fn purge(client: &Lease, names: &Names, effort: Effort) -> Result<Purged, Failure> {
    let failed = |error| Failure::before(&error);
    let most = PURGE_MAX.as_millis();
    client.batch_execute(&format!("SET statement_timeout = {most}")).await.map_err(failed)?;
    let table = names.table();
    let before = State::of(client, &table).await?;
    let (sql, work) = match effort {
        Effort::Light => ("VACUUM", "dead rows were removed from the table (VACUUM)"),
        Effort::Rewrite => ("VACUUM FULL", "the table was written anew (VACUUM FULL)"),
    };
    client.batch_execute(&format!("{sql} {table}, {}", names.waiting())).await.map_err(failed)?;
    let after = State::of(client, &table).await?;
    let is_rewritten = after.file != before.file;
    let mut left = vec![LOG.to_owned()];
    if before.is_seen || after.is_seen {
        left.insert(0, SEEN.to_owned());
    }
    if !is_rewritten {
        let why = if effort == Effort::Rewrite { SKIPPED } else { PAGES };
        left.insert(0, why.to_owned());
    }
    Ok(Purged { is_whole: left.len() == 1, done: vec![work.to_owned()], left })
}

/// State of the table's files.
struct State {
    /// Number of its file: another one after a rewrite.
    file: i64,
    /// True if other transactions may see rows that are deleted, which no work removes.
    is_seen: bool,
}

impl State {
    async fn of(client: &Lease, table: &str) -> Result<Self, Failure> {
        let failed = |error| Failure::before(&error);
        let sql = format!(
            "SELECT pg_relation_filenode('{table}'::regclass)::bigint,
                EXISTS (SELECT FROM pg_stat_activity
                    WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
                    AND datname = current_database())"
        );
        let row = client.query_one(&sql, &[]).await.map_err(failed)?;
        let (file, is_seen) = (row.try_get(0), row.try_get(1));
        Ok(Self { file: file.map_err(failed)?, is_seen: is_seen.map_err(failed)? })
    }
}

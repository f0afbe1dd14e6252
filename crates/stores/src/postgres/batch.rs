//! Batched saves: one statement, one flush of the server's log, a verdict for each.
//!
//! If the server refuses the statement, nothing has happened, and each save is retried alone, so
//! that the failure of one is not that of another. When the connection breaks, the outcome is
//! unknown, and every caller is told so.

use std::{collections::HashSet, sync::Arc};

use tokio::time::Instant;
use tokio_postgres::types::ToSql;

use super::{
    failure::{Access, Failure},
    sessions::Sessions,
    sql::Statements,
    values::Row,
};
use crate::meter::Meter;

/// True if the condition held and the row was written; or a failure.
pub(super) type Verdict = Result<bool, Failure>;

/// The kind of a save. Creates and replaces have a statement each, so they are batched apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Create,
    Replace,
}

/// Sends batches of saves to the server.
#[derive(Clone)]
pub(super) struct Carrier {
    pub(super) sessions: Sessions,
    pub(super) statements: Arc<Statements>,
    pub(super) meter: Arc<Meter>,
}

impl Carrier {
    /// Writes a batch. The rows are of this kind and have different keys.
    pub(super) async fn carry(self, kind: Kind, rows: Vec<Row>) -> Vec<Verdict> {
        // For all of it: a lane that is stuck must come free again.
        let deadline = self.sessions.deadline();
        match self.write(deadline, kind, &rows).await {
            Ok(verdicts) => verdicts.into_iter().map(Ok).collect(),
            Err(failure) if rows.len() == 1 || failure.is_about_all() => {
                rows.iter().map(|_| Err(failure.clone())).collect()
            }
            Err(_) => {
                self.meter.retried_alone(rows.len());
                let mut verdicts = Vec::with_capacity(rows.len());
                for row in rows {
                    let alone = self.write(deadline, kind, std::slice::from_ref(&row)).await;
                    verdicts.push(alone.map(|verdicts| verdicts == [true]));
                }
                verdicts
            }
        }
    }

    /// Writes rows in one statement: for each, if its condition held; or a failure of all.
    async fn write(
        &self,
        deadline: Instant,
        kind: Kind,
        rows: &[Row],
    ) -> Result<Vec<bool>, Failure> {
        let verdicts = match rows {
            // A statement for one is less work for the server.
            [row] => vec![self.write_one(deadline, kind, row).await?],
            rows => self.write_many(deadline, kind, rows).await?,
        };
        self.meter.group_commit(verdicts.iter().filter(|is_written| **is_written).count());
        Ok(verdicts)
    }

    async fn write_one(&self, deadline: Instant, kind: Kind, row: &Row) -> Result<bool, Failure> {
        let (key, body) = (row.key.as_str().as_bytes(), row.body.as_bytes());
        let given: [&(dyn ToSql + Sync); 6] =
            [&key, &row.version, &row.due, &body, &row.told, &row.expected];
        let (sql, given) = match kind {
            Kind::Create => (&self.statements.create, &given[..5]),
            Kind::Replace => (&self.statements.replace, &given[..]),
        };
        Ok(!self.sessions.run(deadline, Access::Write, sql, given).await?.is_empty())
    }

    async fn write_many(
        &self,
        deadline: Instant,
        kind: Kind,
        rows: &[Row],
    ) -> Result<Vec<bool>, Failure> {
        // The statements take their locks in this order.
        let mut sorted: Vec<&Row> = rows.iter().collect();
        sorted.sort_unstable_by_key(|row| row.key.as_str());
        let keys: Vec<&[u8]> = sorted.iter().map(|row| row.key.as_str().as_bytes()).collect();
        let versions: Vec<i64> = sorted.iter().map(|row| row.version).collect();
        let dues: Vec<Option<i64>> = sorted.iter().map(|row| row.due).collect();
        let bodies: Vec<&[u8]> = sorted.iter().map(|row| row.body.as_bytes()).collect();
        let told: Vec<Option<&str>> = sorted.iter().map(|row| row.told.as_deref()).collect();
        let expected: Vec<Option<i64>> = sorted.iter().map(|row| row.expected).collect();
        let given: [&(dyn ToSql + Sync); 6] = [&keys, &versions, &dues, &bodies, &told, &expected];
        let (sql, given) = match kind {
            Kind::Create => (&self.statements.create_many, &given[..5]),
            Kind::Replace => (&self.statements.replace_many, &given[..]),
        };
        let written = self.sessions.run(deadline, Access::Write, sql, given).await?;
        if written.len() == rows.len() {
            // Each of them, since each has its own key.
            return Ok(vec![true; rows.len()]);
        }
        let written =
            written.iter().map(|row| row.try_get(0)).collect::<Result<HashSet<&[u8]>, _>>();
        // It has happened, but which rows cannot be told.
        let written = written.map_err(|error| Failure::during(Access::Write, &error))?;
        Ok(rows.iter().map(|row| written.contains(row.key.as_str().as_bytes())).collect())
    }
}

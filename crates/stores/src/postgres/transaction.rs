//! Transactions: several documents, all or none.
//!
//! The rows are written one by one in the order of their keys, as everywhere in this engine, so
//! that two transactions never deadlock.

use futures_util::{FutureExt, future::maybe_done};
use tokio::time::timeout_at;
use tokio_postgres::types::ToSql;

use super::{
    failure::{Access, Failure},
    sessions::{Lease, Sessions},
    sql::Statements,
    values::Row,
};

/// Writes all rows if every condition holds; false if one did not.
///
/// Must run to its end: a transaction that is left open would keep its rows locked.
pub(super) async fn write_all(
    sessions: Sessions,
    statements: &Statements,
    mut rows: Vec<Row>,
) -> Result<bool, Failure> {
    rows.sort_by(|one, other| one.key.cmp(&other.key));
    let deadline = sessions.deadline();
    let mut client = sessions.get(deadline).await?;
    let mut commits = false;
    let result =
        match timeout_at(deadline, attempt(&mut client, statements, &rows, &mut commits)).await {
            Ok(result) => result,
            Err(_) => {
                let access = if commits { Access::Write } else { Access::Read };
                Err(Failure::out_of_time(access, sessions.timeout()))
            }
        };
    match result {
        Ok(is_written) => client.settle(Access::Write, is_written),
        Err(failure) => Err(client.part(failure)),
    }
}

/// Runs the transaction. `commits` is set when the point of no return is passed.
async fn attempt(
    client: &mut Lease,
    statements: &Statements,
    rows: &[Row],
    commits: &mut bool,
) -> Result<bool, Failure> {
    let failed = |error: tokio_postgres::Error| Failure::before(&error);
    let create = client.prepare_cached(&statements.create).await.map_err(failed)?;
    let replace = client.prepare_cached(&statements.replace).await.map_err(failed)?;
    // Waited for: should it fail, what follows would be committed row by row.
    let transaction = client.transaction().await.map_err(failed)?;
    let mut under_way = Vec::with_capacity(rows.len());
    for row in rows {
        let transaction = &transaction;
        let statement = if row.expected.is_some() { &replace } else { &create };
        let mut write = Box::pin(maybe_done(async move {
            let (key, body) = (row.key.as_str().as_bytes(), row.body.as_bytes());
            match row.expected {
                None => {
                    let given: [&(dyn ToSql + Sync); 5] =
                        [&key, &row.version, &row.due, &body, &row.told];
                    transaction.execute(statement, &given).await
                }
                Some(expected) => {
                    let given: [&(dyn ToSql + Sync); 6] =
                        [&key, &row.version, &row.due, &body, &row.told, &expected];
                    transaction.execute(statement, &given).await
                }
            }
        }));
        // The first poll sends it; so all are on their way, in order, before one is answered.
        let _is_done = write.as_mut().now_or_never();
        under_way.push(write);
    }
    let mut holds = true;
    for mut write in under_way {
        write.as_mut().await;
        let Some(written) = write.as_mut().take_output() else { continue };
        holds &= written.map_err(failed)? == 1;
    }
    if !holds {
        // If this fails the connection is closed, which undoes it as well.
        return transaction.rollback().await.map(|()| false).map_err(failed);
    }
    *commits = true;
    transaction
        .commit()
        .await
        .map(|()| true)
        .map_err(|error| Failure::during(Access::Write, &error))
}

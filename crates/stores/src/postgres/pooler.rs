//! Detects connection poolers that share sessions between transactions or statements.
//!
//! Behind PgBouncer's `pool_mode=transaction` a setting of ours may be lost, or reach the sessions
//! of others. So we ask, before we set anything, which process of the server answers: connections
//! of our own that share a process, or one that has changed its process, are pooled. Asking leaves
//! nothing behind.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use tokio_postgres::Client;

use super::{failure::Failure, line::first_value};
use crate::sync::lock;

/// The number of times that two connections are looked at. The first time tells unless the pooler
/// is busy.
const ROUNDS: usize = 3;

/// A server process that answers a connection. With its time of start, since numbers come back
/// when a server does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Backend(String);

/// Asks which process answers.
pub(super) async fn backend(client: &Client) -> Result<Backend, Failure> {
    let sql = "SELECT concat_ws(' ', pg_backend_pid(), pg_postmaster_start_time(),
        (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()))";
    Ok(Backend(first_value(client, sql).await?.unwrap_or_default()))
}

/// Refuses two idle connections that do not have a process each.
pub(super) async fn refuse_shared(one: &Client, other: &Client) -> Result<(), Failure> {
    let (first, second) = (backend(one).await?, backend(other).await?);
    let mut is_shared = first == second;
    for _ in 0..ROUNDS {
        // In this order, since a pooler may hand out its sessions in turn.
        is_shared |= backend(other).await? != second || backend(one).await? != first;
    }
    if is_shared { Err(Failure::shared_session()) } else { Ok(()) }
}

/// The processes that our open connections have.
#[derive(Debug, Default)]
pub(super) struct Backends {
    taken: Mutex<HashSet<Backend>>,
}

impl Backends {
    /// Notes the process of a connection; true if another connection has it, too.
    pub(super) fn seat(self: &Arc<Self>, backend: Backend) -> (Seat, bool) {
        let is_taken = !lock(&self.taken).insert(backend.clone());
        (Seat { backends: Arc::clone(self), backend }, is_taken)
    }
}

/// The note of a connection's process. Removed when dropped.
#[derive(Debug)]
pub(super) struct Seat {
    backends: Arc<Backends>,
    backend: Backend,
}

impl Seat {
    pub(super) fn backend(&self) -> &Backend {
        &self.backend
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _was_taken = lock(&self.backends.taken).remove(&self.backend);
    }
}

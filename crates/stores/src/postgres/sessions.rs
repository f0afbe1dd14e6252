//! Connection pool: sessions with settings of our own, shared, and closed when broken.
//!
//! A call has a time by which it must have ended, connecting included. A connection that did not
//! answer in time is closed and not used again, nor are the idle ones of its age. The same holds
//! for a call that is dropped half-way: its connection may be to a server that is silent.
//!
//! Nothing ever asks the server to cancel a statement: to cancel a write that waits for its standby
//! is to acknowledge it.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex},
    time::Duration,
};

use deadpool_postgres::ClientWrapper;
use sayso_turn::store::PoolStats;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};
use tokio_postgres::{Row, types::ToSql};

use super::{
    failure::{Access, Failure},
    hosts::Hosts,
    session::Session,
};
use crate::sync::lock;

/// Lock time-out: how long a write waits for a row that another session holds. Ours hold rows for
/// moments.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(super) struct Sessions {
    shared: Arc<Shared>,
    permits: Arc<Semaphore>,
    count: usize,
    timeout: Duration,
}

struct Shared {
    hosts: Arc<Hosts>,
    set_up: String,
    /// A session that has not answered for so long is silent. With less it had no chance: the call
    /// had used its time up in waiting for it.
    silence_min: Duration,
    /// The one used last is used next.
    idle: Mutex<Vec<Session>>,
}

impl Sessions {
    pub(super) fn new(hosts: &Arc<Hosts>, count: usize, timeout: Duration) -> Self {
        let shared = Arc::new(Shared {
            hosts: Arc::clone(hosts),
            set_up: set_up(timeout),
            silence_min: timeout / 2,
            idle: Mutex::default(),
        });
        Self { shared, permits: Arc::new(Semaphore::new(count)), count, timeout }
    }

    /// The deadline of a call that begins now.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Adds the use of these sessions to that of others.
    pub(super) fn add_to(&self, pool: &mut PoolStats) {
        pool.connections_max += self.count as u64;
        pool.in_use += self.count.saturating_sub(self.permits.available_permits()) as u64;
        pool.idle += lock(&self.shared.idle).len() as u64;
    }

    pub(super) async fn get(&self, deadline: Instant) -> Result<Lease, Failure> {
        if Instant::now() >= deadline {
            return Err(Failure::no_connection_in_time(self.timeout));
        }
        let permit = timeout_at(deadline, Arc::clone(&self.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else {
            return Err(Failure::no_connection_in_time(self.timeout));
        };
        let shared = Arc::clone(&self.shared);
        let session = match shared.take_idle() {
            Some(session) => session,
            None => match timeout_at(deadline, shared.hosts.connect(&shared.set_up)).await {
                Ok(session) => session?,
                Err(_) => return Err(Failure::no_connection_in_time(self.timeout)),
            },
        };
        Ok(Lease { session, shared, since: Instant::now(), _permit: permit })
    }

    /// Runs one statement, which is one transaction.
    pub(super) async fn run(
        &self,
        deadline: Instant,
        access: Access,
        sql: &str,
        given: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Failure> {
        let lease = self.get(deadline).await?;
        let statement = match timeout_at(deadline, lease.prepare_cached(sql)).await {
            Ok(Ok(statement)) => statement,
            Ok(Err(error)) => return Err(lease.part(Failure::before(&error))),
            Err(_) => return Err(lease.part(Failure::out_of_time(Access::Read, self.timeout))),
        };
        match timeout_at(deadline, lease.query(&statement, given)).await {
            Ok(Ok(rows)) => lease.settle(access, rows),
            Ok(Err(error)) => Err(lease.part(Failure::during(access, &error))),
            Err(_) => Err(lease.part(Failure::out_of_time(access, self.timeout))),
        }
    }
}

impl Shared {
    fn take_idle(&self) -> Option<Session> {
        let mut idle = lock(&self.idle);
        while let Some(session) = idle.pop() {
            if !session.line.client.is_closed() && self.hosts.is_trusted(session.era) {
                return Some(session);
            }
        }
        None
    }
}

/// A session that is one caller's. It is closed when dropped, unless it is given back.
pub(super) struct Lease {
    session: Session,
    shared: Arc<Shared>,
    since: Instant,
    _permit: OwnedSemaphorePermit,
}

impl Lease {
    /// Returns the session to the pool; all its statements have been answered.
    pub(super) fn give_back(self) {
        lock(&self.shared.idle).push(self.session);
    }

    /// Returns the session to the pool after an answer, and the answer if it can be believed.
    pub(super) fn settle<T>(self, access: Access, answer: T) -> Result<T, Failure> {
        if access == Access::Write && self.session.line.is_unreplicated() {
            return Err(self.part(Failure::unreplicated()));
        }
        self.give_back();
        Ok(answer)
    }

    /// Returns the session to the pool after a failure, or closes it when it is of no more use.
    pub(super) fn part(self, failure: Failure) -> Failure {
        if failure.is_silence() && self.since.elapsed() >= self.shared.silence_min {
            self.shared.hosts.fell_silent(self.session.host, self.session.era);
        }
        if failure.keeps_session() {
            self.give_back();
        }
        failure
    }
}

impl Deref for Lease {
    type Target = ClientWrapper;

    fn deref(&self) -> &ClientWrapper {
        &self.session.line.client
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut ClientWrapper {
        &mut self.session.line.client
    }
}

/// Session settings of a new connection. Settings that the server does not know are left out.
///
/// The statements were written for plans by index and for *read committed*, whatever the server's
/// defaults are. And a write is acknowledged when it is on disk, whatever they are.
fn set_up(timeout: Duration) -> String {
    // The server gives up before we do: then it is known that nothing happened.
    let statement = (timeout * 9 / 10).as_millis();
    let lock = LOCK_WAIT_MAX.min(timeout / 2).as_millis();
    let idle = timeout.as_millis();
    format!(
        "SELECT set_config(name, value, false) FROM pg_catalog.pg_settings JOIN (VALUES
            ('search_path', 'pg_catalog'),
            ('client_min_messages', 'warning'),
            ('default_transaction_isolation', 'read committed'),
            ('default_transaction_read_only', 'off'),
            ('statement_timeout', '{statement}'),
            ('lock_timeout', '{lock}'),
            ('idle_in_transaction_session_timeout', '{idle}'),
            ('plan_cache_mode', 'force_generic_plan'),
            ('enable_seqscan', 'off'),
            ('enable_hashjoin', 'off'),
            ('enable_mergejoin', 'off'),
            ('enable_memoize', 'off'),
            ('jit', 'off')
         ) AS ours (name, value) USING (name);
         SELECT set_config(name, 'lz4', false) FROM pg_catalog.pg_settings
            WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals);
         SELECT set_config(name, 'on', false) FROM pg_catalog.pg_settings
            WHERE name = 'synchronous_commit' AND setting <> 'remote_apply'"
    )
}

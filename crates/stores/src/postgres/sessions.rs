//! Connection pool: sessions with settings of our own, shared, and closed when broken.
//!
//! A call has a time by which it must have ended, connecting included. A connection that did not
//! answer in time is closed and not used again.

use std::time::Duration;

use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use tokio::time::{Instant, timeout_at};
use tokio_postgres::{NoTls, Row, types::ToSql};

use super::{
    config::PostgresConfig,
    failure::{Access, Failure},
    tls,
};

/// Lock time-out: how long a write waits for a row that another session holds. Ours hold rows for
/// moments.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(super) struct Sessions {
    pool: Pool,
    timeout: Duration,
}

impl Sessions {
    pub(super) fn new(
        config: &PostgresConfig,
        count: usize,
        timeout: Duration,
    ) -> Result<Self, Failure> {
        let mut server = config.server.clone();
        // A server that is gone without a word is noticed.
        let _server = server
            .connect_timeout(timeout)
            .tcp_user_timeout(timeout)
            .keepalives_idle(Duration::from_secs(15))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        let plan = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = match &config.proof {
            None => Manager::from_config(server, NoTls, plan),
            Some(proof) => Manager::from_config(server, tls::connector(proof)?, plan),
        };
        let set_up = set_up(timeout);
        let pool = Pool::builder(manager)
            .max_size(count)
            .runtime(Runtime::Tokio1)
            .post_create(Hook::async_fn(move |client, _| {
                let set_up = set_up.clone();
                Box::pin(
                    async move { client.batch_execute(&set_up).await.map_err(HookError::Backend) },
                )
            }))
            .build()
            .map_err(|error| Failure::never(error.to_string()))?;
        Ok(Self { pool, timeout })
    }

    /// The deadline of a call that begins now.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(super) async fn get(&self, deadline: Instant) -> Result<Client, Failure> {
        if Instant::now() >= deadline {
            return Err(Failure::no_connection_in_time(self.timeout));
        }
        match timeout_at(deadline, self.pool.get()).await {
            Ok(client) => client.map_err(|error| Failure::without_connection(&error)),
            Err(_) => Err(Failure::no_connection_in_time(self.timeout)),
        }
    }

    /// Runs one statement, which is one transaction.
    pub(super) async fn run(
        &self,
        deadline: Instant,
        access: Access,
        sql: &str,
        given: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Failure> {
        let client = self.get(deadline).await?;
        let statement = match timeout_at(deadline, client.prepare_cached(sql)).await {
            Ok(Ok(statement)) => statement,
            Ok(Err(error)) => return Err(part(client, Failure::before(&error))),
            Err(_) => return Err(part(client, Failure::out_of_time(Access::Read, self.timeout))),
        };
        match timeout_at(deadline, client.query(&statement, given)).await {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(error)) => Err(part(client, Failure::during(access, &error))),
            Err(_) => Err(part(client, Failure::out_of_time(access, self.timeout))),
        }
    }
}

/// Returns a connection to the pool after a failure, or closes it when it is of no more use.
pub(super) fn part(client: Client, failure: Failure) -> Failure {
    if !failure.keeps_session() {
        drop(Client::take(client));
    }
    failure
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

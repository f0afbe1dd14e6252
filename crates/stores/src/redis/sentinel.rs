//! Sentinels: servers that know which server is the master now.
//!
//! Every new connection asks them again, all at once, and goes to the first server that says itself
//! that it is a master. So neither a sentinel that is frozen nor one that has missed a
//! failover keeps the store from the new master.

use std::time::Duration;

use futures_util::{StreamExt, stream::FuturesUnordered};
use redis::{ConnectionInfo, RedisConnectionInfo, aio::MultiplexedConnection, from_redis_value};

use super::{
    access::Access,
    acks::Acks,
    connect::{ask, at, connect_to_master},
    failure::Failure,
};

/// The time limit of connecting to what may have been the master: if it is frozen there is soon
/// another.
const CONNECT_MAX: Duration = Duration::from_secs(2);

/// The sentinels of a master.
pub(super) struct Sentinels {
    /// With the user, the password and the database of the master.
    nodes: Vec<ConnectionInfo>,
    master: String,
    access: Access,
}

impl Sentinels {
    pub(super) fn new(nodes: Vec<ConnectionInfo>, master: String, access: Access) -> Self {
        Self { nodes, master, access }
    }

    /// The user of the master.
    pub(super) fn user(&self) -> Option<&str> {
        self.nodes.first().and_then(|node| node.redis_settings().username())
    }

    /// Connects to the master.
    pub(super) async fn connect(
        &self,
        acks: Option<Acks>,
    ) -> Result<MultiplexedConnection, Failure> {
        let mut attempts: FuturesUnordered<_> =
            self.nodes.iter().map(|sentinel| self.connect_by(sentinel, acks)).collect();
        let mut failure = Failure::Unsent(None);
        while let Some(attempt) = attempts.next().await {
            failure = match (attempt, failure) {
                (Ok(connection), _) => return Ok(connection),
                // What was found out is worth more than who was not there.
                (Err(_), failure @ (Failure::Unfit(_) | Failure::NoSuchMaster(_))) => failure,
                (Err(next), _) => next,
            };
        }
        Err(failure)
    }

    async fn connect_by(
        &self,
        sentinel: &ConnectionInfo,
        acks: Option<Acks>,
    ) -> Result<MultiplexedConnection, Failure> {
        let master = self.find_master(sentinel).await?;
        connect_to_master(&master, &self.access, CONNECT_MAX, acks).await
    }

    async fn find_master(&self, sentinel: &ConnectionInfo) -> Result<ConnectionInfo, Failure> {
        let mut question = redis::cmd("SENTINEL");
        let _question = question.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.master);
        let open = RedisConnectionInfo::default();
        let sentinel_open = sentinel.clone().set_redis_settings(open);
        let answer = match ask(&sentinel_open, &self.access.without_password(), &question).await {
            // Sentinels with a password have the one of the master.
            Err(failure) if failure.code() == Some("NOAUTH") => {
                let settings = sentinel.redis_settings().clone().set_db(0);
                let sentinel = sentinel.clone().set_redis_settings(settings);
                ask(&sentinel, &self.access, &question).await?
            }
            answer => answer?,
        };
        let found: Option<(String, u16)> =
            from_redis_value(answer).map_err(|_| Failure::Strange)?;
        let (host, port) = found.ok_or_else(|| Failure::NoSuchMaster(self.master.clone()))?;
        Ok(at(sentinel, &host, port))
    }
}

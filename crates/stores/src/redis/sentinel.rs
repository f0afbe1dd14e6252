//! Sentinels: servers that know which server is the master now.
//!
//! Every new connection asks them again, all at once, and takes the first answer whose server says
//! itself that it is a master. So neither a sentinel that is frozen nor one that has missed a
//! failover keeps the store from the new master.

use std::{collections::BTreeSet, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use redis::{ConnectionInfo, RedisConnectionInfo, aio::MultiplexedConnection, from_redis_value};

use super::{
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
}

impl Sentinels {
    pub(super) fn new(nodes: Vec<ConnectionInfo>, master: String) -> Self {
        Self { nodes, master }
    }

    /// Connects to the master.
    pub(super) async fn connect(
        &self,
        acks: Option<Acks>,
    ) -> Result<MultiplexedConnection, Failure> {
        let mut answers: FuturesUnordered<_> =
            self.nodes.iter().map(|sentinel| self.find_master(sentinel)).collect();
        let (mut tried, mut failure) = (BTreeSet::new(), Failure::Unsent(None));
        while let Some(answer) = answers.next().await {
            failure = match answer {
                Ok(master) if tried.insert(master.addr().to_string()) => {
                    match connect_to_master(&master, CONNECT_MAX, acks).await {
                        Ok(connection) => return Ok(connection),
                        Err(failure) => failure,
                    }
                }
                // What the server itself said is worth more.
                Err(next) if tried.is_empty() => next,
                Ok(_) | Err(_) => failure,
            };
        }
        Err(failure)
    }

    async fn find_master(&self, sentinel: &ConnectionInfo) -> Result<ConnectionInfo, Failure> {
        let mut question = redis::cmd("SENTINEL");
        let _question = question.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.master);
        let open = RedisConnectionInfo::default();
        let answer = match ask(&sentinel.clone().set_redis_settings(open), &question).await {
            // Sentinels with a password have the one of the master.
            Err(failure) if failure.code() == Some("NOAUTH") => {
                let settings = sentinel.redis_settings().clone().set_db(0);
                ask(&sentinel.clone().set_redis_settings(settings), &question).await?
            }
            answer => answer?,
        };
        let found: Option<(String, u16)> =
            from_redis_value(answer).map_err(|_| Failure::Strange)?;
        let (host, port) = found.ok_or_else(|| Failure::NoSuchMaster(self.master.clone()))?;
        Ok(at(sentinel, &host, port))
    }
}

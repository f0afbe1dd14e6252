//! Calls to a server, or to the node of a cluster that has the shard.

use std::{sync::Arc, time::Duration};

use redis::{Cmd, Value};
use tokio::time::{Instant, timeout_at};

use super::{
    access::Access,
    acks::Acks,
    config::{RedisConfig, Topology},
    failure::Failure,
    lane::{Request, Server, Target},
    names::Shard,
    sentinel::Sentinels,
    slots::{Nodes, Seat},
};

/// The number of redirects that a call follows while slots of a cluster are migrating.
const REDIRECTS_MAX: usize = 5;

/// Connections to a server, or to a cluster.
pub(super) struct Link {
    timeout: Duration,
    acks: Option<Acks>,
    to: Arc<To>,
}

enum To {
    Server(Server),
    Cluster(Box<Nodes>),
}

impl Link {
    /// Connects to nothing yet.
    pub(super) fn new(config: &RedisConfig, access: &Access) -> Option<Self> {
        let (timeout, acks) = (config.timeout, config.acks);
        let target = match &config.topology {
            Topology::Server => Target::Server(config.nodes.first()?.clone()),
            Topology::Sentinel { master } => {
                let (nodes, master) = (config.nodes.clone(), master.clone());
                Target::Master(Sentinels::new(nodes, master, access.clone()))
            }
            Topology::Cluster => {
                let nodes = Nodes::new(&config.nodes, access.clone(), acks)?;
                let to = Arc::new(To::Cluster(Box::new(nodes)));
                return Some(Self { timeout, acks, to });
            }
        };
        let to = Arc::new(To::Server(Server::new(target, access, acks)));
        Some(Self { timeout, acks, to })
    }

    /// The same connections, with another time-out.
    pub(super) fn within(&self, timeout: Duration) -> Self {
        Self { timeout, acks: self.acks, to: Arc::clone(&self.to) }
    }

    /// The time-out of a call.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The acknowledgements that writes wait for.
    pub(super) fn acks(&self) -> Option<Acks> {
        self.acks
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(*self.to, To::Cluster(_))
    }

    /// The place where the calls of a shard are answered at the moment.
    pub(super) fn seat(&self, shard: Shard) -> Seat {
        match &*self.to {
            To::Server(server) => Seat { address: None, generation: server.generation(shard) },
            To::Cluster(nodes) => nodes.seat(shard),
        }
    }

    /// Sends a command once to the node of a shard; the answer comes within the time-out.
    pub(super) async fn call(&self, shard: Shard, command: &Cmd) -> Result<Value, Failure> {
        self.send(shard, command, None).await
    }

    /// As [`call`](Self::call), and fails unless enough replicas have acknowledged what it wrote.
    pub(super) async fn call_acked(&self, shard: Shard, command: &Cmd) -> Result<Value, Failure> {
        self.send(shard, command, self.acks).await
    }

    async fn send(
        &self,
        shard: Shard,
        command: &Cmd,
        acks: Option<Acks>,
    ) -> Result<Value, Failure> {
        let deadline = Instant::now() + self.timeout;
        let mut request = Request { command, is_asking: false, acks, deadline };
        let nodes = match &*self.to {
            To::Server(server) => return server.call(shard, request).await,
            To::Cluster(nodes) => nodes,
        };
        let master = timeout_at(deadline, nodes.master_of(shard)).await;
        let master = master.unwrap_or(Err(Failure::Unsent(None)))?;
        let mut answer = master.call(shard, request).await;
        for _ in 0..REDIRECTS_MAX {
            let Err(Failure::Refused(error)) = &answer else { break };
            let Some((address, _)) = error.redirect_node() else { break };
            let Some(server) = nodes.server_at(address) else { break };
            request.is_asking = error.code() == Some("ASK");
            if !request.is_asking {
                nodes.doubt();
            }
            answer = server.call(shard, request).await;
        }
        if answer.as_ref().is_err_and(Failure::doubts_the_map) {
            nodes.doubt();
        }
        answer
    }
}

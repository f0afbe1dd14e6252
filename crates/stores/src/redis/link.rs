//! The connections: kept open, shared by all callers, made anew when one breaks.
//!
//! The client library offers to reconnect and to repeat by itself; neither is used. Only who knows
//! whether a call was sent can say whether it may have happened, and a write that is repeated would
//! meet its own first landing as a conflict.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ConnectionInfo, RedisResult, Value,
    aio::{ConnectionLike, MultiplexedConnection},
    cluster::ClusterClient,
    cluster_async::ClusterConnection,
    cluster_routing::{Route, RoutingInfo, SingleNodeRoutingInfo, SlotAddr},
};
use tokio::time::{Instant, timeout_at};

use super::{failure::Failure, names::Shard};
use crate::sync::lock;

/// The number of connections to a server. A server that flushes every write answers after the
/// flush, and takes only so much from one connection between two: a single one makes the flushes
/// small.
const LANES: usize = 2;

/// The time limit of connecting, within the time-out of the call.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// The number of calls that may wait to be written to one connection; more wait for a place.
const QUEUE_MAX: usize = 1024;

/// The number of redirects that a call follows while slots of a cluster are migrating.
const REDIRECTS_MAX: usize = 5;

/// Connections to a server, or to a cluster.
pub(super) struct Link {
    timeout: Duration,
    lanes: Arc<[Lane]>,
    cluster: Option<Nodes>,
}

/// Nodes that a cluster has redirected calls to while slots were migrating, by address.
struct Nodes {
    like: ConnectionInfo,
    lanes: Mutex<BTreeMap<String, Arc<Lane>>>,
}

/// A multiplexed connection that is made when it is needed, and again when it breaks.
struct Lane {
    target: Target,
    open: Mutex<Open>,
    /// Held while connecting, so that one caller connects and the others wait.
    connecting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Open {
    connection: Option<Connection>,
    /// Generation: tells a broken connection from its successor.
    count: u64,
}

enum Target {
    Server(Box<Client>),
    Cluster(Box<ClusterClient>),
}

#[derive(Clone)]
enum Connection {
    Server(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Link {
    pub(super) fn to_server(server: ConnectionInfo, timeout: Duration) -> RedisResult<Self> {
        let client = Client::open(server)?;
        let lanes =
            (0..LANES).map(|_| Lane::new(Target::Server(Box::new(client.clone())))).collect();
        Ok(Self { timeout, lanes, cluster: None })
    }

    pub(super) fn to_cluster(nodes: Vec<ConnectionInfo>, timeout: Duration) -> RedisResult<Self> {
        let settings = nodes.first().map(ConnectionInfo::tcp_settings).cloned();
        let like = nodes.first().cloned();
        let client = ClusterClient::builder(nodes)
            // None: a call that may have happened is not repeated, and we follow slots ourselves.
            .retries(0)
            .connection_timeout(CONNECT_MAX.min(timeout))
            .response_timeout(timeout)
            .overall_response_timeout(Some(timeout))
            .tcp_settings(settings.unwrap_or_default())
            .build()?;
        let cluster = like.map(|like| Nodes { like, lanes: Mutex::new(BTreeMap::new()) });
        let lanes = [Lane::new(Target::Cluster(Box::new(client)))].into();
        Ok(Self { timeout, lanes, cluster })
    }

    /// The same connections, with another time-out.
    pub(super) fn within(&self, timeout: Duration) -> Self {
        Self { timeout, lanes: Arc::clone(&self.lanes), cluster: None }
    }

    /// The time-out of a call.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(super) fn is_cluster(&self) -> bool {
        self.cluster.is_some()
    }

    /// Sends a command once to the node of a shard; the answer comes within the time-out.
    pub(super) async fn call(&self, shard: Shard, command: &Cmd) -> Result<Value, Failure> {
        let deadline = Instant::now() + self.timeout;
        let lane = self.lanes.get(shard.number() % self.lanes.len().max(1));
        let lane = lane.ok_or(Failure::Unsent(None))?;
        let mut answer = lane.call(deadline, shard, command, false).await;
        let Some(nodes) = &self.cluster else { return answer };
        for _ in 0..REDIRECTS_MAX {
            let Err(Failure::Refused(error)) = &answer else { break };
            let Some((address, _)) = error.redirect_node() else { break };
            let is_asking = error.code() == Some("ASK");
            let Some(lane) = nodes.lane_to(address) else { break };
            answer = lane.call(deadline, shard, command, is_asking).await;
        }
        answer
    }
}

impl Nodes {
    /// The node with this address, with the configured settings otherwise.
    fn lane_to(&self, address: &str) -> Option<Arc<Lane>> {
        let mut lanes = lock(&self.lanes);
        if let Some(lane) = lanes.get(address) {
            return Some(Arc::clone(lane));
        }
        let (host, port) = address.rsplit_once(':')?;
        let port = port.parse().ok()?;
        let target = match self.like.addr() {
            ConnectionAddr::TcpTls { insecure, tls_params, .. } => ConnectionAddr::TcpTls {
                host: host.to_owned(),
                port,
                insecure: *insecure,
                tls_params: tls_params.clone(),
            },
            _ => ConnectionAddr::Tcp(host.to_owned(), port),
        };
        let client = Client::open(self.like.clone().set_addr(target)).ok()?;
        let lane = Arc::new(Lane::new(Target::Server(Box::new(client))));
        drop(lanes.insert(address.to_owned(), Arc::clone(&lane)));
        Some(lane)
    }
}

impl Lane {
    fn new(target: Target) -> Self {
        Self { target, open: Mutex::default(), connecting: tokio::sync::Mutex::new(()) }
    }

    async fn call(
        &self,
        deadline: Instant,
        shard: Shard,
        command: &Cmd,
        is_asking: bool,
    ) -> Result<Value, Failure> {
        let (mut connection, count) = match self.found() {
            Some(found) => found,
            None => timeout_at(deadline, self.connection())
                .await
                .map_err(|_| Failure::Unsent(None))?
                .map_err(|error| Failure::Unsent(Some(error)))?,
        };
        let sent = timeout_at(deadline, connection.send(shard, command, is_asking)).await;
        let failure = match sent {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => Failure::sent(error),
            Err(_) => Failure::Lost(None),
        };
        if failure.ends_the_connection() {
            self.end(count);
        }
        Err(failure)
    }

    /// The connection and its generation, made by this caller or by the one before.
    async fn connection(&self) -> RedisResult<(Connection, u64)> {
        let _one_at_a_time = self.connecting.lock().await;
        if let Some(found) = self.found() {
            return Ok(found);
        }
        let connection = self.target.connect().await?;
        let mut open = self.open();
        open.count += 1;
        open.connection = Some(connection.clone());
        Ok((connection, open.count))
    }

    fn found(&self) -> Option<(Connection, u64)> {
        let open = self.open();
        open.connection.clone().map(|connection| (connection, open.count))
    }

    /// Drops a broken connection, so that nobody else gets it. Callers that have it keep it until
    /// the answer.
    fn end(&self, count: u64) {
        let mut open = self.open();
        if open.count == count {
            open.connection = None;
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        lock(&self.open)
    }
}

impl Target {
    async fn connect(&self) -> RedisResult<Connection> {
        match self {
            Self::Server(client) => {
                // Without a time-out of the library's: only ours knows what was sent.
                let config = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(CONNECT_MAX))
                    .set_response_timeout(None)
                    .set_pipeline_buffer_size(QUEUE_MAX);
                let connection = client.get_multiplexed_async_connection_with_config(&config);
                Ok(Connection::Server(connection.await?))
            }
            Self::Cluster(client) => Ok(Connection::Cluster(client.get_async_connection().await?)),
        }
    }
}

impl Connection {
    async fn send(&mut self, shard: Shard, command: &Cmd, is_asking: bool) -> RedisResult<Value> {
        let value = match self {
            Self::Server(connection) if is_asking => {
                // One pipeline, so that nobody's call comes in between.
                let mut both = redis::pipe();
                let _both = both.cmd("ASKING").add_command(command.clone());
                let answers = connection.req_packed_commands(&both, 0, 2).await?;
                answers.into_iter().next_back().unwrap_or(Value::Nil)
            }
            Self::Server(connection) => connection.send_packed_command(command).await?,
            Self::Cluster(connection) => {
                let route = Route::with_key(shard.tag(), SlotAddr::Master);
                let route = RoutingInfo::SingleNode(SingleNodeRoutingInfo::SpecificNode(route));
                connection.route_command(command.clone(), route).await?
            }
        };
        value.extract_error()
    }
}

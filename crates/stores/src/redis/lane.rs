//! A connection (multiplexed, pipelined): kept open, shared by all callers, made anew when it
//! breaks.
//!
//! The client library offers to reconnect and to repeat by itself; neither is used. Only who knows
//! whether a call was sent can say whether it may have happened, and a write that is repeated would
//! meet its own first landing as a conflict.

use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use redis::{Cmd, ConnectionInfo, Value, aio::MultiplexedConnection};
use tokio::time::{Instant, timeout_at};

use super::{
    access::Access,
    acks::Acks,
    connect::{connect, connect_to_master, renew},
    failure::Failure,
    names::Shard,
    sentinel::Sentinels,
};
use crate::{login::Password, sync::lock};

/// The number of connections to a server. A server that flushes every write answers after the
/// flush, and takes only so much from one connection between two: a single one makes the flushes
/// small.
const LANES: usize = 2;

/// The same when replicas must acknowledge: until they have, the connection takes nothing else.
const LANES_ACKED: usize = 8;

/// The time limit of connecting, within the time-out of the call.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// The same for a node of a cluster: if it is frozen its slots have soon another.
const CONNECT_NODE_MAX: Duration = Duration::from_secs(2);

/// The time-out of a call where there may soon be another server to ask.
const SILENCE_MAX: Duration = Duration::from_secs(4);

/// After a failure to connect, the time in which callers get the same failure without an attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// A call as it goes over a connection.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) command: &'a Cmd,
    /// True if the node is asked for a slot that is still on its way to it.
    pub(super) is_asking: bool,
    /// The acknowledgements to wait for.
    pub(super) acks: Option<Acks>,
    pub(super) deadline: Instant,
}

/// The server to connect to.
pub(super) enum Target {
    Server(ConnectionInfo),
    Node(ConnectionInfo),
    Master(Sentinels),
}

/// Connections to one server, or to the master that the sentinels name.
pub(super) struct Server {
    lanes: Box<[Lane]>,
}

/// A multiplexed connection that is made when it is needed, and again when it breaks.
struct Lane {
    target: Arc<Target>,
    access: Access,
    acks: Option<Acks>,
    /// Counts the failovers that there may have been: connections from before are of no use.
    era: Arc<AtomicU64>,
    open: Mutex<Open>,
    /// Held while connecting, so that one caller connects and the others wait. Keeps the last
    /// failure.
    connecting: tokio::sync::Mutex<Option<(Instant, Failure)>>,
}

#[derive(Default)]
struct Open {
    connection: Option<MultiplexedConnection>,
    generation: Generation,
    /// The time by which the connection must present a newer token.
    renew_at: Option<Instant>,
}

/// Tells a broken connection from its successor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Generation {
    count: u64,
    era: u64,
}

impl Server {
    pub(super) fn new(target: Target, access: &Access, acks: Option<Acks>) -> Self {
        let (target, era) = (Arc::new(target), Arc::new(AtomicU64::new(0)));
        let count = if acks.is_some() { LANES_ACKED } else { LANES };
        let lane = || Lane {
            target: Arc::clone(&target),
            access: access.clone(),
            acks,
            era: Arc::clone(&era),
            open: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
        };
        Self { lanes: (0..count).map(|_| lane()).collect() }
    }

    /// The connection that calls of a shard use at the moment.
    pub(super) fn generation(&self, shard: Shard) -> Generation {
        let lane = self.lanes.get(shard.number() % self.lanes.len().max(1));
        lane.map(|lane| lane.open().generation).unwrap_or_default()
    }

    /// Sends a call once. The shard chooses the connection.
    pub(super) async fn call(&self, shard: Shard, request: Request<'_>) -> Result<Value, Failure> {
        let lane = self.lanes.get(shard.number() % self.lanes.len().max(1));
        lane.ok_or(Failure::Unsent(None))?.call(request).await
    }
}

impl Lane {
    async fn call(&self, request: Request<'_>) -> Result<Value, Failure> {
        let deadline = request.deadline;
        let (mut connection, generation) = match self.found().filter(|_| !self.is_to_renew()) {
            Some(found) => found,
            None => timeout_at(deadline, self.connection())
                .await
                .map_err(|_| Failure::Unsent(None))??,
        };
        let deadline = match self.target.may_move() {
            true => deadline.min(Instant::now() + SILENCE_MAX),
            false => deadline,
        };
        let answer = timeout_at(deadline, send(&mut connection, request)).await;
        let answer = answer.unwrap_or(Err(Failure::Lost(None)));
        if answer.as_ref().is_err_and(Failure::ends_the_connection) {
            self.end(generation);
        }
        answer
    }

    /// The connection and its generation, made by this caller or by the one before.
    async fn connection(&self) -> Result<(MultiplexedConnection, Generation), Failure> {
        let mut last = self.connecting.lock().await;
        if let Some(found) = self.found()
            && (!self.is_to_renew() || self.renew(found.clone()).await)
        {
            return Ok(found);
        }
        if let Some((at, failure)) = &*last
            && at.elapsed() < PAUSE
        {
            return Err(failure.clone());
        }
        let era = self.era.load(Ordering::SeqCst);
        // Asked for before: the token that is presented may be a newer one, and never an older.
        let password = self.access.login.password().await.map_err(Failure::Unfit);
        let connection = match password {
            Ok(password) => {
                let connection = self.target.connect(&self.access, self.acks).await;
                connection.map(|connection| (connection, password.as_ref().and_then(renewal)))
            }
            Err(failure) => Err(failure),
        };
        let (connection, renew_at) = match connection {
            Ok(connection) => connection,
            Err(failure) => {
                *last = Some((Instant::now(), failure.clone()));
                return Err(failure);
            }
        };
        let mut open = self.open();
        open.generation = Generation { count: open.generation.count + 1, era };
        open.connection = Some(connection.clone());
        open.renew_at = renew_at;
        Ok((connection, open.generation))
    }

    fn is_to_renew(&self) -> bool {
        self.open().renew_at.is_some_and(|at| at <= Instant::now())
    }

    /// Presents a newer token on an open connection; false when the connection is of no more use.
    async fn renew(&self, found: (MultiplexedConnection, Generation)) -> bool {
        let (mut connection, generation) = found;
        // Without a token the old one serves as long as it may, and the server has the last word.
        let Ok(Some(password)) = self.access.login.password().await else { return true };
        let renew_at = renewal(&password);
        if renew_at.is_none_or(|at| at <= Instant::now()) {
            return true;
        }
        if renew(&mut connection, self.target.user(), &password).await.is_err() {
            self.end(generation);
            return false;
        }
        let mut open = self.open();
        if open.generation == generation {
            open.renew_at = renew_at;
        }
        true
    }

    fn found(&self) -> Option<(MultiplexedConnection, Generation)> {
        let open = self.open();
        let is_current = open.generation.era == self.era.load(Ordering::SeqCst);
        let connection = open.connection.clone().filter(|_| is_current)?;
        Some((connection, open.generation))
    }

    /// Drops a broken connection, so that nobody else gets it, and with it those to the same server
    /// where there may be another one now. Callers that have it keep it until the answer.
    fn end(&self, generation: Generation) {
        let mut open = self.open();
        if open.generation == generation {
            open.connection = None;
        }
        if self.target.may_move() {
            let Generation { era, .. } = generation;
            let next = era + 1;
            // Fails when another caller has noticed, too.
            let _era = self.era.compare_exchange(era, next, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        lock(&self.open)
    }
}

impl Target {
    async fn connect(
        &self,
        access: &Access,
        acks: Option<Acks>,
    ) -> Result<MultiplexedConnection, Failure> {
        let (server, limit) = match self {
            Self::Server(server) => (server, CONNECT_MAX),
            Self::Node(server) => (server, CONNECT_NODE_MAX),
            Self::Master(sentinels) => return sentinels.connect(acks).await,
        };
        match acks {
            Some(_) => connect_to_master(server, access, limit, acks).await,
            None => connect(server, access, limit).await,
        }
    }

    fn user(&self) -> Option<&str> {
        match self {
            Self::Server(server) | Self::Node(server) => server.redis_settings().username(),
            Self::Master(sentinels) => sentinels.user(),
        }
    }

    /// True if another server may take the place of this one.
    fn may_move(&self) -> bool {
        match self {
            Self::Server(_) => false,
            Self::Node(_) | Self::Master(_) => true,
        }
    }
}

fn renewal(password: &Password) -> Option<Instant> {
    password.renew_at.map(Instant::from_std)
}

/// Sends a call, and behind it the question for acknowledgements, in one pipeline: nobody's call
/// comes in between.
async fn send(
    connection: &mut MultiplexedConnection,
    request: Request<'_>,
) -> Result<Value, Failure> {
    let Request { command, is_asking, acks, .. } = request;
    if !is_asking && acks.is_none() {
        let answer = connection.send_packed_command(command).await;
        return answer.and_then(Value::extract_error).map_err(Failure::sent);
    }
    let mut pipe = redis::pipe();
    if is_asking {
        let _pipe = pipe.cmd("ASKING");
    }
    let _pipe = pipe.add_command(command.clone());
    if let Some(acks) = acks {
        let _pipe = pipe.add_command(acks.command());
    }
    let count = pipe.len();
    let answers = connection.send_packed_commands(&pipe, 0, count).await.map_err(Failure::sent)?;
    let mut answers = answers.into_iter().skip(usize::from(is_asking));
    let answer = answers.next().unwrap_or(Value::Nil).extract_error().map_err(Failure::sent)?;
    match acks {
        Some(acks) if !acks.suffice(&answers.next().unwrap_or(Value::Nil)) => {
            Err(Failure::Short(acks))
        }
        Some(_) | None => Ok(answer),
    }
}

//! Raw saves on Redis by redis-rs: a script for each, over two connections that all callers share.

use std::{sync::Arc, time::Duration};

use redis::{
    AsyncConnectionConfig, Client, ConnectionInfo, IntoConnectionInfo, RedisResult,
    aio::MultiplexedConnection, io::tcp::TcpSettings,
};
use tokio::runtime::Runtime;

use super::{Bodies, Raw, ServerCpu, body_of};
use crate::inputs;

/// Number of connections: that of our store. With one, a server that flushes every write is slower.
const CONNECTIONS: usize = 2;

/// Writes a document if it has the version.
const SAVE: &str = "if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'body', ARGV[3])
return 1";

/// Documents in hashes.
#[derive(Debug)]
pub struct RawRedis {
    runtime: Arc<Runtime>,
    connections: Vec<MultiplexedConnection>,
    digest: Arc<str>,
    prefix: Arc<str>,
    bodies: Bodies,
    versions: Vec<u64>,
}

impl RawRedis {
    /// Connects. Everything under the prefix is removed in the end.
    ///
    /// # Errors
    /// When the server does not do as told.
    pub fn open(
        runtime: Arc<Runtime>,
        url: &str,
        prefix: &str,
        conversations: usize,
        bodies: Bodies,
    ) -> RedisResult<Self> {
        let server: ConnectionInfo = url.into_connection_info()?;
        let server = server.set_tcp_settings(TcpSettings::default().set_nodelay(true));
        let client = Client::open(server)?;
        let config =
            AsyncConnectionConfig::new().set_response_timeout(Some(Duration::from_secs(10)));
        let (connections, digest) = runtime.block_on(async {
            let mut connections = Vec::new();
            for _ in 0..CONNECTIONS {
                let connection = client.get_multiplexed_async_connection_with_config(&config);
                connections.push(connection.await?);
            }
            let mut load = redis::cmd("SCRIPT");
            let first = connections.first_mut().expect("there are connections");
            let digest: String = load.arg("LOAD").arg(SAVE).query_async(first).await?;
            RedisResult::Ok((connections, digest))
        })?;
        let (digest, prefix, versions) = (digest.into(), prefix.into(), vec![0; conversations]);
        let mut raw = Self { runtime, connections, digest, prefix, bodies, versions };
        // The documents come to be.
        raw.run(1);
        Ok(raw)
    }

    /// Asks the server for its CPU time. Its threads are in there, and children that write files
    /// are not.
    #[must_use]
    pub fn server_cpu(&self) -> ServerCpu {
        let (runtime, connection) = (Arc::clone(&self.runtime), self.connections.first().cloned());
        Box::new(move || {
            let mut ask = redis::cmd("INFO");
            let mut connection = connection.clone()?;
            let info = ask.arg("cpu").query_async(&mut connection);
            let info: String = runtime.block_on(info).ok()?;
            let parts = ["used_cpu_user:", "used_cpu_sys:"].map(|name| {
                let line = info.lines().find_map(|line| line.strip_prefix(name));
                line.and_then(|seconds| seconds.trim().parse::<f64>().ok())
            });
            parts.into_iter().sum::<Option<f64>>().map(|seconds| seconds * 1e6)
        })
    }
}

impl Raw for RawRedis {
    fn run(&mut self, count: usize) {
        let Self { runtime, connections, digest, prefix, bodies, versions } = self;
        runtime.block_on(async {
            let documents = std::mem::take(versions).into_iter().enumerate();
            let others: Vec<_> = documents
                .zip(connections.iter().cycle())
                .map(|((conversation, version), connection)| Document {
                    connection: connection.clone(),
                    digest: Arc::clone(digest),
                    key: format!("{prefix}:raw:{}", inputs::key(conversation)),
                    version,
                    bodies: bodies.clone(),
                })
                .map(|document| tokio::spawn(document.repeat(count)))
                .collect();
            for other in others {
                versions.push(other.await.expect("no save panics"));
            }
        });
    }
}

impl Drop for RawRedis {
    /// Leaves nothing behind on a server that was only lent.
    fn drop(&mut self) {
        let pattern = format!("{}*", self.prefix);
        let Some(connection) = self.connections.first_mut() else { return };
        self.runtime.block_on(async {
            let mut keys = redis::cmd("KEYS");
            let keys: RedisResult<Vec<Vec<u8>>> = keys.arg(pattern).query_async(connection).await;
            for key in keys.into_iter().flatten() {
                let gone: RedisResult<u64> =
                    redis::cmd("DEL").arg(key).query_async(connection).await;
                drop(gone);
            }
        });
    }
}

struct Document {
    connection: MultiplexedConnection,
    digest: Arc<str>,
    key: String,
    /// Number of saves so far, which is its version; 0 while there is no document.
    version: u64,
    bodies: Bodies,
}

impl Document {
    async fn repeat(mut self, count: usize) -> u64 {
        let text = |version: u64| if version == 0 { String::new() } else { version.to_string() };
        for _ in 0..count {
            let (old, new) = (text(self.version), text(self.version + 1));
            let mut save = redis::cmd("EVALSHA");
            let _save = save.arg(&*self.digest).arg(1).arg(&self.key);
            let body = body_of(&self.bodies, self.version % 2 == 1);
            let _save = save.arg(old).arg(new).arg(body);
            let saved: i64 =
                save.query_async(&mut self.connection).await.expect("the server takes a save");
            assert_eq!(saved, 1, "nobody else writes here");
            self.version += 1;
        }
        self.version
    }
}

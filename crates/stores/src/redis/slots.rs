//! Slot map (cluster topology): the nodes of a cluster, and which of them has the slot of each
//! shard.
//!
//! The map is asked for when it is first needed, and again when it led to the wrong node or to one
//! that does not answer. All nodes are asked at once and the first answer counts, so a frozen one
//! keeps nobody waiting.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, select_ok},
};
use redis::{ConnectionAddr, ConnectionInfo, Value, from_redis_value};
use tokio::time::Instant;

use super::{
    access::Access,
    acks::Acks,
    connect::{ask, at},
    failure::Failure,
    lane::{Generation, Server, Target},
    names::Shard,
};
use crate::sync::lock;

/// The shortest time from one question for the map to the next.
const PAUSE: Duration = Duration::from_millis(100);

/// The number of slots of every cluster.
const SLOTS: u16 = 16_384;

/// A node, as `host:port`.
type Address = String;

/// The place where the calls of a shard are answered. As long as it is the same, it is the same
/// process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) address: Option<Address>,
    pub(super) generation: Generation,
}

/// The nodes of a cluster.
pub(super) struct Nodes {
    like: ConnectionInfo,
    access: Access,
    acks: Option<Acks>,
    seeds: BTreeSet<Address>,
    known: Mutex<Known>,
    /// Held while asking for the map, so that one caller asks and the others wait.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    map: Option<Map>,
    is_doubted: bool,
    /// The time of the last question for the map.
    asked: Option<Instant>,
    servers: BTreeMap<Address, Arc<Server>>,
}

/// Masters by the last slot of a range, and all nodes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Map {
    ranges: Vec<(u16, u16, Address)>,
    nodes: BTreeSet<Address>,
}

impl Nodes {
    /// The nodes that the configuration names, of which there is one at least.
    pub(super) fn new(
        seeds: &[ConnectionInfo],
        access: Access,
        acks: Option<Acks>,
    ) -> Option<Self> {
        let like = seeds.first()?.clone();
        let seeds = seeds.iter().map(|seed| seed.addr().to_string()).collect();
        let (known, asking) = (Mutex::default(), tokio::sync::Mutex::default());
        Some(Self { like, access, acks, seeds, known, asking })
    }

    /// The master of a shard.
    pub(super) async fn master_of(&self, shard: Shard) -> Result<Arc<Server>, Failure> {
        if !self.has_map() {
            let _one_at_a_time = self.asking.lock().await;
            if !self.has_map() {
                self.look().await?;
            }
        }
        let address = lock(&self.known).map.as_ref().and_then(|map| map.master_of(shard));
        let server = address.and_then(|address| self.server_at(&address));
        server.ok_or_else(|| {
            self.doubt();
            Failure::Unfit("some slots of the cluster are served by nobody".to_owned())
        })
    }

    /// The node with this address, with the configured settings otherwise.
    pub(super) fn server_at(&self, address: &str) -> Option<Arc<Server>> {
        let mut known = lock(&self.known);
        if let Some(server) = known.servers.get(address) {
            return Some(Arc::clone(server));
        }
        let target = Target::Node(self.node_at(address)?);
        let server = Arc::new(Server::new(target, &self.access, self.acks));
        drop(known.servers.insert(address.to_owned(), Arc::clone(&server)));
        Some(server)
    }

    /// The node of a shard, and the connection to it.
    pub(super) fn seat(&self, shard: Shard) -> Seat {
        let known = lock(&self.known);
        let address = known.map.as_ref().and_then(|map| map.master_of(shard));
        let server = address.as_ref().and_then(|address| known.servers.get(address));
        let generation = server.map(|server| server.generation(shard)).unwrap_or_default();
        Seat { address, generation }
    }

    /// Has the map asked for again: it led to the wrong node, or to none that answers.
    pub(super) fn doubt(&self) {
        lock(&self.known).is_doubted = true;
    }

    fn has_map(&self) -> bool {
        let known = lock(&self.known);
        let is_recent = known.asked.is_some_and(|at| at.elapsed() < PAUSE);
        known.map.is_some() && (is_recent || !known.is_doubted)
    }

    /// Asks for the map. When nobody answers, the one from before stays.
    async fn look(&self) -> Result<(), Failure> {
        let mut addresses = self.seeds.clone();
        if let Some(map) = &lock(&self.known).map {
            addresses.extend(map.nodes.iter().cloned());
        }
        let questions = addresses.iter().filter_map(|address| self.node_at(address));
        let answers: Vec<BoxFuture<'_, _>> =
            questions.map(|node| map_of(node, &self.access).boxed()).collect();
        if answers.is_empty() {
            return Err(Failure::Unsent(None));
        }
        let answer = select_ok(answers).await;
        let mut known = lock(&self.known);
        known.asked = Some(Instant::now());
        match answer {
            Ok((map, _)) => {
                known.servers.retain(|address, _| map.nodes.contains(address));
                known.map = Some(map);
                known.is_doubted = false;
                Ok(())
            }
            Err(_) if known.map.is_some() => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    fn node_at(&self, address: &str) -> Option<ConnectionInfo> {
        let (host, port) = address.rsplit_once(':')?;
        Some(at(&self.like, host, port.parse().ok()?))
    }
}

impl Map {
    /// Parses the answer of a node, which may leave out its own name.
    fn read(answer: Value, asked: &str) -> Option<Self> {
        let ranges: Vec<Vec<Value>> = from_redis_value(answer).ok()?;
        let mut map = Self::default();
        for range in ranges {
            let mut parts = range.into_iter();
            let (first, last) = (parts.next()?, parts.next()?);
            let (first, last) = (from_redis_value(first).ok()?, from_redis_value(last).ok()?);
            for (number, node) in parts.enumerate() {
                let mut node = from_redis_value::<Vec<Value>>(node).ok()?.into_iter();
                let (host, port) = (node.next()?, node.next()?);
                let host: Option<String> = from_redis_value(host).ok()?;
                let host = host.filter(|host| !host.is_empty() && host != "?");
                let port: u16 = from_redis_value(port).ok()?;
                let address = format!("{}:{port}", host.as_deref().unwrap_or(asked));
                if number == 0 {
                    map.ranges.push((first, last, address.clone()));
                }
                let _is_new = map.nodes.insert(address);
            }
        }
        (!map.ranges.is_empty()).then_some(map)
    }

    fn master_of(&self, shard: Shard) -> Option<Address> {
        let slot = slot_of(shard);
        let range = self.ranges.iter().find(|(first, last, _)| (*first..=*last).contains(&slot));
        range.map(|(_, _, address)| address.clone())
    }
}

async fn map_of(node: ConnectionInfo, access: &Access) -> Result<Map, Failure> {
    let answer = ask(&node, access, redis::cmd("CLUSTER").arg("SLOTS")).await?;
    let host = match node.addr() {
        ConnectionAddr::Tcp(host, _) | ConnectionAddr::TcpTls { host, .. } => host.as_str(),
        _ => "",
    };
    let nobody = || Failure::Unfit("the cluster has no slots yet".to_owned());
    Map::read(answer, host).ok_or_else(nobody)
}

/// The slot of everything of a shard: CRC-16 (XMODEM) of what is between the braces.
fn slot_of(shard: Shard) -> u16 {
    let tag = shard.tag();
    let mut crc = 0_u16;
    for byte in tag.trim_matches(['{', '}']).bytes() {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 };
        }
    }
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(answer: &str) -> Option<Map> {
        let answer = redis::parse_redis_value(answer.as_bytes()).unwrap();
        Map::read(answer, "asked")
    }

    #[test]
    fn a_map_names_masters_and_all_nodes() {
        let map = parse(
            "*2\r\n*4\r\n:0\r\n:5000\r\n*2\r\n$1\r\na\r\n:1\r\n*3\r\n$1\r\nb\r\n:2\r\n$2\r\nid\r\n\
             *3\r\n:5001\r\n:16383\r\n*2\r\n$0\r\n\r\n:3\r\n",
        )
        .unwrap();
        let ranges = [(0, 5_000, "a:1".to_owned()), (5_001, 16_383, "asked:3".to_owned())];
        assert_eq!(map.ranges, ranges);
        assert_eq!(map.nodes, ["a:1", "b:2", "asked:3"].map(str::to_owned).into());
        let masters: BTreeSet<_> = Shard::all().filter_map(|shard| map.master_of(shard)).collect();
        assert_eq!(masters.len(), 2);
        for strange in ["*0\r\n", "+OK\r\n", "*1\r\n*1\r\n:0\r\n", "*1\r\n:1\r\n"] {
            assert_eq!(parse(strange), None, "{strange}");
        }
    }

    /// As `CLUSTER KEYSLOT` says.
    #[test]
    fn slots_are_those_of_the_server() {
        for (number, slot) in [(0, 11_097), (1, 15_224), (6, 2_975), (63, 10_331)] {
            assert_eq!(slot_of(Shard::any(number)), slot, "s{number}");
        }
    }
}

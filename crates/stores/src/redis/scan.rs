//! Lists keys by `SCAN`, which walks through all keys of the server and returns those that match.

use std::{collections::BTreeSet, sync::Arc};

use sayso_turn::{Key, store::Error};

use super::{calls::Calls, failure::Call, names::Shard, wire::decode};

/// The number of names that one step looks at, approximately.
const SCAN_COUNT: usize = 1000;

/// Position of a listing.
pub(super) struct Scan {
    beginning: Arc<str>,
    /// The shard to list. On a cluster a listing goes from shard to shard, since each lives on some
    /// node.
    shard: Option<Shard>,
    cursor: String,
    seen: BTreeSet<Key>,
    is_over: bool,
}

impl Scan {
    pub(super) fn new(beginning: &str, is_cluster: bool) -> Self {
        let shard = is_cluster.then_some(Shard::FIRST);
        let cursor = "0".to_owned();
        Self { beginning: beginning.into(), shard, cursor, seen: BTreeSet::new(), is_over: false }
    }

    fn next_shard(&mut self) {
        let next = self.shard.and_then(|shard| Shard::all().nth(shard.number() + 1));
        self.is_over = next.is_none();
        self.shard = next;
        "0".clone_into(&mut self.cursor);
        // No key is in two shards.
        self.seen.clear();
    }
}

impl Calls {
    /// The next names of a listing, and where it goes on.
    async fn scan(&self, scan: &Scan) -> Result<(String, Vec<Vec<u8>>), Error> {
        let mut command = redis::cmd("SCAN");
        let pattern = self.names.pattern(scan.shard, &scan.beginning);
        let _command = command.arg(&scan.cursor).arg("MATCH").arg(pattern);
        let _command = command.arg("COUNT").arg(SCAN_COUNT);
        let answer = self.read(scan.shard.unwrap_or(Shard::FIRST), &command).await;
        answer.and_then(decode).map_err(|failure| self.error(failure, None, Call::Read))
    }

    /// The next keys of a listing, and where it goes on.
    pub(super) async fn list_step(
        &self,
        mut scan: Scan,
    ) -> Result<Option<(Vec<Key>, Scan)>, Error> {
        if scan.is_over {
            return Ok(None);
        }
        let (cursor, names) = self.scan(&scan).await?;
        let keys = names.iter().filter_map(|name| self.names.key_of(name));
        let keys = keys.filter(|key| key.as_str().starts_with(&*scan.beginning));
        // A scan may name a key more than once.
        let keys = keys.filter(|key| scan.seen.insert(key.clone())).collect();
        if cursor == "0" {
            scan.next_shard();
        } else {
            scan.cursor = cursor;
        }
        Ok(Some((keys, scan)))
    }
}

//! Lists keys by `SCAN`, which walks through all keys of the server and returns those that match.

use std::{collections::BTreeSet, sync::Arc};

use sayso_turn::{Key, store::Error};

use super::{
    calls::Calls,
    failure::{Call, Failure},
    names::Shard,
    slots::Seat,
    wire::decode,
};

/// The number of names that one step looks at, approximately.
const SCAN_COUNT: usize = 1000;

/// The cursor at the beginning, and the one that the server gives at the end.
const START: &str = "0";

/// The number of times that a shard is begun again, as its server was replaced.
const RESTARTS_MAX: usize = 16;

/// Position of a listing.
pub(super) struct Scan {
    beginning: Arc<str>,
    /// The shard to list. On a cluster a listing goes from shard to shard, since each lives on some
    /// node.
    shard: Option<Shard>,
    cursor: String,
    /// The place that gave the cursor: to another process it means nothing.
    seat: Option<Seat>,
    restarts: usize,
    seen: BTreeSet<Key>,
    is_over: bool,
}

impl Scan {
    pub(super) fn new(beginning: &str, is_cluster: bool) -> Self {
        let shard = is_cluster.then_some(Shard::FIRST);
        let cursor = START.to_owned();
        Self {
            beginning: beginning.into(),
            shard,
            cursor,
            seat: None,
            restarts: 0,
            seen: BTreeSet::new(),
            is_over: false,
        }
    }

    fn next_shard(&mut self) {
        let next = self.shard.and_then(|shard| Shard::all().nth(shard.number() + 1));
        self.is_over = next.is_none();
        self.shard = next;
        START.clone_into(&mut self.cursor);
        self.seat = None;
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
        let shard = scan.shard.unwrap_or(Shard::FIRST);
        let before = self.link.seat(shard);
        let (cursor, names) = self.scan(&scan).await?;
        // The place that has answered, if it is known for sure.
        let seat = Some(self.link.seat(shard)).filter(|after| *after == before);
        let is_continued = scan.cursor != START;
        let is_foreign = is_continued && (seat.is_none() || seat != scan.seat);
        let keys = names.iter().filter_map(|name| self.names.key_of(name));
        let keys = keys.filter(|key| key.as_str().starts_with(&*scan.beginning));
        // A scan may name a key more than once.
        let keys = keys.filter(|key| scan.seen.insert(key.clone())).collect();
        if is_foreign {
            // What was told before is not told again.
            scan.restarts += 1;
            if scan.restarts > RESTARTS_MAX {
                return Err(self.error(Failure::Unsent(None), None, Call::Read));
            }
            START.clone_into(&mut scan.cursor);
            scan.seat = None;
        } else if cursor == START {
            scan.next_shard();
        } else {
            scan.cursor = cursor;
            scan.seat = seat;
        }
        Ok(Some((keys, scan)))
    }
}

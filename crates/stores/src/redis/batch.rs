//! Batched saves: one script, one flush of the server's file, a verdict for each.
//!
//! A script that the server refuses has not begun, and its error is everybody's. What it refuses
//! within the script is one document's, which is then tried alone: so the others get what they
//! asked for, and its caller the very reason. When the connection breaks nobody knows what
//! happened, and every caller is told so.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use redis::RedisWrite;
use sayso_turn::{Key, store::Write};

use super::{
    failure::Failure,
    link::Link,
    names::{Names, Shard},
    script::Scripts,
    version::{changes_index, condition},
    wire::{decode, millis},
};
use crate::{lanes::Freight, meter::Meter};

/// The number of scripts with saves in flight at once: while the server flushes for one it reads
/// another. More than two only when there is a full batch for each.
pub(super) const LANES: usize = 4;

/// Estimated bytes of a row besides its key and its body (arguments: a name, two ETags, and a few
/// more when it changes the index).
const ROW_BYTES: usize = 200;
const ROW_ARGUMENTS: usize = 5;

/// The script's verdict on a document that the server refused to write.
const REFUSED: i64 = -2;

/// 1 when the document was written, 0 on conflict, -1 for a foreign document; or a failure.
pub(super) type Verdict = Result<i64, Failure>;

/// One write and the ETag that the document will have.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) write: Write,
    pub(super) etag: String,
}

impl Row {
    /// The ETag that the document must have. It was checked before that there can be such a one.
    fn condition(&self) -> &str {
        condition(&self.write.expect).unwrap_or_default()
    }
}

impl Freight for Row {
    fn key(&self) -> &Key {
        &self.write.key
    }

    fn bytes(&self) -> usize {
        self.write.key.as_str().len() + self.write.body.len()
    }
}

/// Sends batches of saves to the server.
pub(super) struct Carrier {
    pub(super) names: Names,
    pub(super) link: Link,
    pub(super) scripts: Arc<Scripts>,
    pub(super) meter: Arc<Meter>,
    /// Counts the batches, so that they alternate between the connections.
    pub(super) next: AtomicUsize,
}

impl Carrier {
    /// Writes a batch. The rows have different keys.
    pub(super) async fn carry(self: Arc<Self>, rows: Vec<Row>) -> Vec<Verdict> {
        if let [row] = rows.as_slice() {
            return vec![self.save_alone(row).await];
        }
        match self.save_many(&rows).await {
            Ok(verdicts) => {
                let mut settled = Vec::with_capacity(rows.len());
                for (row, verdict) in rows.iter().zip(verdicts) {
                    settled.push(match verdict {
                        REFUSED => self.save_alone(row).await,
                        verdict => Ok(verdict),
                    });
                }
                settled
            }
            Err(failure) => rows.iter().map(|_| Err(failure.clone())).collect(),
        }
    }

    async fn save_alone(&self, row: &Row) -> Verdict {
        let verdict = save(&self.names, &self.link, &self.scripts, row).await?;
        self.count(&[verdict]);
        Ok(verdict)
    }

    /// Counts a script by its verdicts, of which 1 is a document that was written.
    fn count(&self, verdicts: &[i64]) {
        self.meter.group_commit(verdicts.iter().filter(|verdict| **verdict == 1).count());
    }

    async fn save_many(&self, rows: &[Row]) -> Result<Vec<i64>, Failure> {
        let any = Shard::any(self.next.fetch_add(1, Ordering::Relaxed));
        let answer = self.scripts.save_many.run(&self.link, any, |command| {
            let changes = (1..).zip(rows).filter(|(_, row)| changes_index(&row.write));
            let bytes = rows.iter().map(|row| ROW_BYTES + row.bytes()).sum();
            let arguments = std::iter::repeat_n(0, rows.len() * ROW_ARGUMENTS);
            command.reserve_space_for_args(std::iter::once(bytes).chain(arguments));
            let _command = command.arg(rows.len() + changes.clone().count());
            let mut name = String::new();
            for row in rows {
                self.names.write_document(&row.write.key, &mut name);
                let _command = command.arg(&name);
            }
            for (_, row) in changes.clone() {
                let _command = command.arg(self.names.waiting(Shard::of(&row.write.key)));
            }
            let _command = command.arg(rows.len());
            for row in rows {
                let _command = command.arg(row.condition()).arg(&row.etag).arg(&row.write.body);
            }
            for (number, row) in changes {
                let write = &row.write;
                let _command = command.arg(number).arg(millis(write.due)).arg(write.key.as_str());
            }
        });
        let verdicts: Vec<i64> = decode(answer.await?)?;
        if verdicts.len() != rows.len() {
            return Err(Failure::Strange);
        }
        self.count(&verdicts);
        Ok(verdicts)
    }
}

/// Writes one document by a script of its own.
pub(super) async fn save(names: &Names, link: &Link, scripts: &Scripts, row: &Row) -> Verdict {
    let Row { write, etag } = row;
    let shard = Shard::of(&write.key);
    let document = names.document(&write.key);
    let changes_index = changes_index(write);
    let answer = scripts.save.run(link, shard, |command| {
        let _command = match changes_index {
            true => command.arg(2).arg(&document).arg(names.waiting(shard)),
            false => command.arg(1).arg(&document),
        };
        let _command = command.arg(row.condition()).arg(etag).arg(&write.body);
        if changes_index {
            let _command = command.arg(millis(write.due)).arg(write.key.as_str());
        }
    });
    decode(answer.await?)
}

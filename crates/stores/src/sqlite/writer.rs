//! Group commit: the one thread that changes the file, many callers to a transaction.
//!
//! While a transaction is flushed to disk others queue up, and the next one takes them all. A
//! caller is answered after the flush, with its own verdict. When a statement fails the whole
//! transaction is undone and its jobs are run again one by one, so that the failure of one is not
//! that of another.

use std::sync::Arc;

use rusqlite::{Connection, params};
use sayso_turn::{
    Key,
    store::{ETag, Effort, Participants, Purged, Saved, Write},
};
use tokio::sync::{mpsc, oneshot};

use super::{
    failure::Failure,
    lane::BATCH_MAX,
    purge,
    values::{etag_of, expected_version, millis_of, version_of},
};
use crate::meter::Meter;

/// New versions, in the order of the writes; none for a delete.
pub(super) type Verdict = Saved<Vec<ETag>>;

/// A change that one caller wants, and the channel for its answer.
pub(super) struct Job {
    pub(super) change: Change,
    pub(super) reply: oneshot::Sender<Result<Verdict, Failure>>,
}

/// Order to the writer.
pub(super) enum Order {
    Change(Job),
    /// Removes what deleted documents left behind, in no transaction.
    Purge {
        effort: Effort,
        reply: oneshot::Sender<Result<Purged, Failure>>,
    },
}

pub(super) enum Change {
    /// Saves all of these or none.
    Save(Vec<Write>),
    Delete {
        key: Key,
        etag: ETag,
    },
}

pub(super) struct Writer {
    connection: Connection,
    meter: Arc<Meter>,
}

const INSERT: &str = "INSERT INTO document (key, version, due, body, participants)
    VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
const MARK: &str = "UPDATE document SET participants = ?2 WHERE key = ?1";
const FORGET: &str = "DELETE FROM participant WHERE document = ?1";
const TAKE_PART: &str = "INSERT OR IGNORE INTO participant (document, participant) VALUES (?1, ?2)";
pub(super) const UPDATE: &str = "UPDATE document SET version = ?2 + 1, due = ?3, body = ?4
    WHERE key = ?1 AND version = ?2";
/// As `UPDATE`, where the due time stays the same: then no index changes.
pub(super) const UPDATE_BODY: &str = "UPDATE document SET version = ?2 + 1, body = ?4
    WHERE key = ?1 AND version = ?2 AND due IS ?3";
pub(super) const DELETE: &str = "DELETE FROM document WHERE key = ?1 AND version = ?2";

/// A document's first version is a random number below this, so that no version of a document that
/// was deleted is used again by its successor.
const FIRST_VERSION_MAX: i64 = 1 << 62;

impl Writer {
    pub(super) fn new(connection: Connection, meter: Arc<Meter>) -> Self {
        Self { connection, meter }
    }

    /// Works until the queue is closed and empty. A job whose caller has gone is done all the same.
    pub(super) fn run(&self, mut queue: mpsc::Receiver<Order>) {
        let (mut orders, mut jobs) = (Vec::with_capacity(BATCH_MAX), Vec::with_capacity(BATCH_MAX));
        while queue.blocking_recv_many(&mut orders, BATCH_MAX) > 0 {
            for order in orders.drain(..) {
                match order {
                    Order::Change(job) => jobs.push(job),
                    Order::Purge { effort, reply } => {
                        self.flush(&mut jobs);
                        // The caller may have gone; the work is done all the same.
                        drop(reply.send(purge::run(&self.connection, effort)));
                    }
                }
            }
            self.flush(&mut jobs);
        }
    }

    fn flush(&self, jobs: &mut Vec<Job>) {
        if jobs.is_empty() {
            return;
        }
        match self.transact(jobs) {
            Ok(verdicts) => {
                for (job, verdict) in jobs.drain(..).zip(verdicts) {
                    answer(job, Ok(verdict));
                }
            }
            Err(failure)
                if jobs.len() == 1
                    || failure.is_about_the_lock()
                    || failure.may_have_happened() =>
            {
                for job in jobs.drain(..) {
                    answer(job, Err(failure.clone()));
                }
            }
            Err(_) => {
                for job in jobs.drain(..) {
                    let alone = self.transact(std::slice::from_ref(&job));
                    let verdict = alone.map(|verdicts| {
                        verdicts.into_iter().next().expect("one verdict for one job")
                    });
                    answer(job, verdict);
                }
            }
        }
    }

    /// Runs jobs in one transaction: a verdict for each, or a failure of all.
    fn transact(&self, jobs: &[Job]) -> Result<Vec<Verdict>, Failure> {
        self.run_sql("BEGIN IMMEDIATE").map_err(Failure::before_commit)?;
        let run = jobs.iter().map(|job| self.apply(&job.change)).collect::<Result<Vec<_>, _>>();
        let verdicts = match run {
            Ok(verdicts) => verdicts,
            Err(error) => {
                self.roll_back();
                return Err(Failure::before_commit(error));
            }
        };
        if let Err(error) = self.run_sql("COMMIT") {
            self.roll_back();
            return Err(Failure::at_commit(error));
        }
        self.count(jobs, &verdicts);
        Ok(verdicts)
    }

    fn apply(&self, change: &Change) -> rusqlite::Result<Verdict> {
        match change {
            Change::Save(writes) => match writes.as_slice() {
                [write] => Ok(self
                    .write(write)?
                    .map_or(Saved::Conflict, |etag| Saved::Committed(vec![etag]))),
                writes => self.write_all(writes),
            },
            Change::Delete { key, etag } => {
                let Some(version) = version_of(etag) else { return Ok(Saved::Conflict) };
                let mut delete = self.connection.prepare_cached(DELETE)?;
                let is_done = delete.execute(params![key.as_str(), version])? == 1;
                Ok(if is_done { Saved::Committed(Vec::new()) } else { Saved::Conflict })
            }
        }
    }

    fn write_all(&self, writes: &[Write]) -> rusqlite::Result<Verdict> {
        self.run_sql("SAVEPOINT job")?;
        let mut etags = Vec::with_capacity(writes.len());
        for write in writes {
            let Some(etag) = self.write(write)? else {
                self.run_sql("ROLLBACK TO job")?;
                self.run_sql("RELEASE job")?;
                return Ok(Saved::Conflict);
            };
            etags.push(etag);
        }
        self.run_sql("RELEASE job")?;
        Ok(Saved::Committed(etags))
    }

    /// Writes one document and returns its new version; `None` when its condition does not hold.
    fn write(&self, write: &Write) -> rusqlite::Result<Option<ETag>> {
        let Some(expected) = expected_version(&write.expect) else { return Ok(None) };
        let (sql, given, version) = match expected {
            None => {
                let first = fastrand::i64(1..FIRST_VERSION_MAX);
                (INSERT, first, first)
            }
            // The store never gives the largest number as a version; a foreign ETag may have it.
            Some(version) if version == i64::MAX => return Ok(None),
            Some(version) => (UPDATE, version, version + 1),
        };
        let due = write.due.map(millis_of);
        let key = write.key.as_str();
        let is_done = |sql: &str| -> rusqlite::Result<bool> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let changed = match expected {
                None => {
                    let mark = write.participants.as_ref().and_then(mark_of);
                    statement.execute(params![key, given, due, write.body, mark])?
                }
                Some(_) => statement.execute(params![key, given, due, write.body])?,
            };
            Ok(changed == 1)
        };
        let is_done = sql == UPDATE && is_done(UPDATE_BODY)? || is_done(sql)?;
        if !is_done {
            return Ok(None);
        }
        if let Some(participants) = &write.participants {
            if expected.is_some() {
                self.connection
                    .prepare_cached(MARK)?
                    .execute(params![key, mark_of(participants)])?;
                self.connection.prepare_cached(FORGET)?.execute([key])?;
            }
            self.index(key, participants)?;
        }
        Ok(Some(etag_of(version)))
    }

    /// Adds the participants of a document that has none yet.
    fn index(&self, key: &str, participants: &Participants) -> rusqlite::Result<()> {
        if let Participants::All(all) = participants {
            let mut take_part = self.connection.prepare_cached(TAKE_PART)?;
            for participant in all.iter() {
                take_part.execute(params![key, participant.as_i64()])?;
            }
        }
        Ok(())
    }

    fn run_sql(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }

    /// Rolls back the transaction, unless SQLite has already done so by itself.
    fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            // When this fails too, the next BEGIN fails and says why.
            drop(self.run_sql("ROLLBACK"));
        }
    }

    fn count(&self, jobs: &[Job], verdicts: &[Verdict]) {
        let written =
            jobs.iter().zip(verdicts).map(|(job, verdict)| match (&job.change, verdict) {
                (_, Saved::Conflict) => 0,
                (Change::Save(writes), Saved::Committed(_)) => writes.len(),
                (Change::Delete { .. }, Saved::Committed(_)) => 1,
            });
        let written: usize = written.sum();
        if written > 0 {
            self.meter.group_commit(written);
        }
    }
}

/// Mark of a document whose participants were told.
fn mark_of(participants: &Participants) -> Option<i64> {
    matches!(participants, Participants::All(_)).then_some(1)
}

fn answer(job: Job, verdict: Result<Verdict, Failure>) {
    // The caller may have gone; the change is done all the same.
    drop(job.reply.send(verdict));
}

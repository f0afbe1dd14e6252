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
    store::{ETag, Saved, Write},
};
use tokio::sync::{mpsc, oneshot};

use super::{
    failure::Failure,
    lane::BATCH_MAX,
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

const INSERT: &str = "INSERT INTO document (key, version, due, body) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO NOTHING";
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
    pub(super) fn run(&self, mut queue: mpsc::Receiver<Job>) {
        let mut jobs = Vec::with_capacity(BATCH_MAX);
        while queue.blocking_recv_many(&mut jobs, BATCH_MAX) > 0 {
            self.flush(&mut jobs);
        }
    }

    fn flush(&self, jobs: &mut Vec<Job>) {
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
        let is_done = |sql: &str| -> rusqlite::Result<bool> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let changed = statement.execute(params![write.key.as_str(), given, due, write.body])?;
            Ok(changed == 1)
        };
        let is_done = sql == UPDATE && is_done(UPDATE_BODY)? || is_done(sql)?;
        Ok(is_done.then(|| etag_of(version)))
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

fn answer(job: Job, verdict: Result<Verdict, Failure>) {
    // The caller may have gone; the change is done all the same.
    drop(job.reply.send(verdict));
}

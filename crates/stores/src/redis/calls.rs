//! Calls to the server: writes by script, reads that survive a restart of the server, and the
//! evaluation of what a script answers.

use std::sync::Arc;

use redis::{Cmd, Value};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{ETag, Error, Stored, Write},
};

use super::{
    batch::{self, Row, Verdict},
    due::Page,
    failure::{Call, Failure},
    limits::DOCUMENT_BYTES_MAX,
    link::Link,
    names::{Names, Shard},
    script::Scripts,
    version::{changes_index, condition, etag_of},
    wire::{damaged, decode, millis},
};
use crate::{
    lanes::{Lanes, Late},
    loud::Reports,
    write_id::WriteIds,
};

/// The server or cluster of a store, and what a call needs to address it.
pub(super) struct Calls {
    /// The name of the store, for errors.
    pub(super) store: Arc<str>,
    pub(super) names: Names,
    pub(super) link: Link,
    pub(super) scripts: Arc<Scripts>,
    /// None on a cluster, where a script may touch one hash slot only.
    pub(super) saves: Option<Lanes<Row, Verdict>>,
    pub(super) ids: WriteIds,
    /// Reports of missing rights.
    pub(super) reports: Reports,
}

impl Calls {
    /// Reads a document. Where writes wait for replicas the document does, too.
    pub(super) async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let (shard, document) = (Shard::of(key), self.names.document(key));
        let answer = if self.link.acks().is_some() {
            let load = || {
                self.scripts.load.run(&self.link, shard, |command| {
                    let _command = command.arg(2).arg(&document).arg(self.names.mark(shard));
                })
            };
            match load().await {
                Err(Failure::Lost(Some(_))) => load().await,
                answer => answer,
            }
        } else {
            let mut command = redis::cmd("HGETALL");
            let _command = command.arg(&document);
            self.read(shard, &command).await
        };
        let fields = answer.and_then(decode::<Vec<(Vec<u8>, Vec<u8>)>>);
        let fields = fields.map_err(|failure| self.error(failure, Some(key), Call::Read))?;
        if fields.is_empty() {
            return Ok(None);
        }
        let (mut etag, mut body) = (None, None);
        for (name, value) in fields {
            match name.as_slice() {
                b"etag" => etag = String::from_utf8(value).ok(),
                b"body" => body = String::from_utf8(value).ok(),
                _ => {}
            }
        }
        match (etag, body) {
            (Some(etag), Some(body)) => Ok(Some(Stored { body, etag: ETag::new(etag) })),
            _ => Err(damaged(key)),
        }
    }

    /// Makes the error of a call. Missing rights are reported aloud: nothing works until a person
    /// has put them right.
    pub(super) fn error(&self, failure: Failure, key: Option<&Key>, call: Call) -> Error {
        let is_about_rights = failure.is_about_rights();
        let error = failure.into_error(&self.store, key, call);
        if is_about_rights {
            self.reports.tell(&error);
        }
        error
    }

    /// Writes one document: its new version, or `None` on conflict.
    pub(super) async fn write(&self, write: Write) -> Result<Option<ETag>, Error> {
        write.check_size(&self.store, DOCUMENT_BYTES_MAX)?;
        if condition(&write.expect).is_none() {
            return Ok(None);
        }
        let (key, etag) = (write.key.clone(), etag_of(self.ids.next(), write.due));
        let version = ETag::new(etag.as_str());
        let row = Row { write, etag };
        let verdict = match &self.saves {
            // Large, and not for most: every save would carry it along.
            None => Box::pin(batch::save(&self.names, &self.link, &self.scripts, &row)).await,
            Some(saves) => saves.send(row, self.link.timeout()).await.unwrap_or_else(|late| {
                Err(match late {
                    Late::Waiting => Failure::Unsent(None),
                    Late::UnderWay => Failure::Lost(None),
                })
            }),
        };
        Ok(self.verdict(verdict, std::iter::once(&key))?.then_some(version))
    }

    /// Writes all or none: the new versions, or `None` on conflict.
    pub(super) async fn write_all(&self, writes: &[Write]) -> Result<Option<Vec<ETag>>, Error> {
        writes.iter().try_for_each(|write| write.check_size(&self.store, DOCUMENT_BYTES_MAX))?;
        let Some(first) = writes.first() else { return Ok(Some(Vec::new())) };
        let conditions: Option<Vec<_>> =
            writes.iter().map(|write| condition(&write.expect)).collect();
        let Some(conditions) = conditions else { return Ok(None) };
        let etags: Vec<_> =
            writes.iter().map(|write| etag_of(self.ids.next(), write.due)).collect();
        let answer = self.scripts.save_all.run(&self.link, Shard::of(&first.key), |command| {
            let _command = command.arg(writes.len() * 2);
            for write in writes {
                let waiting = self.names.waiting(Shard::of(&write.key));
                let _command = command.arg(self.names.document(&write.key)).arg(waiting);
            }
            for ((write, condition), etag) in writes.iter().zip(&conditions).zip(&etags) {
                let _command = command.arg(condition).arg(etag).arg(&write.body);
                let due = match changes_index(write) {
                    true => millis(write.due),
                    false => "-".to_owned(),
                };
                let _command = command.arg(due).arg(write.key.as_str());
            }
        });
        let verdict = answer.await.and_then(decode);
        let is_written = self.verdict(verdict, writes.iter().map(|write| &write.key))?;
        Ok(is_written.then(|| etags.into_iter().map(ETag::new).collect()))
    }

    /// Evaluates a script's verdict: true if it wrote. The keys are those of its documents, in
    /// order.
    pub(super) fn verdict<'a>(
        &self,
        verdict: Verdict,
        mut keys: impl Iterator<Item = &'a Key> + Clone,
    ) -> Result<bool, Error> {
        let first = keys.clone().next();
        let failed = |failure| self.error(failure, first, Call::Write);
        match verdict.map_err(failed)? {
            1 => Ok(true),
            0 => Ok(false),
            number => {
                let place = usize::try_from(number.unsigned_abs()).unwrap_or_default();
                let key = keys.nth(place.saturating_sub(1));
                Err(key.map_or_else(|| failed(Failure::Strange), damaged))
            }
        }
    }

    /// Sends a read, twice when the connection broke: a server that was restarted breaks it once.
    pub(super) async fn read(&self, shard: Shard, command: &Cmd) -> Result<Value, Failure> {
        match self.link.call(shard, command).await {
            Err(Failure::Lost(Some(_))) => self.link.call(shard, command).await,
            answer => answer,
        }
    }

    pub(super) async fn due_in(
        &self,
        shard: Shard,
        now: Timestamp,
        after: Option<Key>,
        limit: usize,
    ) -> Result<Page, Failure> {
        let add = |command: &mut Cmd| {
            let after = after.as_ref().map_or("", Key::as_str);
            let _command =
                command.arg(2).arg(self.names.waiting(shard)).arg(self.names.ready(shard));
            let _command = command.arg(now.as_millis()).arg(after).arg(limit);
            let _command = command.arg(self.names.documents(shard));
        };
        let run = || self.scripts.due.run(&self.link, shard, add);
        let answer = match run().await {
            Err(Failure::Lost(Some(_))) => run().await?,
            answer => answer?,
        };
        Page::read(answer).ok_or(Failure::Strange)
    }
}

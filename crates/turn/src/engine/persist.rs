//! Commit of a draft and its further documents: the one place where turns are written.
//!
//! It returns what was committed and performs nothing: answers, deliveries, alarms and the cache
//! are left to the caller, by [`Committed`].

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt;
use sayso_activity::Raw;

use super::{
    cache::{Cached, Streak},
    core::Core,
    deadline::Deadline,
    documents::{FurtherDocument, FurtherDocuments},
    mailbox::Moment,
};
use crate::{
    Key,
    fault::fault,
    ledger::{Decided, Document, Draft, Prepared},
    store::{ETag, Error, Saved, Write},
};

/// Reason why nothing was committed.
#[derive(Debug)]
pub(super) enum Uncommitted {
    /// Conflict: another write came first.
    Conflict,
    /// The outcome is unknown, or the store failed: load again to find out.
    Again {
        /// Description, for the error if retries fail too.
        reason: String,
        /// Wait that the store asks for.
        wait: Option<Duration>,
    },
    /// Permanent error.
    Never(Arc<Error>),
}

/// A durable commit, and the data for the actions after it.
#[derive(Debug)]
pub(super) struct Committed {
    pub(super) document: Box<Document>,
    pub(super) etag: ETag,
    pub(super) bytes: usize,
    /// Start of the commit: the claim in it is proven from then on.
    pub(super) began: Moment,
    /// True if the outbox was taken over from another instance.
    pub(super) is_taken: bool,
    /// True if it decided about further documents that are still to be finished.
    pub(super) has_decided: bool,
}

impl Uncommitted {
    fn of(error: Error) -> Self {
        match error.is_transient() {
            true => Self::Again { reason: error.to_string(), wait: error.retry_after() },
            false => Self::Never(Arc::new(error)),
        }
    }
}

impl Core {
    /// Commits a draft and its further documents atomically.
    pub(super) async fn commit(
        &self,
        key: &Key,
        mut draft: Draft,
        documents: &FurtherDocuments,
        deadline: Deadline,
    ) -> Result<Committed, Uncommitted> {
        let began = self.moment();
        self.validate(documents, deadline).await?;
        let further = documents.changed();
        let has_decided = !further.is_empty() && self.store.transactions().is_none();
        let id = if has_decided { self.ids.unique() } else { String::new() };
        let rev = draft.document.ledger.rev;
        if has_decided {
            draft.document.ledger.decided.push(decide(id.clone(), &further));
        }
        let write = self.write(key, &mut draft.document, &draft.expect);
        let bytes = write.body.len();
        fault!("before_commit");
        // Loads of the validation take their time. Without them the first look at the clock does.
        let now = if documents.is_used() { self.uptime() } else { began.uptime };
        let left = deadline.left(now);
        let time_max = self.store.save_time_max().filter(|_| further.is_empty());
        let saved = match (has_decided, further.is_empty()) {
            (false, true) => self.store.save(write),
            (false, false) => self.save_all(write, further).boxed(),
            (true, _) => self.save_in_steps(write, (&id, rev), further).boxed(),
        };
        let saved = match time_max.is_some_and(|most| most <= left) {
            true => Some(saved.await),
            false => self.by(deadline, saved).await,
        };
        match saved.unwrap_or_else(|| Err(self.unknown())) {
            Ok(Saved::Committed(etag)) => {
                fault!("after_commit");
                self.counters.commits.add(1);
                let Draft { document, is_taken, .. } = draft;
                Ok(Committed { document, etag, bytes, began, is_taken, has_decided })
            }
            Ok(Saved::Conflict) => {
                self.counters.conflicts.add(1);
                Err(Uncommitted::Conflict)
            }
            Err(error) => {
                self.counters.unknown.add(usize::from(matches!(error, Error::Unknown { .. })));
                Err(Uncommitted::of(error))
            }
        }
    }

    fn unknown(&self) -> Error {
        let reason = "no answer before the deadline".to_owned();
        Error::Unknown { store: self.store.to_string().into(), reason, source: None }
    }

    /// Validates the documents that were only read: between the last read and the first check here
    /// all of them were unchanged, so the turn saw a consistent state.
    pub(super) async fn validate(
        &self,
        documents: &FurtherDocuments,
        deadline: Deadline,
    ) -> Result<(), Uncommitted> {
        for (key, expect) in documents.to_validate() {
            let (_, now) = Box::pin(self.read(&key, deadline)).await.map_err(Uncommitted::of)?;
            if now != expect {
                self.counters.conflicts.add(1);
                return Err(Uncommitted::Conflict);
            }
        }
        Ok(())
    }

    async fn save_all(
        &self,
        write: Write,
        further: Vec<(Key, FurtherDocument)>,
    ) -> Result<Saved, Error> {
        let transactions =
            self.store.transactions().expect("only called for stores with transactions");
        let mut writes = vec![write];
        for (key, mut held) in further {
            writes.push(self.write(&key, &mut held.document, &held.expect));
        }
        match transactions.save_all(writes).await? {
            Saved::Conflict => Ok(Saved::Conflict),
            Saved::Committed(etags) => {
                let first = etags.into_iter().next();
                Ok(Saved::Committed(first.expect("the store returns one version per write")))
            }
        }
    }

    /// Two-phase commit: prepares the further documents, then writes the conversation. `rev` is the
    /// revision that this replaces.
    async fn save_in_steps(
        &self,
        write: Write,
        (id, rev): (&str, u64),
        further: Vec<(Key, FurtherDocument)>,
    ) -> Result<Saved, Error> {
        for (key, FurtherDocument { expect, document, before }) in further {
            let bag = Raw::from_text(document.bag.to_json()).expect("a bag serialises to JSON");
            let by = write.key.as_str().to_owned();
            let before = before.unwrap_or_default();
            let ttl = Prepared::ttl(&before, &document.bag);
            let prepared = Prepared { id: id.to_owned(), by, rev, bag, ttl };
            let mut document = Document { bag: before, ..document };
            document.ledger.prepared = Some(Arc::new(prepared));
            let step = self.write(&key, &mut document, &expect);
            let bytes = step.body.len();
            match self.store.save(step).await? {
                Saved::Conflict => return Ok(Saved::Conflict),
                Saved::Committed(etag) => {
                    let cached = Cached {
                        document: Box::new(document),
                        etag,
                        bytes,
                        streak: Streak::default(),
                    };
                    self.cache().put(&key, cached);
                }
            }
        }
        self.store.save(write).await
    }
}

/// Makes the commit record: the names of the further documents, for whoever finishes them.
fn decide(id: String, further: &[(Key, FurtherDocument)]) -> Decided {
    let documents = further.iter().map(|(key, held)| {
        // Revision of the prepared document: an older one is a stale read.
        (key.as_str().to_owned(), held.document.ledger.rev + 1)
    });
    Decided { id, documents: documents.collect() }
}

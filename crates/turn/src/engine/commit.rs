//! Load and commit: the only places where the engine touches the store on a turn's path.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt;

use super::{
    Shared,
    cache::Cached,
    draft::Draft,
    mailbox::{Chore, Mailbox},
    shelf::{Held, Shelf},
    steps,
    work::Task,
};
use crate::{
    Key,
    document::Document,
    fault::fault,
    store::{ETag, Error, Expect, Saved, Write},
};

/// How a commit ended.
#[derive(Debug)]
pub(super) enum Commit {
    /// It is durable.
    Committed,
    /// Another write came first, or the outcome is not known, or the store failed. Load and look.
    Again {
        /// What happened, for the error if it goes on like this.
        reason: String,
        /// How long the store asks to wait.
        wait: Option<Duration>,
    },
    /// It can never succeed.
    Never(Arc<Error>),
}

/// A document as it counts.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) document: Document,
    pub(super) expect: Expect,
    /// Whether it is stored with a change that was only prepared, one that is settled now.
    pub(super) is_settled: bool,
    /// Whether what is stored counts as absent.
    pub(super) is_expired: bool,
}

impl Shared {
    /// Reads a document and settles what was prepared in it.
    pub(super) async fn load(
        &self,
        key: &Key,
        rounds: u32,
        within: Duration,
    ) -> Result<Loaded, Error> {
        let (mut document, expect, _) = self.read(key, within).await?;
        let is_settled = self.settle(&mut document, rounds, within).await?;
        let is_expired = self.is_expired(&document);
        if is_expired {
            // The revision goes on: it tells a stale read from a fresh one.
            let rev = document.ledger.rev;
            document = Document::default();
            document.ledger.rev = rev;
        }
        Ok(Loaded { document, expect, is_settled, is_expired })
    }

    /// Whether a document counts as absent by now.
    pub(super) fn is_expired(&self, document: &Document) -> bool {
        document.ledger.expires.is_some_and(|at| at <= self.clock.now())
    }

    /// Removes a document that counts as absent, if it is still the one that was seen.
    pub(super) async fn remove(&self, key: &Key, etag: &ETag, within: Duration) {
        let removed = self.within(within, self.store.delete(key, etag)).await;
        if let Some(Ok(Saved::Committed(_))) = removed {
            self.counters.expired.add(1);
        }
    }

    /// Reads a document from the store, within a time. Absent is an empty document.
    pub(super) async fn read(
        &self,
        key: &Key,
        within: Duration,
    ) -> Result<(Document, Expect, usize), Error> {
        self.counters.loads.add(1);
        let loaded = self.within(within, self.store.load(key)).await;
        let stored = loaded.unwrap_or_else(|| Err(self.silent(within)))?;
        match stored {
            None => Ok((Document::default(), Expect::Absent, 0)),
            Some(stored) => {
                let document = Document::parse(key, &stored.body)?;
                Ok((document, Expect::At(stored.etag), stored.body.len()))
            }
        }
    }

    pub(super) fn silent(&self, within: Duration) -> Error {
        Error::Unavailable {
            store: self.store.to_string().into(),
            reason: format!("no answer within {within:?}"),
            source: None,
        }
    }

    /// Writes a draft and the further documents, all or none.
    pub(super) async fn commit(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        mut draft: Draft,
        shelf: &Shelf,
        within: Duration,
    ) -> Commit {
        let began = self.uptime();
        let further = shelf.changed();
        let time_max = self.store.save_time_max().filter(|_| further.is_empty());
        let has_steps = !further.is_empty() && self.store.transactions().is_none();
        let id = if has_steps { self.ids.unique() } else { String::new() };
        let rev = draft.document.ledger.rev;
        if has_steps {
            draft.document.ledger.decided.push(steps::decide(id.clone(), &further));
        }
        let write = self.write(&mailbox.key, &mut draft.document, &draft.expect);
        let bytes = write.body.len();
        fault!("before_commit");
        let saved = match (has_steps, further.is_empty()) {
            (false, true) => self.store.save(write),
            (false, false) => self.save_all(write, further).boxed(),
            (true, _) => self.save_in_steps(write, (&id, rev), further).boxed(),
        };
        let saved = match time_max.is_some_and(|most| most <= within) {
            true => Some(saved.await),
            false => self.within(within, saved).await,
        };
        let saved = saved.unwrap_or_else(|| {
            let (store, reason) = (self.store.to_string(), format!("no answer within {within:?}"));
            Err(Error::Unknown { store: store.into(), reason, source: None })
        });
        match saved {
            Ok(Saved::Committed(etag)) => {
                fault!("after_commit");
                self.counters.commits.add(1);
                if let Some(courier) = self.committed(mailbox, draft, etag, bytes, began) {
                    self.go(courier).await;
                }
                if has_steps {
                    self.spawn(self.ask(mailbox, Chore::Finish));
                }
                Commit::Committed
            }
            Ok(Saved::Conflict) => {
                self.counters.conflicts.add(1);
                mailbox.desk().is_shared = true;
                Commit::Again { reason: "another instance committed first".to_owned(), wait: None }
            }
            Err(error) if error.is_transient() => {
                if matches!(error, Error::Unknown { .. }) {
                    self.counters.unknown.add(1);
                }
                Commit::Again { reason: error.to_string(), wait: error.retry_after() }
            }
            Err(error) => Commit::Never(Arc::new(error)),
        }
    }

    /// Gives a document its next revision and writes it as text.
    pub(super) fn write(&self, key: &Key, document: &mut Document, expect: &Expect) -> Write {
        document.ledger.rev += 1;
        self.ids.write_unique(&mut document.ledger.write);
        let ledger = &mut document.ledger;
        ledger.expires = match self.limits.ttl.is_set().then(|| self.limits.ttl.of(key)).flatten() {
            Some(ttl) if ledger.waits_until().is_none() => Some(self.clock.now().after(ttl)),
            _ => None,
        };
        let (due, expires) = (ledger.due(), ledger.expires);
        Write { key: key.clone(), expect: expect.clone(), body: document.to_json(), due, expires }
    }

    async fn save_all(&self, write: Write, further: Vec<(Key, Held)>) -> Result<Saved, Error> {
        let transactions = self.store.transactions().expect("without them it is done in steps");
        let mut writes = vec![write];
        for (key, mut held) in further {
            writes.push(self.write(&key, &mut held.document, &held.expect));
        }
        match transactions.save_all(writes).await? {
            Saved::Conflict => Ok(Saved::Conflict),
            Saved::Committed(etags) => {
                let first = etags.into_iter().next();
                Ok(Saved::Committed(first.expect("one version for each write")))
            }
        }
    }

    /// Puts a document back into the cache that was lent for nothing.
    pub(super) fn give_back(&self, key: &Key, draft: Draft) {
        if let Draft { document, expect: Expect::At(etag), cached_bytes: Some(bytes), .. } = draft {
            self.cache().put(key, Cached { document, etag, bytes });
        }
    }

    /// Tells memory, the courier and the alarms what is durable now. Gives the courier to be started.
    fn committed(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        draft: Draft,
        etag: ETag,
        bytes: usize,
        began: Duration,
    ) -> Option<Task> {
        let ledger = &draft.document.ledger;
        let mut desk = mailbox.desk();
        self.counters.recovered.add(usize::from(draft.is_taken));
        desk.claimed_at = Some(began);
        desk.note(ledger, self.ids.instance(), || self.uptime());
        let courier = self.courier(mailbox, &mut desk);
        drop(desk);
        if let Some(at) = ledger.timers.iter().map(|timer| timer.at).min() {
            self.alarms.add(at, &mailbox.key);
        }
        let cached = Cached { document: draft.document, etag, bytes };
        self.cache().put(&mailbox.key, cached);
        courier
    }
}

//! Reading and writing of single documents: text to document and back, within a deadline.

use std::time::Duration;

use super::{
    cache::{Cached, Streak},
    core::Core,
    deadline::Deadline,
    mailbox::Mailbox,
};
use crate::{
    Key,
    ledger::{Document, DocumentTtl, is_expired},
    store::{ETag, Error, Expect, Saved, Write},
    sync::Ordering,
};

impl Core {
    /// Reads a document from the store; an absent one is empty.
    pub(super) async fn read(
        &self,
        key: &Key,
        deadline: Deadline,
    ) -> Result<(Document, Expect), Error> {
        self.counters.loads.add(1);
        let loaded = self.by(deadline, self.store.load(key)).await;
        match loaded.unwrap_or_else(|| Err(self.timed_out()))? {
            None => Ok((Document::default(), Expect::Absent)),
            Some(stored) => {
                let document = Document::parse(key, &stored.body)?;
                self.note_lifetime(&document);
                Ok((document, Expect::At(stored.etag)))
            }
        }
    }

    /// Reads the remaining rest of an outbox from its document; a timer ends it, too.
    pub(crate) async fn rest_left(&self, key: &Key) -> Option<Duration> {
        let deadline = Deadline::at(self.uptime() + self.limits.claim / 4);
        let (document, _) = self.read(key, deadline).await.ok()?;
        let ledger = &document.ledger;
        let until = ledger.rest()?.until;
        let until = ledger.next_timer().map_or(until, |timer| timer.min(until));
        Some(until.since(self.now()))
    }

    /// Records a permanent error of a document.
    pub(super) fn note_refusal(&self, key: &Key, error: &Error) {
        if !error.is_transient() {
            self.refusals.note(key, error, self.uptime());
        }
    }

    /// Makes the error of a store that did not answer in time.
    pub(super) fn timed_out(&self) -> Error {
        let reason = "no answer before the deadline".to_owned();
        Error::Unavailable { store: self.store.to_string().into(), reason, source: None }
    }

    /// Serialises a document with its next revision, after trimming history that has no room.
    pub(super) fn write(&self, key: &Key, document: &mut Document, expect: &Expect) -> Write {
        document.trim(&self.limits);
        self.note_lifetime(document);
        let ttl = self.ttl(key, document);
        let ledger = &mut document.ledger;
        if !ledger.steps.is_empty() {
            ledger.prune_steps(key);
        }
        ledger.rev += 1;
        self.ids.write_unique(&mut ledger.write);
        ledger.expires = match ttl {
            Some(ttl) if ledger.waits_until().is_none() => Some(self.now().after(ttl)),
            _ => None,
        };
        let (due, expires) = (ledger.due(), ledger.expires);
        let participants = ledger.participants.take_hint(key);
        let (key, expect, body) = (key.clone(), expect.clone(), document.to_json());
        Write { key, expect, body, due, expires, participants }
    }

    /// Returns the effective TTL of a document.
    pub(super) fn ttl(&self, key: &Key, document: &Document) -> Option<Duration> {
        let ttl = &self.limits.ttl;
        let of_kind = if ttl.is_set() { ttl.of(key) } else { None };
        document.bag.ttl(of_kind)
    }

    /// Reports whether documents may have been deleted because they had expired.
    pub(super) fn forgets(&self, document: &Document) -> bool {
        self.limits.ttl.is_set()
            || document.ledger.expires.is_some()
            || self.has_lifetimes.load(Ordering::Relaxed)
    }

    /// Remembers that documents have TTLs of their own, even where their kinds have none.
    fn note_lifetime(&self, document: &Document) {
        if document.bag.lifetime().is_some() && !self.has_lifetimes.load(Ordering::Relaxed) {
            self.has_lifetimes.store(true, Ordering::Relaxed);
        }
    }

    /// Reports whether a document has expired.
    pub(super) fn is_expired(&self, key: &Key, document: &Document) -> bool {
        // A build that does not know TTLs of documents dates them by their kind.
        document.ledger.expires.is_some()
            && document.bag.own_ttl() != Some(DocumentTtl::Never)
            && is_expired(&document.ledger, self.now(), self.ttl(key, document))
    }

    /// Forgets the document that a mailbox knows, if a successful write proves that the one with an
    /// older revision is no stale read.
    pub(super) async fn begin_anew(
        &self,
        mailbox: &Mailbox,
        document: &mut Document,
        expect: &Expect,
        deadline: Deadline,
    ) {
        let fence = self.write(&mailbox.key, document, expect);
        if let Some(Ok(Saved::Committed(_))) = self.by(deadline, self.store.save(fence)).await {
            self.counters.fenced.add(1);
            mailbox.state().delivery.begin_anew();
        }
    }

    /// Deletes an expired document, if its version is still the one that was seen.
    pub(super) async fn remove(&self, key: &Key, etag: &ETag, deadline: Deadline) {
        let removed = self.by(deadline, self.store.delete(key, etag)).await;
        self.cache().forget(key);
        if let Some(Ok(Saved::Committed(_))) = removed {
            self.counters.expired.add(1);
        }
    }

    /// Caches a document that this instance read.
    pub(super) fn remember(&self, key: &Key, document: Box<Document>, expect: Expect) {
        if let Expect::At(etag) = expect {
            let bytes = document.bytes();
            self.cache().put(key, Cached { document, etag, bytes, streak: Streak::default() });
        }
    }
}

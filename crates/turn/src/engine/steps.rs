//! Several documents, all or none, on an engine that can only write one at a time (P7).
//!
//! 1. *Prepare*: each further document is written conditionally, unchanged but for the change that is to
//!    come: what it would become, and which write of which conversation decides about that.
//! 2. *Commit point*: the conversation's own conditional write, which also names what it decided.
//! 3. *Finish*: each further document becomes what was prepared; then the conversation forgets the names.
//!
//! Whoever meets a prepared change asks the conversation. If the write is named there, the change counts.
//! If the conversation has moved on without it, it never will: the write was conditional. Else the
//! preparer may be slow or gone, and nobody can tell which. After some patience the finder *fences*: it
//! writes the conversation, unchanged, on its own. From then on the preparer's write fails.

use std::{sync::Arc, time::Duration};

use sayso_activity::Raw;

use super::{Shared, cache::Cached, draft::Draft, shelf::Held};
use crate::{
    Bag, Key,
    document::{Decided, Document, Prepared},
    store::{Error, Expect, Saved, Write},
};

/// How many rounds a preparer is given before it is fenced.
const PATIENCE_ROUNDS: u32 = 3;
/// How often the finishing of one document is tried before it is left to recovery.
const FINISH_TRIES: usize = 3;

/// The names that a commit leaves for those who must finish it.
pub(super) fn decide(id: String, further: &[(Key, Held)]) -> Decided {
    let documents = further.iter().map(|(key, held)| {
        // The revision that the prepared document will have: an older one is a stale read.
        (key.as_str().to_owned(), held.document.ledger.rev + 1)
    });
    Decided { id, documents: documents.collect() }
}

impl Shared {
    /// Prepares the further documents and writes the conversation. `rev` is the revision it replaces.
    pub(super) async fn save_in_steps(
        &self,
        write: Write,
        (id, rev): (&str, u64),
        further: Vec<(Key, Held)>,
    ) -> Result<Saved, Error> {
        for (key, Held { expect, document, before }) in further {
            let bag = Raw::from_text(document.bag.to_json()).expect("a bag is JSON");
            let by = write.key.as_str().to_owned();
            let prepared = Prepared { id: id.to_owned(), by, rev, bag };
            let mut document = Document { bag: before.unwrap_or_default(), ..document };
            document.ledger.prepared = Some(Arc::new(prepared));
            let step = self.write(&key, &mut document, &expect);
            let bytes = step.body.len();
            match self.store.save(step).await? {
                Saved::Conflict => return Ok(Saved::Conflict),
                Saved::Committed(etag) => {
                    let cached = Cached { document: Box::new(document), etag, bytes };
                    self.cache().put(&key, cached);
                }
            }
        }
        self.store.save(write).await
    }

    /// Makes a document what it is: with a prepared change that counts, without one that never will.
    /// Whether there was one.
    pub(super) async fn settle(
        &self,
        document: &mut Document,
        rounds: u32,
        within: Duration,
    ) -> Result<bool, Error> {
        let Some(prepared) = document.ledger.prepared.take() else { return Ok(false) };
        let key = Key::new(prepared.by.as_str())
            .map_err(|error| self.in_doubt(&format!("a prepared change names no key: {error}")))?;
        let (mut by, expect, _) = self.read(&key, within).await?;
        if by.ledger.decided.iter().any(|decided| decided.id == prepared.id) {
            document.bag = Bag::from_json(prepared.bag.as_str())
                .map_err(|_| self.in_doubt("a prepared change is no object"))?;
            return Ok(true);
        }
        if by.ledger.rev > prepared.rev {
            return Ok(true);
        }
        if rounds < PATIENCE_ROUNDS {
            return Err(self.in_doubt("a turn of another conversation is changing the document"));
        }
        // A write of ours proves that the read was no stale one, and that the preparer's write fails.
        let fence = self.write(&key, &mut by, &expect);
        match self.within(within, self.store.save(fence)).await {
            Some(Ok(Saved::Committed(_))) => {
                self.counters.fenced.add(1);
                Ok(true)
            }
            _ => Err(self.in_doubt("a turn of another conversation could not be fenced")),
        }
    }

    /// Finishes what earlier commits of a conversation decided, and lets the draft forget it. What
    /// cannot be finished now stays named, for a later round or for recovery.
    pub(super) async fn finish(&self, draft: &mut Draft, within: Duration) {
        let decided = std::mem::take(&mut draft.document.ledger.decided);
        for one in decided {
            let finished = self.within(within, self.finish_one(&one)).await.unwrap_or(false);
            if finished {
                draft.is_changed = true;
            } else {
                draft.document.ledger.decided.push(one);
            }
        }
    }

    async fn finish_one(&self, decided: &Decided) -> bool {
        for (key, rev) in &decided.documents {
            let Ok(key) = Key::new(key.as_str()) else { continue };
            if !self.finish_document(&key, *rev, &decided.id).await {
                return false;
            }
        }
        true
    }

    /// Whether a further document is known to be what a commit decided, or later.
    async fn finish_document(&self, key: &Key, rev: u64, id: &str) -> bool {
        for _ in 0..FINISH_TRIES {
            let cached = self.cache().take(key);
            let read = match cached {
                Some(Cached { document, etag, .. }) => Ok((*document, Expect::At(etag))),
                None => self.store_read(key).await,
            };
            let Ok((mut document, expect)) = read else { return false };
            let is_ours = document.ledger.prepared.as_ref().is_some_and(|p| p.id == id);
            if is_ours {
                let prepared = document.ledger.prepared.take().expect("it is ours");
                let Ok(bag) = Bag::from_json(prepared.bag.as_str()) else { return false };
                document.bag = bag;
            } else if document.ledger.rev >= rev {
                return true;
            }
            // An older revision is a stale read, or a document that was removed and made anew. Only
            // a write tells.
            let write = self.write(key, &mut document, &expect);
            if let Ok(Saved::Committed(_)) = self.store.save(write).await {
                return true;
            }
        }
        false
    }

    async fn store_read(&self, key: &Key) -> Result<(Document, Expect), Error> {
        self.counters.loads.add(1);
        match self.store.load(key).await? {
            None => Ok((Document::default(), Expect::Absent)),
            Some(stored) => Ok((Document::parse(key, &stored.body)?, Expect::At(stored.etag))),
        }
    }

    /// Something that another round may find settled.
    fn in_doubt(&self, reason: &str) -> Error {
        let store = self.store.to_string().into();
        Error::Unavailable { store, reason: reason.to_owned(), source: None }
    }
}

//! Two-phase commit: several documents, all or none, on a store that can only write one at a time
//! (P7).
//!
//! 1. *Prepare*: each further document is written conditionally, unchanged but for the change that
//!    is to come: what it would become, and which write of which conversation decides about that.
//! 2. *Commit point*: the conversation's own conditional write, which also names what it decided.
//! 3. *Finish*: each further document becomes what was prepared; then the conversation forgets the
//!    names.
//!
//! Whoever meets a prepared change asks the conversation. If the write is named there, the change
//! counts. If the conversation has moved on without it, it never will: the write was conditional.
//! Else the preparer may be slow or gone, and nobody can tell which. After some patience the finder
//! *fences*: it writes the conversation, unchanged, on its own. From then on the preparer's write
//! fails.

use super::{cache::Cached, core::Core, deadline::Deadline};
use crate::{
    Key,
    ledger::{Bag, Decided, Document, Draft},
    store::{Error, Expect, Saved},
};

/// How many rounds a preparer is given before it is fenced.
const PATIENCE_ROUNDS: u32 = 3;
/// How often the finishing of one document is tried before it is left to recovery.
const FINISH_TRIES: usize = 3;

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

impl Core {
    /// Reads a document and settles what was prepared in it.
    pub(super) async fn load(
        &self,
        key: &Key,
        round: u32,
        deadline: Deadline,
    ) -> Result<Loaded, Error> {
        let (mut document, expect) = self.read(key, deadline).await?;
        let is_settled = self.settle(&mut document, round, deadline).await?;
        let is_expired = self.is_expired(key, &document);
        if is_expired {
            // The revision goes on: it tells a stale read from a fresh one.
            let rev = document.ledger.rev;
            document = Document::default();
            document.ledger.rev = rev;
        }
        Ok(Loaded { document, expect, is_settled, is_expired })
    }

    /// Makes a document what it is: with a prepared change that counts, without one that never
    /// will. Whether there was one.
    async fn settle(
        &self,
        document: &mut Document,
        round: u32,
        deadline: Deadline,
    ) -> Result<bool, Error> {
        let Some(prepared) = document.ledger.prepared.take() else { return Ok(false) };
        let key = Key::new(prepared.by.as_str())
            .map_err(|error| self.in_doubt(&format!("a prepared change names no key: {error}")))?;
        let (mut by, expect) = self.read(&key, deadline).await?;
        if by.ledger.decided.iter().any(|decided| decided.id == prepared.id) {
            document.bag = Bag::from_json(prepared.bag.as_str())
                .map_err(|_| self.in_doubt("a prepared change is no object"))?;
            return Ok(true);
        }
        if by.ledger.rev > prepared.rev {
            return Ok(true);
        }
        if round < PATIENCE_ROUNDS {
            return Err(self.in_doubt("a turn of another conversation is changing the document"));
        }
        // A write of ours proves that the read was no stale one, and that the preparer's write
        // fails.
        let fence = self.write(&key, &mut by, &expect);
        match self.by(deadline, self.store.save(fence)).await {
            Some(Ok(Saved::Committed(_))) => {
                self.counters.fenced.add(1);
                Ok(true)
            }
            // A store that refuses for good is not asked again soon: the pause is that of any
            // refusal.
            Some(Err(error)) if !error.is_transient() => Err(error),
            _ => Err(self.in_doubt("a turn of another conversation could not be fenced")),
        }
    }

    /// Finishes what earlier commits of a conversation decided, and lets the draft forget it. What
    /// cannot be finished now stays named, for a later round or for recovery.
    pub(super) async fn finish(&self, draft: &mut Draft, deadline: Deadline) {
        let decided = std::mem::take(&mut draft.document.ledger.decided);
        for one in decided {
            let finished = self.by(deadline, self.finish_one(&one, deadline)).await;
            if finished.unwrap_or(false) {
                draft.is_changed = true;
            } else {
                draft.document.ledger.decided.push(one);
            }
        }
    }

    async fn finish_one(&self, decided: &Decided, deadline: Deadline) -> bool {
        for (key, rev) in &decided.documents {
            let Ok(key) = Key::new(key.as_str()) else { continue };
            if !self.finish_document(&key, *rev, &decided.id, deadline).await {
                return false;
            }
        }
        true
    }

    /// Whether a further document is known to be what a commit decided, or later.
    async fn finish_document(&self, key: &Key, rev: u64, id: &str, deadline: Deadline) -> bool {
        for _ in 0..FINISH_TRIES {
            let cached = self.cache().take(key);
            let read = match cached {
                Some(Cached { document, etag, .. }) => Ok((*document, Expect::At(etag))),
                None => self.read(key, deadline).await,
            };
            let Ok((mut document, expect)) = read else { return false };
            let is_ours = document.ledger.prepared.as_ref().is_some_and(|p| p.id == id);
            if is_ours {
                let prepared = document.ledger.prepared.take().expect("it is ours");
                let Ok(bag) = Bag::from_json(prepared.bag.as_str()) else { return false };
                document.bag = bag;
            } else if document.ledger.rev >= rev && !self.limits.ttl.is_set() {
                return true;
            }
            // An older revision is a stale read. So may be a newer one, where documents expire: of
            // one that was removed and made anew. Only a write tells.
            let write = self.write(key, &mut document, &expect);
            match self.store.save(write).await {
                Ok(Saved::Committed(_)) => return true,
                Ok(Saved::Conflict) => {}
                // It is asked again when the conversation is looked at again, not at once.
                Err(_) => return false,
            }
        }
        false
    }

    /// Something that another round may find settled.
    fn in_doubt(&self, reason: &str) -> Error {
        let store = self.store.to_string().into();
        Error::Unavailable { store, reason: reason.to_owned(), source: None }
    }
}

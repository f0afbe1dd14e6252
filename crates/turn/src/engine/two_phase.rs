//! Two-phase commit: atomic writes of several documents on a store without transactions (P7).
//!
//! 1. *Prepare*: each further document is written conditionally, unchanged except for a prepare
//!    record: its new content, and which write of which conversation decides about it.
//! 2. *Commit point*: the conversation's own conditional write, which contains the commit record.
//! 3. *Finish*: each further document gets its prepared content; then the conversation drops the
//!    commit record.
//!
//! A reader that finds a prepare record reads the conversation. If the commit record is there, the
//! change has committed. If the conversation has moved on without it, the change never will commit,
//! because the write was conditional. Otherwise the preparer may be slow or dead, and nobody can
//! tell which. After some rounds the reader *fences* it: it writes the conversation, unchanged, so
//! that the preparer's conditional write fails.

use super::{cache::Cached, core::Core, deadline::Deadline};
use crate::{
    Key,
    ledger::{Decided, Document, Draft},
    store::{Error, Expect, Saved},
};

/// Number of rounds that a preparer is given before it is fenced.
const PATIENCE_ROUNDS: u32 = 3;
/// Attempts to finish one document before it is left to recovery.
const FINISH_TRIES: usize = 3;

/// A loaded document, with its prepared change resolved.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) document: Document,
    pub(super) expect: Expect,
    /// True if the stored document has a prepare record, which is resolved here.
    pub(super) is_settled: bool,
    /// True if the stored document has expired.
    pub(super) is_expired: bool,
}

impl Core {
    /// Reads a document and resolves its prepare record.
    pub(super) async fn load(
        &self,
        key: &Key,
        round: u32,
        deadline: Deadline,
    ) -> Result<Loaded, Error> {
        let (mut document, expect) = self.read(key, deadline).await?;
        let is_settled = self.settle((key, &mut document), round, deadline).await?;
        let is_expired = self.is_expired(key, &document);
        if is_expired {
            // The revision continues, because it distinguishes stale reads from fresh ones.
            let rev = document.ledger.rev;
            document = Document::default();
            document.ledger.rev = rev;
        }
        Ok(Loaded { document, expect, is_settled, is_expired })
    }

    /// Resolves a prepare record: applies a committed change, drops an aborted one. Returns true if
    /// there was one.
    async fn settle(
        &self,
        (key, document): (&Key, &mut Document),
        round: u32,
        deadline: Deadline,
    ) -> Result<bool, Error> {
        let Some(prepared) = document.ledger.prepared.take() else { return Ok(false) };
        let damaged = |reason: &str| Error::Corrupt { key: key.clone(), reason: reason.to_owned() };
        let by_key = Key::new(prepared.by.as_str())
            .map_err(|error| damaged(&format!("its prepared change names no key: {error}")))?;
        let (mut by, expect) = self.read(&by_key, deadline).await?;
        if by.ledger.decided.iter().any(|decided| decided.id == prepared.id) {
            document.bag = prepared
                .after(&document.bag)
                .map_err(|_| damaged("its prepared change is no object"))?;
            return Ok(true);
        }
        if by.ledger.rev > prepared.rev {
            return Ok(true);
        }
        if round < PATIENCE_ROUNDS {
            return Err(self.in_doubt("a turn of another conversation is changing the document"));
        }
        // A successful write proves that the read was not stale, and makes the preparer's write
        // fail.
        let fence = self.write(&by_key, &mut by, &expect);
        match self.by(deadline, self.store.save(fence)).await {
            Some(Ok(Saved::Committed(_))) => {
                self.counters.fenced.add(1);
                Ok(true)
            }
            // A permanent error gets the long back-off of any refusal.
            Some(Err(error)) if !error.is_transient() => Err(error),
            _ => Err(self.in_doubt("a turn of another conversation could not be fenced")),
        }
    }

    /// Finishes the decisions of earlier commits and drops their commit records from the draft.
    /// Those that cannot be finished now stay, for a later round or for recovery.
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

    /// Finishes one further document. Returns true once it has the decided content or a later one.
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
                let prepared =
                    document.ledger.prepared.take().expect("it is present, as checked above");
                let Ok(bag) = prepared.after(&document.bag) else { return false };
                document.bag = bag;
            } else if document.ledger.rev >= rev && !self.forgets(&document) {
                return true;
            }
            // An older revision is a stale read. Where documents expire a newer one may be stale
            // too, of a document deleted and created again. Only a write tells.
            let write = self.write(key, &mut document, &expect);
            match self.store.save(write).await {
                Ok(Saved::Committed(_)) => return true,
                Ok(Saved::Conflict) => {}
                // Retried with the conversation's next round, not at once.
                Err(_) => return false,
            }
        }
        false
    }

    /// Makes the retryable error of an unresolved prepare record.
    fn in_doubt(&self, reason: &str) -> Error {
        let store = self.store.to_string().into();
        Error::Unavailable { store, reason: reason.to_owned(), source: None }
    }
}

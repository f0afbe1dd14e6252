//! Further documents of an attempt: loaded when the logic asks, committed with the conversation.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::{core::Core, deadline::Deadline, two_phase::Loaded};
use crate::{
    Key, Limits,
    attempt::{Receipts, Source},
    id::TurnId,
    ledger::{Bag, Document},
    reentrancy::InstanceTag,
    store::{Error, Expect},
    sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock},
};

/// Further documents by key, shared by all turns of a batch: each sees the changes of those before
/// it.
#[derive(Debug)]
pub(super) struct FurtherDocuments {
    core: Arc<Core>,
    /// Number of the round.
    round: u32,
    /// Fast path: false until the first load, so that turns without further documents take no lock.
    is_used: AtomicBool,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    /// Deadline of loads. A long turn has none: each load has its own.
    deadline: Option<Deadline>,
    documents: BTreeMap<Key, FurtherDocument>,
    /// Error of a failed load: the attempt is discarded, even if the logic has caught the error.
    failed: Option<Arc<Error>>,
    /// Documents with a permanent store error: not loaded again in this round.
    refused: Vec<(Key, Arc<Error>)>,
    /// Number of loads in progress.
    waiting: usize,
    /// Total time that the logic has waited for loads.
    waited: Duration,
}

impl Inside {
    /// Returns a loaded document or a known error. `None` begins a load.
    fn known(&mut self, key: &Key) -> Option<Result<Bag, Arc<Error>>> {
        if let Some(held) = self.documents.get(key) {
            return Some(Ok(held.document.bag.clone()));
        }
        if let Some((_, error)) = self.refused.iter().find(|(refused, _)| refused == key) {
            let error = Arc::clone(error);
            self.failed = Some(Arc::clone(&error));
            return Some(Err(error));
        }
        self.waiting += 1;
        None
    }
}

/// A further document in an attempt.
#[derive(Clone, Debug)]
pub(super) struct FurtherDocument {
    pub(super) expect: Expect,
    pub(super) document: Document,
    /// The original properties, if they were changed.
    pub(super) before: Option<Bag>,
}

/// Guard of a load in progress. The logic may stop waiting for it at any time.
struct Waiting<'a>(&'a FurtherDocuments);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.inside().waiting -= 1;
    }
}

impl FurtherDocuments {
    pub(super) fn new(core: &Arc<Core>, deadline: Option<Deadline>, round: u32) -> Arc<Self> {
        let core = Arc::clone(core);
        let inside = Mutex::new(Inside { deadline, ..Inside::default() });
        Arc::new(Self { core, round, is_used: AtomicBool::new(false), inside })
    }

    /// Makes an empty set for the same round.
    pub(super) fn anew(&self) -> Arc<Self> {
        let deadline = self.inside().deadline;
        Self::new(&self.core, deadline, self.round)
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        lock(&self.inside)
    }

    /// Ends the deadline, because the turn goes on as a long one.
    pub(super) fn end_deadline(&self) {
        self.inside().deadline = None;
    }

    /// Reports whether the logic asked for any.
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// Stores the changed properties of a turn's outcome.
    pub(super) fn put(&self, key: &Key, bag: Bag) {
        if let Some(held) = self.inside().documents.get_mut(key)
            && held.document.bag != bag
        {
            let before = std::mem::replace(&mut held.document.bag, bag);
            held.before.get_or_insert(before);
        }
    }

    /// Returns the error of a failed load, if there is one.
    pub(super) fn failed(&self) -> Option<Arc<Error>> {
        if self.is_used() { self.inside().failed.clone() } else { None }
    }

    /// Clears the error of a failed load, once a turn has failed with it: later turns of the round
    /// are unaffected.
    pub(super) fn forgive(&self) {
        self.inside().failed = None;
    }

    /// Total time that the logic has waited for loads.
    pub(super) fn waited(&self) -> Duration {
        if self.is_used() { self.inside().waited } else { Duration::ZERO }
    }

    /// Records that the logic was stopped by the deadline. If it was waiting for a load, the
    /// failure is the store's and not its own.
    pub(super) fn stop(&self) {
        if self.is_used() {
            let mut inside = self.inside();
            if inside.waiting > 0 {
                let timed_out = Arc::new(self.core.timed_out());
                inside.failed.get_or_insert(timed_out);
            }
        }
    }

    /// Reports whether anything is to be written.
    pub(super) fn is_changed(&self) -> bool {
        self.is_used() && self.inside().documents.values().any(|held| held.before.is_some())
    }

    /// Returns the documents to write.
    pub(super) fn changed(&self) -> Vec<(Key, FurtherDocument)> {
        if !self.is_used() {
            return Vec::new();
        }
        let inside = self.inside();
        let changed = inside.documents.iter().filter(|(_, held)| held.before.is_some());
        changed.map(|(key, held)| (key.clone(), held.clone())).collect()
    }

    /// Loads the documents again, for the output of the same run to be committed with their current
    /// versions. Returns false if the properties of one have changed since the logic read them.
    pub(super) async fn renew(&self, round: u32, deadline: Deadline) -> Result<bool, Arc<Error>> {
        let keys: Vec<Key> = self.inside().documents.keys().cloned().collect();
        for key in keys {
            let loaded = self.core.load(&key, round, deadline).await?;
            let Loaded { document, expect, .. } = loaded;
            let mut inside = self.inside();
            let Some(held) = inside.documents.get_mut(&key) else { continue };
            if document.bag != *held.before.as_ref().unwrap_or(&held.document.bag) {
                return Ok(false);
            }
            *held = FurtherDocument { expect, document, before: None };
        }
        Ok(true)
    }

    /// Returns the documents that were only read, if there are several: a turn that read just one
    /// cannot have seen an inconsistent state.
    pub(super) fn to_validate(&self) -> Vec<(Key, Expect)> {
        if !self.is_used() {
            return Vec::new();
        }
        let inside = self.inside();
        if inside.documents.len() < 2 {
            return Vec::new();
        }
        let read = inside.documents.iter().filter(|(_, held)| held.before.is_none());
        read.map(|(key, held)| (key.clone(), held.expect.clone())).collect()
    }
}

#[async_trait]
impl Source for FurtherDocuments {
    async fn show(&self, key: &Key, sign: &Activity) -> Option<String> {
        self.core.shown(key, sign).await
    }

    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.core.tasks.spawn(work);
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.core.clock.sleep(wait)
    }

    fn instance_tag(&self) -> InstanceTag {
        InstanceTag::of(&self.core)
    }

    fn limits(&self) -> &Limits {
        &self.core.limits
    }

    fn keep(&self, turn: TurnId, receipts: &Arc<Receipts>) {
        self.core.receipts.keep(turn, receipts);
    }

    fn leave(&self, run: BoxFuture<'static, ()>) {
        self.core.leave(run);
    }

    async fn bag(&self, key: &Key) -> Result<Bag, Arc<Error>> {
        self.is_used.store(true, Ordering::Release);
        let deadline = {
            let mut inside = self.inside();
            if let Some(known) = inside.known(key) {
                return known;
            }
            inside.deadline
        };
        let waiting = Waiting(self);
        let began = self.core.uptime();
        let own = || Deadline::at(began + self.core.limits.deadline);
        let deadline = deadline.unwrap_or_else(own);
        let loaded = self.core.load(key, self.round, deadline).await;
        drop(waiting);
        self.inside().waited += self.core.uptime().saturating_sub(began);
        match loaded {
            Ok(Loaded { document, expect, .. }) => {
                self.core.refusals.end(key);
                let bag = document.bag.clone();
                let held = FurtherDocument { expect, document, before: None };
                drop(self.inside().documents.insert(key.clone(), held));
                Ok(bag)
            }
            Err(error) => {
                self.core.note_refusal(key, &error);
                let error = Arc::new(error);
                let mut inside = self.inside();
                if !error.is_transient() {
                    inside.refused.push((key.clone(), Arc::clone(&error)));
                }
                inside.failed = Some(Arc::clone(&error));
                Err(error)
            }
        }
    }
}

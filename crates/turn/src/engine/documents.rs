//! The further documents of an attempt: loaded when the logic asks, committed with the
//! conversation.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::{core::Core, deadline::Deadline, two_phase::Loaded};
use crate::{
    Key, Limits,
    attempt::{Receipts, Source},
    current::Home,
    id::TurnId,
    ledger::{Bag, Document},
    store::{Error, Expect},
    sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock},
};

/// Further documents by key, shared by all turns of a batch: each sees what those before it did.
#[derive(Debug)]
pub(super) struct FurtherDocuments {
    core: Arc<Core>,
    /// Until when a load may take. A long turn has none: each load has its own.
    deadline: Option<Deadline>,
    /// Which round this is.
    round: u32,
    /// Whether anything was ever asked for: most turns never do, and need not look inside.
    is_used: AtomicBool,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    documents: BTreeMap<Key, Held>,
    /// A load failed: whatever the logic made of that, the attempt cannot count.
    failed: Option<Arc<Error>>,
    /// Those that the store refuses for good: it is not asked again in this round.
    refused: Vec<(Key, Arc<Error>)>,
    /// Loads that have not answered yet.
    waiting: usize,
    /// How long the logic has waited for loads.
    waited: Duration,
}

impl Inside {
    /// What is known of a document without asking the store. If not, a load begins.
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
pub(super) struct Held {
    pub(super) expect: Expect,
    pub(super) document: Document,
    /// The properties as they were, once they are changed.
    pub(super) before: Option<Bag>,
}

/// A load under way. The logic may stop waiting for it at any time.
struct Waiting<'a>(&'a FurtherDocuments);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.inside().waiting -= 1;
    }
}

impl FurtherDocuments {
    pub(super) fn new(core: &Arc<Core>, deadline: Option<Deadline>, round: u32) -> Arc<Self> {
        let core = Arc::clone(core);
        let (is_used, inside) = (AtomicBool::new(false), Mutex::default());
        Arc::new(Self { core, deadline, round, is_used, inside })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        lock(&self.inside)
    }

    /// Whether the logic asked for any.
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// Puts a turn's outcome back.
    pub(super) fn put(&self, key: &Key, bag: Bag) {
        if let Some(held) = self.inside().documents.get_mut(key)
            && held.document.bag != bag
        {
            let before = std::mem::replace(&mut held.document.bag, bag);
            held.before.get_or_insert(before);
        }
    }

    /// The load that failed in the meantime, if one did.
    pub(super) fn failed(&self) -> Option<Arc<Error>> {
        if self.is_used() { self.inside().failed.clone() } else { None }
    }

    /// A turn has failed of it: those after it in the same round have not.
    pub(super) fn forgive(&self) {
        self.inside().failed = None;
    }

    /// How long the logic has waited for loads.
    pub(super) fn waited(&self) -> Duration {
        if self.is_used() { self.inside().waited } else { Duration::ZERO }
    }

    /// Notes that the logic was stopped: if it waited for a load then, that is no fault of its own.
    pub(super) fn stop(&self) {
        if self.is_used() {
            let mut inside = self.inside();
            if inside.waiting > 0 {
                let silent = Arc::new(self.core.silent());
                inside.failed.get_or_insert(silent);
            }
        }
    }

    /// Whether anything is to be written.
    pub(super) fn is_changed(&self) -> bool {
        self.is_used() && self.inside().documents.values().any(|held| held.before.is_some())
    }

    /// The documents to be written.
    pub(super) fn changed(&self) -> Vec<(Key, Held)> {
        if !self.is_used() {
            return Vec::new();
        }
        let inside = self.inside();
        let changed = inside.documents.iter().filter(|(_, held)| held.before.is_some());
        changed.map(|(key, held)| (key.clone(), held.clone())).collect()
    }

    /// The documents that were only read, where a turn could have seen two states of them: with one
    /// document there is nothing to compare it with.
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

    fn home(&self) -> Home {
        Home::of(&self.core)
    }

    fn limits(&self) -> &Limits {
        &self.core.limits
    }

    fn keep(&self, turn: TurnId, receipts: &Arc<Receipts>) {
        self.core.receipts.keep(turn, receipts);
    }

    async fn bag(&self, key: &Key) -> Result<Bag, Arc<Error>> {
        self.is_used.store(true, Ordering::Release);
        if let Some(known) = self.inside().known(key) {
            return known;
        }
        let waiting = Waiting(self);
        let began = self.core.uptime();
        let own = || Deadline::at(began + self.core.limits.deadline);
        let deadline = self.deadline.unwrap_or_else(own);
        let loaded = self.core.load(key, self.round, deadline).await;
        drop(waiting);
        self.inside().waited += self.core.uptime().saturating_sub(began);
        match loaded {
            Ok(Loaded { document, expect, .. }) => {
                self.core.refusals.end(key);
                let bag = document.bag.clone();
                let held = Held { expect, document, before: None };
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

//! The further documents of an attempt: loaded when the logic asks, committed with the conversation.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sayso_activity::Activity;

use super::{Shared, commit::Loaded};
use crate::{
    Bag, Key, Limits,
    document::Document,
    store::{Error, Expect},
    turn::Source,
};

/// Further documents by key. One shelf serves all turns of a batch, so each sees what those before it did.
#[derive(Debug)]
pub(super) struct Shelf {
    shared: Arc<Shared>,
    /// How long a load may take.
    within: Duration,
    /// Which round this is.
    rounds: u32,
    /// Whether anything was ever asked for: most turns never do, and need not look inside.
    is_used: AtomicBool,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    documents: BTreeMap<Key, Held>,
    /// A load failed: whatever the logic made of that, the attempt cannot count.
    failed: Option<Arc<Error>>,
    /// Loads that have not answered yet. The logic may have been stopped while it waited for one.
    waiting: usize,
}

/// A further document in an attempt.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) expect: Expect,
    pub(super) document: Document,
    /// What the properties were, once they are changed.
    pub(super) before: Option<Bag>,
}

impl Shelf {
    pub(super) fn new(shared: &Arc<Shared>, within: Duration, rounds: u32) -> Arc<Self> {
        let shared = Arc::clone(shared);
        let (is_used, inside) = (AtomicBool::new(false), Mutex::default());
        Arc::new(Self { shared, within, rounds, is_used, inside })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// Puts a turn's result back.
    pub(super) fn put(&self, key: &Key, bag: Bag) {
        if let Some(held) = self.inside().documents.get_mut(key)
            && held.document.bag != bag
        {
            let before = std::mem::replace(&mut held.document.bag, bag);
            held.before.get_or_insert(before);
        }
    }

    /// The load that failed in the meantime, or never answered, if one did.
    pub(super) fn failed(&self) -> Option<Arc<Error>> {
        if !self.is_used() {
            return None;
        }
        let inside = self.inside();
        let silent = || (inside.waiting > 0).then(|| Arc::new(self.shared.silent(self.within)));
        inside.failed.clone().or_else(silent)
    }

    /// Whether anything is to be written.
    pub(super) fn is_changed(&self) -> bool {
        self.is_used() && self.inside().documents.values().any(|held| held.before.is_some())
    }

    /// What is to be written.
    pub(super) fn changed(&self) -> Vec<(Key, Held)> {
        if !self.is_used() {
            return Vec::new();
        }
        let inside = self.inside();
        let changed = inside.documents.iter().filter(|(_, held)| held.before.is_some());
        changed.map(|(key, held)| (key.clone(), held.clone())).collect()
    }
}

#[async_trait]
impl Source for Shelf {
    async fn show(&self, key: &Key, sign: &Activity) -> Option<String> {
        self.shared.shown(key, sign).await
    }

    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.shared.tasks.spawn(work);
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.shared.clock.sleep(wait)
    }

    fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    async fn bag(&self, key: &Key) -> Result<Bag, Arc<Error>> {
        self.is_used.store(true, Ordering::Release);
        if let Some(held) = self.inside().documents.get(key) {
            return Ok(held.document.bag.clone());
        }
        self.inside().waiting += 1;
        let loaded = self.shared.load(key, self.rounds, self.within).await;
        self.inside().waiting -= 1;
        match loaded {
            Ok(Loaded { document, expect, .. }) => {
                let bag = document.bag.clone();
                let held = Held { expect, document, before: None };
                drop(self.inside().documents.insert(key.clone(), held));
                Ok(bag)
            }
            Err(error) => {
                let error = Arc::new(error);
                self.inside().failed = Some(Arc::clone(&error));
                Err(error)
            }
        }
    }
}

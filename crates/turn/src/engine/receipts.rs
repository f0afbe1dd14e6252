//! Cache of `once` receipts (memoised results) by turn, across attempts and redeliveries in this
//! process.

use std::sync::Arc;

use lru::LruCache;

use crate::{
    attempt::Receipts,
    by_key::KeyHasher,
    id::TurnId,
    sync::{AtomicBool, AtomicUsize, Mutex, Ordering, lock},
};

/// LRU cache of the receipts of turns.
#[derive(Debug)]
pub(crate) struct ReceiptCache {
    by_turn: Mutex<LruCache<TurnId, Arc<Receipts>, KeyHasher>>,
    /// Fast path: false until the first call of `once`, so that bots without one take no lock.
    is_used: AtomicBool,
    /// Number of runs that were given up and are left to their calls in progress.
    left: AtomicUsize,
    most: usize,
}

impl ReceiptCache {
    pub(crate) fn new(most: usize) -> Self {
        let by_turn = Mutex::new(LruCache::unbounded_with_hasher(KeyHasher::default()));
        Self { by_turn, is_used: AtomicBool::new(false), left: AtomicUsize::new(0), most }
    }

    fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    pub(crate) fn get(&self, turn: TurnId) -> Option<Arc<Receipts>> {
        if !self.is_used() {
            return None;
        }
        lock(&self.by_turn).get(&turn).cloned()
    }

    pub(crate) fn keep(&self, turn: TurnId, receipts: &Arc<Receipts>) {
        self.is_used.store(true, Ordering::Release);
        let mut by_turn = lock(&self.by_turn);
        by_turn.get_or_insert(turn, || Arc::clone(receipts));
        while by_turn.len() > self.most.max(1) {
            drop(by_turn.pop_lru());
        }
    }

    /// Drops the streams of a durable turn, because they keep the instance alive. Its other
    /// receipts stay for a while: after a stale read the turn may run once more, in vain.
    pub(crate) fn settle(&self, turn: TurnId) {
        if !self.is_used() {
            return;
        }
        let mut by_turn = lock(&self.by_turn);
        if by_turn.peek(&turn).is_some_and(|receipts| receipts.end_streams()) {
            drop(by_turn.pop(&turn));
        }
    }

    /// Counts a run that is left to its calls. Returns false if there are too many.
    pub(super) fn begin_left(&self) -> bool {
        let counted = |left| (left < self.most.max(1)).then_some(left + 1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted).is_ok()
    }

    pub(super) fn end_left(&self) {
        self.left.fetch_sub(1, Ordering::Relaxed);
    }
}

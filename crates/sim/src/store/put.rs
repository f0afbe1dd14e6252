//! Writes at the moment they take effect, which may be long after their sender stopped waiting.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sayso_turn::{
    Key,
    document::{Document, StepResult},
    store::{ETag, Error, Saved, Stored, Write},
};

use crate::{Fault, bot, world::World};

/// Member that a newer minor version keeps in the ledger.
pub(super) const KEPT: &str = r#""newer":{"kept":true}"#;

/// A save at the moment it takes effect, which may be long after its sender stopped waiting.
pub(super) struct Put {
    pub(super) world: Arc<World>,
    pub(super) old: Arc<Mutex<BTreeMap<Key, Stored>>>,
    /// Bodies as the engine of an older version asked for them: they must keep what a newer one
    /// wrote.
    pub(super) asked: Vec<String>,
    pub(super) writes: Vec<Write>,
    pub(super) asked_at: Duration,
    pub(super) life: usize,
}

impl Put {
    pub(super) async fn save(self) -> Result<Saved<Vec<ETag>>, Error> {
        let store = Arc::clone(&self.world.store);
        let mut before = Vec::with_capacity(self.writes.len());
        for write in &self.writes {
            before.push(store.load(&write.key).await.ok().flatten());
        }
        let after: Vec<(Key, String)> =
            self.writes.iter().map(|write| (write.key.clone(), write.body.clone())).collect();
        let transactions = store.transactions().expect("simulated stores have transactions");
        let saved = transactions.save_all(self.writes).await;
        if !matches!(saved, Ok(Saved::Committed(_))) {
            return saved;
        }
        self.world.costs().committed += after.len() as u64;
        for (index, (stored, (key, body))) in before.into_iter().zip(&after).enumerate() {
            let bytes_max = self.world.plan.limits().document_bytes_max;
            if body.len() > bytes_max {
                let bytes = body.len();
                self.world.violation(format!("P8: {key} has {bytes} bytes, at most {bytes_max}"));
            }
            has_few_timers(&self.world, key, body);
            keeps_steps(&self.world, key, body);
            if self.world.plan.has(Fault::Hot) {
                rests(&self.world, key, self.life, self.asked_at);
            }
            let known = stored.as_ref().map(|stored| stored.body.as_str());
            self.world.wrote(key, known, body, self.asked_at);
            let Some(stored) = stored else { continue };
            let asked = self.asked.get(index);
            let is_kept = !self.world.plan.has(Fault::ShortLived);
            if is_kept
                && stored.body.contains(KEPT)
                && asked.is_some_and(|asked| !asked.contains(KEPT))
            {
                self.world.violation(format!("P1: what a newer version wrote in {key} is lost"));
            }
            self.world.replaced(key, &stored.body, body);
            if self.world.chance.has(Fault::StaleRead) {
                let mut old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
                drop(old.insert(key.clone(), stored));
            }
        }
        saved
    }
}

/// Checks that no conversation has more timers than it may (P8).
fn has_few_timers(world: &World, key: &Key, body: &str) {
    if !world.plan.has(Fault::FewTimers) {
        return;
    }
    let Ok(document) = Document::parse(key, body) else { return };
    let (timers, most) = (document.ledger.timers.len(), world.plan.limits().timers_max);
    if timers > most {
        world.violation(format!("P8: {key} has {timers} timers, at most {most}"));
    }
}

/// Records the results of steps. One that was saved never changes.
fn keeps_steps(world: &World, key: &Key, body: &str) {
    if !body.contains("\"steps\":[") {
        return;
    }
    let Ok(document) = Document::parse(key, body) else { return };
    let mut changed = Vec::new();
    {
        let saved = &mut world.outbound.counts().saved_steps;
        for steps in &document.ledger.steps {
            for StepResult { name, number, result } in &steps.done {
                let step = bot::key_of(&steps.turn, name, *number);
                let known = saved.entry(step.clone()).or_insert_with(|| result.as_str().to_owned());
                if known != result.as_str() && !world.plan.has(Fault::ShortLived) {
                    changed.push(format!("steps: {step} was {known}, and is {}", result.as_str()));
                }
            }
        }
    }
    changed.into_iter().for_each(|what| world.violation(what));
}

/// Checks that no instance commits in a conversation again and again without a rest in which others
/// can (P8).
fn rests(world: &World, key: &Key, life: usize, asked_at: Duration) {
    let row = world.costs().commit(key, life, asked_at, world.executor.now());
    // A runner that had nothing to do for a moment has begun to count anew.
    let most = 2 * world.plan.limits().burst_max;
    if row > most {
        world.violation(format!("P8: {row} commits of {key} in a row, at most {most}"));
    }
}

/// Removes a document, if it still has this version.
pub(super) async fn delete(world: &World, key: &Key, etag: &ETag) -> Result<Saved, Error> {
    let deleted = world.store.delete(key, etag).await;
    if matches!(deleted, Ok(Saved::Committed(_))) {
        world.removed(key);
    }
    deleted
}

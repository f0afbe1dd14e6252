//! One pass of a migration: compares every document of the source, and copies what differs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{Stream, StreamExt as _, stream};
use sayso::turn::{
    Key,
    store::{ETag, Error, Expect, Store},
};
use tokio::{sync::mpsc, task::JoinSet};

use super::{
    lineage::is_older_copy,
    progress::{Listed, Progress},
    tally::{Outcome, Tally},
    trail::Trail,
};
use crate::state::{
    found::{Found, Looked, look},
    limits::{IN_FLIGHT, ROUNDS_MAX},
    patience::{Refusals, WriteResult, delete},
};

/// Maximum number of keys listed ahead of the copying, so that the progress knows what is to come.
const AHEAD_MAX: usize = 1 << 16;

/// Extent of what a pass reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Both stores, all of them: nothing that is remembered of earlier passes is trusted.
    Both,
    /// The source, and of the target only what changed in the source since the last pass.
    Changes,
}

/// Copies from one store to another.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) from: Arc<dyn Store>,
    pub(super) to: Arc<dyn Store>,
    pub(super) prefix: String,
    pub(super) replaces: bool,
    pub(super) deletes_extra: bool,
    pub(super) progress: Progress,
    pub(super) trail: Mutex<Trail>,
    pub(super) refusals: Refusals,
}

impl Depth {
    /// Name of such a pass, for the progress and for JSON.
    pub(super) fn name(self, pass: u32) -> &'static str {
        match self {
            Self::Both if pass == 1 => "copying",
            Self::Both => "verifying",
            Self::Changes => "catching up",
        }
    }
}

impl Copy {
    /// Makes one pass. Passes are counted from 1.
    pub(super) async fn pass(&self, pass: u32, depth: Depth) -> Result<Tally, Error> {
        let mut tally = Tally::default();
        // Into an empty store everything is created without asking first.
        let is_new = pass == 1 && self.to.list(&self.prefix).next().await.is_none();
        let mut tasks = JoinSet::new();
        let listed = self.progress.start(format!("pass {pass}, {}", depth.name(pass)));
        let keys = list(&self.from, &self.prefix, listed, &mut tasks);
        let settled = keys.map(|key| async move {
            let key = key?;
            let is_first = self.trail().meet(&key, pass);
            match is_first {
                true => self.settle(&key, depth, is_new).await,
                false => Ok(Outcome::Nothing),
            }
        });
        self.count(settled.buffer_unordered(IN_FLIGHT), &mut tally).await?;
        if depth == Depth::Both {
            let listed = self.progress.start(format!("pass {pass}, keys of the target"));
            let keys = list(&self.to, &self.prefix, listed, &mut tasks);
            let strays = keys.map(|key| async move {
                let key = key?;
                let is_met = self.trail().is_met(&key, pass);
                match is_met {
                    true => Ok(Outcome::Nothing),
                    false => self.settle_stray(&key).await,
                }
            });
            self.count(strays.buffer_unordered(IN_FLIGHT), &mut tally).await?;
        }
        Ok(tally)
    }

    async fn count(
        &self,
        outcomes: impl Stream<Item = Result<Outcome, Error>> + Send,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let mut outcomes = std::pin::pin!(outcomes);
        while let Some(outcome) = outcomes.next().await {
            let outcome = outcome?;
            tally.add(&outcome);
            if let Outcome::Damaged(reason) | Outcome::Differs(reason) | Outcome::Refused(reason) =
                &outcome
            {
                self.progress.problem(reason);
            }
            self.progress.step();
        }
        Ok(())
    }

    /// Makes the target's document the same as the source's, if it may.
    async fn settle(&self, key: &Key, depth: Depth, mut is_new: bool) -> Result<Outcome, Error> {
        let mut has_tried = false;
        for _ in 0..ROUNDS_MAX {
            let source = match look(self.from.as_ref(), key).await? {
                Looked::Absent => return Ok(Outcome::Nothing),
                Looked::Damaged { reason, .. } => return Ok(Outcome::Damaged(reason)),
                Looked::Found(source) => source,
            };
            if depth == Depth::Changes && self.trail().is_source(key, &source.etag) {
                return Ok(Outcome::Same);
            }
            let target = match std::mem::take(&mut is_new) {
                true => Looked::Absent,
                false => match look(self.to.as_ref(), key).await {
                    Ok(target) => target,
                    // A layout may have no name for a key.
                    Err(error) => return Ok(Outcome::Refused(self.refusals.forgive(key, error)?)),
                },
            };
            let expect = match target {
                Looked::Absent if source.is_expired() => return Ok(Outcome::Nothing),
                Looked::Absent => Expect::Absent,
                Looked::Damaged { reason, .. } => {
                    return Ok(Outcome::Damaged(format!("in the target, {reason}")));
                }
                // Ours, when the answer to our own write was lost.
                Looked::Found(target) if target.is_same(&source) => {
                    return Ok(self.agree(&source, &target.etag, has_tried));
                }
                Looked::Found(target) if self.may_replace(&target, &source) => {
                    Expect::At(target.etag)
                }
                Looked::Found(_) => return Ok(Outcome::Differs(differs(key))),
            };
            has_tried = true;
            match self.refusals.save(self.to.as_ref(), &source.write(expect)).await? {
                WriteResult::Done(etag) => return Ok(self.agree(&source, &etag, true)),
                WriteResult::Again => {}
                WriteResult::Refused(reason) => return Ok(Outcome::Refused(reason)),
            }
        }
        Ok(Outcome::Busy)
    }

    /// Handles a document of the target that this pass has not met in the source.
    async fn settle_stray(&self, key: &Key) -> Result<Outcome, Error> {
        for _ in 0..ROUNDS_MAX {
            if !matches!(look(self.from.as_ref(), key).await?, Looked::Absent) {
                // It was made after the listing had passed its place.
                return self.settle(key, Depth::Both, false).await;
            }
            let target = match look(self.to.as_ref(), key).await? {
                Looked::Absent => return Ok(Outcome::Nothing),
                Looked::Damaged { reason, .. } => {
                    return Ok(Outcome::Damaged(format!("in the target, {reason}")));
                }
                Looked::Found(target) if target.is_expired() => return Ok(Outcome::Nothing),
                Looked::Found(target) => target,
            };
            let is_ours = self.trail().is_written(key, &target.etag);
            if !is_ours && !self.deletes_extra {
                return Ok(Outcome::OnlyInTarget);
            }
            if delete(self.to.as_ref(), key, &target.etag).await? {
                return Ok(Outcome::Removed);
            }
        }
        Ok(Outcome::Busy)
    }

    /// Records that both are the same now. The outcome depends on what was before.
    fn agree(&self, source: &Found, target: &ETag, wrote: bool) -> Outcome {
        let mut trail = self.trail();
        let outcome = match (wrote, trail.is_known(&source.key)) {
            (false, _) => Outcome::Same,
            (true, false) => Outcome::Copied,
            (true, true) => Outcome::ChangedAgain,
        };
        trail.agree(&source.key, &source.etag, target, wrote);
        outcome
    }

    fn may_replace(&self, target: &Found, source: &Found) -> bool {
        self.replaces
            || self.trail().is_target(&target.key, &target.etag)
            || is_older_copy(target, source)
    }

    fn trail(&self) -> MutexGuard<'_, Trail> {
        self.trail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lists keys in a task of its own, ahead of the consumer up to a bound.
fn list(
    store: &Arc<dyn Store>,
    prefix: &str,
    count: Arc<Listed>,
    tasks: &mut JoinSet<()>,
) -> impl Stream<Item = Result<Key, Error>> + Send + use<> {
    let (sender, keys) = mpsc::channel(AHEAD_MAX);
    let (store, prefix) = (Arc::clone(store), prefix.to_owned());
    tasks.spawn(async move {
        let mut listed = store.list(&prefix);
        while let Some(key) = listed.next().await {
            count.add();
            if sender.send(key).await.is_err() {
                return;
            }
        }
        count.end();
    });
    stream::unfold(keys, |mut keys| async { keys.recv().await.map(|key| (key, keys)) })
}

fn differs(key: &Key) -> String {
    format!(
        "{key} differs and is no older copy, so the target may have turns of its own: left as it is \
         (--replace replaces it)"
    )
}

//! Cancellation: a future may be dropped at any moment; its write then happens whole or not at all.
//!
//! A load tells the outcome. A write that was already in flight may still land a little later; a
//! conditional save that follows can never be fooled by that.

use std::{future::Future, sync::Arc, time::Duration};

use sayso_turn::{
    Key,
    store::{ETag, Saved, Store},
};

use super::scene::{ROUNDS_MAX, Scene, body_of, number_in, replace};

/// Futures that are dropped, each a little later in its life than the one before.
const DROPS: i64 = 120;

/// Polls up to this number are counted; beyond them a future gets time.
const STEPS_MAX: u32 = 28;

/// A save is dropped after more and more steps. The document is then the old one or the new one,
/// and the next save at what was loaded succeeds, unless the dropped one came in between.
pub async fn a_dropped_save_happened_whole_or_not_at_all(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("dropped");
    let mut etag = scene.create(&key, &body_of(0)).await;
    let mut happened = 0;
    for number in 1..=DROPS {
        let (old, new) = (body_of(2 * number - 2), body_of(2 * number - 1));
        let save = {
            let (scene, key, etag, new) = (scene.clone(), key.clone(), etag.clone(), new.clone());
            async move { scene.save(replace(&key, &etag, &new)).await }
        };
        drop_after(number, save).await;
        let settled = settle(&scene, &key, &old, &new, &body_of(2 * number)).await;
        happened += i64::from(settled.is_new);
        etag = settled.etag;
    }
    assert_eq!(number_in(&scene.read(&key).await.body), 2 * DROPS);
    assert!(happened > 0, "every future was dropped before it did anything");
}

/// A delete is dropped after more and more steps. The document is then there unchanged, or gone.
pub async fn a_dropped_delete_happened_or_did_not(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    for number in 1..=DROPS {
        let key = scene.key(&format!("dropped/{number}"));
        let etag = scene.create(&key, &body_of(number)).await;
        let delete = {
            let (scene, key, etag) = (scene.clone(), key.clone(), etag.clone());
            async move { scene.delete(&key, &etag).await }
        };
        drop_after(number, delete).await;
        if let Some(stored) = scene.load(&key).await {
            assert_eq!((stored.body, &stored.etag), (body_of(number), &etag));
        }
        // Whoever deletes now, it is gone afterwards.
        let _saved = scene.delete(&key, &etag).await;
        assert_eq!(scene.load(&key).await, None);
        let _etag = scene.create(&key, &body_of(-1)).await;
        assert_eq!(scene.read(&key).await.body, body_of(-1), "no late delete hits the new one");
    }
}

struct Settled {
    is_new: bool,
    etag: ETag,
}

/// Loads until a save at what was loaded succeeds.
async fn settle(scene: &Scene, key: &Key, old: &str, new: &str, next: &str) -> Settled {
    for _ in 0..2 {
        let found = scene.read(key).await;
        let is_new = found.body == new;
        assert!(is_new || found.body == old, "neither old nor new: {}", found.body);
        match scene.save(replace(key, &found.etag, next)).await {
            Saved::Committed(etag) => return Settled { is_new, etag },
            Saved::Conflict => assert!(!is_new, "nobody else writes"),
        }
    }
    unreachable!("the dropped save comes in between once, not twice")
}

/// Lets a future run for some steps, or to its end, and drops it.
///
/// Few steps more often than many: the interesting moments are early. How many steps a call takes,
/// and how long a step, is the engine's secret, so the last of each forty get time instead, up to
/// half a second: some calls come to their end on a slow engine too.
pub(super) async fn drop_after<T: Send + 'static>(
    steps: i64,
    work: impl Future<Output = T> + Send + 'static,
) {
    assert!(steps < i64::from(ROUNDS_MAX));
    let mut task = tokio::spawn(work);
    let steps = u32::try_from(steps % 40).expect("less than forty");
    for _ in 0..steps.min(STEPS_MAX) {
        tokio::task::yield_now().await;
    }
    if let Some(more) = steps.checked_sub(STEPS_MAX) {
        let patience = Duration::from_micros(250) * 2_u32.pow(more);
        if let Ok(ended) = tokio::time::timeout(patience, &mut task).await {
            return assert!(ended.is_ok(), "the call panicked");
        }
    }
    task.abort();
    if let Err(error) = task.await {
        assert!(error.is_cancelled(), "the call panicked");
    }
}

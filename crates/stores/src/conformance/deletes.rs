//! Conditional deletes: a delete has a condition as a save has, and no deleted document comes back.

use std::sync::Arc;

use sayso_turn::store::{Saved, Store};
use tokio::task::JoinSet;

use super::scene::{Scene, body_of, replace};

const DELETERS: usize = 16;
const LIVES: usize = 4;

/// A delete at the current ETag removes the document from loads and lists, and no other one.
pub async fn a_deleted_document_is_gone(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let (key, neighbour) = (scene.key("a"), scene.key("a/b"));
    let _etag = scene.create(&neighbour, "{}").await;
    let etag = scene.create(&key, "{}").await;
    assert!(matches!(scene.delete(&key, &etag).await, Saved::Committed(_)));
    assert_eq!(scene.load(&key).await, None);
    assert_eq!(scene.list(scene.prefix()).await, [neighbour]);
    assert_eq!(scene.delete(&key, &etag).await, Saved::Conflict, "deleted once, not twice");
    assert_eq!(scene.save(replace(&key, &etag, "{}")).await, Saved::Conflict);
    assert_eq!(scene.load(&key).await, None);
}

/// A delete at an ETag that is no longer the current one conflicts and leaves all as it is.
pub async fn a_delete_at_a_stale_etag_changes_nothing(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("stale");
    let first = scene.create(&key, &body_of(1)).await;
    let second = scene.replace(&key, &first, &body_of(2)).await;
    assert_eq!(scene.delete(&key, &first).await, Saved::Conflict);
    let stored = scene.read(&key).await;
    assert_eq!((stored.body, &stored.etag), (body_of(2), &second));
    assert!(matches!(scene.delete(&key, &second).await, Saved::Committed(_)));
}

/// Deleting what is not there is a conflict, not an error.
pub async fn a_missing_document_cannot_be_deleted(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let etag = scene.create(&scene.key("other"), "{}").await;
    assert_eq!(scene.delete(&scene.key("missing"), &etag).await, Saved::Conflict);
}

/// A document made anew under a former key refuses every ETag of its former lives.
pub async fn a_document_made_anew_refuses_the_etags_of_its_former_life(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("again");
    let mut former = Vec::new();
    for _ in 0..LIVES {
        // Each life has the same course, so that an engine that counts from one would be caught.
        let first = scene.create(&key, &body_of(1)).await;
        let second = scene.replace(&key, &first, &body_of(2)).await;
        for etag in &former {
            assert_ne!(&second, etag);
            assert_eq!(scene.save(replace(&key, etag, &body_of(9))).await, Saved::Conflict);
            assert_eq!(scene.delete(&key, etag).await, Saved::Conflict);
        }
        assert_eq!(scene.read(&key).await.body, body_of(2));
        assert!(matches!(scene.delete(&key, &second).await, Saved::Committed(_)));
        former.extend([first, second]);
    }
}

/// Of many that delete, and many that replace, one version exactly one wins.
pub async fn one_of_many_deleters_wins(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("contended");
    let etag = scene.create(&key, &body_of(0)).await;
    let mut tasks = JoinSet::new();
    for number in 0..DELETERS {
        let (scene, key, etag) = (scene.clone(), key.clone(), etag.clone());
        let _task = tasks.spawn(async move {
            let saved = match number % 2 {
                0 => scene.delete(&key, &etag).await,
                _ => scene.save(replace(&key, &etag, &body_of(1))).await,
            };
            (number % 2, saved)
        });
    }
    let mut winners = tasks.join_all().await;
    winners.retain(|(_, saved)| *saved != Saved::Conflict);
    assert_eq!(winners.len(), 1, "exactly one wins");
    let is_deleted = winners.iter().all(|(kind, _)| *kind == 0);
    assert_eq!(scene.load(&key).await.is_none(), is_deleted, "what won is what is stored");
}

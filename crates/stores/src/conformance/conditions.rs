//! Conditional writes: a save happens if its condition holds, and changes nothing if it does not.

use std::{collections::BTreeSet, sync::Arc};

use sayso_turn::store::{ETag, Saved, Store};
use tokio::task::JoinSet;

use super::scene::{ROUNDS_MAX, Scene, body_of, create, number_in, replace};

const CREATORS: i64 = 32;
const WRITERS: i64 = 5;
const INCREMENTS: i64 = 10;

/// Of 32 that create one key at the same time exactly one wins, and its body is the one stored.
/// Twice.
pub async fn one_of_many_creators_wins(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    for round in 0..2 {
        let key = scene.key(&format!("created/{round}"));
        let mut creators = JoinSet::new();
        for number in 0..CREATORS {
            let (scene, key) = (scene.clone(), key.clone());
            let _task = creators.spawn(async move {
                match scene.save(create(&key, &body_of(number))).await {
                    Saved::Committed(etag) => Some((number, etag)),
                    Saved::Conflict => None,
                }
            });
        }
        let winners: Vec<_> = creators.join_all().await.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1, "exactly one creator wins");
        let stored = scene.read(&key).await;
        assert_eq!(winners, [(number_in(&stored.body), stored.etag)], "the winner is stored");
    }
}

/// Five writers increment one number ten times each, starting over on conflict; it ends at fifty.
pub async fn increments_by_many_writers_all_count(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("counter");
    let _etag = scene.create(&key, &body_of(0)).await;
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (scene, key) = (scene.clone(), key.clone());
        let _task = writers.spawn(async move {
            let mut left = INCREMENTS;
            for _ in 0..ROUNDS_MAX {
                let stored = scene.read(&key).await;
                // Others get their turn between load and save, so that there are conflicts.
                tokio::task::yield_now().await;
                let next = body_of(number_in(&stored.body) + 1);
                if scene.save(replace(&key, &stored.etag, &next)).await != Saved::Conflict {
                    left -= 1;
                }
                if left == 0 {
                    return;
                }
            }
            assert_eq!(left, 0, "all increments within {ROUNDS_MAX} rounds");
        });
    }
    drop(writers.join_all().await);
    assert_eq!(number_in(&scene.read(&key).await.body), WRITERS * INCREMENTS);
}

/// A save at an ETag that is no longer the current one conflicts; body and ETag stay.
pub async fn a_stale_etag_changes_nothing(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("stale");
    let first = scene.create(&key, &body_of(1)).await;
    let second = scene.replace(&key, &first, &body_of(2)).await;
    let third = scene.replace(&key, &second, &body_of(3)).await;
    for stale in [&first, &second] {
        assert_eq!(scene.save(replace(&key, stale, &body_of(9))).await, Saved::Conflict);
        let stored = scene.read(&key).await;
        assert_eq!((stored.body, &stored.etag), (body_of(3), &third));
    }
    let _etag = scene.replace(&key, &third, &body_of(4)).await;
}

/// A save at an ETag where there is no document conflicts and creates none.
pub async fn a_save_at_a_missing_document_creates_nothing(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let (other, key) = (scene.key("other"), scene.key("missing"));
    let etag = scene.create(&other, "{}").await;
    assert_eq!(scene.save(replace(&key, &etag, "{}")).await, Saved::Conflict);
    assert_eq!(scene.load(&key).await, None);
    assert_eq!(scene.list(scene.prefix()).await, [other]);
}

/// Creating what exists conflicts; body and ETag stay.
pub async fn a_create_over_a_document_conflicts(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("existing");
    let etag = scene.create(&key, &body_of(1)).await;
    for body in [body_of(2), body_of(1)] {
        assert_eq!(scene.save(create(&key, &body)).await, Saved::Conflict);
        let stored = scene.read(&key).await;
        assert_eq!((stored.body, &stored.etag), (body_of(1), &etag));
    }
}

/// Every write gives a new ETag, also one that writes the same body again.
pub async fn a_changed_document_has_another_etag(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("same");
    let first = scene.create(&key, "{}").await;
    let second = scene.replace(&key, &first, "{}").await;
    assert_ne!(first, second, "the same body again is a new version");
    assert_eq!(scene.save(replace(&key, &first, "{}")).await, Saved::Conflict);
    assert_eq!(scene.read(&key).await.etag, second);
}

/// A body that comes back (A, B, A) comes back with another ETag: who saw the first A is refused.
pub async fn an_etag_never_comes_back(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("aba");
    let mut etag = scene.create(&key, &body_of(0)).await;
    let mut seen = BTreeSet::from([etag.clone()]);
    for number in 1..12 {
        etag = scene.replace(&key, &etag, &body_of(number % 2)).await;
        assert!(seen.insert(etag.clone()), "{etag:?} came back");
    }
    for former in seen.iter().filter(|former| **former != etag) {
        assert_eq!(scene.save(replace(&key, former, &body_of(9))).await, Saved::Conflict);
    }
}

/// Texts that this store never gave as ETags match nothing; above all `*` is not a wildcard.
pub async fn foreign_etags_match_nothing(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("foreign");
    let etag = scene.create(&key, &body_of(1)).await;
    let foreign = [
        String::new(),
        "*".to_owned(),
        "0".to_owned(),
        "-1".to_owned(),
        i64::MAX.to_string(),
        u64::MAX.to_string(),
        format!("{}x", etag.as_str()),
        format!("{}0", etag.as_str()),
        "' OR '1'='1".to_owned(),
        "příliš žluťoučký".to_owned(),
    ];
    for text in foreign {
        let text = ETag::new(text);
        assert_eq!(scene.save(replace(&key, &text, "{}")).await, Saved::Conflict, "{text:?}");
        assert_eq!(scene.delete(&key, &text).await, Saved::Conflict, "{text:?}");
        assert_eq!(scene.read(&key).await.etag, etag);
    }
}

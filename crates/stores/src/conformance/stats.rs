//! Statistics: what a store counts it counts right.

use std::sync::Arc;

use sayso_turn::store::{Saved, Store, StoreStats};

use super::scene::{Scene, replace};

/// Each call is counted once, with its outcome. A store that counts nothing gives the default, also
/// after its calls.
pub async fn each_call_is_counted_once(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let (key, missing) = (scene.key("counted"), scene.key("missing"));
    let before = scene.store.stats();
    let first = scene.create(&key, "{}").await;
    let second = scene.replace(&key, &first, "[1]").await;
    assert_eq!(scene.save(replace(&key, &first, "[2]")).await, Saved::Conflict);
    assert_eq!(scene.read(&key).await.body, "[1]");
    assert_eq!(scene.load(&missing).await, None);
    assert!(matches!(scene.delete(&key, &second).await, Saved::Committed(_)));
    let _named = scene.due(0, 9).await;
    let _keys = scene.list(scene.prefix()).await;
    let after = scene.store.stats();
    if after == StoreStats::default() {
        return;
    }
    let of = |stats: StoreStats| [stats.saves.calls, stats.loads.calls, stats.deletes.calls];
    let counted: Vec<u64> = of(after).iter().zip(of(before)).map(|(one, two)| one - two).collect();
    assert_eq!(counted, [3, 2, 1], "saves, loads, deletes");
    assert!(after.dues.calls > before.dues.calls, "pages of the look");
    assert!(after.lists.calls > before.lists.calls, "pages of the list");
    assert_eq!(after.conflicts - before.conflicts, 1);
    assert_eq!(after.bytes_written - before.bytes_written, 8, "of three saves");
    assert_eq!(after.bytes_read - before.bytes_read, 3, "of one load");
    assert!(after.saves.total_us > before.saves.total_us, "a save takes time");
    assert!(after.saves.max_us <= after.saves.total_us);
    let failures = [after.throttled, after.unavailable, after.unknown, after.refused];
    assert_eq!(failures, [0; 4], "nothing failed");
}

//! Statistics: what a store counts it counts right.

use std::sync::Arc;

use sayso_turn::store::{Saved, Store, StoreStats};

use super::scene::{Scene, replace};

/// Bytes that encryption adds to a body, at least.
const ENVELOPE_MIN: u64 = 100;

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
    let written = after.bytes_written - before.bytes_written;
    let read = after.bytes_read - before.bytes_read;
    // Encryption hands larger bodies on, and the bytes are the engine's.
    let is_in_envelopes = written >= 3 * ENVELOPE_MIN && read >= ENVELOPE_MIN;
    assert!(is_in_envelopes || written == 8, "of three saves: {written}");
    assert!(is_in_envelopes || read == 3, "of one load: {read}");
    assert!(after.saves.total_us > before.saves.total_us, "a save takes time");
    assert!(after.saves.max_us <= after.saves.total_us);
    let failures = [after.throttled, after.unavailable, after.unknown, after.refused];
    assert_eq!(failures, [0; 4], "nothing failed");
}

//! Costs: what a look takes does not depend on documents that are not due.
//!
//! A check sees calls of the store alone. What an engine sends to its server for them is for tests
//! of that engine to count.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use sayso_turn::{
    clock::Timestamp,
    store::{Store, Write},
};

use super::scene::{Scene, committed, create};
use crate::doubles::Counted;

/// As the sweep asks.
const PAGE: usize = 500;
/// The sizes that are compared: documents that are not due.
const SIZES: [usize; 2] = [20, 2 * PAGE];
/// Documents that are due.
const DUE: usize = 5;
const AT_ONCE: usize = 32;

/// A look takes as many pages among many documents that are not due as among few.
pub async fn pages_of_a_look_do_not_grow_with_what_is_not_due(store: Arc<dyn Store>) {
    let counted = Arc::new(Counted::new(store));
    let scene = Scene::new(Arc::clone(&counted) as Arc<dyn Store>);
    let later = Some(Timestamp::from_millis(9_000_000_000_000));
    for number in 0..DUE {
        let _etag = scene.create_due(&scene.key(&format!("due {number}")), 7).await;
    }
    let (mut made, mut pages) = (0, Vec::new());
    for size in SIZES {
        let saves = (made..size).map(|number| {
            let key = scene.key(&format!("idle {number}"));
            // Most of them wait for later, as with a time to live.
            let due = later.filter(|_| number % 4 > 0);
            let scene = &scene;
            async move { committed(scene.save(Write { due, ..create(&key, "{}") }).await) }
        });
        drop(stream::iter(saves).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await);
        made = size;
        let before = counted.counts().dues;
        assert_eq!(scene.due(7, PAGE).await.len(), DUE, "among {size}");
        pages.push(counted.counts().dues - before);
    }
    // Others may be at work on the same server: a page of what is due there is no growth.
    let [few, many] = pages.as_slice() else { return };
    assert!(*many <= few + 1, "{few} pages among few idle documents, {many} among many");
}

//! Transactions: several documents, all or none, where the engine has them.
//!
//! An engine without them passes these checks by saying so.

use std::sync::Arc;

use sayso_turn::{
    clock::Timestamp,
    store::{Saved, Store, Write},
};
use tokio::task::JoinSet;

use super::{
    outcomes::drop_after,
    scene::{ROUNDS_MAX, Scene, body_of, committed, create, number_in, replace},
};

const TRANSFERS: usize = 32;
const BALANCE: i64 = 1_000;
const DROPS: i64 = 60;

/// A transaction creates and replaces together; the ETags are in the order of the writes.
pub async fn a_transaction_writes_all_with_etags_in_order(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let Some(transactions) = scene.store.transactions() else { return };
    let keys = ["c", "a", "b"].map(|name| scene.key(name));
    let [c, a, b] = &keys;
    let first = scene.create(a, &body_of(1)).await;
    let writes = vec![create(c, &body_of(3)), replace(a, &first, &body_of(2)), create(b, "{}")];
    let etags = committed(transactions.save_all(writes).await.expect("save_all works"));
    assert_eq!(etags.len(), keys.len());
    for ((key, etag), body) in keys.iter().zip(&etags).zip([body_of(3), body_of(2), "{}".into()]) {
        let stored = scene.read(key).await;
        assert_eq!((stored.body, &stored.etag), (body, etag), "{key}");
        let _etag = scene.replace(key, etag, "{}").await;
    }
}

/// A transaction without writes commits.
pub async fn an_empty_transaction_commits(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let Some(transactions) = scene.store.transactions() else { return };
    let saved = transactions.save_all(Vec::new()).await.expect("save_all works");
    assert_eq!(saved, Saved::Committed(Vec::new()));
}

/// A conflict in one write, wherever in the order, leaves every document unchanged and creates
/// none.
pub async fn a_conflict_in_one_write_undoes_the_others(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let Some(transactions) = scene.store.transactions() else { return };
    let (there, stale, fresh) = (scene.key("there"), scene.key("stale"), scene.key("fresh"));
    let etag = scene.create(&there, &body_of(1)).await;
    let old = scene.create(&stale, &body_of(1)).await;
    let now = scene.replace(&stale, &old, &body_of(2)).await;
    let good = [replace(&there, &etag, &body_of(9)), create(&fresh, &body_of(9))];
    let bad = [
        replace(&stale, &old, &body_of(9)),
        create(&stale, &body_of(9)),
        replace(&scene.key("missing"), &now, &body_of(9)),
    ];
    for bad in bad {
        for place in 0..=good.len() {
            let mut writes = good.to_vec();
            writes.insert(place, bad.clone());
            let saved = transactions.save_all(writes).await.expect("save_all works");
            assert_eq!(saved, Saved::Conflict);
            assert_eq!(scene.read(&there).await.etag, etag, "the others are untouched");
            assert_eq!(scene.read(&there).await.body, body_of(1));
            assert_eq!(scene.read(&stale).await.etag, now);
            assert_eq!(scene.load(&fresh).await, None);
        }
    }
    assert_eq!(scene.list(scene.prefix()).await, [stale, there]);
}

/// The times of `due` belong to the writes of a transaction: set and cleared with them, or not.
pub async fn a_transaction_sets_and_clears_the_times(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let Some(transactions) = scene.store.transactions() else { return };
    let (waits, rests) = (scene.key("waits"), scene.key("rests"));
    let waited = scene.create_due(&waits, 4).await;
    let rested = scene.create(&rests, "{}").await;
    let due = Some(Timestamp::from_millis(4));
    let swap = |conflicts: bool| {
        let mut writes =
            vec![replace(&waits, &waited, "{}"), Write { due, ..replace(&rests, &rested, "{}") }];
        if conflicts {
            writes.push(replace(&scene.key("missing"), &waited, "{}"));
        }
        writes
    };
    let saved = transactions.save_all(swap(true)).await.expect("save_all works");
    assert_eq!(saved, Saved::Conflict);
    let named = scene.due(4, 9).await;
    assert_eq!(named.iter().map(|due| &due.key).collect::<Vec<_>>(), [&waits]);
    drop(committed(transactions.save_all(swap(false)).await.expect("save_all works")));
    let named = scene.due(4, 9).await;
    assert_eq!(named.iter().map(|due| &due.key).collect::<Vec<_>>(), [&rests]);
}

/// Many concurrent transfers between two accounts, naming them in either order: no deadlock, and no
/// money is made or lost.
pub async fn transfers_in_both_directions_keep_the_sum(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    if scene.store.transactions().is_none() {
        return;
    }
    let accounts = [scene.key("one"), scene.key("two")];
    for account in &accounts {
        let _etag = scene.create(account, &body_of(BALANCE)).await;
    }
    let mut tasks = JoinSet::new();
    for number in 0..TRANSFERS {
        let (scene, [mut from, mut to]) = (scene.clone(), accounts.clone());
        if number % 2 == 1 {
            std::mem::swap(&mut from, &mut to);
        }
        // Odd ones move two, so that the balances must come out different.
        let amount = if number % 2 == 1 { 2 } else { 1 };
        let _task = tasks.spawn(async move {
            for _ in 0..ROUNDS_MAX {
                let (source, target) = (scene.read(&from).await, scene.read(&to).await);
                let writes = vec![
                    replace(&from, &source.etag, &body_of(number_in(&source.body) - amount)),
                    replace(&to, &target.etag, &body_of(number_in(&target.body) + amount)),
                ];
                let transactions = scene.store.transactions().expect("asked before");
                let saved = transactions.save_all(writes).await.expect("save_all works");
                if saved != Saved::Conflict {
                    return true;
                }
                tokio::task::yield_now().await;
            }
            false
        });
    }
    let done = tasks.join_all().await;
    assert!(
        done.iter().all(|is_done| *is_done),
        "each transfer commits within {ROUNDS_MAX} rounds"
    );
    let [one, two] = &accounts;
    let one = number_in(&scene.read(one).await.body);
    let two = number_in(&scene.read(two).await.body);
    assert_eq!((one, two), (BALANCE + 16, BALANCE - 16), "16 times one and 16 times two");
}

/// A transaction is dropped after more and more steps: both documents are there, or none.
pub async fn a_dropped_transaction_happened_whole_or_not_at_all(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    if scene.store.transactions().is_none() {
        return;
    }
    for number in 1..=DROPS {
        let keys = ["a", "b"].map(|name| scene.key(&format!("{number}/{name}")));
        let writes: Vec<Write> = keys.iter().map(|key| create(key, &body_of(number))).collect();
        let work = {
            let (scene, writes) = (scene.clone(), writes.clone());
            async move { scene.store.transactions().expect("asked before").save_all(writes).await }
        };
        drop_after(number, work).await;
        let [a, b] = &keys;
        // The second load is later: what is there when the first is must be there then, too.
        let (first, second) = (scene.load(a).await, scene.load(b).await);
        assert!(first.is_none() || second.is_some(), "half a transaction");
        // Either the dropped one wins or this one does; then both are there, of one transaction.
        let transactions = scene.store.transactions().expect("asked before");
        let saved = transactions.save_all(writes).await.expect("save_all works");
        let (first, second) = (scene.read(a).await, scene.read(b).await);
        assert_eq!((first.body, second.body), (body_of(number), body_of(number)));
        if let Saved::Committed(etags) = saved {
            assert_eq!(etags, [first.etag, second.etag]);
        }
    }
}

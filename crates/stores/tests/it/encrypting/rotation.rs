//! Rotation: keys are added, moved to the front and removed while instances write.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use futures_util::TryStreamExt;
use sayso_stores::{SqliteStore, encrypting::Encrypting};
use sayso_turn::{
    Key,
    store::{Expect, MemoryStore, Saved, Store, Write},
};
use tokio::task::JoinSet;

use super::{A, B, hashed, key, over};

const DOCUMENTS: usize = 6;
const INSTANCES: usize = 4;
const SAVES_PER_PHASE: u64 = 60;

/// The steps of a rotation. Instances may be one step apart.
const PHASES: [&[&str]; 4] = [&[A], &[A, B], &[B, A], &[B, A]];

/// Adds one to a counter; retries conflicts.
async fn add(store: &dyn Store, name: &Key) {
    for _ in 0..100_000 {
        let (number, expect) = match store.load(name).await.expect("every version is readable") {
            None => (0, Expect::Absent),
            Some(stored) => (stored.body.parse::<u64>().unwrap(), Expect::At(stored.etag)),
        };
        let body = (number + 1).to_string();
        let write = Write::new(name.clone(), expect, body);
        if matches!(store.save(write).await, Ok(Saved::Committed(_))) {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("the counter is never free");
}

async fn rotate_under_load(store: Arc<dyn Store>, has_names: bool) {
    let make = move |store: &Arc<dyn Store>, entries: &[&str]| match has_names {
        true => hashed(store, entries),
        false => over(store, entries),
    };
    // The phase to which everybody may go, where each instance is, and the saves of each phase.
    let phase = Arc::new(AtomicUsize::new(0));
    let places = Arc::new([const { AtomicUsize::new(0) }; INSTANCES]);
    let done = Arc::new([const { AtomicU64::new(0) }; PHASES.len()]);
    let mut instances = JoinSet::new();
    for instance in 0..INSTANCES {
        let (store, phase) = (Arc::clone(&store), Arc::clone(&phase));
        let (places, done) = (Arc::clone(&places), Arc::clone(&done));
        instances.spawn(async move {
            let mut own = 0;
            let mut encrypting = make(&store, PHASES[own]);
            let mut saves = 0_u64;
            for turn in 0.. {
                let open = phase.load(Ordering::SeqCst);
                // Half of them follow late, so that neighbouring phases are at work together.
                if own < open && (instance % 2 == 0 || turn % 40 == 0) {
                    own = open;
                    encrypting = make(&store, PHASES[own]);
                    places[instance].store(own, Ordering::SeqCst);
                }
                if own == PHASES.len() - 1 {
                    break;
                }
                let name = key(&format!("counter/{}", (turn + instance) % DOCUMENTS));
                add(&encrypting, &name).await;
                saves += 1;
                let is_enough = done[open].fetch_add(1, Ordering::SeqCst) >= SAVES_PER_PHASE;
                // The next step of a rotation begins when the last one has reached everybody.
                if is_enough && places.iter().all(|place| place.load(Ordering::SeqCst) == open) {
                    let _open =
                        phase.compare_exchange(open, open + 1, Ordering::SeqCst, Ordering::SeqCst);
                }
            }
            saves
        });
    }
    let confirmed: u64 = instances.join_all().await.into_iter().sum();
    assert!(confirmed >= SAVES_PER_PHASE * (PHASES.len() as u64 - 1), "{confirmed}");

    let both = make(&store, PHASES[PHASES.len() - 1]);
    reencrypt(&both).await;
    let alone = make(&store, &[B]);
    let mut counted = 0;
    for number in 0..DOCUMENTS {
        let name = key(&format!("counter/{number}"));
        assert_eq!(both.key_id(&name).await.unwrap().as_deref(), Some("b"));
        counted += alone.load(&name).await.unwrap().unwrap().body.parse::<u64>().unwrap();
    }
    assert_eq!(counted, confirmed, "no confirmed save is lost");
    assert_eq!(both.counters().rollbacks + alone.counters().rollbacks, 0);
}

/// Saves what is not under the first key as it is.
async fn reencrypt(store: &Encrypting<dyn Store>) {
    let keys: Vec<Key> = store.list("").try_collect().await.unwrap();
    for name in keys {
        if store.key_id(&name).await.unwrap().as_deref() == Some(store.current_key_id()) {
            continue;
        }
        let stored = store.load(&name).await.unwrap().unwrap();
        let expect = Expect::At(stored.etag);
        let write = Write::new(name, expect, stored.body);
        assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rotation_under_load_loses_nothing() {
    rotate_under_load(Arc::new(MemoryStore::default()), false).await;
    rotate_under_load(Arc::new(MemoryStore::default()), true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rotation_under_load_loses_nothing_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("bot.sqlite")).unwrap();
    rotate_under_load(Arc::new(store), false).await;
}

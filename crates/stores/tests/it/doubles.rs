//! Test doubles: they pass the conformance suite, and count or disturb calls as they promise.

use std::{future::ready, sync::Arc, time::Duration};

use sayso_stores::{
    SqliteStore,
    doubles::{Call, Counted, Fault, Faulty, Operation},
};
use sayso_turn::{
    Key,
    store::{Error, Expect, MemoryStore, Saved, Store, Write},
};

mod conforming {
    use super::*;

    fn make() -> (Arc<dyn Store>, ()) {
        let faulty = Faulty::new(Arc::new(MemoryStore::default()), |_| Fault::None);
        let store: Arc<dyn Store> = Arc::new(faulty);
        (Arc::new(Counted::new(store)), ())
    }

    sayso_stores::conformance!(ready(make()), cases: 16, operations: 30);
}

fn create(name: &str) -> Write {
    let key = Key::new(name).unwrap();
    Write::new(key, Expect::Absent, "{}")
}

#[tokio::test]
async fn statistics_of_the_store_behind_are_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(folder.path().join("bot.sqlite")).unwrap();
    let faulty = Arc::new(Faulty::new(Arc::new(sqlite), |_| Fault::None));
    let counted = Counted::new(faulty);
    assert!(counted.save(create("k")).await.is_ok());
    assert_eq!((counted.stats().saves.calls, counted.stats().bytes_written), (1, 2));
}

#[tokio::test]
async fn a_fault_says_truly_whether_the_write_happened() {
    let faults = [
        Fault::AnswerLost,
        Fault::RequestLost,
        Fault::Throttled(Some(Duration::from_secs(3))),
        Fault::Unavailable,
        Fault::Slow(Duration::from_millis(1)),
    ];
    for operation in [Operation::Save, Operation::SaveAll, Operation::Delete] {
        for fault in faults {
            let memory = Arc::new(MemoryStore::default());
            let script = move |call: Call<'_>| {
                if call.operation == operation { fault } else { Fault::None }
            };
            let store = Faulty::new(Arc::clone(&memory), script);
            let write = create("k");
            let result = match operation {
                Operation::Save => store.save(write.clone()).await.map(drop),
                Operation::SaveAll => {
                    let transactions = store.transactions().unwrap();
                    transactions.save_all(vec![write.clone()]).await.map(drop)
                }
                _ => {
                    let Saved::Committed(etag) = memory.save(write.clone()).await.unwrap() else {
                        panic!("a new document")
                    };
                    store.delete(&write.key, &etag).await.map(drop)
                }
            };
            let is_there = memory.load(&write.key).await.unwrap().is_some();
            let happened = is_there != (operation == Operation::Delete);
            match (fault, result) {
                (Fault::AnswerLost, Err(Error::Unknown { .. })) | (Fault::Slow(_), Ok(())) => {
                    assert!(happened, "{operation:?} {fault:?}");
                }
                (Fault::RequestLost, Err(Error::Unknown { .. }))
                | (Fault::Throttled(_), Err(Error::Throttled { .. }))
                | (Fault::Unavailable, Err(Error::Unavailable { .. })) => {
                    assert!(!happened, "{operation:?} {fault:?}");
                }
                (fault, result) => panic!("{operation:?} {fault:?}: {result:?}"),
            }
            assert_eq!(store.faults(), 1);
        }
    }
}

#[tokio::test]
async fn every_call_is_counted_once() {
    let store = Counted::new(Arc::new(MemoryStore::default()));
    let write = create("k");
    let Saved::Committed(etag) = store.save(write.clone()).await.unwrap() else {
        panic!("a new document")
    };
    assert_eq!(store.save(write.clone()).await.unwrap(), Saved::Conflict);
    assert!(store.load(&write.key).await.unwrap().is_some());
    let now = sayso_turn::clock::Timestamp::START;
    assert_eq!(store.due(now, None, 1).await.unwrap().found, []);
    drop(store.list("k"));
    let transactions = store.transactions().unwrap();
    assert_eq!(transactions.save_all(vec![write.clone()]).await.unwrap(), Saved::Conflict);
    assert!(matches!(store.delete(&write.key, &etag).await.unwrap(), Saved::Committed(_)));
    let counts = store.counts();
    assert_eq!((counts.loads, counts.saves, counts.deletes), (1, 2, 1));
    assert_eq!((counts.dues, counts.lists, counts.transactions), (1, 1, 1));
    assert_eq!((counts.bytes_saved, counts.bytes_loaded), (6, 2));
}

//! Model-based testing: random sequences of calls, each compared with a map in memory.
//!
//! The map is the whole contract of a quiet store in a few lines. When an answer differs, the
//! sequence is made shorter as long as it still fails, and printed.

use std::{collections::BTreeMap, sync::Arc};

use proptest::{
    prelude::{Just, Strategy, any, prop_oneof},
    test_runner::{Config, TestRunner},
};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Due, ETag, Expect, Saved, Store, Stored, Write},
};

use super::scene::Scene;

const KEYS: [&str; 6] = ["a", "a/b", "a%", "B", "é", "z\0"];

/// Runs `cases` random sequences of about `operations` calls, each under new keys: every answer is
/// the one that a map would give.
pub async fn any_sequence_of_calls_answers_as_the_model_does(
    store: Arc<dyn Store>,
    cases: u32,
    operations: usize,
) {
    let runtime = tokio::runtime::Handle::current();
    let work = tokio::task::spawn_blocking(move || {
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let sequences = proptest::collection::vec(call(), 1..operations.max(1) * 2);
        TestRunner::new(config).run(&sequences, |calls| {
            runtime.block_on(replay(Scene::new(Arc::clone(&store)), calls));
            Ok(())
        })
    });
    let outcome = work.await.expect("the runner does not panic");
    assert!(outcome.is_ok(), "the store and the model differ: {outcome:?}");
}

#[derive(Clone, Debug)]
enum Call {
    Load {
        key: usize,
    },
    Save {
        key: usize,
        condition: Condition,
        body: u8,
        due: Option<u64>,
    },
    SaveBoth {
        keys: (usize, usize),
        conditions: (Condition, Condition),
        body: u8,
        due: Option<u64>,
    },
    Delete {
        key: usize,
        condition: Condition,
    },
    Due {
        now: u64,
        limit: usize,
    },
    List {
        prefix: usize,
    },
}

/// The ETag that a call names.
#[derive(Clone, Copy, Debug)]
enum Condition {
    /// The current condition: the current ETag, or `Absent` if there is no document.
    Right,
    /// `Absent`, whether there is a document or not.
    Absent,
    /// One that this document had before, if any.
    Former,
    /// The current one of another document.
    Foreign,
}

fn call() -> impl Strategy<Value = Call> {
    let key = || 0..KEYS.len();
    let condition = || {
        prop_oneof![
            5 => Just(Condition::Right),
            1 => Just(Condition::Absent),
            1 => Just(Condition::Former),
            1 => Just(Condition::Foreign),
        ]
    };
    let due = || proptest::option::of(0_u64..4);
    prop_oneof![
        2 => key().prop_map(|key| Call::Load { key }),
        6 => (key(), condition(), any::<u8>(), due())
            .prop_map(|(key, condition, body, due)| Call::Save { key, condition, body, due }),
        2 => (key(), 1..KEYS.len(), condition(), condition(), any::<u8>(), due()).prop_map(
            |(key, further, one, other, body, due)| Call::SaveBoth {
                keys: (key, (key + further) % KEYS.len()),
                conditions: (one, other),
                body,
                due,
            }
        ),
        2 => (key(), condition()).prop_map(|(key, condition)| Call::Delete { key, condition }),
        3 => (0_u64..5, 1_usize..8).prop_map(|(now, limit)| Call::Due { now, limit }),
        1 => key().prop_map(|prefix| Call::List { prefix }),
    ]
}

/// A document in the model.
#[derive(Clone, Debug)]
struct Known {
    stored: Stored,
    due: Option<u64>,
}

struct Replay {
    scene: Scene,
    known: BTreeMap<Key, Known>,
    /// Every ETag that a document ever had, the current one last.
    etags: BTreeMap<Key, Vec<ETag>>,
}

async fn replay(scene: Scene, calls: Vec<Call>) {
    let mut replay = Replay { scene, known: BTreeMap::new(), etags: BTreeMap::new() };
    for call in calls {
        replay.step(call).await;
    }
    for key in 0..KEYS.len() {
        replay.step(Call::Load { key }).await;
    }
    replay.step(Call::Due { now: 9, limit: 9 }).await;
    // A look goes through everything, so what is left would slow down the next sequence.
    for (key, known) in replay.known {
        assert!(matches!(replay.scene.delete(&key, &known.stored.etag).await, Saved::Committed(_)));
    }
}

impl Replay {
    fn key(&self, index: usize) -> Key {
        self.scene.key(KEYS.get(index).expect("an index of KEYS"))
    }

    /// The condition for a call, and whether it holds.
    fn condition(&self, key: &Key, condition: Condition) -> (Expect, bool) {
        let current = self.known.get(key).map(|known| known.stored.etag.clone());
        let absent = (Expect::Absent, current.is_none());
        let etag = match condition {
            Condition::Right => current.clone(),
            Condition::Absent => None,
            Condition::Former => self.etags.get(key).and_then(|etags| etags.first()).cloned(),
            Condition::Foreign => {
                let mut others = self.known.iter().filter(|(other, _)| *other != key);
                others.next().map(|(_, other)| other.stored.etag.clone())
            }
        };
        let Some(etag) = etag else { return absent };
        // An engine may give two documents the same ETag: then a foreign one is the right one.
        let holds = current.as_ref() == Some(&etag);
        (Expect::At(etag), holds)
    }

    async fn step(&mut self, call: Call) {
        match call {
            Call::Load { key } => {
                let key = self.key(key);
                let known = self.known.get(&key).map(|known| known.stored.clone());
                assert_eq!(self.scene.load(&key).await, known, "load of {key}");
            }
            Call::Save { key, condition, body, due } => {
                let (write, holds) = self.write(key, condition, body, due);
                match self.scene.save(write.clone()).await {
                    Saved::Committed(etag) => {
                        assert!(holds, "{write:?} was committed");
                        self.put(write, etag, due);
                    }
                    Saved::Conflict => assert!(!holds, "{write:?} conflicted"),
                }
            }
            Call::SaveBoth { keys, conditions, body, due } => {
                let one = self.write(keys.0, conditions.0, body, due);
                let other = self.write(keys.1, conditions.1, body, None);
                self.save_both([one, other], [due, None]).await;
            }
            Call::Delete { key, condition } => self.delete(self.key(key), condition).await,
            Call::Due { now, limit } => {
                let named = self.scene.due(now, limit).await;
                assert_eq!(named, self.due(now), "due at {now}");
            }
            Call::List { prefix } => {
                let prefix = self.key(prefix);
                let known =
                    self.known.keys().filter(|key| key.as_str().starts_with(prefix.as_str()));
                let known: Vec<_> = known.cloned().collect();
                assert_eq!(self.scene.list(prefix.as_str()).await, known, "list of {prefix}");
            }
        }
    }

    fn write(&self, key: usize, condition: Condition, body: u8, due: Option<u64>) -> (Write, bool) {
        let key = self.key(key);
        let (expect, holds) = self.condition(&key, condition);
        let body = format!("{{\"body\":{body}}}");
        (
            Write {
                key,
                expect,
                body,
                due: due.map(Timestamp::from_millis),
                expires: None,
                participants: None,
            },
            holds,
        )
    }

    async fn save_both(&mut self, both: [(Write, bool); 2], dues: [Option<u64>; 2]) {
        let Some(transactions) = self.scene.store.transactions() else { return };
        let all_hold = both.iter().all(|(_, holds)| *holds);
        let writes: Vec<Write> = both.into_iter().map(|(write, _)| write).collect();
        match transactions.save_all(writes.clone()).await.expect("save_all works") {
            Saved::Committed(etags) => {
                assert!(all_hold, "{writes:?} was committed");
                assert_eq!(etags.len(), writes.len());
                for ((write, etag), due) in writes.into_iter().zip(etags).zip(dues) {
                    self.put(write, etag, due);
                }
            }
            Saved::Conflict => assert!(!all_hold, "{writes:?} conflicted"),
        }
    }

    async fn delete(&mut self, key: Key, condition: Condition) {
        let (Expect::At(etag), holds) = self.condition(&key, condition) else { return };
        match self.scene.delete(&key, &etag).await {
            Saved::Committed(_) => {
                assert!(holds, "{key} was deleted at {etag:?}");
                drop(self.known.remove(&key));
            }
            Saved::Conflict => assert!(!holds, "the delete of {key} at {etag:?} conflicted"),
        }
    }

    fn put(&mut self, write: Write, etag: ETag, due: Option<u64>) {
        let etags = self.etags.entry(write.key.clone()).or_default();
        assert!(!etags.contains(&etag), "{etag:?} of {} came back", write.key);
        etags.push(etag.clone());
        let stored = Stored { body: write.body, etag };
        drop(self.known.insert(write.key, Known { stored, due }));
    }

    fn due(&self, now: u64) -> Vec<Due> {
        let due = self.known.iter().filter_map(|(key, known)| {
            let at = known.due.filter(|at| *at <= now)?;
            let etag = known.stored.etag.clone();
            Some(Due { key: key.clone(), etag, at: Timestamp::from_millis(at) })
        });
        due.collect()
    }
}

//! Lost answers: a connection that breaks, or a server that falls silent.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use sayso_stores::{PostgresConfig, PostgresStore};
use sayso_turn::store::{ETag, Error, Store, Transactions as _};

use super::{
    Bench, committed, create, key,
    proxy::{Answers, Proxy},
    replace, server,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Load,
    Create,
    Replace,
    Delete,
    Both,
}

const CALLS: [Call; 5] = [Call::Load, Call::Create, Call::Replace, Call::Delete, Call::Both];

impl Call {
    /// Works on documents of this round alone.
    async fn prepare(self, store: &PostgresStore, round: &str) -> Option<ETag> {
        let is_there = matches!(self, Self::Replace | Self::Delete);
        if is_there { Some(committed(store.save(create(round, "old")).await)) } else { None }
    }

    async fn run(
        self,
        store: &PostgresStore,
        round: &str,
        etag: Option<&ETag>,
    ) -> Result<(), Error> {
        match (self, etag) {
            (Self::Load, _) => store.load(&key(round)).await.map(|_| ()),
            (Self::Create, _) => store.save(create(round, "new")).await.map(|_| ()),
            (Self::Replace, Some(etag)) => {
                store.save(replace(round, etag, "new")).await.map(|_| ())
            }
            (Self::Delete, Some(etag)) => store.delete(&key(round), etag).await.map(|_| ()),
            (Self::Both, _) => {
                let both = vec![create(round, "new"), create(&format!("{round}/2"), "new")];
                store.save_all(both).await.map(|_| ())
            }
            (Self::Replace | Self::Delete, None) => panic!("there is nothing to change"),
        }
    }

    /// True if the call has had its effect, by a look at the table.
    async fn has_happened(self, store: &PostgresStore, round: &str) -> bool {
        let stored = store.load(&key(round)).await.unwrap();
        match self {
            Self::Load => true,
            Self::Delete => stored.is_none(),
            Self::Create | Self::Replace | Self::Both => {
                stored.is_some_and(|stored| stored.body == "new")
            }
        }
    }
}

/// Loses the answer to a call; returns what the caller is told, and after what time.
async fn lose(schema: &str, call: Call, answers: Answers, timeout: Duration) -> (Error, Duration) {
    let url = server();
    let (_, rest) = url.split_once('@').unwrap();
    let (place, _) = rest.split_once('/').unwrap();
    let proxy = Proxy::start(place.to_owned()).await;
    let through = url.replace(place, &format!("127.0.0.1:{}", proxy.port));
    let through = super::with(&through, &format!("schema={schema}&connections=2"));
    let config = PostgresConfig::from_url(&through).unwrap().timeout(timeout);
    let store = PostgresStore::open(config).await.unwrap();
    // Once with answers, so that connection and statement are there.
    let [warm, lost, perhaps, never] =
        ["warm", "lost", "perhaps", "never"].map(|round| format!("{call:?}/{round}"));
    let etag = call.prepare(&store, &warm).await;
    call.run(&store, &warm, etag.as_ref()).await.unwrap();
    let etag = call.prepare(&store, &lost).await;

    proxy.set(answers);
    let start = Instant::now();
    let error = call.run(&store, &lost, etag.as_ref()).await.unwrap_err();
    let took = start.elapsed();
    assert!(proxy.lost() > 0, "{call:?}");
    if answers == Answers::Swallow {
        // Nor does a new connection come about, once the old one is given up: nothing is sent.
        assert!(store.save(create(&perhaps, "{}")).await.is_err());
        let error = store.save(create(&never, "{}")).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{call:?}: {error:?}");
    }
    proxy.set(Answers::Pass);
    // The store recovers by itself.
    assert!(call.has_happened(&store, &warm).await);
    (error, took)
}

/// A transaction had not come to its COMMIT when the answer to its BEGIN was lost.
fn assert_told_right(call: Call, error: &Error) {
    let is_write = matches!(call, Call::Create | Call::Replace | Call::Delete);
    assert_eq!(matches!(error, Error::Unknown { .. }), is_write, "{call:?}: {error:?}");
    assert_eq!(matches!(error, Error::Unavailable { .. }), !is_write, "{call:?}: {error:?}");
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_unknown_and_may_have_happened() {
    let bench = Bench::new().await;
    for call in CALLS {
        let (error, _) = lose(&bench.schema, call, Answers::Cut, Duration::from_secs(10)).await;
        assert_told_right(call, &error);
        let round = format!("{call:?}/lost");
        let mut has_happened = false;
        // It did reach the server; perhaps it still runs.
        for _ in 0..1000 {
            has_happened = call.has_happened(&bench.store, &round).await;
            if has_happened || call == Call::Both {
                break;
            }
        }
        assert_eq!(has_happened, call != Call::Both, "{call:?}");
    }
    bench.end().await;
}

#[tokio::test]
async fn a_server_that_falls_silent_ends_every_call_in_time() {
    let bench = Bench::new().await;
    let limit = Duration::from_secs(2);
    let told = join_all(CALLS.map(|call| lose(&bench.schema, call, Answers::Swallow, limit))).await;
    for (call, (error, took)) in CALLS.into_iter().zip(told) {
        assert!(took < limit * 2, "{call:?} took {took:?}");
        assert_told_right(call, &error);
    }
    bench.end().await;
}

#[tokio::test]
async fn a_transaction_whose_commit_is_not_answered_is_unknown_and_may_have_happened() {
    let bench = Bench::new().await;
    let limit = Duration::from_secs(10);
    let (error, _) = lose(&bench.schema, Call::Both, Answers::CutAtCommit, limit).await;
    assert!(matches!(error, Error::Unknown { .. }), "{error:?}");
    for name in ["Both/lost", "Both/lost/2"] {
        let mut stored = None;
        for _ in 0..1000 {
            stored = bench.store.load(&key(name)).await.unwrap();
            if stored.is_some() {
                break;
            }
        }
        assert_eq!(stored.unwrap().body, "new", "{name}");
    }
    bench.end().await;
}

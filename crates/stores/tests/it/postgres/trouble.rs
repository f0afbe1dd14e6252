//! Locked rows, damaged rows, ended sessions.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, future::join_all};
use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Saved, Store};

use super::{Bench, committed, create, fresh_name, key, replace, url};

#[tokio::test]
async fn a_document_that_another_session_keeps_locked_does_not_hold_up_the_others() {
    let bench = Bench::new().await;
    let store = &bench.store;
    let names: Vec<_> = (0..8).map(|number| format!("key/{number}")).collect();
    let created = join_all(names.iter().map(|name| store.save(create(name, "1")))).await;
    let etags: Vec<_> = created.into_iter().map(committed).collect();
    bench.run("BEGIN; SELECT * FROM {table} WHERE key = 'key/3' FOR UPDATE").await;
    let start = Instant::now();
    let saves = names.iter().zip(&etags).map(|(name, etag)| store.save(replace(name, etag, "2")));
    let saved = join_all(saves).await;
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    for (name, saved) in names.iter().zip(saved) {
        match saved {
            Ok(Saved::Committed(_)) => assert_ne!(name, "key/3"),
            Err(Error::Unavailable { reason, .. }) => {
                assert_eq!(name, "key/3");
                assert!(reason.contains("locked"), "{reason}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    bench.run("COMMIT").await;
    let _etag = committed(store.save(replace("key/3", &etags[3], "2")).await);
    bench.end().await;
}

#[tokio::test]
async fn what_is_no_text_is_reported_and_left_alone() {
    let bench = Bench::new().await;
    bench.run("INSERT INTO {table} VALUES ('bad', 7, NULL, '\\xff00ff')").await;
    let error = bench.store.load(&key("bad")).await.unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    assert_eq!(bench.store.save(create("bad", "{}")).await.unwrap(), Saved::Conflict);
    let sql = format!("SELECT body FROM {}.document", bench.schema);
    let kept: Vec<u8> = bench.other.query_one(&sql, &[]).await.unwrap().get(0);
    assert_eq!(kept, [0xff, 0, 0xff]);

    bench.run("INSERT INTO {table} VALUES ('\\xc3', 7, 1, '{}')").await;
    let listed: Vec<_> = bench.store.list("").collect().await;
    assert!(matches!(&listed[..], [Ok(listed)] if *listed == key("bad")), "{listed:?}");
    bench.end().await;
}

#[tokio::test]
async fn sessions_that_the_server_ends_are_replaced() {
    let name = fresh_name();
    let bench = Bench::new().await;
    let parameters = format!("schema={}&application_name={name}", bench.schema);
    let store = PostgresStore::open_url(&url(&parameters)).await.unwrap();
    let _etag = committed(store.save(create("a", "0")).await);
    for round in 1..=5 {
        let sql =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
        let ended = bench.other.query(sql, &[&name]).await.unwrap();
        assert!(!ended.is_empty());
        // The first calls may still meet a session that has just ended.
        for attempt in 0.. {
            assert!(attempt < 20, "the store does not recover");
            let stored = match store.load(&key("a")).await {
                Ok(stored) => stored.unwrap(),
                Err(Error::Unavailable { .. }) => continue,
                Err(error) => panic!("{error}"),
            };
            if stored.body == round.to_string() {
                break;
            }
            match store.save(replace("a", &stored.etag, &round.to_string())).await {
                Ok(Saved::Committed(_))
                | Err(Error::Unknown { .. } | Error::Unavailable { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    bench.end().await;
}

/// After a failover the old primary may come back as a standby, with our sessions still on it.
#[tokio::test]
async fn a_server_that_only_reads_is_left_for_another_session() {
    let bench = Bench::new().await;
    bench
        .run(&format!(
            "CREATE FUNCTION {schema}.tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.body = 'refuse' THEN RAISE EXCEPTION 'as told' USING ERRCODE = '25006'; END IF;
                NEW.body := convert_to(pg_backend_pid()::text, 'UTF8');
                RETURN NEW; END $$;
             CREATE TRIGGER tell BEFORE INSERT ON {{table}} FOR EACH ROW EXECUTE FUNCTION {schema}.tell()",
            schema = bench.schema
        ))
        .await;
    let mut sessions = Vec::new();
    for name in ["a", "b", "refused", "c"] {
        if name == "refused" {
            let error = bench.store.save(create(name, "refuse")).await.unwrap_err();
            assert!(matches!(error, Error::Unavailable { .. }), "{error}");
            assert!(error.to_string().contains("only reads"), "{error}");
            continue;
        }
        let _etag = committed(bench.store.save(create(name, "{}")).await);
        sessions.push(bench.store.load(&key(name)).await.unwrap().unwrap().body);
    }
    assert_eq!(sessions[0], sessions[1]);
    assert_ne!(sessions[1], sessions[2]);
    bench.end().await;
}

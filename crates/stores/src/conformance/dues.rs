//! Due documents: a look names all of them, page by page.
//!
//! A store may name too many while writes are under way. When all is quiet, as here, it names what
//! is due and nothing else.

use std::{collections::BTreeSet, sync::Arc};

use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Due, Expect, Saved, Store, Write},
};

use super::scene::{Scene, committed, replace};

const MANY: usize = 100;

/// A document is named from its time on, that millisecond included; the beginning of time is always
/// past, and without a time a document is never named.
pub async fn what_is_due_is_named_from_its_time_on(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let (always, soon, late) = (scene.key("always"), scene.key("soon"), scene.key("late"));
    let (never, end) = (scene.key("never"), scene.key("end"));
    let _etag = scene.create_due(&always, Timestamp::START.as_millis()).await;
    let _etag = scene.create_due(&soon, 1_000).await;
    let _etag = scene.create_due(&late, 1_900_000_000_000).await;
    let _etag = scene.create_due(&end, i64::MAX.unsigned_abs()).await;
    let _etag = scene.create(&never, "{}").await;
    for (now, expected) in [
        (0, vec![&always]),
        (999, vec![&always]),
        (1_000, vec![&always, &soon]),
        (1_899_999_999_999, vec![&always, &soon]),
        (1_900_000_000_000, vec![&always, &late, &soon]),
        (i64::MAX.unsigned_abs(), vec![&always, &end, &late, &soon]),
    ] {
        let named = scene.due(now, 100).await;
        assert_eq!(keys_of(&named), expected, "at {now}");
    }
    let named = scene.due(1_000, 100).await;
    let times: Vec<_> = named.iter().map(|due| due.at.as_millis()).collect();
    assert_eq!(times, [0, 1_000], "the times are those that were given");
}

/// Saving a document without a time, or deleting it, ends its wait.
pub async fn a_delete_or_a_save_without_a_time_ends_the_wait(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let (saved, deleted, kept) = (scene.key("saved"), scene.key("deleted"), scene.key("kept"));
    let saved_etag = scene.create_due(&saved, 5).await;
    let deleted_etag = scene.create_due(&deleted, 5).await;
    let old_etag = scene.create_due(&kept, 4).await;
    let at = Some(Timestamp::from_millis(5));
    let _etag = committed(scene.save(Write { due: at, ..replace(&kept, &old_etag, "{}") }).await);
    assert_eq!(keys_of(&scene.due(5, 9).await), [&deleted, &kept, &saved]);

    let stale = replace(&kept, &old_etag, "{}");
    assert_eq!(scene.save(stale).await, Saved::Conflict, "a conflict changes no time either");
    let _etag = scene.replace(&saved, &saved_etag, "{}").await;
    assert!(matches!(scene.delete(&deleted, &deleted_etag).await, Saved::Committed(_)));
    assert_eq!(keys_of(&scene.due(5, 9).await), [&kept]);

    let _etag = scene.create(&deleted, "{}").await;
    let named = scene.due(5, 9).await;
    assert_eq!(keys_of(&named), [&kept], "a document made anew does not inherit the wait");
}

/// A save replaces the time, to later and to earlier.
pub async fn a_save_replaces_the_time(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("moved");
    let mut etag = scene.create_due(&key, 10).await;
    for at in [20_u64, 5, 5, 40, 0] {
        let due = Some(Timestamp::from_millis(at));
        etag = committed(scene.save(Write { due, ..replace(&key, &etag, "{}") }).await);
        let named = scene.due(at, 9).await;
        assert_eq!(
            named,
            [Due { key: key.clone(), etag: etag.clone(), at: Timestamp::from_millis(at) }]
        );
        if let Some(before) = at.checked_sub(1) {
            assert_eq!(scene.due(before, 9).await, []);
        }
    }
}

/// The ETag of a waiting document is the current one: a save at it succeeds.
pub async fn an_etag_of_due_is_the_current_one(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("waiting");
    let mut etag = scene.create_due(&key, 3).await;
    for _ in 0..5 {
        let named = scene.due(3, 1).await;
        let found = named.into_iter().next().expect("the document is due").etag;
        assert_eq!(found, etag);
        let expect = Expect::At(found);
        let due = Some(Timestamp::from_millis(3));
        let write = Write {
            key: key.clone(),
            expect,
            body: "{}".into(),
            due,
            expires: None,
            participants: None,
        };
        etag = committed(scene.save(write).await);
    }
}

/// Pages of one, two, three and many name all that is due, each document once while all is quiet.
pub async fn pages_of_due_name_each_document_once(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let mut expected = Vec::new();
    for number in 0..MANY {
        // Times run against the keys, and some keys differ only in case, length or bytes past
        // ASCII.
        let odd = ["", "A", "a", "aa", "~", "é", "\u{10000}", "\u{ffff}"];
        let odd = odd.get(number % odd.len()).expect("within the list");
        let key = scene.key(&format!("{}{odd}", number / 8));
        let at = 1_000 - u64::try_from(number).expect("a small number");
        let _etag = scene.create_due(&key, at).await;
        if at <= 980 {
            expected.push(key);
        }
    }
    expected.sort();
    for limit in [1, 2, 3, 7, MANY, 2 * MANY] {
        let named = scene.due(980, limit).await;
        assert_eq!(keys_of(&named), expected.iter().collect::<Vec<_>>(), "in pages of {limit}");
    }
}

/// A look names what was due when it began, although time goes on, others change what they own, and
/// what it has named does not wait any more when it goes on.
pub async fn a_look_goes_on_while_time_does(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let mut expected = BTreeSet::new();
    for number in 0..20 {
        let key = scene.key(&format!("due {number:02}"));
        let _etag = scene.create_due(&key, 100 + number).await;
        expected.insert(key);
    }
    let moving = scene.key("moving");
    let mut etag = scene.create_due(&moving, 110).await;
    let (mut named, mut from, mut now) = (BTreeSet::new(), None, 120);
    loop {
        let page = scene.store.due(Timestamp::from_millis(now), from.as_ref(), 3).await;
        let page = page.expect("due works");
        for due in page.found {
            if expected.contains(&due.key) && !named.contains(&due.key) {
                let _etag = scene.replace(&due.key, &due.etag, "{}").await;
            }
            named.insert(due.key);
        }
        from = page.next;
        if from.is_none() {
            break;
        }
        now += 1;
        assert!(now < 100_000, "the look does not end");
        if now < 130 {
            let due = Some(Timestamp::from_millis(230 - now));
            etag = committed(scene.save(Write { due, ..replace(&moving, &etag, "{}") }).await);
        }
    }
    let missing: Vec<_> = expected.difference(&named).collect();
    assert!(missing.is_empty(), "not named: {missing:?}");
}

fn keys_of(named: &[Due]) -> Vec<&Key> {
    named.iter().map(|due| &due.key).collect()
}

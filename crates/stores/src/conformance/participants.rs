//! Participants: whoever takes part in a document is found by the lookup.
//!
//! An engine may keep no index of them; then its lookup says so, always. One that keeps it may name
//! too many documents. When all is quiet, as here, it names no other.

use std::sync::Arc;

use futures_util::{TryStreamExt, future::join_all};
use sayso_turn::{
    Key,
    store::{Expect, Participant, Participants, Saved, Store, Write},
};

use super::scene::{Scene, committed, create, replace};

const MANY: usize = 600;

/// Documents are named for those who take part in them, and for everybody where nobody told.
pub async fn whoever_takes_part_is_found(store: Arc<dyn Store>) {
    let Some(scene) = indexed(store).await else { return };
    for (name, participants) in [
        ("ann", all(&["ann"])),
        ("both", all(&["bob", "ann"])),
        ("bob", all(&["bob"])),
        ("crowd", Some(Participants::Unknown)),
        ("nobody", all(&[])),
        ("untold", None),
    ] {
        let write = Write { participants, ..create(&scene.key(name), "{}") };
        let _etag = committed(scene.save(write).await);
    }
    assert_eq!(found(&scene, "ann").await, ["ann", "both", "crowd", "untold"]);
    assert_eq!(found(&scene, "bob").await, ["bob", "both", "crowd", "untold"]);
    assert_eq!(found(&scene, "anna").await, ["crowd", "untold"]);
    let listed = list(&scene, "ann", scene.key("bo").as_str()).await;
    assert_eq!(listed, ["both"], "only keys with the prefix");
}

/// A save without participants leaves them, one with them replaces them, one that conflicts does
/// nothing.
pub async fn a_save_without_participants_leaves_them(store: Arc<dyn Store>) {
    let Some(scene) = indexed(store).await else { return };
    let key = scene.key("k");
    let first = create_of(&scene, &key, &["ann"]).await;
    let mut etag = scene.replace(&key, &first, "{}").await;
    assert_eq!(found(&scene, "ann").await, ["k"]);
    assert_eq!(found(&scene, "bob").await, Vec::<String>::new());
    let stale = Write { participants: all(&["bob"]), ..replace(&key, &first, "{}") };
    assert_eq!(scene.save(stale).await, Saved::Conflict);
    let over = Write { participants: all(&["bob"]), ..create(&key, "{}") };
    assert_eq!(scene.save(over).await, Saved::Conflict);
    assert_eq!(found(&scene, "bob").await, Vec::<String>::new());
    for (participants, ann, bob) in [
        (all(&["ann", "bob"]), true, true),
        (all(&["bob"]), false, true),
        (Some(Participants::Unknown), true, true),
        (None, true, true),
        (all(&["ann"]), true, false),
        (all(&[]), false, false),
    ] {
        let write = Write { participants: participants.clone(), ..replace(&key, &etag, "{}") };
        etag = committed(scene.save(write).await);
        let named = [found(&scene, "ann").await.len() == 1, found(&scene, "bob").await.len() == 1];
        assert_eq!(named, [ann, bob], "{participants:?}");
    }
}

/// A document that was deleted is found by nobody; one made anew by those who take part in it now.
pub async fn a_deleted_document_is_nobodys(store: Arc<dyn Store>) {
    let Some(scene) = indexed(store).await else { return };
    let key = scene.key("k");
    let etag = create_of(&scene, &key, &["ann"]).await;
    assert!(matches!(scene.delete(&key, &etag).await, Saved::Committed(_)));
    assert_eq!(found(&scene, "ann").await, Vec::<String>::new());
    let etag = create_of(&scene, &key, &["bob"]).await;
    assert_eq!(found(&scene, "ann").await, Vec::<String>::new());
    assert_eq!(found(&scene, "bob").await, ["k"]);
    assert!(matches!(scene.delete(&key, &etag).await, Saved::Committed(_)));
    let _etag = scene.create(&key, "{}").await;
    assert_eq!(found(&scene, "cid").await, ["k"], "nobody told whose it is now");
}

/// Saves that go to the engine together, and those of a transaction, tell theirs each.
pub async fn saves_at_the_same_time_tell_theirs(store: Arc<dyn Store>) {
    let Some(scene) = indexed(store).await else { return };
    let names: Vec<String> = (0..40).map(|number| format!("k{number:02}")).collect();
    let write = |name: &String, etag: Option<_>| {
        let key = scene.key(name);
        let write = match etag {
            None => create(&key, "{}"),
            Some(etag) => replace(&key, &etag, "{\"again\":true}"),
        };
        let who = [name.as_str(), "all"];
        let number: usize = name.trim_start_matches('k').parse().expect("a number");
        let participants = if number.is_multiple_of(3) { None } else { all(&who) };
        Write { participants, ..write }
    };
    let saved = join_all(names.iter().map(|name| scene.save(write(name, None)))).await;
    let is_told = |name: &&String| !name[1..].parse::<usize>().expect("a number").is_multiple_of(3);
    for name in names.iter().filter(is_told).take(5) {
        let own = found(&scene, name).await;
        assert!(own.contains(name) && own.len() == 15, "its own and those of nobody: {own:?}");
    }
    let again = names.iter().zip(saved);
    let again = again.map(|(name, saved)| scene.save(write(name, Some(committed(saved)))));
    let etags: Vec<_> = join_all(again).await.into_iter().map(committed).collect();
    assert_eq!(found(&scene, "all").await, names, "those of all and those of nobody");
    let Some(transactions) = scene.store.transactions() else { return };
    let writes = names.iter().zip(etags).map(|(name, etag)| {
        let participants = all(&["new"]);
        Write { participants, expect: Expect::At(etag), ..create(&scene.key(name), "{}") }
    });
    committed(transactions.save_all(writes.collect()).await.expect("save_all works"));
    assert_eq!(found(&scene, "new").await, names);
    assert_eq!(found(&scene, "all").await, Vec::<String>::new());
}

/// A lookup longer than any page names each document once, and the longest key is looked up, too.
pub async fn a_long_lookup_is_whole(store: Arc<dyn Store>) {
    let Some(scene) = indexed(store).await else { return };
    let mut expected = Vec::new();
    for number in 0..MANY {
        let name = format!("many/{number:04}");
        let participants = if number % 3 == 0 { None } else { all(&["ann", "bob"]) };
        let write = Write { participants, ..create(&scene.key(&name), "{}") };
        let _etag = committed(scene.save(write).await);
        expected.push(name);
    }
    let long = "x".repeat(sayso_turn::limits::KEY_BYTES_MAX - scene.prefix().len());
    let etag = create_of(&scene, &scene.key(&long), &["ann"]).await;
    expected.push(long.clone());
    assert_eq!(found(&scene, "ann").await, expected);
    let unknown = Participants::Unknown;
    let write = replace(&scene.key(&long), &etag, "{}");
    let _etag = committed(scene.save(Write { participants: Some(unknown), ..write }).await);
    assert_eq!(found(&scene, "ann").await, expected);
}

/// The scene, if the engine keeps an index; else it says so, whatever is asked.
async fn indexed(store: Arc<dyn Store>) -> Option<Scene> {
    let scene = Scene::new(store);
    let has_index = scene.store.list_with(Participant::of("ann"), "").is_some();
    let _etag = create_of(&scene, &scene.key("any"), &["any"]).await;
    let listed = scene.store.list_with(Participant::of("any"), scene.prefix());
    assert_eq!(listed.is_some(), has_index, "an engine keeps an index or does not");
    drop(listed);
    has_index.then(|| Scene::new(Arc::clone(&scene.store)))
}

async fn create_of(scene: &Scene, key: &Key, ids: &[&str]) -> sayso_turn::store::ETag {
    committed(scene.save(Write { participants: all(ids), ..create(key, "{}") }).await)
}

fn all(ids: &[&str]) -> Option<Participants> {
    Some(Participants::All(ids.iter().map(|id| Participant::of(id)).collect()))
}

/// The names of this scene's documents that the lookup names, in order.
async fn found(scene: &Scene, id: &str) -> Vec<String> {
    list(scene, id, scene.prefix()).await
}

async fn list(scene: &Scene, id: &str, prefix: &str) -> Vec<String> {
    let listed = scene.store.list_with(Participant::of(id), prefix);
    let listed = listed.expect("the engine keeps an index");
    let mut keys: Vec<Key> = listed.try_collect().await.expect("the lookup works");
    keys.sort();
    let name = |key: &Key| key.as_str().trim_start_matches(scene.prefix()).to_owned();
    keys.iter().map(name).collect()
}

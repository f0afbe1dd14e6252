//! Listing by prefix: a list names every key with the prefix, and no other.

use std::{collections::BTreeSet, sync::Arc};

use sayso_turn::{Key, store::Store};

use super::scene::Scene;

const MANY: usize = 600;

/// A prefix is compared byte by byte: wildcards of any pattern language are plain characters.
pub async fn a_prefix_is_text_and_no_pattern(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let names = [
        "a",
        "a%",
        "a%b",
        "a_",
        "a_b",
        "a*",
        "a?",
        "a[b]",
        "axb",
        "ab",
        "A",
        "A%b",
        "b",
        "a\\%",
        "a'",
        "a/",
        "a/b",
        "é",
        "éa",
        "e\u{301}",
        "\u{10ffff}",
        "\u{10ffff}a",
        "{a}",
        "^a",
        ".a",
    ];
    for name in names {
        let _etag = scene.create(&scene.key(name), "{}").await;
    }
    for prefix in
        names.into_iter().chain(["", "a%b/", "zz", "%", "_", "*", ".*", "é ", "\u{10fffe}"])
    {
        let expected: BTreeSet<Key> = names
            .into_iter()
            .filter(|name| name.starts_with(prefix))
            .map(|name| scene.key(name))
            .collect();
        let listed = scene.list(scene.key(prefix).as_str()).await;
        assert_eq!(listed, expected.into_iter().collect::<Vec<_>>(), "the prefix {prefix:?}");
    }
}

/// A list longer than any page names each key once; other prefixes' keys are not in it.
pub async fn a_long_list_is_whole(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let mut expected = BTreeSet::new();
    for number in 0..MANY {
        let key = scene.key(&format!("many/{number}"));
        let _etag = scene.create(&key, "{}").await;
        assert!(expected.insert(key));
    }
    let _etag = scene.create(&scene.key("man"), "{}").await;
    let _etag = scene.create(&scene.key("many0"), "{}").await;
    let listed = scene.list(scene.key("many/").as_str()).await;
    assert_eq!(listed, expected.into_iter().collect::<Vec<_>>());
    let all = scene.list("").await;
    let ours = all.iter().filter(|key| key.as_str().starts_with(scene.prefix()));
    assert_eq!(ours.count(), MANY + 2, "the empty prefix names all");
}

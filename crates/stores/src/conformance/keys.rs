//! Keys: any text is a key, and keys are compared byte by byte.

use std::{collections::BTreeMap, sync::Arc};

use sayso_turn::{
    Key,
    limits::KEY_BYTES_MAX,
    store::{Saved, Store},
};

use super::scene::{Scene, create};

/// Keys that some engine, file system, protocol or query language would like to read in its own
/// way.
const ODD: [&str; 62] = [
    "!@#$%^&*()~/\\><,.?';\"`~",
    "!@#$%^&*()_+??><\":QASD~`",
    "a",
    "A",
    "á",
    "a ",
    " a",
    "a\u{a0}",
    "a.",
    "a..",
    "a/",
    "a//",
    "a/b",
    "a\\b",
    "a/../b",
    "..",
    ".",
    "./a",
    "../a",
    "%2e%2e",
    "a%2Fb",
    "a%2fb",
    "a%20b",
    "a+b",
    "a b",
    "a%",
    "%",
    "_",
    "a_",
    "*",
    "a*",
    "?",
    "a?b=c&d",
    "#a",
    "a#",
    "\0",
    "a\0",
    "a\0b",
    "\n",
    "\r\n",
    "\t",
    "\u{7f}",
    "\u{1}",
    "{a}",
    "{}",
    "{",
    "a{b}c",
    "'; DROP TABLE document; --",
    "' OR '1'='1",
    "\"",
    "''",
    "`",
    "$a",
    "$sayso",
    "null",
    "😀",
    "👩‍👩‍👧",
    "é",
    "e\u{301}",
    "\u{feff}",
    "\u{10ffff}",
    "19:abc@thread.tacv2;id=1",
];

/// All odd keys are stored side by side, and each is read back and listed exactly.
pub async fn keys_of_every_alphabet_stand_side_by_side(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let keys: Vec<Key> = ODD.iter().map(|odd| scene.key(odd)).collect();
    stand_side_by_side(&scene, keys.clone()).await;
    let mut keys = keys;
    keys.sort();
    assert_eq!(scene.list(scene.prefix()).await, keys, "the list names the keys exactly");
}

/// The same keys with the odd part in front, where no prefix protects it.
pub async fn keys_with_an_odd_beginning_are_kept(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = |odd: &&str| Key::new(format!("{odd}{}", scene.prefix())).expect("a valid key");
    let keys: Vec<Key> = ODD.iter().map(key).collect();
    stand_side_by_side(&scene, keys.clone()).await;
    for key in keys {
        assert_eq!(scene.list(key.as_str()).await, [key], "the list names the key exactly");
    }
}

/// Keys that look alike (case, composed and decomposed letters, width) are different keys.
pub async fn keys_are_bytes_and_never_normalised(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    for (one, other) in [
        ("é", "e\u{301}"),
        ("Å", "\u{212b}"),
        ("ﬁ", "fi"),
        ("ß", "ss"),
        ("I", "ı"),
        ("Key", "key"),
        ("\u{ff21}", "A"),
        ("x", "x\u{200b}"),
        ("x", "x\0"),
    ] {
        let (one, other) = (scene.key(&format!("{one}/")), scene.key(&format!("{other}/")));
        let _etag = scene.create(&one, "{}").await;
        assert_eq!(scene.load(&other).await, None, "{one} is not {other}");
        assert_eq!(scene.list(one.as_str()).await, std::slice::from_ref(&one));
        let etag = scene.read(&one).await.etag;
        assert!(scene.store.delete(&one, &etag).await.is_ok());
    }
}

/// Keys of every length up to the limit are kept whole; such that differ in their last byte only
/// are different keys.
pub async fn long_keys_are_never_cut(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let mut keys = Vec::new();
    for length in [200, 255, 256, 257, 511, 512, 1023, 1024, 1025, 2000, KEY_BYTES_MAX] {
        let fill = "k".repeat(length - scene.prefix().len() - 1);
        keys.extend(["a", "b"].map(|last| scene.key(&format!("{fill}{last}"))));
    }
    let slashes = (KEY_BYTES_MAX - scene.prefix().len()) / 2;
    keys.push(scene.key(&"a/".repeat(slashes)));
    keys.push(scene.key(&"%/".repeat(slashes)));
    let emoji = (KEY_BYTES_MAX - scene.prefix().len()) / 4;
    keys.push(scene.key(&"😀".repeat(emoji)));
    stand_side_by_side(&scene, keys.clone()).await;
    keys.sort();
    assert_eq!(scene.list(scene.prefix()).await, keys);
}

async fn stand_side_by_side(scene: &Scene, keys: Vec<Key>) {
    let mut etags = BTreeMap::new();
    for (number, key) in keys.into_iter().enumerate() {
        assert_eq!(scene.load(&key).await, None, "{key} is not there yet");
        let etag = scene.create(&key, &format!("{{\"number\":{number}}}")).await;
        assert_eq!(etags.insert(key, (number, etag)), None, "the keys are distinct");
    }
    for (key, (number, etag)) in &etags {
        let stored = scene.read(key).await;
        assert_eq!(stored.body, format!("{{\"number\":{number}}}"), "{key} has its own body");
        assert_eq!(&stored.etag, etag, "{key} has its own ETag");
        let again = scene.save(create(key, "{}")).await;
        assert_eq!(again, Saved::Conflict, "{key} is there");
    }
}

//! `sayso state` about one bot and one tenant of a store that several share.

use super::*;

const KEYS: [&str; 5] = [
    "~pizza~contoso/test/users/ann",
    "~pizza~contoso/test/conversations/c/users/ann",
    "~pizza~fabrikam/test/users/ann",
    "~pasta~contoso/test/users/ann",
    "test/users/ann",
];

const CONTOSO: [&str; 4] = ["--bot", "pizza", "--tenant", "contoso"];

async fn filled(folder: &Path) -> Arc<dyn Store> {
    let store = open(folder, "a.sqlite").await;
    for key in KEYS {
        put(&*store, key, &body(1, "")).await;
    }
    store
}

#[tokio::test]
async fn forget_of_one_tenant_leaves_the_user_of_the_same_name_in_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path()).await;
    let forget = ["forget", "--channel", "test", "--user", "ann"];
    let done = state(folder.path(), &[&forget[..], &CONTOSO].concat(), "").await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("2 documents removed"), "{}", done.stdout);
    for (at, key) in KEYS.into_iter().enumerate() {
        assert_eq!(get(&*store, key).await.is_some(), at >= 2, "{key}");
    }
}

#[tokio::test]
async fn keys_are_meant_in_the_tenant_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path()).await;
    let listed = state(folder.path(), &[&["ls"][..], &CONTOSO].concat(), "").await;
    assert_eq!(listed.stdout.matches("~pizza~contoso/").count(), 2, "{}", listed.stdout);
    assert!(!listed.stdout.contains("fabrikam"), "{}", listed.stdout);
    let shown =
        state(folder.path(), &[&["show", "test/users/ann"][..], &CONTOSO].concat(), "").await;
    assert!(shown.stdout.contains("~pizza~contoso/test/users/ann"), "{}", shown.stdout);
    let rm = ["rm", "test/users/ann", "--yes"];
    let gone = state(folder.path(), &[&rm[..], &CONTOSO].concat(), "").await;
    assert_eq!(gone.code, Some(0), "{gone:?}");
    assert!(get(&*store, KEYS[0]).await.is_none());
    assert!(get(&*store, KEYS[4]).await.is_some());
}

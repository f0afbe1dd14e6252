//! Documents as blobs, and blobs that are no documents.

use std::collections::HashMap;

use azure_core::{Bytes, http::Etag};
use azure_storage_blob::models::{
    BlobClientAcquireLeaseResultHeaders as _, BlobClientGetPropertiesResultHeaders as _,
    BlockBlobClientUploadOptions,
};
use futures_util::TryStreamExt as _;
use sayso_stores::{
    BlobStore,
    blob::{DOCUMENT_BYTES_MAX, DueBy},
};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{ETag, Error, Expect, Saved, Store, Write},
};

use super::{config, key, open, save, write};

/// Puts a blob behind the store's back.
async fn put(store: &BlobStore, name: &str, body: &'static [u8], metadata: &[(&str, String)]) {
    let metadata: HashMap<_, _> =
        metadata.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let options = BlockBlobClientUploadOptions { metadata: Some(metadata), ..Default::default() };
    let body = Bytes::from_static(body).into();
    let _answer = store.client().blob_client(name).upload(body, Some(options)).await.unwrap();
}

async fn keys(store: &BlobStore) -> Vec<Key> {
    let mut keys: Vec<Key> = store.list("").try_collect().await.unwrap();
    keys.sort();
    keys
}

#[tokio::test]
async fn a_document_is_one_blob_of_json_with_its_time_as_tag_and_metadata() {
    let store = open(config()).await;
    let due = Some(Timestamp::from_millis(77));
    let put = Write { due, ..write("webchat/conversations/é", Expect::Absent, "{\"a\":\"é\"}") };
    let etag = save(&store, put).await;
    let blob = store.client().blob_client("webchat~2Fconversations~2F~C3~A9");
    let properties = blob.get_properties(None).await.unwrap();
    assert_eq!(properties.content_type().unwrap().as_deref(), Some("application/json"));
    assert_eq!(properties.etag().unwrap(), Some(Etag::from(etag.as_str())));
    let metadata = properties.metadata().unwrap();
    assert_eq!(metadata, HashMap::from([("saysodue".to_owned(), "77".to_owned())]));
    let tags = blob.get_tags(None).await.unwrap().into_model().unwrap();
    let tags: HashMap<String, String> = tags.into();
    assert_eq!(tags, HashMap::from([("saysodue".to_owned(), format!("{:020}", 77))]));

    // Without a time neither is left, and without tags none is written.
    let _etag = save(&store, write("webchat/conversations/é", Expect::At(etag), "{}")).await;
    let tags = blob.get_tags(None).await.unwrap().into_model().unwrap();
    assert!(HashMap::<String, String>::from(tags).is_empty());
    assert!(blob.get_properties(None).await.unwrap().metadata().unwrap().is_empty());
    let listing = open(config().with_due_by(DueBy::Listing)).await;
    let _etag = save(&listing, Write { due, ..write("k", Expect::Absent, "{}") }).await;
    let tags = listing.client().blob_client("k").get_tags(None).await.unwrap();
    assert!(HashMap::<String, String>::from(tags.into_model().unwrap()).is_empty());
}

#[tokio::test]
async fn a_long_key_is_in_the_metadata_of_its_blob() {
    let store = open(config()).await;
    let long = format!("teams/conversations/{}", "ž/".repeat(600));
    let due = Some(Timestamp::START);
    let etag = save(&store, Write { due, ..write(&long, Expect::Absent, "{}") }).await;
    assert_eq!(keys(&store).await, [key(&long)]);
    let due = store.due(Timestamp::START, None, 9).await.unwrap().found;
    assert_eq!(
        due.iter().map(|due| (&due.key, &due.etag)).collect::<Vec<_>>(),
        [(&key(&long), &etag)]
    );
    let names: Vec<_> = store.client().list_blobs(None).unwrap().try_collect().await.unwrap();
    let name = names[0].name.clone().unwrap();
    assert!(name.len() < 600 && name.starts_with("teams~2Fconversations~2F~C5~BE~2F"), "{name}");
}

#[tokio::test]
async fn a_blob_that_is_not_this_keys_document_is_reported_and_left_as_it_is() {
    let store = open(config()).await;
    put(&store, "broken", b"\xff\xfe", &[]).await;
    put(&store, "other", b"{}", &[("saysokey", "another".to_owned())]).await;
    for (name, reason) in [("broken", "UTF-8"), ("other", "another key")] {
        let error = store.load(&key(name)).await.unwrap_err();
        assert!(
            matches!(&error, Error::Corrupt { key: own, .. } if *own == key(name)),
            "{error:?}"
        );
        assert!(error.to_string().contains(reason), "{error}");
        let saved = store.save(write(name, Expect::Absent, "{}")).await.unwrap();
        assert_eq!(saved, Saved::Conflict, "nothing is overwritten");
    }
    assert_eq!(keys(&store).await, [key("broken")]);
}

#[tokio::test]
async fn blobs_with_foreign_names_are_left_alone() {
    let store = open(config()).await;
    for name in ["a/b", "a.txt", "a~2f", "~", "$logs", "x~~hash"] {
        put(&store, name, b"{}", &[("saysodue", "0".to_owned())]).await;
    }
    let _etag = save(&store, write("a/b", Expect::Absent, "{}")).await;
    assert_eq!(keys(&store).await, [key("a/b")]);
    assert_eq!(store.due(Timestamp::from_millis(9), None, 9).await.unwrap().found, []);
    let names: Vec<_> = store.client().list_blobs(None).unwrap().try_collect().await.unwrap();
    assert_eq!(names.len(), 7);
}

#[tokio::test]
async fn a_time_that_only_the_index_remembers_is_not_named() {
    let store = open(config()).await;
    for name in ["a", "b", "c", "d"] {
        let due = Some(Timestamp::START);
        let _etag = save(&store, Write { due, ..write(name, Expect::Absent, "{}") }).await;
    }
    // The tags stay and the metadata go: so it looks while the index is behind.
    for name in ["a", "b", "c"] {
        let blob = store.client().blob_client(name);
        let _answer = blob.set_metadata(&HashMap::new(), None).await.unwrap();
    }
    for limit in [1, 2, 9] {
        let (mut named, mut from) = (Vec::new(), None);
        for _ in 0..9 {
            let page = store.due(Timestamp::START, from.as_ref(), limit).await.unwrap();
            named.extend(page.found.into_iter().map(|due| (due.key, due.etag)));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        let current = store.load(&key("d")).await.unwrap().unwrap().etag;
        assert_eq!(named, [(key("d"), current)], "pages of {limit}");
        assert_eq!(from, None, "the look ends");
    }
}

#[tokio::test]
async fn a_lease_is_an_error_and_not_a_conflict() {
    let store = open(config()).await;
    let etag = save(&store, write("k", Expect::Absent, "{}")).await;
    let blob = store.client().blob_client("k");
    let lease = blob.acquire_lease(-1, None).await.unwrap();
    for error in [
        store.save(write("k", Expect::At(etag.clone()), "{\"a\":1}")).await.unwrap_err(),
        store.delete(&key("k"), &etag).await.unwrap_err(),
    ] {
        assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
        assert!(error.to_string().contains("lease"), "{error}");
    }
    let id = lease.lease_id().unwrap().unwrap();
    let _answer = blob.release_lease(id, None).await.unwrap();
    assert_eq!(store.delete(&key("k"), &etag).await.unwrap(), Saved::Committed(etag));
}

#[tokio::test]
async fn a_document_with_a_snapshot_can_be_deleted() {
    let store = open(config()).await;
    let etag = save(&store, write("k", Expect::Absent, "{}")).await;
    let _snapshot = store.client().blob_client("k").create_snapshot(None).await.unwrap();
    assert_eq!(store.delete(&key("k"), &etag).await.unwrap(), Saved::Committed(etag));
    assert_eq!(store.load(&key("k")).await.unwrap(), None);
}

#[tokio::test]
async fn a_document_larger_than_the_limit_is_refused_before_it_is_sent() {
    let store = open(config()).await;
    let body = "x".repeat(DOCUMENT_BYTES_MAX + 1);
    let error = store.save(write("k", Expect::Absent, &body)).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { bytes_max: DOCUMENT_BYTES_MAX, .. }), "{error:?}");
    assert_eq!(store.load(&key("k")).await.unwrap(), None);
}

#[tokio::test]
async fn a_container_that_is_deleted_under_the_store_is_said_so() {
    let store = open(config()).await;
    let etag = save(&store, write("k", Expect::Absent, "{}")).await;
    let _answer = store.client().delete(None).await.unwrap();
    let errors = [
        store.load(&key("k")).await.map(drop).unwrap_err(),
        store.save(write("k", Expect::At(etag.clone()), "{}")).await.map(drop).unwrap_err(),
        store.save(write("new", Expect::Absent, "{}")).await.map(drop).unwrap_err(),
        store.delete(&key("k"), &etag).await.map(drop).unwrap_err(),
        store.due(Timestamp::START, None, 1).await.map(drop).unwrap_err(),
        store.list("").try_collect::<Vec<_>>().await.map(drop).unwrap_err(),
    ];
    for error in errors {
        let is_known = matches!(error, Error::Invalid { .. } | Error::Unavailable { .. });
        assert!(is_known && error.to_string().contains("container"), "{error:?}");
    }
    for wildcard in ["*", "\"*\"", "\"\""] {
        let conflict = store.delete(&key("k"), &ETag::new(wildcard)).await.unwrap();
        assert_eq!(conflict, Saved::Conflict, "a wildcard never reaches the service");
    }
}

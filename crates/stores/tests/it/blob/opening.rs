//! Opening: authentication by keys and signatures, and errors in one clear sentence.

use std::time::Duration;

use azure_core::{credentials::Secret, hmac::hmac_sha256};
use azure_storage_blob::models::{
    BlobContainerClientCreateOptions, BlobContainerClientGetPropertiesResultHeaders as _,
    PublicAccessType,
};
use sayso_stores::{
    BlobStore,
    blob::{BlobConfig, DueBy},
};
use sayso_turn::store::{Error, Expect, Saved, Store};

use super::{account, config, key, new_container, open, part, save, write};

/// A shared access signature for one container, or for the account.
fn signature(container: Option<&str>, rights: &str) -> String {
    let (account, version, until) = (part("AccountName"), "2020-12-06", "2099-01-01T00:00:00Z");
    let (text, query) = match container {
        Some(name) => (
            format!(
                "{rights}\n\n{until}\n/blob/{account}/{name}\n\n\n\n{version}\nc\n\n\n\n\n\n\n"
            ),
            "sr=c",
        ),
        None => {
            (format!("{account}\n{rights}\nb\nsco\n\n{until}\n\n\n{version}\n\n"), "ss=b&srt=sco")
        }
    };
    let signed = hmac_sha256(&text, &Secret::new(part("AccountKey"))).unwrap();
    let signed: String = signed
        .chars()
        .map(|letter| match letter {
            '+' => "%2B".to_owned(),
            '/' => "%2F".to_owned(),
            '=' => "%3D".to_owned(),
            plain => plain.to_string(),
        })
        .collect();
    format!("?sv={version}&se={}&sp={rights}&{query}&sig={signed}", until.replace(':', "%3A"))
}

fn by_signature(container: &str, token: String) -> BlobConfig {
    BlobConfig::new(part("BlobEndpoint"), container).with_sas(token)
}

/// Refuses to open, in one line that says this and tells no secret.
async fn refused(config: BlobConfig, says: &str) {
    let error = BlobStore::open(config).await.map(drop).unwrap_err();
    let shown = error.to_string();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(shown.contains(says) && !shown.contains('\n'), "{shown}");
    for secret in [part("AccountKey"), "canary".to_owned(), "sig=".to_owned()] {
        assert!(!format!("{error:?} {shown}").contains(&secret), "{shown}");
    }
}

#[tokio::test]
async fn a_missing_container_is_created_and_private() {
    let store = open(config()).await;
    let properties = store.client().get_properties(None).await.unwrap();
    assert_eq!(properties.access().unwrap(), None, "nobody else can read it");
    assert!(store.to_string().starts_with("Azure Blob Storage at "), "{store}");
    assert!(!format!("{store:?}").contains(&part("AccountKey")));
}

#[tokio::test]
async fn many_that_create_one_container_all_open_it() {
    let config = config();
    let stores = (0..8).map(|_| open(config.clone()));
    let stores = futures_util::future::join_all(stores).await;
    let _etag = save(&stores[0], write("k", Expect::Absent, "{}")).await;
    for store in stores {
        assert!(store.load(&key("k")).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_container_is_not_created_when_that_is_turned_off() {
    let config = config().with_create_container(false);
    refused(config.clone(), "the container does not exist").await;
    let _store = open(config.clone().with_create_container(true)).await;
    let _store = open(config).await;
}

#[tokio::test]
async fn a_container_that_anybody_can_read_is_refused() {
    let other = open(config()).await;
    for access in [PublicAccessType::Container, PublicAccessType::Blob] {
        let name = new_container();
        let mut url = other.client().url().clone();
        url.path_segments_mut().unwrap().pop().push(&name);
        let options =
            BlobContainerClientCreateOptions { access: Some(access), ..Default::default() };
        // Another container of the account, by a signature for all of it.
        url.set_query(Some(signature(None, "rwdlc").trim_start_matches('?')));
        let client = azure_storage_blob::BlobContainerClient::new(url, None, None).unwrap();
        client.create(Some(options)).await.unwrap();
        let config = BlobConfig::from_connection_string(&account(), name.clone()).unwrap();
        refused(config, "--public-access off").await;
    }
}

#[tokio::test]
async fn a_signature_for_the_account_or_the_container_is_enough() {
    let container = new_container();
    let token = signature(None, "rwdlctf");
    let store = open(by_signature(&container, token)).await;
    let etag = save(&store, write("a b/ü", Expect::Absent, "{}")).await;
    assert_eq!(store.load(&key("a b/ü")).await.unwrap().unwrap().etag, etag);

    let token = signature(Some(&container), "rcwdltf");
    let store = open(by_signature(&container, token).with_create_container(false)).await;
    assert_eq!(store.load(&key("a b/ü")).await.unwrap().unwrap().etag, etag);
    assert_eq!(store.delete(&key("a b/ü"), &etag).await.unwrap(), Saved::Committed(etag));
}

#[tokio::test]
async fn a_signature_without_a_right_says_which_ones_it_needs() {
    let container = new_container();
    let config = BlobConfig::from_connection_string(&account(), container.clone()).unwrap();
    let _store = open(config).await;
    let store = open(by_signature(&container, signature(None, "rltf"))).await;
    // The store is open: a token with the right may come.
    let error = store.save(write("k", Expect::Absent, "{}")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("rcwdl"), "{error}");
    assert_eq!(store.load(&key("k")).await.unwrap(), None, "nothing was written");

    // Without the right to search tags it is said at once, with the way out.
    let config = by_signature(&container, signature(None, "rwdlc"));
    refused(config.clone(), "due=list").await;
    let store = open(config.with_due_by(DueBy::Listing)).await;
    let _etag = save(&store, write("k", Expect::Absent, "{}")).await;
}

#[tokio::test]
async fn a_wrong_key_or_signature_is_refused() {
    let wrong = BlobConfig::new(part("BlobEndpoint"), new_container()).with_key("Y2FuYXJ5");
    refused(wrong.clone(), "the SAS token").await;
    refused(wrong.clone().with_key("canary!"), "is not base64").await;
    refused(wrong.clone().with_sas("sv=canary"), "has no `sig`").await;
    let sas = signature(None, "rwdlctf").replace("2099", "2098");
    refused(wrong.with_sas(sas), "the SAS token").await;
}

#[tokio::test]
async fn a_bad_address_is_refused() {
    refused(BlobConfig::new("canary", "state").with_key("YQ=="), "not a URL").await;
    for name in ["ab", "Upper", "under_score", "-a-", "a--b", "..", &"x".repeat(64)] {
        let config = BlobConfig::from_connection_string(&account(), name).unwrap();
        refused(config, "is not a valid container name").await;
    }
    // No token goes over plain http.
    refused(BlobConfig::new("http://127.0.0.1:9/nobody", "state"), "https only").await;
    for remote in ["http://nobody.blob.core.windows.net", "http://127.nobody.example/a"] {
        let config = BlobConfig::new(remote, "state").with_sas("sig=canary");
        refused(config, "https only").await;
    }
}

#[tokio::test]
async fn a_service_that_does_not_answer_is_unavailable() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    let config = BlobConfig::new(format!("http://127.0.0.1:{port}/a"), "state").with_key("YQ==");
    let config = config.with_timeout(Duration::from_millis(300));
    let late = BlobStore::open(config.clone()).await.map(drop).unwrap_err();
    assert!(matches!(late, Error::Unavailable { .. }), "{late:?}");
    assert!(late.to_string().contains("no answer within 300ms"), "{late}");
    drop(free);
    let gone = BlobStore::open(config).await.map(drop).unwrap_err();
    assert!(matches!(gone, Error::Unavailable { .. }), "{gone:?}");
    assert!(gone.to_string().contains("no connection could be made"), "{gone}");
}

#[tokio::test]
async fn a_url_opens_the_emulator_without_more_words() {
    if part("AccountName") != "devstoreaccount1" {
        return assert!(part("BlobEndpoint").contains(".blob."), "a real account has a real key");
    }
    let url = format!("azblob:{}/{}", part("BlobEndpoint"), new_container());
    let store = BlobStore::open_url(&url).await.unwrap();
    assert_eq!(store.load(&key("k")).await.unwrap(), None);
    let error = BlobStore::open_url("azblob:nothing").await.map(drop).unwrap_err();
    assert!(error.to_string().contains("AZURE_STORAGE_CONNECTION_STRING"), "{error}");
}

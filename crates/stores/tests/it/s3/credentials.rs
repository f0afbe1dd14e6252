//! Keys that change while the store is open.

use std::{fs, time::Duration};

use sayso_stores::{S3Store, s3::S3Config};
use sayso_turn::store::{Error, Saved, Store};

use super::{
    create, endpoint, key,
    proxy::{Fault, Proxy, answer},
    url,
};

fn keys(id: &str) -> String {
    format!("[default]\naws_access_key_id = {id}\naws_secret_access_key = secret\n")
}

/// A refused key is a mistake on opening only.
#[tokio::test]
async fn a_key_that_is_refused_later_is_unavailable_and_heals() {
    let url = url("SAYSO_TEST_S3", "s3");
    let proxy = Proxy::start(endpoint(&url).unwrap());
    let through = url.replace(endpoint(&url).unwrap(), &proxy.endpoint);
    let store = S3Store::open(super::config(&through)).await.unwrap();
    for (status, code) in [
        ("403 Forbidden", "InvalidAccessKeyId"),
        ("403 Forbidden", "AccessDenied"),
        ("403 Forbidden", "RequestTimeTooSkewed"),
        ("401 Unauthorized", "X"),
        ("400 Bad Request", "ExpiredToken"),
    ] {
        proxy.next("GET", Fault::Refuse(answer(status, code)));
        let error = store.load(&key("k")).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{code}: {error:?}");
        proxy.next("PUT", Fault::Refuse(answer(status, code)));
        let error = store.save(create("k", "{}")).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{code}: {error:?}");
        assert_eq!(store.load(&key("k")).await.unwrap(), None, "nothing happened");
    }
    assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));
}

/// The proxy takes one key at a time, as its server takes any.
#[tokio::test]
async fn a_key_in_a_file_is_read_again_when_it_is_refused() {
    let url = url("SAYSO_TEST_S3", "s3");
    let proxy = Proxy::start(endpoint(&url).unwrap());
    let through = url.replace(endpoint(&url).unwrap(), &proxy.endpoint);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials");
    fs::write(&path, keys("first")).unwrap();
    proxy.only("first");
    let config = || S3Config::from_url(&through).unwrap().with_secret_file(&path);
    let store = S3Store::open(config()).await.unwrap();
    for (number, id) in ["second", "third"].into_iter().enumerate() {
        let name = format!("k{number}");
        proxy.only(id);
        let error = store.save(create(&name, "{}")).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        fs::write(&path, keys(id)).unwrap();
        let mut is_saved = false;
        for _ in 0..200 {
            match store.save(create(&name, "{}")).await {
                Ok(saved) => {
                    assert!(matches!(saved, Saved::Committed(_)), "it was never done before");
                    is_saved = true;
                    break;
                }
                Err(error) => assert!(matches!(error, Error::Unavailable { .. }), "{error:?}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(is_saved, "the file is read again");
    }
    fs::write(&path, keys("wrong")).unwrap();
    let error = S3Store::open(config()).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(error.to_string().contains("access key is wrong"), "{error}");
}

//! Opening: errors in one clear sentence.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use sayso_stores::S3Store;
use sayso_turn::store::Error;

use super::{
    Objects, config, endpoint, open,
    proxy::{Fault, Proxy, answer},
    url,
};

fn server() -> String {
    url("SAYSO_TEST_S3", "s3")
}

async fn refusal(url: &str) -> Error {
    let error = S3Store::open(config(url).with_timeout(Duration::from_secs(2))).await.unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(!text.contains('\n') && !text.contains("pizza"), "{text}");
    error
}

#[tokio::test]
async fn opening_leaves_nothing_behind() {
    let url = server();
    let store = open(&url).await;
    assert!(store.to_string().starts_with("S3 bucket sayso-test/test-"), "{store}");
    for part in ["check", "d", "due"] {
        assert_eq!(Objects::of(&url).names(part).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_named() {
    let error = refusal(&server().replace("sayso-test/", "no-such-bucket/")).await;
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("there is no such bucket; create it"), "{error}");
}

#[tokio::test]
async fn a_server_that_ignores_conditions_is_refused() {
    let url = server();
    let proxy = Proxy::start(endpoint(&url).unwrap());
    let through = url.replace(endpoint(&url).unwrap(), &proxy.endpoint);
    drop(open(&through).await);
    proxy.strip_conditions();
    let error = refusal(&through).await;
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("ignores the conditions"), "{error}");
    assert_eq!(Objects::of(&url).names("check").await, Vec::<String>::new());
}

#[tokio::test]
async fn what_the_server_says_is_understood() {
    let url = server();
    let proxy = Proxy::start(endpoint(&url).unwrap());
    let through = url.replace(endpoint(&url).unwrap(), &proxy.endpoint);
    for (status, code, is_transient, why) in [
        ("403 Forbidden", "SignatureDoesNotMatch", false, "access key is wrong"),
        ("403 Forbidden", "InvalidAccessKeyId", false, "access key is wrong"),
        ("403 Forbidden", "AccessDenied", false, "s3:ListBucket"),
        ("403 Forbidden", "RequestTimeTooSkewed", false, "the clock"),
        ("400 Bad Request", "ExpiredToken", false, "has expired"),
        ("301 Moved Permanently", "PermanentRedirect", false, "check the region"),
        ("501 Not Implemented", "NotImplemented", false, "conditional writes"),
        ("503 Slow Down", "SlowDown", true, "throttling"),
        ("500 Internal Server Error", "InternalError", true, "status 500"),
    ] {
        proxy.next("GET", Fault::Refuse(answer(status, code)));
        let error = refusal(&through).await;
        assert_eq!(error.is_transient(), is_transient, "{status}: {error}");
        assert!(error.to_string().contains(why), "{status} {code}: {error}");
    }
    assert_eq!(proxy.count(), 9);
}

#[tokio::test]
async fn a_place_where_no_server_is_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = listener.local_addr().unwrap().to_string();
    let url = format!("s3://bots?endpoint=http://{endpoint}");
    let start = Instant::now();
    let error = refusal(&url).await;
    assert!(matches!(error, Error::Unavailable { .. }), "it is silent: {error}");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    drop(listener);
    let error = refusal(&url).await;
    assert!(matches!(error, Error::Unavailable { .. }), "it is gone: {error}");
    assert!(error.to_string().contains("is the endpoint right?"), "{error}");
}

//! Stray markers, on a real server and with a shorter waiting time than in production.

mod fake;
mod scale;

use std::{
    collections::hash_map::RandomState,
    env,
    hash::BuildHasher,
    io::{Read, Write as _},
    net::TcpStream,
    time::Duration,
};

use super::{names::Marker, *};

/// A store with a prefix of its own, and the age at which it removes stray markers.
async fn open(stray_after: Duration) -> S3Store {
    let url = env::var("SAYSO_TEST_S3")
        .expect("SAYSO_TEST_S3 is not set: run the tests with `scripts/servers run s3 -- ...`");
    let (bucket, query) = url.split_once('?').unwrap();
    let (_, endpoint) = query.split_once("endpoint=http://").expect("a server of our own");
    create_bucket(endpoint.split('&').next().unwrap(), bucket);
    let prefix = RandomState::new().hash_one(std::process::id());
    let url = format!("{bucket}/stray-{prefix:016x}?{query}");
    let config = S3Config::from_url(&url).unwrap().with_credentials("test", "test");
    let store = S3Store::open(config).await.unwrap();
    S3Store { objects: Objects { stray_after, ..store.objects }, ..store }
}

/// Creates the bucket, or ignores that it exists.
fn create_bucket(endpoint: &str, bucket: &str) {
    let bucket = bucket.strip_prefix("s3://").unwrap();
    let mut stream = TcpStream::connect(endpoint).unwrap();
    let head = "Content-Length: 0\r\nConnection: close";
    let request = format!("PUT /{bucket} HTTP/1.1\r\nHost: {endpoint}\r\n{head}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let _count = stream.read_to_end(&mut Vec::new()).unwrap();
}

async fn marked(store: &S3Store) -> Vec<String> {
    let piece =
        store.objects.bucket.list(&store.objects.names.markers(), None, None).await.unwrap();
    piece.objects.into_iter().map(|(name, _)| name).collect()
}

async fn due(store: &S3Store) -> usize {
    store.due(Timestamp::from_millis(9), None, 9).await.unwrap().found.len()
}

fn write() -> Write {
    let (key, expect) = (Key::new("k").unwrap(), Expect::Absent);
    Write {
        key,
        expect,
        body: "{}".into(),
        due: Some(Timestamp::from_millis(7)),
        expires: None,
        participants: None,
    }
}

#[tokio::test]
async fn a_stray_marker_is_removed_when_no_save_can_be_under_way_any_more() {
    let store = open(Duration::from_millis(300)).await;
    let marker = Marker { at: Timestamp::from_millis(7), write: "0a-1".to_owned() };
    markers::mark(&store.objects, &write().key, &marker).await.unwrap();
    assert_eq!(due(&store).await, 0);
    assert_eq!(marked(&store).await.len(), 1, "seen for the first time: it may be new");
    tokio::time::sleep(Duration::from_millis(350)).await;
    assert_eq!(due(&store).await, 0);
    assert_eq!(marked(&store).await, Vec::<String>::new());

    // One that a document names stays, however old it is.
    assert!(matches!(store.save(write()).await, Ok(Saved::Committed(_))));
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(due(&store).await, 1);
    }
    assert_eq!(marked(&store).await.len(), 1);
}

/// A process stalls between writing its marker and its document, and others take the marker for a
/// stray one.
#[tokio::test]
async fn a_save_that_took_too_long_writes_its_marker_once_more() {
    let (slow, other) = (open(Duration::ZERO).await, open(Duration::ZERO).await);
    let names = Arc::clone(&slow.objects.names);
    let other = S3Store { objects: Objects { names, ..other.objects }, ..other };
    let draft = slow.objects.begin(&write(), None).await.unwrap();
    assert_eq!(due(&other).await, 0);
    assert_eq!(marked(&other).await, Vec::<String>::new(), "it was taken for a stray one");
    let saved = slow.objects.finish(write(), draft).await.unwrap();
    assert!(matches!(saved, Saved::Committed(_)));
    assert_eq!(marked(&other).await.len(), 1);
    assert_eq!(due(&other).await, 1);
}

/// The document lands just when its marker is removed: the remover puts it back.
#[tokio::test]
async fn a_marker_whose_document_lands_late_is_put_back() {
    let store = open(Duration::ZERO).await;
    let saved = store.save(write()).await.unwrap();
    assert!(matches!(saved, Saved::Committed(_)));
    let name = marked(&store).await.remove(0);
    let listed = store.objects.names.marked(&name).unwrap();
    // As a look does that read the document before the save and removes the marker after it.
    markers::remove(&store.objects, &write().key, &listed).await;
    assert_eq!(marked(&store).await, [name]);
    assert_eq!(due(&store).await, 1);
}

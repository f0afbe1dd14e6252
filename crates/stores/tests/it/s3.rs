//! S3: the conformance suite, on a server in memory and on one with objects on disk, and tests of
//! this engine alone.

mod costs;
mod credentials;
mod documents;
mod faults;
mod garage;
mod opening;
mod proxy;
mod seaweedfs;

use std::{
    collections::hash_map::RandomState,
    env,
    hash::BuildHasher,
    io::{Read, Write as _},
    net::TcpStream,
    sync::Arc,
    time::Duration,
};

use object_store::{
    ObjectStore, ObjectStoreExt,
    aws::{AmazonS3, AmazonS3Builder},
    path::Path,
};
use sayso_stores::{S3Store, s3::S3Config};
use sayso_turn::{
    Key,
    store::{Expect, Store, Write},
};

sayso_stores::conformance!(make(), cases: 64, operations: 40);

async fn make() -> (Arc<dyn Store>, ()) {
    (Arc::new(open(&url("SAYSO_TEST_S3", "s3")).await), ())
}

/// A server that all tests share, with a prefix that this test alone has.
fn url(variable: &str, server: &str) -> String {
    let url = env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} is not set: run the tests with `scripts/servers run {server} -- ...`")
    });
    create_bucket(&url);
    let (bucket, query) = url.split_once('?').unwrap_or((&url, ""));
    let prefix = RandomState::new().hash_one(std::process::id());
    format!("{}/test-{prefix:016x}?{query}", bucket.trim_end_matches('/'))
}

/// The servers of the tests take anybody's word; with a real one there is a key in the environment.
fn config(url: &str) -> S3Config {
    let config = S3Config::from_url(url).unwrap();
    match env::var("AWS_ACCESS_KEY_ID") {
        Ok(_) => config,
        Err(_) => config.with_credentials("test", "test"),
    }
}

async fn open(url: &str) -> S3Store {
    S3Store::open(config(url)).await.unwrap()
}

/// The address of the endpoint in a URL, if it is a server of ours.
fn endpoint(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("endpoint=http://")?;
    Some(rest.split_once('&').map_or(rest, |(endpoint, _)| endpoint))
}

/// Whatever the answer: it may be there already.
fn create_bucket(url: &str) {
    let Some(endpoint) = endpoint(url) else { return };
    let bucket = url.strip_prefix("s3://").unwrap().split(['/', '?']).next().unwrap();
    let mut stream = TcpStream::connect(endpoint).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!(
        "PUT /{bucket} HTTP/1.1\r\nHost: {endpoint}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _count = stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1."), "an answer");
}

/// The bucket itself, past the store.
struct Objects {
    client: AmazonS3,
    prefix: String,
}

impl Objects {
    fn of(url: &str) -> Self {
        let (bucket, prefix) =
            url.strip_prefix("s3://").unwrap().split('?').next().unwrap().split_once('/').unwrap();
        let client = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_endpoint(format!("http://{}", endpoint(url).unwrap()))
            .with_allow_http(true)
            .with_access_key_id("test")
            .with_secret_access_key("test")
            .build()
            .unwrap();
        Self { client, prefix: prefix.to_owned() }
    }

    fn path(&self, name: &str) -> Path {
        Path::parse(format!("{}/{name}", self.prefix)).unwrap()
    }

    async fn get(&self, name: &str) -> String {
        let answer = self.client.get(&self.path(name)).await.unwrap();
        String::from_utf8(answer.bytes().await.unwrap().to_vec()).unwrap()
    }

    async fn put(&self, name: &str, content: &str) {
        drop(self.client.put(&self.path(name), content.to_owned().into()).await.unwrap());
    }

    /// The names of all objects below a part of the prefix.
    async fn names(&self, part: &str) -> Vec<String> {
        let listed = self.client.list(Some(&self.path(part)));
        let listed: Vec<_> = futures_util::TryStreamExt::try_collect(listed).await.unwrap();
        let names = listed.into_iter().map(|object| object.location.to_string());
        let mut names: Vec<_> =
            names.map(|name| name[self.prefix.len() + 1..].to_owned()).collect();
        names.sort();
        names
    }
}

fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

fn create(text: &str, body: &str) -> Write {
    let (key, expect) = (key(text), Expect::Absent);
    Write::new(key, expect, body)
}

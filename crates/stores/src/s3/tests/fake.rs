//! An object server in memory, in place of the transport, for more objects than a real one holds in
//! a test. It answers as S3 does: conditions are kept, ETags are hashes of the content, a listing
//! has a thousand names and goes on with a token.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Bound,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use object_store::{
    ClientOptions,
    aws::{AmazonS3Builder, S3ConditionalPut},
    client::{
        HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpResponseBody,
        HttpService,
    },
};
use sha2::{Digest, Sha256};

use super::super::*;

const BUCKET: &str = "/bucket/";
const LIST_MAX: usize = 1_000;

/// The server; its clones are the same one.
#[derive(Clone, Default)]
pub(super) struct Fake {
    objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    calls: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Fake {
    /// A store on this server. Nothing is sent.
    pub(super) fn store(&self, stray_after: Duration) -> S3Store {
        let client = AmazonS3Builder::new()
            .with_bucket_name("bucket")
            .with_endpoint("http://fake")
            .with_client_options(ClientOptions::new().with_allow_http(true))
            .with_access_key_id("id")
            .with_secret_access_key("secret")
            .with_conditional_put(S3ConditionalPut::ETagMatch)
            .with_disable_bulk_delete(true)
            .with_http_connector(self.clone())
            .build()
            .unwrap();
        let (name, timeout): (Arc<str>, _) = ("a server in memory".into(), Duration::from_secs(60));
        let bucket = Bucket::new(Arc::clone(&name), client, None, timeout);
        let objects = Objects {
            store: name,
            names: Arc::new(Names::new("")),
            bucket: Arc::new(bucket),
            ids: WriteIds::new(),
            strays: Strays::default(),
            stray_after,
            removals: Arc::new(Semaphore::new(REMOVALS_MAX)),
        };
        S3Store { objects, meter: Meter::default() }
    }

    /// Puts an object where it is, without a call.
    pub(super) fn put(&self, name: String, content: Vec<u8>) {
        let _former = self.objects.lock().unwrap().insert(name, content);
    }

    /// The names that begin so.
    pub(super) fn names(&self, beginning: &str) -> Vec<String> {
        let objects = self.objects.lock().unwrap();
        let names = objects.range(beginning.to_owned()..).map(|(name, _)| name.clone());
        names.take_while(|name| name.starts_with(beginning)).collect()
    }

    /// The calls since the last time, by method.
    pub(super) fn calls(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    async fn answer(&self, request: HttpRequest) -> HttpResponse {
        let (parts, body) = request.into_parts();
        let content = HttpResponseBody::new(body).bytes().await.unwrap();
        let header = |name: &str| {
            parts
                .headers
                .get(name)
                .map(|value| value.to_str().unwrap().trim_matches('"').to_owned())
        };
        let path = decoded(parts.uri.path());
        let name = path.strip_prefix(BUCKET).unwrap_or_default().to_owned();
        let method = parts.method.as_str();
        let kind = if name.is_empty() && method == "GET" { "LIST" } else { method };
        *self.calls.lock().unwrap().entry(kind.to_owned()).or_default() += 1;
        // Others come in between.
        tokio::task::yield_now().await;
        let mut objects = self.objects.lock().unwrap();
        match kind {
            "LIST" => listed(&objects, parts.uri.query().unwrap_or_default()),
            "GET" => match objects.get(&name) {
                Some(content) => got(content, header("range").as_deref()),
                None => refused(404, "NoSuchKey"),
            },
            "PUT" => {
                let stored = objects.get(&name).map(|content| etag(content));
                match (header("if-none-match"), header("if-match")) {
                    (Some(_), _) if stored.is_some() => return refused(412, "PreconditionFailed"),
                    (_, Some(_)) if stored.is_none() => return refused(404, "NoSuchKey"),
                    (_, Some(etag)) if stored != Some(etag.clone()) => {
                        return refused(412, "PreconditionFailed");
                    }
                    _ => {}
                }
                let etag = etag(&content);
                let _former = objects.insert(name, content.to_vec());
                response(200, &[("etag", format!("\"{etag}\""))], Vec::new())
            }
            "DELETE" => {
                let _former = objects.remove(&name);
                response(204, &[], Vec::new())
            }
            other => panic!("the store never sends {other}"),
        }
    }
}

#[async_trait]
impl HttpService for Fake {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Ok(self.answer(request).await)
    }
}

impl HttpConnector for Fake {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

impl fmt::Debug for Fake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fake")
    }
}

fn listed(objects: &BTreeMap<String, Vec<u8>>, query: &str) -> HttpResponse {
    let value = |name: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(own, _)| *own == name).map(|(_, value)| decoded(value))
    };
    let prefix = value("prefix").unwrap_or_default();
    let after = value("continuation-token").or_else(|| value("start-after"));
    let from = match after {
        Some(after) if after >= prefix => Bound::Excluded(after),
        _ => Bound::Included(prefix.clone()),
    };
    let mut rest = objects
        .range((from, Bound::Unbounded))
        .take_while(|(name, _)| name.starts_with(&prefix))
        .peekable();
    let (mut xml, mut last) = ("<ListBucketResult>".to_owned(), None);
    for (name, content) in rest.by_ref().take(LIST_MAX) {
        xml.push_str(&format!(
            "<Contents><Key>{name}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
             <ETag>\"0\"</ETag><Size>{}</Size></Contents>",
            content.len()
        ));
        last = Some(name);
    }
    let more = rest.peek().is_some();
    let token = last.filter(|_| more).map_or_else(String::new, |last| {
        format!("<NextContinuationToken>{last}</NextContinuationToken>")
    });
    xml.push_str(&format!("<IsTruncated>{more}</IsTruncated>{token}</ListBucketResult>"));
    response(200, &[], xml.into_bytes())
}

fn got(content: &[u8], range: Option<&str>) -> HttpResponse {
    let etag = ("etag", format!("\"{}\"", etag(content)));
    let modified = ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT".to_owned());
    let end = range.and_then(|range| range.split_once('-')?.1.parse::<usize>().ok());
    let Some(end) = end else { return response(200, &[etag, modified], content.to_vec()) };
    let part = content.get(..=end).unwrap_or(content);
    let place = format!("bytes 0-{}/{}", part.len() - 1, content.len());
    response(206, &[etag, modified, ("content-range", place)], part.to_vec())
}

fn refused(status: u16, code: &str) -> HttpResponse {
    response(status, &[], format!("<Error><Code>{code}</Code></Error>").into_bytes())
}

fn response(status: u16, headers: &[(&'static str, String)], body: Vec<u8>) -> HttpResponse {
    let length = body.len().to_string();
    let mut response = HttpResponse::new(body.into());
    *response.status_mut() = status.try_into().unwrap();
    let _former = response.headers_mut().insert("content-length", length.parse().unwrap());
    for (name, value) in headers {
        let _former = response.headers_mut().insert(*name, value.parse().unwrap());
    }
    response
}

fn etag(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                let digits = str::from_utf8(&digits).unwrap();
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
            }
            b'+' => bytes.push(b' '),
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}

//! A container in memory, in place of the transport, for more blobs than an emulator holds in a
//! test. It answers as the service does: conditions are kept, a listing has at most 5,000 names and
//! goes on with a marker.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Bound,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use azure_core::http::{
    AsyncRawResponse, ClientOptions, HttpClient, Method, Request, RetryOptions, StatusCode,
    Transport, headers::Headers,
};
use azure_storage_blob::{BlobContainerClient, BlobContainerClientOptions};

use super::super::{failure::Failures, *};

const CONTAINER: &str = "/container";

/// The container; its clones are the same one.
#[derive(Clone, Default)]
pub(super) struct Fake {
    blobs: Arc<Mutex<BTreeMap<String, Stored>>>,
    calls: Arc<Mutex<BTreeMap<&'static str, u64>>>,
}

/// A blob's version and its metadata as headers; bodies are no matter here.
#[derive(Clone, Default)]
struct Stored {
    version: u64,
    metadata: Vec<(String, String)>,
}

impl Fake {
    /// A store on this container that finds what is due by markers. Nothing is sent.
    pub(super) fn store(&self, stray_after: Duration) -> BlobStore {
        let client_options = ClientOptions {
            retry: RetryOptions::none(),
            transport: Some(Transport::new(Arc::new(self.clone()))),
            ..Default::default()
        };
        let options = BlobContainerClientOptions { client_options, ..Default::default() };
        let url = format!("http://fake{CONTAINER}").parse().unwrap();
        let client = BlobContainerClient::new(url, None, Some(options)).unwrap();
        let name: Arc<str> = "a container in memory".into();
        let failures = Failures::new(Arc::clone(&name));
        let timeout = Duration::from_secs(60);
        BlobStore {
            name,
            container: Arc::new(Container { client, failures, timeout }),
            names: Names(Layout::Sayso),
            due_by: DueBy::Listing,
            markers: Markers::with_stray_after(stray_after),
            meter: Meter::default(),
        }
    }

    /// Puts a blob where it is, without a call.
    pub(super) fn put(&self, name: String, metadata: Vec<(String, String)>) {
        let stored = Stored { version: 1, metadata };
        let _former = self.blobs.lock().unwrap().insert(name, stored);
    }

    pub(super) fn count(&self) -> usize {
        self.blobs.lock().unwrap().len()
    }

    /// The calls since the last time.
    pub(super) fn calls(&self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    fn answer(&self, request: &Request) -> AsyncRawResponse {
        let url = request.url();
        let name = url.path().strip_prefix(CONTAINER).unwrap().trim_start_matches('/');
        let name = name.replace("%7E", "~").replace("%2F", "/");
        let header = |wanted: &str| {
            let found = request.headers().iter().find(|(name, _)| name.as_str() == wanted);
            found.map(|(_, value)| value.as_str().to_owned())
        };
        let call = match request.method() {
            Method::Get if name.is_empty() => "LIST",
            Method::Head => "HEAD",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
            other => panic!("a look never sends {other}"),
        };
        *self.calls.lock().unwrap().entry(call).or_default() += 1;
        let mut blobs = self.blobs.lock().unwrap();
        let stored = blobs.get(&name).cloned();
        match call {
            "LIST" => listed(&blobs, &url.query_pairs().into_owned().collect()),
            "HEAD" => match stored {
                Some(stored) => answered(StatusCode::Ok, &stored),
                None => refused(StatusCode::NotFound, "BlobNotFound"),
            },
            "PUT" => {
                let is_other = header("if-match").is_some_and(|wanted| {
                    stored.as_ref().is_none_or(|stored| etag(stored.version) != wanted)
                });
                if is_other || header("if-none-match").is_some() && stored.is_some() {
                    return refused(StatusCode::PreconditionFailed, "ConditionNotMet");
                }
                let metadata = request.headers().iter().filter_map(|(name, value)| {
                    let name = name.as_str().strip_prefix("x-ms-meta-")?;
                    Some((name.to_owned(), value.as_str().to_owned()))
                });
                let version = stored.map_or(0, |stored| stored.version) + 1;
                let stored = Stored { version, metadata: metadata.collect() };
                let answer = answered(StatusCode::Created, &Stored { version, metadata: vec![] });
                let _former = blobs.insert(name, stored);
                answer
            }
            _ => match blobs.remove(&name) {
                Some(_) => answered(StatusCode::Accepted, &Stored::default()),
                None => refused(StatusCode::NotFound, "BlobNotFound"),
            },
        }
    }
}

#[async_trait]
impl HttpClient for Fake {
    async fn execute_request(&self, request: &Request) -> azure_core::Result<AsyncRawResponse> {
        // Others come in between.
        tokio::task::yield_now().await;
        Ok(self.answer(request))
    }
}

impl fmt::Debug for Fake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fake")
    }
}

fn listed(blobs: &BTreeMap<String, Stored>, query: &BTreeMap<String, String>) -> AsyncRawResponse {
    let prefix = query.get("prefix").cloned().unwrap_or_default();
    let most = query.get("maxresults").map_or(5_000, |most| most.parse().unwrap());
    let from = match query.get("marker").filter(|marker| !marker.is_empty()) {
        Some(marker) => Bound::Included(marker.clone()),
        None => Bound::Included(prefix.clone()),
    };
    let mut rest =
        blobs.range((from, Bound::Unbounded)).take_while(|(name, _)| name.starts_with(&prefix));
    let mut xml =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults><Blobs>".to_owned();
    for (name, stored) in rest.by_ref().take(most) {
        xml.push_str(&format!(
            "<Blob><Name>{name}</Name><Properties><Etag>0x{}</Etag></Properties><Metadata>",
            stored.version
        ));
        for (name, value) in &stored.metadata {
            xml.push_str(&format!("<{name}>{value}</{name}>"));
        }
        xml.push_str("</Metadata></Blob>");
    }
    let next = rest.next().map_or("", |(name, _)| name);
    xml.push_str(&format!("</Blobs><NextMarker>{next}</NextMarker></EnumerationResults>"));
    let mut headers = Headers::new();
    headers.insert("content-type", "application/xml");
    AsyncRawResponse::from_bytes(StatusCode::Ok, headers, xml.into_bytes())
}

fn etag(version: u64) -> String {
    format!("\"0x{version}\"")
}

fn answered(status: StatusCode, stored: &Stored) -> AsyncRawResponse {
    let mut headers = Headers::new();
    headers.insert("etag", etag(stored.version));
    for (name, value) in &stored.metadata {
        headers.insert(format!("x-ms-meta-{name}"), value.clone());
    }
    AsyncRawResponse::from_bytes(status, headers, Vec::new())
}

fn refused(status: StatusCode, code: &'static str) -> AsyncRawResponse {
    let mut headers = Headers::new();
    headers.insert("x-ms-error-code", code);
    AsyncRawResponse::from_bytes(status, headers, Vec::new())
}

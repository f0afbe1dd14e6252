//! Container client: each call to the service with its time-out and its failures classified.

use std::{collections::HashMap, future::Future, num::NonZero, time::Duration};

use azure_core::{
    Bytes,
    http::{Etag, ItemIterator, PageIterator, Response, XmlFormat, pager::Page},
};
use azure_storage_blob::{
    BlobContainerClient,
    models::{
        BlobClientDeleteOptions, BlobClientDownloadOptions,
        BlobClientGetPropertiesResultHeaders as _, BlobContainerClientFindBlobsByTagsOptions,
        BlobContainerClientListBlobsOptions, BlobItem, BlockBlobClientUploadOptions,
        DeleteSnapshotsOptionType, FilteredBlobResponse, ListBlobsIncludeItem, ListBlobsResponse,
    },
};
use futures_util::TryStreamExt as _;
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{ETag, Error, Expect, Saved},
};

use super::{
    failure::{Call, Failures, Refusal},
    limits::DOCUMENT_BYTES_MAX,
    names,
};

/// Name of the index tag and of the metadata that hold the time from which a document is due.
const DUE: &str = "saysodue";

/// Name of the metadata that holds the write in the marker of a document that is due.
const MARK: &str = "saysomark";

/// Name of the metadata that holds the document's key, where the blob's name does not tell it.
const KEY: &str = "saysokey";

/// A container and the client that talks to it.
pub(super) struct Container {
    pub(super) client: BlobContainerClient,
    pub(super) failures: Failures,
    pub(super) timeout: Duration,
}

/// Metadata and ETag of one version of a blob.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) etag: ETag,
    /// The time from which it is due.
    pub(super) due: Option<Timestamp>,
    /// The write in the name of its marker.
    pub(super) mark: Option<String>,
    /// Its key, where that was recorded.
    pub(super) key: Option<Key>,
}

/// A document as it is stored.
#[derive(Debug)]
pub(super) struct Blob {
    pub(super) bytes: Vec<u8>,
    pub(super) label: Label,
}

/// A document to be stored.
#[derive(Debug)]
pub(super) struct Put<'a> {
    pub(super) key: &'a Key,
    pub(super) name: &'a str,
    pub(super) body: String,
    pub(super) due: Option<Timestamp>,
    /// True if the blob's name does not tell its key, so that the key is stored beside it.
    pub(super) is_recorded: bool,
    /// True if the due time goes into an index tag.
    pub(super) is_tagged: bool,
    /// The write in the name of its marker.
    pub(super) mark: Option<&'a str>,
}

impl Container {
    /// Reads body, ETag and metadata in one answer; `None` when there is no such blob.
    pub(super) async fn get(&self, key: &Key, name: &str) -> Result<Option<Blob>, Error> {
        // One byte more than we take, in one piece: so it is one answer, and we see what is too
        // large.
        let most = NonZero::new(DOCUMENT_BYTES_MAX + 1);
        let options = BlobClientDownloadOptions {
            parallel: NonZero::new(1),
            partition_size: most,
            range: Some((0..DOCUMENT_BYTES_MAX + 1).into()),
            ..Default::default()
        };
        let blob = self.client.blob_client(name);
        let downloaded = self.ask(Call::Read, async {
            let answer = blob.download(Some(options)).await?;
            let bytes = answer.body.collect().await?;
            Ok((bytes, answer.properties))
        });
        let (bytes, properties) = match downloaded.await {
            Ok(downloaded) => downloaded,
            Err(Refusal::Absent) => return Ok(None),
            Err(refusal) => return Err(self.error(Call::Read, refusal)),
        };
        if bytes.len() > DOCUMENT_BYTES_MAX {
            return Err(self.failures.too_large(key, bytes.len()));
        }
        let label = self.label(Call::Read, properties.etag, &properties.metadata)?;
        Ok(Some(Blob { bytes: bytes.into(), label }))
    }

    /// Writes a blob whole (Put Blob) if the condition holds.
    pub(super) async fn put(&self, put: Put<'_>, expect: &Expect) -> Result<Saved, Error> {
        let (if_match, if_none_match) = match expect {
            Expect::Absent => (None, Some("*".into())),
            Expect::At(etag) => match condition(etag) {
                Some(etag) => (Some(etag), None),
                // The service never gave such a version, so no blob has it.
                None => return Ok(Saved::Conflict),
            },
        };
        let mut metadata = HashMap::new();
        if put.is_recorded {
            drop(metadata.insert(KEY.to_owned(), names::record(put.key)));
        }
        if let Some(due) = put.due {
            drop(metadata.insert(DUE.to_owned(), due.as_millis().to_string()));
        }
        if let Some(mark) = put.mark {
            drop(metadata.insert(MARK.to_owned(), mark.to_owned()));
        }
        let tag = put.due.filter(|_| put.is_tagged).map(|due| format!("{DUE}={}", padded(due)));
        let bytes = put.body.len();
        let options = BlockBlobClientUploadOptions {
            blob_content_type: Some("application/json".to_owned()),
            blob_tags_string: tag,
            if_match,
            if_none_match,
            metadata: Some(metadata),
            // Always in one piece: blocks would be more than one write. Left open, the library
            // counts the machine's processors for every blob, from files.
            parallel: NonZero::new(1),
            partition_size: NonZero::new(u64::MAX),
            ..Default::default()
        };
        let blob = self.client.blob_client(put.name);
        let uploaded = self.ask(Call::Write, async {
            blob.upload(Bytes::from(put.body).into(), Some(options)).await
        });
        match uploaded.await {
            Ok(result) => self.etag(Call::Write, result.etag).map(Saved::Committed),
            Err(Refusal::Conflict) => Ok(Saved::Conflict),
            Err(Refusal::TooLarge) => Err(self.failures.too_large(put.key, bytes)),
            Err(refusal) => Err(self.error(Call::Write, refusal)),
        }
    }

    /// Deletes a blob and its snapshots if it still has this ETag.
    pub(super) async fn delete(&self, name: &str, etag: &ETag) -> Result<Saved, Error> {
        let Some(if_match) = condition(etag) else { return Ok(Saved::Conflict) };
        let options = BlobClientDeleteOptions {
            delete_snapshots: Some(DeleteSnapshotsOptionType::Include),
            if_match: Some(if_match),
            ..Default::default()
        };
        let blob = self.client.blob_client(name);
        match self.ask(Call::Write, async { blob.delete(Some(options)).await }).await {
            Ok(_) => Ok(Saved::Committed(etag.clone())),
            Err(Refusal::Absent | Refusal::Conflict) => Ok(Saved::Conflict),
            Err(refusal) => Err(self.error(Call::Write, refusal)),
        }
    }

    /// Writes a marker: an empty blob with the key in its metadata.
    pub(super) async fn put_marker(&self, key: &Key, name: &str) -> Result<(), Error> {
        let options = BlockBlobClientUploadOptions {
            metadata: Some(HashMap::from([(KEY.to_owned(), names::record(key))])),
            parallel: NonZero::new(1),
            partition_size: NonZero::new(u64::MAX),
            ..Default::default()
        };
        let blob = self.client.blob_client(name);
        let uploaded =
            self.ask(Call::Read, async { blob.upload(Bytes::new().into(), Some(options)).await });
        // Whatever becomes of a marker, no document has changed.
        uploaded.await.map(drop).map_err(|refusal| self.error(Call::Read, refusal))
    }

    /// Deletes a marker, if it is there.
    pub(super) async fn remove(&self, name: &str) -> Result<(), Error> {
        let blob = self.client.blob_client(name);
        match self.ask(Call::Read, async { blob.delete(None).await }).await {
            Ok(_) | Err(Refusal::Absent) => Ok(()),
            Err(refusal) => Err(self.error(Call::Read, refusal)),
        }
    }

    /// Reads the metadata of a blob without its body.
    pub(super) async fn look(&self, name: &str) -> Result<Option<Label>, Error> {
        let blob = self.client.blob_client(name);
        let answer = match self.ask(Call::Read, async { blob.get_properties(None).await }).await {
            Ok(answer) => answer,
            Err(Refusal::Absent) => return Ok(None),
            Err(refusal) => return Err(self.error(Call::Read, refusal)),
        };
        let etag = answer.etag().ok().flatten();
        let metadata = answer.metadata().unwrap_or_default();
        self.label(Call::Read, etag, &metadata).map(Some)
    }

    /// Lists all blobs whose name has a prefix, page by page, with their metadata, from the page of
    /// a marker on. The size of the pages is the service's, 5,000, unless it is given.
    pub(super) fn list(
        &self,
        prefix: String,
        marker: Option<String>,
        page: Option<i32>,
    ) -> Result<Pages<ListBlobsResponse>, Error> {
        let options = BlobContainerClientListBlobsOptions {
            include: Some(vec![ListBlobsIncludeItem::Metadata]),
            marker,
            maxresults: page,
            prefix: Some(prefix).filter(|prefix| !prefix.is_empty()),
            ..Default::default()
        };
        self.pages(self.client.list_blobs(Some(options)))
    }

    /// Finds the due blobs by their tags, page by page, from the page of a marker on. The size of
    /// the pages is the service's: Azurite loses blobs when it is asked for smaller ones.
    pub(super) fn tagged(
        &self,
        now: Timestamp,
        marker: Option<String>,
    ) -> Result<Pages<FilteredBlobResponse>, Error> {
        let filter = format!("\"{DUE}\"<='{}'", padded(now));
        let options = BlobContainerClientFindBlobsByTagsOptions { marker, ..Default::default() };
        self.pages(self.client.find_blobs_by_tags(&filter, Some(options)))
    }

    pub(super) fn pages<P: Page + Send>(
        &self,
        items: azure_core::Result<ItemIterator<P>>,
    ) -> Result<PageIterator<P>, Error> {
        let sort = |vendor| self.error(Call::Read, self.failures.sort(Call::Read, &vendor));
        items.map(ItemIterator::into_pages).map_err(sort)
    }

    /// Fetches the next page; `None` after the last.
    pub(super) async fn next<P: Send>(
        &self,
        pages: &mut PageIterator<P>,
    ) -> Result<Option<P>, Error> {
        let page = self.ask(Call::Read, async { pages.try_next().await }).await;
        page.map_err(|refusal| self.error(Call::Read, refusal))
    }

    /// Sends a request with the time-out of a call.
    pub(super) async fn ask<T>(
        &self,
        call: Call,
        work: impl Future<Output = azure_core::Result<T>> + Send,
    ) -> Result<T, Refusal> {
        // On the heap: the library's futures are large.
        match tokio::time::timeout(self.timeout, Box::pin(work)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(vendor)) => Err(self.failures.sort(call, &vendor)),
            Err(_) => Err(Refusal::Error(self.failures.late(call, self.timeout))),
        }
    }

    /// The error for a refusal that the call does not expect.
    pub(super) fn error(&self, call: Call, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Error(error) => error,
            Refusal::NoContainer => self.failures.no_container(),
            Refusal::Absent | Refusal::Conflict | Refusal::TooLarge => {
                self.failures.doubtful(call, "the answer makes no sense".to_owned())
            }
        }
    }

    /// The metadata of a blob in a listing.
    pub(super) fn listed(&self, blob: &BlobItem) -> Result<Label, Error> {
        let etag = blob.properties.as_ref().and_then(|properties| properties.etag.clone());
        let none = HashMap::new();
        let metadata = blob.metadata.as_ref().and_then(|metadata| metadata.values.as_ref());
        self.label(Call::Read, etag, metadata.unwrap_or(&none))
    }

    fn label(
        &self,
        call: Call,
        etag: Option<Etag>,
        metadata: &HashMap<String, String>,
    ) -> Result<Label, Error> {
        // The case of a metadata's name is not kept by everything that copies blobs.
        let value = |wanted: &str| {
            let found = metadata.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.as_str())
        };
        let due = value(DUE).and_then(|due| due.parse().ok()).map(Timestamp::from_millis);
        let (key, mark) = (value(KEY).and_then(names::recorded), value(MARK).map(str::to_owned));
        Ok(Label { etag: self.etag(call, etag)?, due, mark, key })
    }

    fn etag(&self, call: Call, etag: Option<Etag>) -> Result<ETag, Error> {
        let etag =
            etag.ok_or_else(|| self.failures.doubtful(call, "the answer has no ETag".to_owned()))?;
        Ok(normal(etag.as_ref()))
    }
}

/// Pages of a list, each fetched when it is asked for.
pub(super) type Pages<T> = PageIterator<Response<T, XmlFormat>>;

/// Normalises an ETag to the form of a header: a listing leaves its quotes out.
fn normal(etag: &str) -> ETag {
    ETag::new(format!("\"{}\"", etag.trim_matches('"')))
}

/// An ETag as a condition, if the service can have given it; `*`, the wildcard, is refused.
fn condition(etag: &ETag) -> Option<Etag> {
    let inner = etag.as_str().strip_prefix('"')?.strip_suffix('"')?;
    let is_one = !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_one.then(|| etag.as_str().into())
}

/// A time with leading zeros, so that texts sort as times do.
fn padded(at: Timestamp) -> String {
    format!("{:020}", at.as_millis())
}

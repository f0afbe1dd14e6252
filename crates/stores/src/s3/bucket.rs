//! Bucket client: objects by name, each call sent once and with a time-out.

use std::{future::Future, sync::Arc, time::Duration};

use object_store::{
    GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    UpdateVersion,
    aws::AmazonS3,
    list::{PaginatedListOptions, PaginatedListStore},
    path::Path,
};
use tokio::time::timeout;

use super::{answers::noting, credentials::Keys, failure::Failure};
use crate::loud::Reports;

pub(super) struct Bucket {
    /// The name of the store, for reports.
    store: Arc<str>,
    client: AmazonS3,
    /// The keys of a file.
    keys: Option<Arc<Keys>>,
    reports: Reports,
    timeout: Duration,
}

/// An object, or its beginning.
pub(super) struct Object {
    pub(super) content: Vec<u8>,
    pub(super) etag: String,
}

/// The condition of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// There is no object of this name (`If-None-Match: *`).
    Absent,
    /// The object has this ETag (`If-Match`).
    At(String),
    /// None: overwrite.
    Any,
}

/// A page of a listing.
pub(super) struct Piece {
    /// Names and sizes.
    pub(super) objects: Vec<(String, u64)>,
    /// Token of the next page.
    pub(super) next: Option<String>,
}

impl Bucket {
    pub(super) fn new(
        store: Arc<str>,
        client: AmazonS3,
        keys: Option<Arc<Keys>>,
        timeout: Duration,
    ) -> Self {
        Self { store, client, keys, reports: Reports::default(), timeout }
    }

    /// The first bytes of an object, or all.
    pub(super) async fn get(
        &self,
        name: &str,
        bytes: Option<usize>,
    ) -> Result<Option<Object>, Failure> {
        let answer = match self.get_once(name, bytes).await {
            Err(failure) if failure.is_broken_connection() => self.get_once(name, bytes).await,
            Err(failure) if failure.is_empty_object() => self.get_once(name, None).await,
            answer => answer,
        };
        match answer {
            Ok(object) => Ok(Some(object)),
            Err(failure) if failure.is_missing() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    async fn get_once(&self, name: &str, bytes: Option<usize>) -> Result<Object, Failure> {
        let range = bytes.map(|count| GetRange::Bounded(0..count as u64));
        let options = GetOptions { range, ..GetOptions::default() };
        let path = path(name)?;
        let get = || async {
            let answer = self.client.get_opts(&path, options.clone()).await?;
            let etag = answer.meta.e_tag.clone();
            Ok((etag, answer.bytes().await?))
        };
        self.within(get).await.and_then(|(etag, content)| {
            Ok(Object { content: content.to_vec(), etag: unquoted(etag)? })
        })
    }

    /// Writes an object and returns its ETag.
    pub(super) async fn put(
        &self,
        name: &str,
        content: Vec<u8>,
        condition: &Condition,
    ) -> Result<String, Failure> {
        let mode = match condition {
            Condition::Absent => PutMode::Create,
            Condition::Any => PutMode::Overwrite,
            Condition::At(etag) => {
                let e_tag = Some(format!("\"{etag}\""));
                PutMode::Update(UpdateVersion { e_tag, version: None })
            }
        };
        let options = PutOptions { mode, ..PutOptions::default() };
        let path = path(name)?;
        let content = PutPayload::from(content);
        let put =
            self.within(|| self.client.put_opts(&path, content.clone(), options.clone())).await?;
        unquoted(put.e_tag)
    }

    /// Removes an object, if there is one.
    pub(super) async fn delete(&self, name: &str) -> Result<(), Failure> {
        let path = path(name)?;
        match self.within(|| self.client.delete(&path)).await {
            Err(failure) if failure.is_missing() => Ok(()),
            answer => answer,
        }
    }

    /// Lists names with a prefix, in order: those after another name, or from a page token on.
    pub(super) async fn list(
        &self,
        beginning: &str,
        after: Option<&str>,
        next: Option<String>,
    ) -> Result<Piece, Failure> {
        let options = || PaginatedListOptions {
            offset: after.map(str::to_owned),
            page_token: next.clone(),
            ..PaginatedListOptions::default()
        };
        let page = || self.client.list_paginated(Some(beginning), options());
        let list = || self.within(page);
        let answer = match list().await {
            Err(failure) if failure.is_broken_connection() => list().await?,
            answer => answer?,
        };
        let objects = answer.result.objects.into_iter();
        Ok(Piece {
            objects: objects.map(|object| (object.location.to_string(), object.size)).collect(),
            next: answer.page_token,
        })
    }

    /// Sends a request with the time-out of a call; once more with another key when the one in use
    /// is refused, which means that nothing was done.
    async fn within<T, F>(&self, request: impl Fn() -> F) -> Result<T, Failure>
    where
        F: Future<Output = object_store::Result<T>>,
    {
        let version = self.keys.as_ref().map(|keys| keys.0.current().version());
        let failure = match self.once(request()).await {
            Err(failure) if failure.is_about_rights() => failure,
            answer => return answer,
        };
        if let (Some(keys), Some(version)) = (&self.keys, version)
            && keys.0.refused(version)
        {
            return self.once(request()).await;
        }
        let code = failure.shown_code();
        self.reports.tell(&format_args!("{} refuses the key ({code})", self.store));
        Err(failure)
    }

    async fn once<T>(
        &self,
        request: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, Failure> {
        match noting(timeout(self.timeout, request)).await {
            (Ok(answer), refusal) => answer.map_err(|error| Failure::Failed { error, refusal }),
            (Err(_), _) => Err(Failure::Late),
        }
    }
}

fn path(name: &str) -> Result<Path, Failure> {
    Path::parse(name).map_err(|source| Failure::failed(source.into()))
}

/// Removes the quotes of an ETag: some servers quote it in one answer and not in another.
fn unquoted(etag: Option<String>) -> Result<String, Failure> {
    let etag = etag.ok_or(Failure::Strange)?;
    let bare = etag.strip_prefix('"').and_then(|etag| etag.strip_suffix('"'));
    Ok(bare.unwrap_or(&etag).to_owned())
}

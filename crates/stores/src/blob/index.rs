//! Queries: the due documents and the keys, by index tags or by listing.

use std::collections::BTreeMap;

use azure_core::http::{Response, XmlFormat};
use azure_storage_blob::models::ListBlobsResponse;
use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Due, Error},
};

use super::{
    container::{Container, Label},
    failure::Call,
    names::{Named, Names},
};

/// Blobs that are asked for their metadata concurrently.
const LOOKS_MAX: usize = 8;

/// Keeps the first few items by key, however many are offered.
struct First<T> {
    limit: usize,
    found: BTreeMap<Key, T>,
    is_cut: bool,
}

/// A blob that may be due: its name, and its metadata if they were needed to tell the key.
struct Candidate {
    name: String,
    label: Option<Label>,
}

impl<T> First<T> {
    fn new(limit: usize) -> Self {
        Self { limit, found: BTreeMap::new(), is_cut: false }
    }

    fn push(&mut self, key: Key, value: T) {
        drop(self.found.insert(key, value));
        if self.found.len() > self.limit {
            drop(self.found.pop_last());
            self.is_cut = true;
        }
    }
}

/// The queries of a container.
pub(super) struct Index<'a> {
    pub(super) container: &'a Container,
    pub(super) names: Names,
}

impl Index<'_> {
    /// Finds due documents by index tag, and confirms each. The index may be a moment old, so each
    /// blob it names is asked for its metadata: what is returned was true then, and its ETag is
    /// current.
    pub(super) async fn due_by_tags(
        &self,
        now: Timestamp,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<Due>, Error> {
        let mut due = Vec::new();
        let mut after = after.cloned();
        while due.len() < limit {
            let candidates = self.candidates(now, after.as_ref(), limit - due.len()).await?;
            let last = candidates.found.last_key_value().map(|(key, _)| key.clone());
            let looks = stream::iter(candidates.found)
                .map(|(key, candidate)| self.confirm(now, key, candidate))
                .buffered(LOOKS_MAX);
            due.extend(looks.try_filter_map(async |due| Ok(due)).try_collect::<Vec<_>>().await?);
            if !candidates.is_cut {
                break;
            }
            after = last;
        }
        Ok(due)
    }

    /// The first blobs by key that the index names, after a key.
    async fn candidates(
        &self,
        now: Timestamp,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<First<Candidate>, Error> {
        let is_after = |key: &Key| after.is_none_or(|after| key > after);
        let mut first = First::new(limit);
        let mut pages = self.container.tagged(now)?;
        while let Some(page) = self.container.next(&mut pages).await? {
            let page = page.into_model().map_err(|_| self.garbled())?;
            let mut hidden = Vec::new();
            for name in page.blob_items.into_iter().filter_map(|blob| blob.name) {
                match self.names.key(&name) {
                    Named::Key(key) if is_after(&key) => {
                        first.push(key, Candidate { name, label: None });
                    }
                    Named::Key(_) | Named::Foreign => {}
                    Named::Recorded | Named::Cut(_) => hidden.push(name),
                }
            }
            let mut looks = stream::iter(hidden)
                .map(|name| async { (self.container.look(&name).await, name) })
                .buffered(LOOKS_MAX);
            while let Some((label, name)) = looks.next().await {
                let Some(label) = label? else { continue };
                match self.key_of(&name, &label) {
                    Some(Ok(key)) if is_after(&key) => {
                        first.push(key, Candidate { name, label: Some(label) });
                    }
                    _ => {}
                }
            }
        }
        Ok(first)
    }

    /// Asks a blob if it is due.
    async fn confirm(
        &self,
        now: Timestamp,
        key: Key,
        candidate: Candidate,
    ) -> Result<Option<Due>, Error> {
        let label = match candidate.label {
            Some(label) => Some(label),
            None => self.container.look(&candidate.name).await?,
        };
        // Gone, or no longer waiting: the index is behind.
        let Some(Label { etag, due: Some(at), .. }) = label else { return Ok(None) };
        Ok((at <= now).then_some(Due { key, etag, at }))
    }

    /// Finds due documents by reading the metadata of all blobs.
    pub(super) async fn due_by_listing(
        &self,
        now: Timestamp,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<Due>, Error> {
        let mut first = First::new(limit);
        let mut pages = self.container.list(String::new())?;
        while let Some(page) = self.container.next(&mut pages).await? {
            let page = page.into_model().map_err(|_| self.garbled())?;
            for blob in page.blob_items {
                let label = self.container.listed(&blob)?;
                let Some(at) = label.due.filter(|at| *at <= now) else { continue };
                let key = blob.name.as_deref().and_then(|name| self.key_of(name, &label));
                let Some(Ok(key)) = key else { continue };
                if after.is_none_or(|after| key > *after) {
                    first.push(key.clone(), Due { key, etag: label.etag, at });
                }
            }
        }
        Ok(first.found.into_values().collect())
    }

    /// The keys on a page of a listing that begin with a prefix.
    pub(super) fn keys_in(
        &self,
        page: Response<ListBlobsResponse, XmlFormat>,
        prefix: &str,
    ) -> Result<Vec<Result<Key, Error>>, Error> {
        let page = page.into_model().map_err(|_| self.garbled())?;
        let mut keys = Vec::with_capacity(page.blob_items.len());
        for blob in page.blob_items {
            let label = self.container.listed(&blob)?;
            let key = blob.name.as_deref().and_then(|name| self.key_of(name, &label));
            let has_prefix = match &key {
                Some(Ok(key) | Err(Error::Corrupt { key, .. })) => key.as_str().starts_with(prefix),
                _ => false,
            };
            keys.extend(key.filter(|_| has_prefix));
        }
        Ok(keys)
    }

    /// The key of a blob: from its metadata, else from its name. `None` when it is not a document.
    fn key_of(&self, name: &str, label: &Label) -> Option<Result<Key, Error>> {
        if let Some(key) = &label.key {
            // A copy under another name is not the document.
            let is_own = self.names.name(key).is_ok_and(|own| own == name);
            return is_own.then(|| Ok(key.clone()));
        }
        match self.names.key(name) {
            Named::Key(key) => Some(Ok(key)),
            Named::Recorded | Named::Foreign => None,
            Named::Cut(key) => {
                let reason =
                    "the SDK cut the name of its blob, so the rest of its key is not known";
                Some(Err(Error::Corrupt { key, reason: reason.to_owned() }))
            }
        }
    }

    fn garbled(&self) -> Error {
        self.container.failures.doubtful(Call::Read, "its list cannot be read".to_owned())
    }
}

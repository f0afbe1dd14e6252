//! Queries: the due documents by index tags, and the keys.

use azure_core::http::{Response, XmlFormat};
use azure_storage_blob::models::ListBlobsResponse;
use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, Due, DuePage, Error},
};

use super::{
    container::{Container, Label},
    failure::Call,
    names::{Named, Names},
};

/// Blobs that are asked for their metadata concurrently.
const LOOKS_MAX: usize = 8;

/// Place of a look. Blobs come and go between two pages, so it is a name and not a number.
pub(super) struct Place {
    /// Time of the first page: a marker belongs to one query.
    pub(super) now: Timestamp,
    /// The last name on the service's page that earlier pages have shown.
    pub(super) shown: String,
    /// The service's marker of its page.
    pub(super) marker: Option<String>,
}

impl Place {
    fn read(cursor: &Cursor) -> Option<Self> {
        let (now, rest) = cursor.as_str().split_once(' ')?;
        let (length, rest) = rest.split_once(' ')?;
        let (shown, marker) = rest.split_at_checked(length.parse().ok()?)?;
        let marker = Some(marker).filter(|marker| !marker.is_empty()).map(str::to_owned);
        let now = Timestamp::from_millis(now.parse().ok()?);
        Some(Self { now, shown: shown.to_owned(), marker })
    }

    pub(super) fn of(from: Option<&Cursor>, now: Timestamp) -> Self {
        let begin = Self { now, shown: String::new(), marker: None };
        from.and_then(Self::read).unwrap_or(begin)
    }

    pub(super) fn cursor(&self, shown: &str) -> Cursor {
        let marker = self.marker.as_deref().unwrap_or_default();
        Cursor::new(format!("{} {} {shown}{marker}", self.now.as_millis(), shown.len()))
    }

    /// The place after this page of the service.
    pub(super) fn next(self, marker: Option<String>) -> Option<Cursor> {
        let marker = marker.filter(|marker| !marker.is_empty());
        marker.map(|marker| Self { marker: Some(marker), ..self }.cursor(""))
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
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let place = Place::of(from, now);
        let mut pages = self.container.tagged(place.now, place.marker.clone())?;
        let Some(page) = self.container.next(&mut pages).await? else {
            return Ok(DuePage::default());
        };
        let page = page.into_model().map_err(|_| self.garbled())?;
        let names = page.blob_items.into_iter().filter_map(|blob| blob.name);
        let mut names: Vec<String> = names.filter(|name| *name > place.shown).collect();
        names.sort_unstable();
        let is_all = names.len() <= limit;
        names.truncate(limit);
        let next = match names.last() {
            Some(last) if !is_all => Some(place.cursor(last)),
            _ => place.next(page.next_marker),
        };
        let looks = stream::iter(names).map(|name| self.confirm(now, name)).buffered(LOOKS_MAX);
        let found = looks.try_filter_map(async |due| Ok(due)).try_collect().await?;
        Ok(DuePage { found, next })
    }

    /// Asks a blob if it is a document, and due.
    async fn confirm(&self, now: Timestamp, name: String) -> Result<Option<Due>, Error> {
        if matches!(self.names.key(&name), Named::Foreign) {
            return Ok(None);
        }
        // Gone, or no longer waiting: the index is behind.
        let Some(label) = self.container.look(&name).await? else { return Ok(None) };
        let Some(Ok(key)) = self.key_of(&name, &label) else { return Ok(None) };
        let due = label.due.filter(|at| *at <= now);
        Ok(due.map(|at| Due { key, etag: label.etag, at }))
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
    pub(super) fn key_of(&self, name: &str, label: &Label) -> Option<Result<Key, Error>> {
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

    pub(super) fn garbled(&self) -> Error {
        self.container.failures.doubtful(Call::Read, "its list cannot be read".to_owned())
    }
}

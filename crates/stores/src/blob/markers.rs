//! Markers: an index of due documents by time, made of small blobs, for accounts without index
//! tags. A search need not read every document.
//!
//! The rules are those of the markers of S3: one is written before the document that names it and
//! removed after the document that no longer does, so while a document is due there is a marker,
//! and only the document counts. One that no document names may belong to a save that is under way;
//! it is removed when it has been seen so for longer than any save takes, and a save that took
//! longer writes its marker once more.
//!
//! Builds before markers name none in their documents. A patrol finds those: it goes through the
//! whole container, a page of a listing at a time, and writes what is missing.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, Due, DuePage, ETag, Error, Expect, Saved},
};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use super::{
    container::{Container, Label, Put},
    index::{Index, Place},
};
use crate::{
    strays::{Noted, STRAY_AFTER, Strays},
    sync::lock,
    write_id::WriteIds,
};

/// Prefix of the names of all markers. No document of our layout has such a name.
const FOLDER: &str = "sayso-due/";

/// The write in the marker of a document that names none.
const UNNAMED: &str = "0";

/// Blobs that are asked or written concurrently.
const AT_ONCE: usize = 8;

/// The largest page of the service.
const PAGE_MAX: i32 = 5_000;

/// The number of markers that may be under removal in the background; more are waited for.
const REMOVALS_MAX: usize = 64;

/// The number of documents that name no marker of which one look sees to it that there is one.
const UNNAMED_MAX: usize = 200;

/// After the first time through, one look in so many goes on with the patrol.
const PATROL_EVERY: u32 = 20;

/// A due document's marker: the time, and the write that set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) at: Timestamp,
    pub(super) write: String,
}

impl Marker {
    /// In the order of the times. The blob's metadata tell the key.
    pub(super) fn name(&self, key: &Key) -> String {
        format!("{FOLDER}{:016x}~{}~{}", self.at.as_millis(), hash(key), self.write)
    }

    /// Parses a name: the marker, and the hash of its key.
    fn parse(name: &str) -> Option<(Self, &str)> {
        let mut parts = name.strip_prefix(FOLDER)?.splitn(3, '~');
        let (at, hash, write) = (parts.next()?, parts.next()?, parts.next()?);
        let millis = u64::from_str_radix(at, 16).ok();
        let millis = millis.filter(|millis| format!("{millis:016x}") == at)?;
        Some((Self { at: Timestamp::from_millis(millis), write: write.to_owned() }, hash))
    }

    /// The marker of a document.
    pub(super) fn of(label: &Label) -> Option<Self> {
        let write = label.mark.as_deref().unwrap_or(UNNAMED);
        label.due.map(|at| Self { at, write: write.to_owned() })
    }

    /// A version as callers see it: that of the service and the marker.
    pub(super) fn in_etag(marker: Option<&Self>, etag: &ETag) -> ETag {
        match marker {
            Some(Self { at, write }) => {
                ETag::new(format!("{} {write}@{}", etag.as_str(), at.as_millis()))
            }
            None => etag.clone(),
        }
    }

    /// Takes such a version apart; a foreign one stays whole, and matches nothing.
    pub(super) fn split(etag: &ETag) -> (ETag, Option<Self>) {
        let parts = etag.as_str().split_once(' ').and_then(|(own, marker)| {
            let (write, at) = marker.split_once('@')?;
            let at = Timestamp::from_millis(at.parse().ok()?);
            Some((ETag::new(own), Some(Self { at, write: write.to_owned() })))
        });
        parts.unwrap_or_else(|| (etag.clone(), None))
    }
}

fn hash(key: &Key) -> String {
    Sha256::digest(key.as_str()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// State of a store that has markers.
pub(super) struct Markers {
    ids: WriteIds,
    strays: Strays,
    stray_after: Duration,
    removals: Arc<Semaphore>,
    patrol: Mutex<Patrol>,
}

/// Progress of the patrol.
#[derive(Default)]
struct Patrol {
    /// The service's marker of the next page.
    page: Option<String>,
    /// The last name on it that was dealt with.
    shown: String,
    /// Times that it was through.
    rounds: u32,
    looks: u32,
}

impl Markers {
    /// Markers of a store whose calls have this time-out.
    pub(super) fn new(timeout: Duration) -> Self {
        // However long the calls of a save may take.
        Self::with_stray_after(STRAY_AFTER.max(timeout * 8))
    }

    /// Markers that are removed when they have been stray for this long.
    pub(super) fn with_stray_after(stray_after: Duration) -> Self {
        Self {
            ids: WriteIds::new(),
            strays: Strays::default(),
            stray_after,
            removals: Arc::new(Semaphore::new(REMOVALS_MAX)),
            patrol: Mutex::default(),
        }
    }

    /// Writes the marker that a save needs, then the document, and removes the old marker last.
    pub(super) async fn save(
        &self,
        container: &Arc<Container>,
        put: Put<'_>,
        expect: &Expect,
    ) -> Result<Saved, Error> {
        let (key, start) = (put.key, Instant::now());
        let (expect, former) = match expect {
            Expect::Absent => (Expect::Absent, None),
            Expect::At(etag) => {
                let (etag, former) = Marker::split(etag);
                (Expect::At(etag), former)
            }
        };
        let kept = former.as_ref().filter(|former| Some(former.at) == put.due).cloned();
        let is_new = kept.is_none();
        let new = || put.due.map(|at| Marker { at, write: self.ids.next() });
        let marker = kept.or_else(new);
        if let Some(marker) = marker.as_ref().filter(|_| is_new) {
            container.put_marker(key, &marker.name(key)).await?;
        }
        let mark = marker.as_ref().map(|marker| marker.write.as_str());
        let saved = container.put(Put { mark, ..put }, &expect).await?;
        let Saved::Committed(etag) = saved else {
            if let Some(marker) = marker.filter(|_| is_new) {
                self.remove_later(container, marker.name(key)).await;
            }
            return Ok(Saved::Conflict);
        };
        if let Some(marker) = marker.as_ref().filter(|_| is_new)
            && start.elapsed() >= self.stray_after / 2
        {
            // Somebody may have taken it for a stray one.
            drop(container.put_marker(key, &marker.name(key)).await);
        }
        if let Some(former) = former.filter(|former| Some(former) != marker.as_ref()) {
            self.remove_later(container, former.name(key)).await;
        }
        Ok(Saved::Committed(Marker::in_etag(marker.as_ref(), &etag)))
    }

    /// Removes a marker in the background. If that fails, a later look finds it.
    pub(super) async fn remove_later(&self, container: &Arc<Container>, name: String) {
        match Arc::clone(&self.removals).try_acquire_owned() {
            Ok(permit) => {
                let container = Arc::clone(container);
                let _task = tokio::spawn(async move {
                    drop(container.remove(&name).await);
                    drop(permit);
                });
            }
            Err(_) => drop(container.remove(&name).await),
        }
    }

    /// Finds due documents by their markers, from a page of the service on.
    pub(super) async fn due(
        &self,
        index: &Index<'_>,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let place = Place::of(from, now);
        let page = i32::try_from(limit).ok().filter(|page| *page <= PAGE_MAX);
        let mut pages = index.container.list(FOLDER.to_owned(), place.marker.clone(), page)?;
        let (mut listed, mut next, mut is_last) = (Vec::new(), None, true);
        if let Some(page) = index.container.next(&mut pages).await? {
            let page = page.into_model().map_err(|_| index.garbled())?;
            is_last = false;
            let mut is_whole = true;
            // A listing is in the order of the names, and so of the times.
            for blob in page.blob_items {
                let Some(name) = blob.name.as_deref().filter(|name| **name > *place.shown) else {
                    continue;
                };
                // What cannot be parsed is somebody else's.
                let Some((marker, hash)) = Marker::parse(name) else { continue };
                let is_ahead = marker.at > now;
                if is_ahead || listed.len() == limit {
                    is_last = is_ahead;
                    is_whole = false;
                    break;
                }
                let key = index.container.listed(&blob)?.key.filter(|key| self::hash(key) == hash);
                listed.push((name.to_owned(), marker, key));
            }
            next = match listed.last() {
                _ if is_last => None,
                Some((last, ..)) if !is_whole => Some(place.cursor(last)),
                _ => place.next(page.next_marker),
            };
            is_last = next.is_none();
        }
        let looks = stream::iter(listed).map(|(name, marker, key)| async move {
            match key {
                Some(key) => self.look_at(index, &name, &marker, key).await,
                None => Ok(None),
            }
        });
        let found =
            looks.buffered(AT_ONCE).try_filter_map(async |due| Ok(due)).try_collect().await?;
        if is_last {
            self.patrol(index).await?;
        }
        Ok(DuePage { found, next })
    }

    /// Asks the document of a marker if it names it.
    async fn look_at(
        &self,
        index: &Index<'_>,
        name: &str,
        marker: &Marker,
        key: Key,
    ) -> Result<Option<Due>, Error> {
        let Ok(document) = index.names.name(&key) else { return Ok(None) };
        let label = index.container.look(&document).await?;
        let named = label.as_ref().and_then(Marker::of);
        if let (Some(label), true) = (&label, named.as_ref() == Some(marker)) {
            let etag = Marker::in_etag(named.as_ref(), &label.etag);
            return Ok(Some(Due { key, etag, at: marker.at }));
        }
        match (self.strays.note(name, self.stray_after), named) {
            // The document's own marker should be there. Without it no look would find it.
            (Noted::New, Some(named)) => {
                index.container.put_marker(&key, &named.name(&key)).await?;
            }
            (Noted::Old, _) => {
                let removed = index.container.remove(name).await;
                // If that failed it is met again, as a new one.
                self.strays.forget(name);
                // If the save did land in between, the document names it now.
                if removed.is_ok()
                    && let Ok(Some(label)) = index.container.look(&document).await
                    && Marker::of(&label).as_ref() == Some(marker)
                {
                    drop(index.container.put_marker(&key, name).await);
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Writes the markers that documents on a page of the container lack.
    async fn patrol(&self, index: &Index<'_>) -> Result<(), Error> {
        let (page, shown) = {
            let mut patrol = lock(&self.patrol);
            patrol.looks = patrol.looks.wrapping_add(1);
            if patrol.rounds > 0 && !patrol.looks.is_multiple_of(PATROL_EVERY) {
                return Ok(());
            }
            // If it cannot be read, perhaps it is the place that is wrong.
            (patrol.page.take(), std::mem::take(&mut patrol.shown))
        };
        let mut pages = index.container.list(String::new(), page.clone(), None)?;
        let Some(answer) = index.container.next(&mut pages).await? else { return Ok(()) };
        let answer = answer.into_model().map_err(|_| index.garbled())?;
        let (mut unnamed, mut last) = (Vec::new(), None);
        for blob in answer.blob_items {
            let Some(name) = blob.name.as_deref().filter(|name| **name > *shown) else { continue };
            let label = index.container.listed(&blob)?;
            let key = index.key_of(name, &label);
            if let (None, Some(marker), Some(Ok(key))) = (&label.mark, Marker::of(&label), key) {
                unnamed.push((key, marker));
                last = Some(name.to_owned());
            }
            if unnamed.len() == UNNAMED_MAX {
                break;
            }
        }
        let is_whole = unnamed.len() < UNNAMED_MAX;
        let marks = stream::iter(unnamed).map(|(key, marker)| async move {
            let name = marker.name(&key);
            match index.container.look(&name).await? {
                Some(_) => Ok(()),
                None => index.container.put_marker(&key, &name).await,
            }
        });
        marks.buffered(AT_ONCE).try_collect::<()>().await?;
        let next = answer.next_marker.filter(|next| !next.is_empty());
        let mut patrol = lock(&self.patrol);
        patrol.rounds = patrol.rounds.saturating_add(u32::from(is_whole && next.is_none()));
        (patrol.page, patrol.shown) = match is_whole {
            true => (next, String::new()),
            false => (page, last.unwrap_or_default()),
        };
        Ok(())
    }
}

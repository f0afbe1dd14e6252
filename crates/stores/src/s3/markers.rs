//! Markers: an index of due documents, made of small objects, so that a search need not read every
//! document.
//!
//! A marker is written before the document that names it and removed after the document that no
//! longer does. So while a document is due there is a marker, and a marker alone means nothing:
//! what counts is the document. A marker that no document names may belong to a save that is under
//! way. It is removed when it has been seen so for longer than any save takes; and a save that took
//! longer than that writes its marker once more.

use std::collections::BTreeMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Due, ETag},
};

use super::{
    bucket::Condition,
    envelope::Version,
    failure::Failure,
    names::{Listed, Marker},
    objects::{Objects, Unread},
};

/// Documents that are read concurrently.
const LOOKS: usize = 16;

/// State of a search for due documents.
struct Look<'a> {
    objects: &'a Objects,
    now: Timestamp,
    after: Option<&'a Key>,
    limit: usize,
    found: BTreeMap<Key, Due>,
    /// Markers whose documents were not read yet: whole groups, and one that may go on.
    waiting: Vec<Listed>,
}

/// Finds due documents, in the order of the keys.
pub(super) async fn due(
    objects: &Objects,
    now: Timestamp,
    after: Option<&Key>,
    limit: usize,
) -> Result<Vec<Due>, Failure> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let mut look = Look { objects, now, after, limit, found: BTreeMap::new(), waiting: Vec::new() };
    let beginning = objects.names.markers();
    let offset = after.map(|after| objects.names.markers_from(after));
    let mut next = None;
    loop {
        let piece = objects.bucket.list(&beginning, offset.as_deref(), next).await?;
        for (name, _) in piece.objects {
            if look.takes(&name).await? {
                return Ok(look.finish());
            }
        }
        next = piece.next;
        if next.is_none() {
            look.resolve().await?;
            return Ok(look.finish());
        }
    }
}

impl Look<'_> {
    /// Takes the next marker of the listing; true if there are enough results before it.
    async fn takes(&mut self, name: &str) -> Result<bool, Failure> {
        let Some(listed) = self.objects.names.marked(name) else { return Ok(false) };
        // Between groups the names tell the order of the keys, within one they may not.
        let is_new_group = self.waiting.last().is_some_and(|last| last.group != listed.group);
        if is_new_group && self.found.len() + self.waiting.len() >= self.limit {
            self.resolve().await?;
            if self.found.len() >= self.limit {
                return Ok(true);
            }
        }
        if listed.marker.at <= self.now {
            self.waiting.push(listed);
        }
        Ok(false)
    }

    /// Reads the documents of the markers.
    async fn resolve(&mut self) -> Result<(), Failure> {
        let mut by_key = BTreeMap::<Key, Vec<Listed>>::new();
        for listed in std::mem::take(&mut self.waiting) {
            if let Some(key) = self.key_of(&listed).await?
                && self.after.is_none_or(|after| key > *after)
            {
                by_key.entry(key).or_default().push(listed);
            }
        }
        let (objects, now) = (self.objects, self.now);
        let looks = by_key.into_iter().map(|(key, markers)| look_at(objects, now, key, markers));
        let due: Vec<Option<Due>> = stream::iter(looks).buffered(LOOKS).try_collect().await?;
        self.found.extend(due.into_iter().flatten().map(|due| (due.key.clone(), due)));
        Ok(())
    }

    /// The key of a marker. For a long key it is the marker's content.
    async fn key_of(&self, listed: &Listed) -> Result<Option<Key>, Failure> {
        if let Some(key) = &listed.key {
            return Ok(Some(key.clone()));
        }
        let object = self.objects.bucket.get(&listed.name, None).await?;
        let key = object.and_then(|object| String::from_utf8(object.content).ok());
        let key = key.and_then(|key| Key::new(key).ok());
        // A marker that lies about its key is foreign.
        Ok(key.filter(|key| self.objects.names.marker(key, &listed.marker) == listed.name))
    }

    fn finish(self) -> Vec<Due> {
        self.found.into_values().take(self.limit).collect()
    }
}

/// Reads the document of some markers; returns it if it is due.
async fn look_at(
    objects: &Objects,
    now: Timestamp,
    key: Key,
    markers: Vec<Listed>,
) -> Result<Option<Due>, Failure> {
    let version = match objects.version(&key).await {
        Ok(version) => version,
        Err(Unread::Failed(failure)) => return Err(failure),
        // A document that cannot be read must not hide the others.
        Err(Unread::Damaged) => return Ok(None),
    };
    let named = version.as_ref().and_then(|version| version.marker.clone());
    for listed in &markers {
        if named.as_ref() != Some(&listed.marker) {
            remove_if_old(objects, &key, listed).await;
        }
    }
    let (Some(version), Some(marker)) = (version, named) else { return Ok(None) };
    if marker.at > now {
        return Ok(None);
    }
    if markers.iter().all(|listed| listed.marker != marker) {
        // Its marker should be there. Without it the next look would pass this document by.
        mark(objects, &key, &marker).await?;
    }
    let etag = ETag::new(version.to_text());
    Ok(Some(Due { key, etag, at: marker.at }))
}

/// Writes the marker of a document.
pub(super) async fn mark(objects: &Objects, key: &Key, marker: &Marker) -> Result<(), Failure> {
    let name = objects.names.marker(key, marker);
    let content = key.as_str().as_bytes().to_vec();
    objects.bucket.put(&name, content, &Condition::Any).await.map(|_| ())
}

/// Removes a stray marker that is old enough. In doubt it stays: the save that wrote it may still
/// be in flight.
pub(super) async fn remove_if_old(objects: &Objects, key: &Key, listed: &Listed) {
    if !objects.strays.is_old(&listed.name, objects.stray_after) {
        return;
    }
    if objects.bucket.delete(&listed.name).await.is_err() {
        // It is found again by the next look.
        return;
    }
    objects.strays.forget(&listed.name);
    // If the save did land in between, the document names it now.
    if let Ok(Some(Version { marker: Some(marker), .. })) = objects.version(key).await
        && marker == listed.marker
    {
        drop(mark(objects, key, &marker).await);
    }
}

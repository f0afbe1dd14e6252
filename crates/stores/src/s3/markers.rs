//! Markers: an index of due documents by time, made of small objects, so that a search need not
//! read every document, nor every marker.
//!
//! A marker is written before the document that names it and removed after the document that no
//! longer does. So while a document is due there is a marker, and a marker alone means nothing:
//! what counts is the document. A marker that no document names may belong to a save that is under
//! way. It is removed when it has been seen so for longer than any save takes; and a save that took
//! longer than that writes its marker once more.

use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, Due, DuePage, ETag},
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

/// Finds due documents from a marker on: one listing, which is in the order of their times, and a
/// read of each document on the page.
pub(super) async fn due(
    objects: &Objects,
    now: Timestamp,
    from: Option<&Cursor>,
    limit: usize,
) -> Result<DuePage, Failure> {
    let all = objects.names.markers();
    let from = from.map(Cursor::as_str).filter(|from| from.starts_with(&all));
    let mut piece = objects.bucket.list(&all, from, None).await?;
    while piece.objects.is_empty() && piece.next.is_some() {
        piece = objects.bucket.list(&all, from, piece.next.take()).await?;
    }
    let (mut page, mut last, mut has_more) = (Vec::new(), None, piece.next.is_some());
    for (name, _) in piece.objects {
        // What cannot be parsed is somebody else's.
        if let Some(listed) = objects.names.marked(&name) {
            let is_ahead = listed.marker.at > now;
            if is_ahead || page.len() >= limit {
                has_more = !is_ahead && limit > 0;
                break;
            }
            page.push(listed);
        }
        last = Some(name);
    }
    let looks = page.into_iter().map(|listed| look_at(objects, listed));
    let found: Vec<Option<Due>> = stream::iter(looks).buffered(LOOKS).try_collect().await?;
    let next = last.filter(|_| has_more).map(Cursor::new);
    Ok(DuePage { found: found.into_iter().flatten().collect(), next })
}

/// Reads the document of a marker; returns it if it names the marker.
async fn look_at(objects: &Objects, listed: Listed) -> Result<Option<Due>, Failure> {
    let Some(key) = key_of(objects, &listed).await? else { return Ok(None) };
    let version = match objects.version(&key).await {
        Ok(version) => version,
        Err(Unread::Failed(failure)) => return Err(failure),
        // A document that cannot be read must not hide the others.
        Err(Unread::Damaged) => return Ok(None),
    };
    let named = version.as_ref().and_then(|version| version.marker.clone());
    if let (Some(version), Some(marker)) = (&version, &named)
        && *marker == listed.marker
    {
        let etag = ETag::new(version.to_text());
        return Ok(Some(Due { key, etag, at: marker.at }));
    }
    if let (Some(marker), true) = (&named, objects.strays.is_new(&listed.name)) {
        // The document's own marker should be there. Without it no look would find it.
        mark(objects, &key, marker).await?;
    }
    remove_if_old(objects, &key, &listed).await;
    Ok(None)
}

/// The key of a marker. For a long key it is the marker's content.
async fn key_of(objects: &Objects, listed: &Listed) -> Result<Option<Key>, Failure> {
    if let Some(key) = &listed.key {
        return Ok(Some(key.clone()));
    }
    let object = objects.bucket.get(&listed.name, None).await?;
    let key = object.and_then(|object| String::from_utf8(object.content).ok());
    let key = key.and_then(|key| Key::new(key).ok());
    // A marker that lies about its key is foreign.
    Ok(key.filter(|key| objects.names.marker(key, &listed.marker) == listed.name))
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

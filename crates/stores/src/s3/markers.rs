//! Markers: an index of due documents by time, made of small objects, so that a search need not
//! read every document, nor every marker.
//!
//! A marker is written before the document that names it and removed after the document that no
//! longer does. So while a document is due there is a marker, and a marker alone means nothing:
//! what counts is the document. A marker that no document names may belong to a save that is under
//! way. It is removed when it has been seen so for longer than any save takes; and a save that took
//! longer than that writes its marker once more.
//!
//! A marker may be earlier than the time it stands for ([`Wait`](super::wait::Wait)): a look that
//! meets it too early writes it again at that time, and removes the early one.

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
    wait::Standing,
};
use crate::strays::Noted;

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
    let looks = page.into_iter().map(|listed| look_at(objects, now, listed));
    let found: Vec<Option<Due>> = stream::iter(looks).buffered(LOOKS).try_collect().await?;
    let next = last.filter(|_| has_more).map(Cursor::new);
    Ok(DuePage { found: found.into_iter().flatten().collect(), next })
}

/// Reads the document of a marker; returns it if it names the marker and is due.
async fn look_at(
    objects: &Objects,
    now: Timestamp,
    listed: Listed,
) -> Result<Option<Due>, Failure> {
    let Some(key) = key_of(objects, &listed).await? else { return Ok(None) };
    let version = match objects.version(&key).await {
        Ok(version) => version,
        Err(Unread::Failed(failure)) => return Err(failure),
        // A document that cannot be read must not hide the others.
        Err(Unread::Damaged) => return Ok(None),
    };
    let wait = version.as_ref().and_then(|version| version.wait.as_ref());
    if let (Some(wait), Some(version)) = (wait, &version) {
        match wait.standing(&listed.marker) {
            Standing::Own if wait.due <= now => {
                let etag = ETag::new(version.to_text());
                return Ok(Some(Due { key, etag, at: wait.due }));
            }
            Standing::Own => {
                mark(objects, &key, &wait.moved_on()).await?;
                // If that fails the next look does it again.
                drop(objects.bucket.delete(&listed.name).await);
                return Ok(None);
            }
            Standing::Kept => return Ok(None),
            Standing::Stray => {}
        }
    }
    match (objects.strays.note(&listed.name, objects.stray_after), wait) {
        // The document's own marker should be there. Without it no look would find it.
        (Noted::New, Some(wait)) => mark(objects, &key, &wait.marker).await?,
        (Noted::Old, _) => remove(objects, &key, &listed).await,
        _ => {}
    }
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

/// Removes a stray marker that is old enough: in doubt it stays, as the save that wrote it may
/// still be in flight.
pub(super) async fn remove(objects: &Objects, key: &Key, listed: &Listed) {
    let removed = objects.bucket.delete(&listed.name).await;
    // If that failed it is met again, as a new one: it must not keep the place of another.
    objects.strays.forget(&listed.name);
    // If the save did land in between, the document names it now.
    if removed.is_ok()
        && let Ok(Some(Version { wait: Some(wait), .. })) = objects.version(key).await
        && wait.standing(&listed.marker) != Standing::Stray
    {
        drop(mark(objects, key, &listed.marker).await);
    }
}

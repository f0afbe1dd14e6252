//! Saving: writes the new marker if the document is to become due, then the document, and removes
//! the old marker last.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{ETag, Error, Saved, Write},
};

use super::{
    bucket::Condition,
    envelope::{Line, Version},
    failure::{Call, Failure},
    markers,
    names::Marker,
    objects::{Objects, Unread, damaged},
    wait::Wait,
};

/// The limit on retries after a spurious conflict.
const ROUNDS_MAX: usize = 5;

/// A save whose document is not written yet.
pub(super) struct Draft {
    id: String,
    start: Instant,
    former: Option<Version>,
    wait: Option<Wait>,
}

impl Objects {
    /// Writes the object of a document and returns its ETag; `None` on conflict.
    ///
    /// A server may report a spurious conflict (two writes at the same instant) or refuse a create
    /// for a tombstone. So what is stored says what has happened.
    pub(super) async fn put(
        &self,
        line: &Line,
        body: &str,
        expect: Option<&Version>,
    ) -> Result<Option<String>, Error> {
        let (key, name) = (&line.key, self.names.document(&line.key));
        let content = line.with_body(body);
        let failed = |failure: Failure| failure.into_error(&self.store, Call::Write);
        let at = |version: &Version| Condition::At(version.object.clone());
        let mut condition = expect.map_or(Condition::Absent, at);
        for _ in 0..ROUNDS_MAX {
            match self.bucket.put(&name, content.clone(), &condition).await {
                Ok(etag) => return Ok(Some(etag)),
                Err(failure) if failure.is_conflict() => {}
                Err(failure) => return Err(failed(failure)),
            }
            let stored = self.line(key).await.map_err(|unread| match unread {
                Unread::Failed(failure) => failed(failure),
                Unread::Damaged => damaged(key),
            })?;
            condition = match (stored, expect) {
                (Some((stored, etag)), _) if stored.write == line.write => return Ok(Some(etag)),
                (Some((_, etag)), Some(version)) if etag == version.object => Condition::At(etag),
                (Some((stored, etag)), None) if stored.is_gone => Condition::At(etag),
                (None, None) => Condition::Absent,
                _ => return Ok(None),
            };
        }
        Err(Error::Unavailable {
            store: Cow::Owned(self.store.to_string()),
            reason: "too many write the same document at once".to_owned(),
            source: None,
        })
    }

    /// Writes the marker that a save needs: none if there is one that serves.
    pub(super) async fn begin(
        &self,
        write: &Write,
        former: Option<Version>,
    ) -> Result<Draft, Error> {
        let (id, start) = (self.ids.next(), Instant::now());
        let before = former.as_ref().and_then(|former| former.wait.as_ref());
        let wait = write.due.map(|due| Wait::new(due, &id, before, now()));
        if let Some(wait) = wait.as_ref().filter(|wait| wait.marker.write == id) {
            // Whatever becomes of the marker, the document has not changed.
            let marked = markers::mark(self, &write.key, &wait.marker).await;
            marked.map_err(|failure| failure.into_error(&self.store, Call::Read))?;
        }
        Ok(Draft { id, start, former, wait })
    }

    /// Writes the document and cleans up markers.
    pub(super) async fn finish(&self, write: Write, draft: Draft) -> Result<Saved, Error> {
        let Draft { id, start, former, wait } = draft;
        let line = Line { key: write.key, write: id, wait, is_gone: false };
        let put = self.put(&line, &write.body, former.as_ref()).await?;
        let Line { key, write: id, wait, .. } = line;
        let new = wait.as_ref().map(|wait| &wait.marker).filter(|marker| marker.write == id);
        let Some(object) = put else {
            if let Some(marker) = new {
                self.remove_marker(&key, marker).await;
            }
            return Ok(Saved::Conflict);
        };
        if let Some(marker) = new
            && start.elapsed() >= self.stray_after / 2
        {
            // Somebody may have taken it for a stray one.
            drop(markers::mark(self, &key, marker).await);
        }
        let before = former.iter().filter_map(|former| former.wait.as_ref());
        for marker in before.flat_map(|before| before.markers_to_remove(now())) {
            if !wait.iter().flat_map(Wait::markers).any(|named| *named == marker) {
                self.remove_marker(&key, &marker).await;
            }
        }
        Ok(Saved::Committed(ETag::new(Version { write: id, wait, object }.to_text())))
    }

    /// Removes a stray marker in the background. If that fails, a later search for due documents
    /// finds it.
    pub(super) async fn remove_marker(&self, key: &Key, marker: &Marker) {
        let (bucket, name) = (Arc::clone(&self.bucket), self.names.marker(key, marker));
        match Arc::clone(&self.removals).try_acquire_owned() {
            Ok(permit) => {
                let _task = tokio::spawn(async move {
                    drop(bucket.delete(&name).await);
                    drop(permit);
                });
            }
            Err(_) => drop(bucket.delete(&name).await),
        }
    }
}

/// The wall clock. A wrong one costs calls, nothing else.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::START.after(since)
}

//! Documents as objects of a bucket, which the steps of saves and searches share.

use std::{sync::Arc, time::Duration};

use sayso_turn::{Key, store::Error};
use tokio::sync::Semaphore;

use super::{
    bucket::Bucket,
    envelope::{LINE_BYTES_MAX, Line, Version},
    failure::Failure,
    names::Names,
};
use crate::{strays::Strays, write_id::WriteIds};

/// The bucket of a store, and what a call needs to address it.
pub(super) struct Objects {
    /// The name of the store, for errors.
    pub(super) store: Arc<str>,
    pub(super) names: Arc<Names>,
    pub(super) bucket: Arc<Bucket>,
    pub(super) ids: WriteIds,
    pub(super) strays: Strays,
    pub(super) stray_after: Duration,
    /// A permit for each marker that may be under removal in the background.
    pub(super) removals: Arc<Semaphore>,
}

/// A document that could not be read.
#[derive(Debug)]
pub(super) enum Unread {
    Failed(Failure),
    /// Its content is not in the format of this store.
    Damaged,
}

impl Objects {
    /// The version of an existing document.
    pub(super) async fn version(&self, key: &Key) -> Result<Option<Version>, Unread> {
        let Some((line, object)) = self.line(key).await? else { return Ok(None) };
        if line.is_gone {
            return Ok(None);
        }
        Ok(Some(Version { write: line.write, wait: line.wait, object }))
    }

    /// Header and ETag of the object stored under a key, a tombstone included.
    pub(super) async fn line(&self, key: &Key) -> Result<Option<(Line, String)>, Unread> {
        let name = self.names.document(key);
        let object = self.bucket.get(&name, Some(LINE_BYTES_MAX)).await.map_err(Unread::Failed)?;
        let Some(object) = object else { return Ok(None) };
        match Line::parse(&object.content) {
            Some((line, _)) if line.key == *key => Ok(Some((line, object.etag))),
            _ => Err(Unread::Damaged),
        }
    }
}

pub(super) fn damaged(key: &Key) -> Error {
    let reason = "its first line is not one that this store writes".to_owned();
    Error::Corrupt { key: key.clone(), reason }
}

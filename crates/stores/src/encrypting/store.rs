//! The store: what each call of the seam passes on, and what it makes of the answer.

use std::time::Duration;

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, Due, DuePage, ETag, Effort, Error, Participant, Purged, Saved, Store, StoreStats,
        Stored, Transactions, Write,
    },
};

use super::{
    Encrypting, Resolved, Sealed,
    names::{self, NAMES_PREFIX},
};

/// Limit on loads in flight while hashed names are resolved.
const RESOLVED_AT_ONCE: usize = 16;

#[async_trait]
impl<S: Store + ?Sized> Store for Encrypting<S> {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let name = self.name_of(key);
        // Taken before the load: another load or save may end while this one is under way.
        let before = self.versions.last(key);
        let stored = self.store.load(&name).await.map_err(|error| self.restated(error, key, 0))?;
        let Some(stored) = stored else { return Ok(None) };
        let (opened, own) = self.open(key, &name, before, stored)?;
        match own {
            Some(own) if own != *key && name != *key => {
                Err(self.unreadable(key, "it belongs under another key".to_owned()))
            }
            _ => Ok(Some(opened)),
        }
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        let (key, bytes) = (write.key.clone(), write.body.len());
        let Sealed { write, version } = self.seal(write)?;
        let name = write.key.clone();
        let saved = self.store.save(write).await;
        let saved = saved.map_err(|error| self.restated(error, &key, bytes))?;
        if let Saved::Committed(etag) = &saved {
            self.written(&key, &name, etag, version);
        }
        Ok(saved)
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let name = self.name_of(key);
        self.store.delete(&name, etag).await.map_err(|error| self.restated(error, key, 0))
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let page = self.store.due(now, from, limit).await?;
        if self.names.is_none() {
            return Ok(page);
        }
        let named = page.found.into_iter().map(|due| async move {
            Ok::<_, Error>(match self.resolve(&due.key).await? {
                Resolved::Key(key) => Some(Due { key, ..due }),
                // One document that cannot be decrypted must not stop the look for all others.
                Resolved::Unreadable => {
                    self.reports.tell(&format_args!(
                        "{self}: a document is due and cannot be decrypted: {}",
                        due.key
                    ));
                    None
                }
                Resolved::Gone => None,
            })
        });
        let named = stream::iter(named).buffered(RESOLVED_AT_ONCE);
        let found: Vec<Option<Due>> = named.try_collect().await?;
        Ok(DuePage { found: found.into_iter().flatten().collect(), next: page.next })
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        if self.names.is_none() {
            return self.store.list(prefix);
        }
        let prefix = prefix.to_owned();
        let names = self.store.list(NAMES_PREFIX).map(|name| async {
            let name = name?;
            Ok(match self.resolve(&name).await? {
                Resolved::Key(key) => Some(key),
                Resolved::Gone => None,
                // Under its stored name, so that whoever loads it is told what is wrong.
                Resolved::Unreadable => Some(name),
            })
        });
        let keys = names.buffer_unordered(RESOLVED_AT_ONCE).filter_map(move |key| {
            let is_wanted = |key: &Key| key.as_str().starts_with(&prefix) || names::is_name(key);
            std::future::ready(match key {
                Ok(key) => key.filter(is_wanted).map(Ok),
                Err(error) => Some(Err(error)),
            })
        });
        keys.boxed()
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        match self.names {
            None => self.store.list_with(participant, prefix),
            // The engine is not told of participants then.
            Some(_) => None,
        }
    }

    async fn purge(&self, effort: Effort) -> Result<Purged, Error> {
        self.store.purge(effort).await
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        self.store.transactions().map(|_| self as &dyn Transactions)
    }

    fn save_time_max(&self) -> Option<Duration> {
        self.store.save_time_max()
    }

    fn stats(&self) -> StoreStats {
        self.store.stats()
    }
}
